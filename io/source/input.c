/* Combines the stages: a file, a decompressor on it if needed, and an archive on that if needed. */
#include "input.h"

#include <furrow/author/try.h>

#include "stage.h"

#include <string.h>

struct fur_input {
    fur_context *context;
    fur_file *file;
    fur_stage *top; /* the stage with the text */
    bool plain;     /* the file is the text */
    char name[];    /* for the messages of all stages */
};

/* Makes an input with its name and no open stage. */
static fur_status create(fur_context *context, const fur_input_request *request,
                         fur_failure *failure, fur_input **out)
{
    bool is_stream = !request->memory && strcmp(request->path, "-") == 0;
    const char *path = is_stream ? "standard input" : request->path;
    size_t length = strlen(path);
    size_t size = sizeof(fur_input) + length + sizeof "()" + FUR_MEMBER_SIZE;
    void *memory = NULL;
    fur_status status = fur_context_allocate(context, size, &memory);
    if (status != FUR_OK) {
        fur_failure_take(failure, status, context);
        return status; /* so that the static analyzer can follow it */
    }
    fur_input *input = memory;
    *input = (fur_input){.context = context};
    memcpy(input->name, path, length + 1);
    *out = input;
    return FUR_OK;
}

/* Opens the lowest stage: the path, or the bytes that replace it. */
static fur_status open_file(fur_input *input, const fur_input_request *request,
                            fur_failure *failure)
{
    fur_file *file = NULL;
    FUR_TRY(request->memory
                ? fur_file_borrow(input->context, request->memory, request->size, input->name,
                                  failure, &file)
                : fur_file_open(input->context, request->path, input->name, failure, &file));
    file->stage.watch = request->watch;
    if (request->watch)
        request->watch->size = file->size;
    input->file = file;
    return FUR_OK;
}

/* Adds the stages between the file and the text. */
static fur_status stack(fur_input *input, fur_member *member, fur_failure *failure)
{
    input->top = &input->file->stage;
    FUR_TRY(fur_decompress(&input->top, failure));
    FUR_TRY(fur_stage_ahead(input->top, FUR_TAR_BLOCK, failure));
    if (fur_tar_is(input->top->at, fur_stage_size(input->top))) {
        FUR_TRY(fur_untar(input->top, member, failure, &input->top));
        return member->found ? fur_decompress(&input->top, failure) : FUR_OK;
    }
    if (member->suffix)
        return fur_failure_set(failure, FUR_IO_ERROR,
                               "%.400s: found a single file, expected an archive with "
                               "NAME/NAME_%.100s.mtx",
                               input->name, member->suffix);
    member->found = true;
    return FUR_OK;
}

static void append_member(fur_input *input, const char *member)
{
    char *end = input->name + strlen(input->name);
    *end++ = '(';
    end += fur_member_print(member, end, FUR_MEMBER_SIZE);
    memcpy(end, ")", sizeof ")");
}

/* A member whose name does not follow the rule is found by a second pass. A pipe does not allow
 * this. */
static fur_status open_text(fur_input *input, const char *suffix, fur_failure *failure)
{
    fur_member member = {.suffix = suffix};
    FUR_TRY(stack(input, &member, failure));
    if (!member.found && fur_member_settle(&member) && fur_file_rewind(input->file)) {
        fur_stage_close(input->top, &input->file->stage);
        FUR_TRY(stack(input, &member, failure));
    }
    if (!member.found)
        return fur_member_missing(&member, input->name, failure);
    if (*member.name)
        append_member(input, member.name);
    input->plain = input->top == &input->file->stage;
    return FUR_OK;
}

fur_status fur_input_open(fur_context *context, const fur_input_request *request,
                          fur_failure *failure, fur_input **out)
{
    fur_input *input = NULL;
    FUR_TRY(create(context, request, failure, &input));
    fur_status status = open_file(input, request, failure);
    if (status == FUR_OK)
        status = open_text(input, request->member, failure);
    if (status == FUR_OK)
        *out = input;
    else
        fur_input_close(input);
    return status;
}

fur_status fur_input_read(fur_input *input, char *to, size_t room, size_t *got,
                          fur_failure *failure)
{
    return fur_stage_read(input->top, to, room, got, failure);
}

const char *fur_input_name(const fur_input *input)
{
    return input->name;
}

int64_t fur_input_size(const fur_input *input)
{
    return input->file->size;
}

int64_t fur_input_consumed(const fur_input *input)
{
    return fur_stage_offset(&input->file->stage);
}

fur_watch *fur_input_watch(const fur_input *input)
{
    return input->file->stage.watch;
}

int fur_input_descriptor(const fur_input *input)
{
    return input->plain && input->file->size >= 0 ? input->file->descriptor : -1;
}

const char *fur_input_memory(const fur_input *input)
{
    return input->plain ? input->file->memory : NULL;
}

void fur_input_close(fur_input *input)
{
    fur_stage_close(input->top, NULL);
    fur_context_release(input->context, input);
}
