/* Fuzz target: any bytes as a Matrix Market file. The last three bytes are not text: they choose
 * options and a second way to read. Both ways must end with the same outcome. An accepted file must
 * be a valid matrix that survives being written and read. A refusal must have a message. */
#include <furrow/author/context.h>
#include <furrow/author/files.h>

#include "fuzz.h"
#include "input.h"
#include "reader.h"

#include <stdbool.h>
#include <sys/mman.h>

/* Files with larger shapes are skipped, because they are slow. */
#define LARGEST_SHAPE 10000

/* Longer text is skipped, because it does not fit a pipe. */
#define LARGEST_TEXT 65536

/* The descriptor of files in memory and of pipes, and its path. The path is also the name of text
 * in memory: messages begin with it. */
#define DESCRIPTOR 100
#define PATH "/dev/fd/100"

typedef enum source { MEMORY, REGULAR, PIPE } source;

/* A text, and the way to read it. */
typedef struct subject {
    fur_context *context;
    source source;
    const char *text;
    size_t size;
    size_t block; /* see fur_reader_read */
    fur_mtx_read_options options;
} subject;

/* The result of reading a subject. */
typedef struct outcome {
    fur_status status;
    fur_csr *matrix;
    fur_mtx_header header;
    char warnings[8192];
} outcome;

/* Returns whether the file is small enough to be read. Packed files are not read: they may expand
 * to gigabytes, and have separate targets. */
static bool is_small(const subject *s)
{
    const fur_input_request request = {.path = PATH, .memory = s->text, .size = s->size};
    fur_failure failure = {0};
    fur_input *input = NULL;
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    if (s->size > LARGEST_TEXT || fur_input_open(s->context, &request, &failure, &input) != FUR_OK)
        return false;
    bool plain = fur_input_memory(input) != NULL;
    fur_input_close(input);
    return plain && (fur_reader_read_header(s->context, &request, &header) != FUR_OK ||
                     (header.rows <= LARGEST_SHAPE && header.cols <= LARGEST_SHAPE));
}

static char *slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    require(file != NULL, "the file is not there");
    fseek(file, 0, SEEK_END);
    *size = (size_t)ftell(file);
    rewind(file);
    char *text = malloc(*size + 1);
    require(fread(text, 1, *size, file) == *size, "the file cannot be read");
    fclose(file);
    return text;
}

/* Checks that a matrix that is written and read is written with the same text. Its bits are not
 * compared, because NaN may change. */
static void check_round_trip(const fur_csr *matrix, fur_duplicates duplicates)
{
    fur_context *context = fur_csr_context(matrix);
    size_t first_size, second_size;
    fur_mtx_read_options options = {.size = sizeof options,
                                    .convert = fur_mtx_as(fur_csr_get(matrix)->value_type),
                                    .duplicates = duplicates};
    fur_csr *back = NULL;
    require(fur_mtx_write_csr(matrix, fuzz_path(), NULL) == FUR_OK, "cannot be written");
    char *first = slurp(fuzz_path(), &first_size);
    require(fur_mtx_read_csr_from_memory(context, first, first_size, &options, &back) == FUR_OK,
            "what was written cannot be read");
    require(fur_mtx_write_csr(back, fuzz_path(), NULL) == FUR_OK, "cannot be written again");
    char *second = slurp(fuzz_path(), &second_size);
    require(first_size == second_size && memcmp(first, second, first_size) == 0,
            "the round trip changed the matrix");
    unlink(fuzz_path());
    fur_csr_destroy(back);
    free(first);
    free(second);
}

/* Makes the text readable at PATH. */
static void open_source(const subject *s)
{
    int ends[2];
    if (s->source == REGULAR)
        ends[0] = ends[1] = memfd_create("fuzz", 0);
    else
        require(pipe(ends) == 0, "no pipe");
    require(write(ends[1], s->text, s->size) == (ssize_t)s->size, "no file");
    require(dup2(ends[0], DESCRIPTOR) == DESCRIPTOR, "no descriptor");
    close(ends[0]);
    if (s->source == PIPE)
        close(ends[1]);
}

static fur_status read_subject(const subject *s, const fur_mtx_read_options *options,
                               fur_csr **matrix)
{
    fur_input_request request = {.path = PATH};
    if (s->source == MEMORY) {
        request.memory = s->text;
        request.size = s->size;
        return fur_reader_read(s->context, &request, s->block, options, matrix);
    }
    open_source(s);
    fur_status status = fur_reader_read(s->context, &request, s->block, options, matrix);
    close(DESCRIPTOR);
    return status;
}

