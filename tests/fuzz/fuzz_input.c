/* Fuzz target: any bytes as a compressed file or an archive. The result is bytes or a message, for
 * any number of bytes asked for at a time. Run with the seeds of one format. */
#include "fuzz.h"
#include "input.h"

#include <sys/mman.h>

/* More text is not read, because a few bytes may expand to gigabytes. */
#define LARGEST_TEXT 65536

/* Size of the memory for a file, and for the text that is read at a time. */
#define LARGEST_PIECE 8192

/* Returns the end of a block of memory. The next page is protected, because the decompressors are
 * not instrumented. */
static char *make_arena(void)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *arena = mmap(NULL, LARGEST_PIECE + page, PROT_READ | PROT_WRITE,
                       MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    require(arena != MAP_FAILED && mprotect(arena + LARGEST_PIECE, page, PROT_NONE) == 0,
            "no memory");
    return arena + LARGEST_PIECE;
}

typedef struct outcome {
    fur_status status;
    size_t size;
    char text[LARGEST_TEXT];
} outcome;

static void read_input(fur_input *input, char *end, size_t room, outcome *out, fur_failure *failure)
{
    size_t got = 1;
    while (out->status == FUR_OK && got > 0 && out->size + room <= LARGEST_TEXT) {
        out->status = fur_input_read(input, end - room, room, &got, failure);
        if (out->status != FUR_OK)
            return;
        require(got <= room, "more was read than there is room");
        memcpy(out->text + out->size, end - room, got);
        out->size += got;
    }
}

static void read_with(const fur_input_request *request, char *end, size_t room, outcome *out)
{
    fur_failure failure = {0};
    fur_input *input = NULL;
    out->size = 0;
    out->status = fur_input_open(the_context(), request, &failure, &input);
    require((input != NULL) == (out->status == FUR_OK), "an out-parameter was set by a failure");
    if (input) {
        read_input(input, end, room, out, &failure);
        fur_input_close(input);
    }
    require(failure.status == out->status, "the status is not that of the failure");
    require((strncmp(failure.sentence, "fuzz", 4) == 0) == (out->status != FUR_OK), "no sentence");
}

/* Checks that a file has the same text if it is read at once and in pieces. */
static void compare(const fur_input_request *request, char *end, size_t room)
{
    static outcome whole, pieces;
    read_with(request, end, LARGEST_PIECE, &whole);
    read_with(request, end, room, &pieces);
    size_t common = whole.size < pieces.size ? whole.size : pieces.size;
    require(memcmp(whole.text, pieces.text, common) == 0, "pieces give another text");
    if (whole.size + LARGEST_PIECE <= LARGEST_TEXT)
        require(whole.status == pieces.status, "pieces give another status");
}

/* Corrects the checksum of every block that looks like the header of an archive. Otherwise no input
 * would pass the check. */
static void mend(char *file, size_t size)
{
    for (char *block = file; block + 512 <= file + size; block += 512) {
        unsigned sum = 0;
        if (memcmp(block + 257, "ustar", 5) != 0)
            continue;
        memset(block + 148, ' ', 8);
        for (int i = 0; i < 512; i++)
            sum += (unsigned char)block[i];
        snprintf(block + 148, 8, "%06o", sum);
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static char *file_end, *piece_end;
    if (!file_end) {
        file_end = make_arena();
        piece_end = make_arena();
    }
    if (size == 0 || size > LARGEST_PIECE)
        return 0;
    char *file = file_end - size;
    size_t room = 1 + (size_t)(data[size - 1] % 8) * 133;
    fur_input_request request = {.path = "fuzz", .memory = file, .size = size};
    memcpy(file, data, size);
    compare(&request, piece_end, room);
    mend(file, size);
    request.member = data[0] % 2 == 0 ? NULL : "b";
    compare(&request, piece_end, room);
    return 0;
}
