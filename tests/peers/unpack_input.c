/* Reads files as the library does, up to their text, for comparison with other programs. Each
 * line of standard input is "MEMBER PATH", where MEMBER is "-" if no member is asked for. For
 * each line it prints "ok", the number of bytes of the text and their CRC-32, or the status and
 * its sentence. */
#include "input.h"

#include <furrow/context.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Bytes read at a time. Not a power of two, so that a piece and a window rarely end together. */
#define PIECE 50021

/* Adds bytes to the CRC-32 of gzip (RFC 1952), by a table for eight bits at a time. */
static uint32_t add_to_crc(uint32_t crc, const char *bytes, size_t size)
{
    static uint32_t table[256];
    for (uint32_t i = 0; table[255] == 0 && i < 256; i++) {
        table[i] = i;
        for (int bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ (table[i] & 1 ? UINT32_C(0xedb88320) : 0);
    }
    crc = ~crc;
    for (size_t i = 0; i < size; i++)
        crc = crc >> 8 ^ table[(crc ^ (unsigned char)bytes[i]) & 255];
    return ~crc;
}

static fur_status read_all(fur_input *input, int64_t *size, uint32_t *crc, fur_failure *failure)
{
    static char piece[PIECE];
    size_t got = 1;
    fur_status status = FUR_OK;
    while (status == FUR_OK && got > 0) {
        status = fur_input_read(input, piece, sizeof piece, &got, failure);
        if (status != FUR_OK)
            break;
        *size += (int64_t)got;
        *crc = add_to_crc(*crc, piece, got);
    }
    return status;
}

static void answer(fur_context *context, const char *member, const char *path)
{
    const fur_mtx_read_options options = {.size = sizeof options};
    fur_watch watch;
    fur_watch_begin(&watch, &options);
    const fur_input_request request = {
        .path = path, .member = strcmp(member, "-") == 0 ? NULL : member, .watch = &watch};
    fur_failure failure = {.status = FUR_OK};
    fur_input *input = NULL;
    int64_t size = 0;
    uint32_t crc = 0;
    if (fur_input_open(context, &request, &failure, &input) == FUR_OK) {
        read_all(input, &size, &crc, &failure);
        fur_input_close(input);
    }
    if (failure.status == FUR_OK)
        printf("ok %" PRId64 " %" PRIu32 "\n", size, crc);
    else
        printf("%s: %s\n", fur_status_name(failure.status), failure.sentence);
    fflush(stdout);
}

int main(void)
{
    char line[5000], member[100], path[4000];
    fur_context *context = NULL;
    if (fur_context_create(NULL, &context) != FUR_OK)
        return 2;
    while (fgets(line, sizeof line, stdin))
        if (sscanf(line, "%99s %3999s", member, path) == 2)
            answer(context, member, path);
    fur_context_destroy(context);
    return 0;
}