static void take_warning(void *user, const char *sentence)
{
    char *warnings = user;
    size_t length = strlen(warnings);
    require(strncmp(sentence, PATH ":", strlen(PATH ":")) == 0, "a warning without a place");
    snprintf(warnings + length, sizeof((outcome *)0)->warnings - length, "%s\n", sentence);
}

static void read_with(const subject *s, outcome *out)
{
    fur_mtx_read_options options = s->options;
    *out = (outcome){.header = FUR_DEFAULT(fur_mtx_header)};
    options.header = &out->header;
    options.warn = take_warning;
    options.user = out->warnings;
    out->status = read_subject(s, &options, &out->matrix);
    require((out->matrix != NULL) == (out->status == FUR_OK),
            "an out-parameter was set by a failure");
    require(out->status == FUR_OK ||
                strncmp(fur_context_error(s->context), PATH ":", strlen(PATH ":")) == 0,
            "no sentence");
}

static void check_matrix(const subject *s, const outcome *found)
{
    fur_csr_view view = *fur_csr_get(found->matrix);
    require(s->options.duplicates == FUR_DUPLICATES_KEEP ||
                fur_csr_check(s->context, &view) == FUR_OK,
            "not a matrix");
    check_round_trip(found->matrix, s->options.duplicates);
}

static void check_same_matrix(const outcome *a, const outcome *b)
{
    int equal = 0;
    require(fur_csr_compare(a->matrix, b->matrix, &equal) == FUR_OK && equal,
            "the matrices differ");
    require(strcmp(a->warnings, b->warnings) == 0, "the warnings differ");
    require(a->header.format == b->header.format && a->header.field == b->header.field &&
                a->header.symmetry == b->header.symmetry &&
                a->header.entries_in_file == b->header.entries_in_file &&
                strcmp(a->header.graphblas_type, b->header.graphblas_type) == 0,
            "the headers differ");
}

static void check_same_failure(const fur_context *a, const fur_context *b)
{
    if (strcmp(fur_context_error(a), fur_context_error(b)) == 0)
        return;
    fprintf(stderr, "%s\n%s\n", fur_context_error(a), fur_context_error(b));
    require(0, "the sentences differ");
}

/* Checks that two ways of reading have the same outcome. A pipe may be too short for the sizes in
 * its head, which its beginning does not show. Its message may then differ. */
static void compare(const subject *a, const subject *b)
{
    static outcome one, other;
    read_with(a, &one);
    read_with(b, &other);
    require((one.status == FUR_OK) == (other.status == FUR_OK), "only one of two ways succeeds");
    if (one.status == FUR_OK) {
        check_same_matrix(&one, &other);
        check_matrix(a, &one);
    } else if (b->source != PIPE) {
        check_same_failure(a->context, b->context);
        require(one.status == other.status, "the statuses differ");
    }
    fur_csr_destroy(one.matrix);
    fur_csr_destroy(other.matrix);
}

static fur_mtx_read_options choose_options(unsigned policy, unsigned type)
{
    return (fur_mtx_read_options){.size = sizeof(fur_mtx_read_options),
                                  .duplicates = (fur_duplicates)(policy % 4),
                                  .mirrored = (fur_mtx_mirrored)(policy >> 2 & 1),
                                  .drop_zeros = policy >> 3 & 1,
                                  .allow_trailing = policy >> 4 & 1,
                                  .refuse_nonfinite = policy >> 5 & 1,
                                  .refuse_range = policy >> 6 & 1,
                                  .refuse_dialects = policy >> 7 & 1,
                                  .convert =
                                      type >> 2 & 1 ? fur_mtx_as((fur_value_type)(type % 4)) : 0,
                                  .keep_triangle = type >> 3 & 1,
                                  .limits.shape = type >> 7 ? 40 : 0,
                                  .limits.entries = type >> 7 ? 9 : 0};
}

/* Reads the text from memory at once, and from a source in small blocks. Only every eighth program
 * uses several threads, because a team takes long to start. */
static void read_both_ways(const char *text, size_t size, unsigned policy, unsigned type,
                           unsigned way)
{
    static fur_context *plain, *best, *team;
    if (!plain) {
        plain = fuzz_context(1, "portable");
        best = fuzz_context(1, NULL);
        team = fuzz_context(3, NULL);
    }
    subject first = {plain, MEMORY, text, size, 0, choose_options(policy, type)};
    subject second = first;
    second.context = way % 8 == 7 ? team : best;
    second.source = (source)(type / 16 % 3);
    second.block = 1 + way % 97;
    if (is_small(&first))
        compare(&first, &second);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size < 3)
        return 0;
    size -= 3;
    /* The memory has exactly this size, so that reading past its end is found. */
    char *text = malloc(size + (size == 0));
    memcpy(text, data, size);
    read_both_ways(text, size, data[size], data[size + 1], data[size + 2]);
    free(text);
    return 0;
}
