/* Tests of the forms of input: plain, compressed, in an archive, through a pipe. Files are
 * complete, cut off or altered. */
#include "scratch.h"

#include "input.h"
#include "stage.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>

#ifdef FURROW_HAVE_GZIP
#    include <isa-l/igzip_lib.h>
#endif
#ifdef FURROW_HAVE_ZSTD
#    include <zstd.h>
#endif

#define LARGE_ROOM 1048576
#define MATRIX "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 7\n"
#define OTHER "%%MatrixMarket matrix array real general\n2 1\n1\n2\n"

static fur_context *context;

static void open_context(void)
{
    context = context_make(NULL, 1);
}

static void close_context(void)
{
    fur_context_destroy(context);
    scratch_empty();
}

/* A growing array of bytes. A NUL follows the bytes. */
typedef struct bytes {
    char *data;
    size_t size;
    size_t capacity;
} bytes;

static void append(bytes *to, const void *data, size_t size)
{
    if (to->size + size >= to->capacity) {
        to->capacity = 2 * (to->size + size) + 1;
        to->data = realloc(to->data, to->capacity);
        ck_assert_ptr_nonnull(to->data);
    }
    if (size > 0)
        memcpy(to->data + to->size, data, size);
    to->size += size;
    to->data[to->size] = '\0';
}

static void append_zeros(bytes *to, size_t size)
{
    char *zeros = calloc(size + 1, 1);
    append(to, zeros, size);
    free(zeros);
}

static bytes bytes_of(const char *text)
{
    bytes b = {0};
    append(&b, text, strlen(text));
    return b;
}

static bytes piece(const bytes *of, size_t begin, size_t end)
{
    bytes b = {0};
    append(&b, of->data + begin, end - begin);
    return b;
}

/* Returns random lines of a coordinate file. They compress as well as digits do. */
static bytes random_text(rng *r, size_t size)
{
    bytes b = {0};
    char line[64];
    append(&b, "", 0);
    while (b.size < size) {
        snprintf(line, sizeof line, "%d %d %.17g\n", (int)rng_below(r, 100000),
                 (int)rng_below(r, 100000), rng_unit(r));
        append(&b, line, strlen(line));
    }
    b.size = size;
    return b;
}

/* The result of reading an input. */
typedef struct outcome {
    fur_status status;
    bytes text;
    char sentence[FUR_SENTENCE_SIZE];
    char name[FUR_SENTENCE_SIZE];
} outcome;

/* Reads all of the requested input, `room` bytes at a time, into memory that ends at a guard
 * page. */
static outcome read_all(const fur_input_request *request, size_t room)
{
    outcome o = {0};
    fur_failure failure = {0};
    fur_input *input = NULL;
    append(&o.text, "", 0);
    o.status = fur_input_open(context, request, &failure, &input);
    ck_assert((input != NULL) == (o.status == FUR_OK));
    if (input) {
        char *buffer = guard_allocate(room);
        size_t got = 1;
        snprintf(o.name, sizeof o.name, "%s", fur_input_name(input));
        while (o.status == FUR_OK && got > 0) {
            o.status = fur_input_read(input, buffer, room, &got, &failure);
            if (o.status == FUR_OK)
                append(&o.text, buffer, got);
        }
        guard_release(buffer, room);
        fur_input_close(input);
    }
    ck_assert_int_eq(failure.status, o.status);
    ck_assert((*failure.sentence != '\0') == (o.status != FUR_OK));
    memcpy(o.sentence, failure.sentence, sizeof o.sentence);
    return o;
}

/* As above, for a file in memory that ends at a guard page. */
static outcome read_bytes(const bytes *file, const char *member, size_t room)
{
    char *copy = guard_allocate(file->size);
    memcpy(copy, file->data, file->size);
    fur_input_request request = {
        .path = "input", .memory = copy, .size = file->size, .member = member};
    outcome o = read_all(&request, room);
    guard_release(copy, file->size);
    return o;
}

static void check_text(const outcome *o, const bytes *expected)
{
    ck_assert_msg(o->status == FUR_OK, "%s", o->sentence);
    ck_assert_uint_eq(o->text.size, expected->size);
    ck_assert(memcmp(o->text.data, expected->data, expected->size) == 0);
}

static bool has_text(const outcome *o, const bytes *expected)
{
    return o->status == FUR_OK && o->text.size == expected->size &&
           memcmp(o->text.data, expected->data, expected->size) == 0;
}

static void check_read(const bytes *file, const char *member, size_t room, const bytes *expected)
{
    outcome o = read_bytes(file, member, room);
    check_text(&o, expected);
    free(o.text.data);
}

static void check_failure(const bytes *file, const char *member, fur_status status,
                          const char *sentence)
{
    outcome o = read_bytes(file, member, LARGE_ROOM);
    ck_assert_int_eq(o.status, status);
    ck_assert_str_eq(o.sentence, sentence);
    free(o.text.data);
}

static void check_refused(const bytes *file, const char *member, const char *sentence)
{
    check_failure(file, member, FUR_MALFORMED, sentence);
}

static void check_missing(const bytes *file, const char *member, const char *sentence)
{
    check_failure(file, member, FUR_IO_ERROR, sentence);
}

/* Returns the CRC-32 of RFC 1952 of the bytes from `begin`. */
static uint32_t crc_of(const bytes *b, size_t begin)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = begin; i < b->size; i++) {
        crc ^= (unsigned char)b->data[i];
        for (int bit = 0; bit < 8; bit++)
            crc = crc >> 1 ^ (crc & 1 ? UINT32_C(0xedb88320) : 0);
    }
    return ~crc;
}

static void append_number(bytes *to, uint64_t number, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        char byte = (char)(number >> 8 * i);
        append(to, &byte, 1);
    }
}

#define GZIP_HCRC 2
#define GZIP_EXTRA 4
#define GZIP_NAME 8
#define GZIP_COMMENT 16

static void append_stored_gzip(bytes *to, const bytes *text, int flags)
{
    size_t begin = to->size;
    const char head[] = {'\x1f', '\x8b', 8, (char)flags, 1, 2, 3, 4, 0, 3};
    append(to, head, sizeof head);
    if (flags & GZIP_EXTRA)
        append(to, "\x05\0extra", 7);
    if (flags & GZIP_NAME)
        append(to, "name.mtx", 9);
    if (flags & GZIP_COMMENT)
        append(to, "a comment", 10);
    if (flags & GZIP_HCRC)
        append_number(to, crc_of(to, begin) & 0xffff, 2);
    size_t at = 0;
    do {
        size_t size = text->size - at < 65535 ? text->size - at : 65535;
        append_number(to, at + size == text->size, 1);
        append_number(to, size, 2);
        append_number(to, ~size, 2);
        append(to, text->data + at, size);
        at += size;
    } while (at < text->size);
    append_number(to, crc_of(text, 0), 4);
    append_number(to, text->size, 4);
}

static void pack_plain(bytes *to, const bytes *text)
{
    append(to, text->data, text->size);
}

#ifdef FURROW_HAVE_GZIP
static void pack_stored(bytes *to, const bytes *text)
{
    append_stored_gzip(to, text, GZIP_NAME);
}

static void pack_gzip(bytes *to, const bytes *text)
{
    struct isal_zstream *stream = malloc(sizeof *stream);
    size_t room = text->size + text->size / 4 + 1000;
    uint8_t *out = malloc(room);
    isal_deflate_init(stream);
    stream->gzip_flag = IGZIP_GZIP;
    stream->end_of_stream = 1;
    stream->next_in = (uint8_t *)text->data;
    stream->avail_in = (uint32_t)text->size;
    stream->next_out = out;
    stream->avail_out = (uint32_t)room;
    ck_assert_int_eq(isal_deflate(stream), COMP_OK);
    ck_assert_int_eq(stream->avail_in, 0);
    append(to, out, room - stream->avail_out);
    free(out);
    free(stream);
}
#endif

#ifdef FURROW_HAVE_ZSTD
static void pack_zstd(bytes *to, const bytes *text)
{
    ZSTD_CCtx *compressor = ZSTD_createCCtx();
    size_t room = ZSTD_compressBound(text->size);
    char *out = malloc(room);
    ZSTD_CCtx_setParameter(compressor, ZSTD_c_checksumFlag, 1);
    size_t size = ZSTD_compress2(compressor, out, room, text->data, text->size);
    ck_assert(!ZSTD_isError(size));
    append(to, out, size);
    free(out);
    ZSTD_freeCCtx(compressor);
}
#endif

static const struct packer {
    const char *name;
    size_t magic; /* number of bytes by which the format is recognised */
    void (*pack)(bytes *to, const bytes *text);
} packers[] = {
    {"plain", 0, pack_plain},
#ifdef FURROW_HAVE_GZIP
    {"stored", 2, pack_stored},
    {"gzip", 2, pack_gzip},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"zstd", 4, pack_zstd},
#endif
};

static bytes packed(const struct packer *p, const bytes *text)
{
    bytes b = {0};
    p->pack(&b, text);
    return b;
}

static const size_t sizes[] = {0, 1, 2, 3, 511, 512, 513, 5000, 65535, 65537, 300000, 3000000};
static const size_t rooms[] = {1, 2, 3, 4, 5, 6, 7, 1000, 32768, 65536, LARGE_ROOM};

START_TEST(every_size_and_room_gives_the_same_bytes)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < COUNT_OF(sizes); s++) {
        bytes text = random_text(&r, sizes[s]);
        bytes file = packed(p, &text);
        for (int k = 0; k < COUNT_OF(rooms); k++)
            if (rooms[k] > 7 || sizes[s] < 100000)
                check_read(&file, NULL, rooms[k], &text);
        free(file.data);
        free(text.data);
    }
}
END_TEST

START_TEST(a_file_is_read_as_its_bytes_are)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 700000), file = packed(p, &text);
    fur_input_request request = {.path = "file"};
    scratch_write_bytes("file", file.data, file.size);
    outcome o = read_all(&request, 100000);
    check_text(&o, &text);
    ck_assert_str_eq(o.name, "file");
    free(o.text.data);
    free(file.data);
    free(text.data);
}
END_TEST

/* Progress is counted in bytes of the file, also if the file is compressed. */
START_TEST(progress_is_counted_in_the_files_bytes)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 3000000), file = packed(p, &text);
    fur_input_request request = {.path = "file"};
    fur_failure failure = {0};
    fur_input *input = NULL;
    char *buffer = malloc(LARGE_ROOM);
    int64_t before = 0;
    size_t got = 1;
    scratch_write_bytes("file", file.data, file.size);
    ck_assert_int_eq(fur_input_open(context, &request, &failure, &input), FUR_OK);
    ck_assert_int_eq(fur_input_size(input), (int64_t)file.size);
    while (got > 0) {
        ck_assert_int_eq(fur_input_read(input, buffer, LARGE_ROOM, &got, &failure), FUR_OK);
        ck_assert_int_ge(fur_input_consumed(input), before);
        before = fur_input_consumed(input);
    }
    ck_assert_int_eq(before, (int64_t)file.size);
    fur_input_close(input);
    free(buffer);
    free(file.data);
    free(text.data);
}
END_TEST

/* Only an input from a plain file has a descriptor, and only one from plain memory has an
 * address. */
START_TEST(only_plain_text_is_handed_out)
{
    const struct packer *p = &packers[_i];
    bytes text = bytes_of(MATRIX), file = packed(p, &text);
    bool plain = p->pack == pack_plain;
    fur_input_request request = {.path = "file"};
    fur_failure failure = {0};
    fur_input *input = NULL;
    scratch_write_bytes("file", file.data, file.size);
    ck_assert_int_eq(fur_input_open(context, &request, &failure, &input), FUR_OK);
    ck_assert((fur_input_descriptor(input) >= 0) == plain);
    ck_assert_ptr_null(fur_input_memory(input));
    fur_input_close(input);
    request.memory = file.data;
    request.size = file.size;
    ck_assert_int_eq(fur_input_open(context, &request, &failure, &input), FUR_OK);
    ck_assert_int_eq(fur_input_descriptor(input), -1);
    ck_assert_ptr_eq(fur_input_memory(input), plain ? file.data : NULL);
    fur_input_close(input);
    free(file.data);
    free(text.data);
}
END_TEST

/* Reads one byte at a time, as from a slow pipe. */
static fur_status read_one(fur_stage *stage, char *to, size_t room, size_t *got,
                           fur_failure *failure)
{
    return fur_stage_read(stage->below, to, room > 0, got, failure);
}

static fur_stage *open_slow(const bytes *file)
{
    fur_failure failure = {0};
    fur_file *source = NULL;
    fur_stage *slow = NULL;
    ck_assert_int_eq(fur_file_borrow(context, file->data, file->size, "slow", &failure, &source),
                     FUR_OK);
    ck_assert_int_eq(
        fur_stage_create(context, "slow", sizeof *slow, FUR_STAGE_AHEAD, &failure, &slow), FUR_OK);
    slow->read = read_one;
    slow->below = &source->stage;
    return slow;
}

static void check_slow(const bytes *file, const bytes *text)
{
    fur_failure failure = {0};
    char buffer[1000];
    bytes read = {0};
    size_t got = 1;
    fur_stage *top = open_slow(file);
    append(&read, "", 0);
    ck_assert_msg(fur_decompress(&top, &failure) == FUR_OK, "%s", failure.sentence);
    while (got > 0) {
        ck_assert_msg(fur_stage_read(top, buffer, sizeof buffer, &got, &failure) == FUR_OK, "%s",
                      failure.sentence);
        append(&read, buffer, got);
    }
    ck_assert_uint_eq(read.size, text->size);
    ck_assert(memcmp(read.data, text->data, text->size) == 0);
    fur_stage_close(top, NULL);
    free(read.data);
}

START_TEST(bytes_may_come_one_by_one)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    for (int s = 0; s < COUNT_OF(sizes) - 2; s++) {
        bytes text = random_text(&r, sizes[s]), file = packed(p, &text);
        check_slow(&file, &text);
        free(file.data);
        free(text.data);
    }
}
END_TEST

/* Starts a child process that writes the bytes one by one. Returns the reading end of the pipe. */
static int open_pipe(const bytes *file, pid_t *child)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    *child = fork();
    ck_assert_int_ge(*child, 0);
    if (*child == 0) {
        close(ends[0]);
        for (size_t i = 0; i < file->size; i++)
            if (write(ends[1], file->data + i, 1) != 1)
                _exit(1);
        _exit(0);
    }
    close(ends[1]);
    return ends[0];
}

static outcome read_pipe(const bytes *file)
{
    pid_t child;
    int descriptor = open_pipe(file, &child), before = dup(STDIN_FILENO);
    fur_input_request request = {.path = "-"};
    ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    close(descriptor);
    outcome o = read_all(&request, LARGE_ROOM);
    if (before >= 0) {
        dup2(before, STDIN_FILENO);
        close(before);
    } else {
        close(STDIN_FILENO);
    }
    waitpid(child, NULL, 0);
    return o;
}

START_TEST(standard_input_may_be_a_pipe)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 20000), file = packed(p, &text);
    outcome o = read_pipe(&file);
    check_text(&o, &text);
    ck_assert_str_eq(o.name, "standard input");
    free(o.text.data);
    free(file.data);
    free(text.data);
}
END_TEST

/* A pipe has no size, and no descriptor or address that a reader could use directly. */
START_TEST(a_pipe_has_no_size)
{
    bytes text = bytes_of(MATRIX);
    pid_t child;
    fur_failure failure = {0};
    fur_input *input = NULL;
    char path[64];
    int descriptor = open_pipe(&text, &child);
    snprintf(path, sizeof path, "/dev/fd/%d", descriptor);
    fur_input_request request = {.path = path};
    ck_assert_int_eq(fur_input_open(context, &request, &failure, &input), FUR_OK);
    ck_assert_int_eq(fur_input_size(input), -1);
    ck_assert_int_eq(fur_input_descriptor(input), -1);
    ck_assert_int_eq(fur_input_consumed(input), 0);
    fur_input_close(input);
    close(descriptor);
    waitpid(child, NULL, 0);
    free(text.data);
}
END_TEST

/* Standard input is read from its current offset. */
START_TEST(standard_input_is_read_from_where_it_stands)
{
    bytes text = bytes_of(MATRIX);
    fur_input_request request = {.path = "-"};
    scratch_write("file", "first line\n" MATRIX);
    int descriptor = open("file", O_RDONLY);
    ck_assert_int_eq(lseek(descriptor, 11, SEEK_SET), 11);
    ck_assert_int_eq(dup2(descriptor, STDIN_FILENO), STDIN_FILENO);
    outcome o = read_all(&request, LARGE_ROOM);
    check_text(&o, &text);
    close(STDIN_FILENO);
    close(descriptor);
    free(o.text.data);
    free(text.data);
}
END_TEST

/* Several pieces that are compressed separately are read as one text. Some pieces are empty. */
START_TEST(pieces_are_joined)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 80000), file = {0};
    static const size_t cuts[] = {0, 0, 10, 10, 10, 70000, 79999, 80000, 80000};
    for (int i = 0; i + 1 < COUNT_OF(cuts); i++) {
        bytes part = piece(&text, cuts[i], cuts[i + 1]);
        p->pack(&file, &part);
        free(part.data);
    }
    for (int k = 0; k < COUNT_OF(rooms); k++)
        check_read(&file, NULL, rooms[k], &text);
    check_slow(&file, &text);
    free(file.data);
    free(text.data);
}
END_TEST

/* Checks that a truncated file is refused, or is too short to be recognised. */
static void check_truncations(const bytes *file, size_t magic)
{
    for (size_t size = 0; size < file->size; size++) {
        bytes part = piece(file, 0, size);
        outcome o = read_bytes(&part, NULL, 100);
        ck_assert_msg(size < magic ? has_text(&o, &part) : o.status == FUR_MALFORMED,
                      "cut to %zu of %zu bytes: %d %s", size, file->size, (int)o.status,
                      o.sentence);
        free(o.text.data);
        free(part.data);
    }
}

/* Checks that a flipped bit is either detected or harmless. Sanitized builds flip one bit in
 * five. */
static void check_flips(const bytes *file, const bytes *text)
{
    for (size_t i = 0; i < file->size * 8; i += TEST_SLOW ? 5 : 1) {
        file->data[i / 8] ^= (char)(1 << i % 8);
        outcome o = read_bytes(file, NULL, LARGE_ROOM);
        ck_assert_msg(o.status != FUR_OK || has_text(&o, text) || has_text(&o, file),
                      "bit %zu: another text", i);
        free(o.text.data);
        file->data[i / 8] ^= (char)(1 << i % 8);
    }
}

START_TEST(truncated_data_is_refused)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, TEST_SLOW ? 700 : 3000), file = packed(p, &text);
    check_truncations(&file, p->magic);
    free(file.data);
    free(text.data);
}
END_TEST

START_TEST(altered_data_is_refused)
{
    const struct packer *p = &packers[_i];
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, TEST_SLOW ? 300 : 1500), file = packed(p, &text);
    check_flips(&file, &text);
    free(file.data);
    free(text.data);
}
END_TEST

#ifdef FURROW_HAVE_GZIP
START_TEST(every_gzip_header_is_read)
{
    bytes text = bytes_of(MATRIX), file = {0}, twice = {0};
    append_stored_gzip(&file, &text, _i);
    append_stored_gzip(&file, &text, _i ^ GZIP_HCRC);
    append(&twice, text.data, text.size);
    append(&twice, text.data, text.size);
    check_read(&file, NULL, LARGE_ROOM, &twice);
    check_slow(&file, &twice);
    check_flips(&file, &twice);
    free(file.data);
    free(twice.data);
    free(text.data);
}
END_TEST

START_TEST(only_zeros_may_follow_gzip_data)
{
    bytes text = bytes_of(MATRIX), file = packed(&packers[2], &text);
    char sentence[200];
    append_zeros(&file, 70000);
    check_read(&file, NULL, LARGE_ROOM, &text);
    check_slow(&file, &text);
    snprintf(sentence, sizeof sentence,
             "input: found damaged compressed data before byte %zu (other bytes after it); get the "
             "file again",
             file.size);
    append(&file, "x", 1);
    check_refused(&file, NULL, sentence);
    free(file.data);
    file = packed(&packers[2], &text);
    snprintf(
        sentence, sizeof sentence,
        "input: found damaged compressed data before byte %zu (no gzip header); get the file again",
        file.size + 10);
    append(&file, "not a gzip header", 17);
    check_refused(&file, NULL, sentence);
    free(file.data);
    free(text.data);
}
END_TEST

START_TEST(gzip_errors_say_what_and_where)
{
    bytes text = bytes_of(MATRIX), file = {0};
    append_stored_gzip(&file, &text, 0);
    file.data[file.size - 1] ^= 1;
    check_refused(&file, NULL,
                  "input: found damaged compressed data before byte 81 (a wrong checksum or "
                  "length); get the file again");
    file.data[2] = 7;
    check_refused(&file, NULL,
                  "input: found damaged compressed data before byte 10 (an unknown method); get "
                  "the file again");
    file.size = 50;
    file.data[2] = 8;
    check_refused(
        &file, NULL,
        "input: the compressed data ends early, at byte 50; the file is incomplete: get it again");
    free(file.data);
    free(text.data);
}
END_TEST
#endif

#ifdef FURROW_HAVE_ZSTD
START_TEST(skippable_frames_are_skipped)
{
    const struct packer *p = &packers[COUNT_OF(packers) - 1];
    bytes text = bytes_of(MATRIX), file = {0};
    append_number(&file, 0x184d2a50 + (uint32_t)_i, 4);
    append_number(&file, 5, 4);
    append(&file, "hello", 5);
    p->pack(&file, &text);
    append_number(&file, 0x184d2a50 + (uint32_t)_i, 4);
    append_number(&file, 0, 4);
    check_read(&file, NULL, LARGE_ROOM, &text);
    check_slow(&file, &text);
    free(file.data);
    free(text.data);
}
END_TEST

/* A frame that needs more than 128 MiB to decompress is refused. */
START_TEST(large_windows_are_refused)
{
    const char head[] = {'\x28', '\xb5', '\x2f', '\xfd', 0, '\x90', 1, 0, 0}; /* 2^28 bytes */
    bytes file = {0};
    append(&file, head, sizeof head);
    outcome o = read_bytes(&file, NULL, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_UNSUPPORTED);
    ck_assert_str_eq(o.sentence,
                     "input: found zstd data that takes more than 128 MiB to decompress; "
                     "decompress it first: zstd -dc --long=31 FILE > FILE.mtx");
    free(o.text.data);
    file.data[5] = '\x88'; /* 2^27 bytes */
    o = read_bytes(&file, NULL, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_OK);
    ck_assert_uint_eq(o.text.size, 0);
    free(o.text.data);
    free(file.data);
}
END_TEST
#endif

#ifdef FURROW_HAVE_GZIP
#    define HAVE_GZIP true
#else
#    define HAVE_GZIP false
#endif
#ifdef FURROW_HAVE_ZSTD
#    define HAVE_ZSTD true
#else
#    define HAVE_ZSTD false
#endif

static void check_support(const bytes *file, bool supported, const char *sentence)
{
    outcome o = read_bytes(file, NULL, LARGE_ROOM);
    ck_assert((o.status == FUR_UNSUPPORTED) == !supported);
    ck_assert(supported || strcmp(o.sentence, sentence) == 0);
    free(o.text.data);
}

/* A build without gzip or zstd refuses such files and does not read them as text. */
START_TEST(what_the_build_lacks_is_said)
{
    bytes text = bytes_of(MATRIX), gzip = {0}, zstd = {0};
    append_stored_gzip(&gzip, &text, 0);
    check_support(&gzip, HAVE_GZIP,
                  "input: found gzip-compressed data, which this build cannot read; decompress it "
                  "first: gzip -dc FILE > FILE.mtx, or build furrow with -DFURROW_WITH_GZIP=ON");
    append_number(&zstd, 0xfd2fb528, 4);
    check_support(&zstd, HAVE_ZSTD,
                  "input: found zstd-compressed data, which this build cannot read; decompress it "
                  "first: zstd -dc FILE > FILE.mtx, or build furrow with -DFURROW_WITH_ZSTD=ON");
    free(text.data);
    free(gzip.data);
    free(zstd.data);
}
END_TEST

/* An entry of a ustar archive, built from the specification alone. */
typedef struct entry {
    const char *name;
    const char *text;
    char type; /* 0: '0' */
} entry;

/* Writes an octal number in the usual form: leading zeros, then a NUL. */
static void set_octal(char *field, size_t width, uint64_t number)
{
    field[--width] = '\0';
    for (; width > 0; number /= 8)
        field[--width] = (char)('0' + number % 8);
}

static void set_checksum(char *block)
{
    unsigned sum = 0;
    memset(block + 148, ' ', 8);
    for (int i = 0; i < FUR_TAR_BLOCK; i++)
        sum += (unsigned char)block[i];
    set_octal(block + 148, 7, sum);
}

static void append_header(bytes *to, const char *name, size_t size, char type)
{
    static const char magic[] = {'u', 's', 't', 'a', 'r', '\0', '0', '0'};
    char block[FUR_TAR_BLOCK] = {0};
    size_t length = strlen(name);
    memcpy(block, name, length < 100 ? length : 100);
    set_octal(block + 100, 8, 0644);
    set_octal(block + 124, 12, size);
    block[156] = type;
    memcpy(block + 257, magic, sizeof magic);
    set_checksum(block);
    append(to, block, sizeof block);
}

static void append_data(bytes *to, const char *data, size_t size)
{
    append(to, data, size);
    append_zeros(to, (FUR_TAR_BLOCK - size % FUR_TAR_BLOCK) % FUR_TAR_BLOCK);
}

static void append_entry(bytes *to, const char *name, const char *text, char type)
{
    append_header(to, name, strlen(text), type);
    append_data(to, text, strlen(text));
}

static void append_end(bytes *to)
{
    append_zeros(to, 2 * FUR_TAR_BLOCK);
}

static bytes tar_of(const entry *entries, int count)
{
    bytes b = {0};
    for (int i = 0; i < count; i++)
        append_entry(&b, entries[i].name, entries[i].text, entries[i].type ? entries[i].type : '0');
    append_end(&b);
    return b;
}

/* Checks the text and name that are read from an archive, packed in every way. */
static void check_archive(const bytes *archive, const char *member, const char *text,
                          const char *name)
{
    bytes expected = bytes_of(text);
    for (int i = 0; i < COUNT_OF(packers); i++) {
        bytes file = packed(&packers[i], archive);
        for (size_t room = 1; room < 100; room += 6)
            check_read(&file, member, room, &expected);
        outcome o = read_bytes(&file, member, LARGE_ROOM);
        check_text(&o, &expected);
        ck_assert_str_eq(o.name, name);
        free(o.text.data);
        free(file.data);
    }
    free(expected.data);
}

static const entry collection[] = {
    {"name/name_b.mtx", OTHER, 0},
    {"name/readme.txt", "text\n", 0},
    {"name/name.mtx", MATRIX, 0},
    {"name/name_coord.mtx", "%%coordinates\n", 0},
};

START_TEST(members_are_found_in_any_order)
{
    entry entries[COUNT_OF(collection)];
    rng r = rng_stream((uint64_t)_i);
    int32_t *order = rng_order(&r, COUNT_OF(collection));
    for (int i = 0; i < COUNT_OF(collection); i++)
        entries[i] = collection[order[i]];
    bytes archive = tar_of(entries, COUNT_OF(collection));
    check_archive(&archive, NULL, MATRIX, "input(name/name.mtx)");
    check_archive(&archive, "b", OTHER, "input(name/name_b.mtx)");
    check_archive(&archive, "coord", "%%coordinates\n", "input(name/name_coord.mtx)");
    free(archive.data);
    free(order);
}
END_TEST

START_TEST(a_member_that_is_not_there_is_missed)
{
    bytes archive = tar_of(collection, COUNT_OF(collection)), text = bytes_of(MATRIX);
    check_missing(&archive, "x",
                  "input: found no NAME/NAME_x.mtx in the archive, only name/name_b.mtx, "
                  "name/name.mtx, name/name_coord.mtx; unpack it and give one of these");
    check_missing(&text, "b",
                  "input: found a single file, expected an archive with NAME/NAME_b.mtx");
    free(archive.data);
    free(text.data);
    archive = tar_of(&collection[1], 1);
    check_missing(&archive, NULL,
                  "input: found no file *.mtx or *.mtx.gz in the archive, expected NAME/NAME.mtx");
    free(archive.data);
}
END_TEST

/* If no *.mtx has the name of its folder, the only *.mtx is read. */
static const entry lone[] = {
    {"._other.mtx", "resources", 0},
    {"other.mtx", MATRIX, 0},
    {"other.txt", "text\n", 0},
};

START_TEST(the_only_matrix_is_taken)
{
    bytes archive = tar_of(lone, COUNT_OF(lone)), text = bytes_of(MATRIX);
    check_archive(&archive, NULL, MATRIX, "input(other.mtx)");
    for (int i = 0; i < COUNT_OF(packers); i++) {
        bytes file = packed(&packers[i], &archive);
        fur_input_request request = {.path = "file"};
        scratch_write_bytes("file", file.data, file.size);
        outcome o = read_all(&request, LARGE_ROOM);
        check_text(&o, &text);
        ck_assert_str_eq(o.name, "file(other.mtx)");
        free(o.text.data);
        free(file.data);
    }
    outcome o = read_pipe(&archive);
    ck_assert_int_eq(o.status, FUR_IO_ERROR);
    ck_assert_str_eq(o.sentence, "standard input: found no NAME/NAME.mtx in the archive, only "
                                 "other.mtx; unpack it and give one of these");
    free(o.text.data);
    free(archive.data);
    free(text.data);
}
END_TEST

/* Compressed members are read, as 10x Genomics distributes them. */
START_TEST(packed_members_are_read)
{
    static const char *const names[] = {"out/matrix.mtx.gz", "out/matrix.mtx.zst", "out/matrix.mtx",
                                        "out/out.mtx.gz"};
    bytes text = bytes_of(MATRIX);
    for (int i = 0; i < COUNT_OF(packers) * COUNT_OF(names); i++) {
        bytes member = packed(&packers[i % COUNT_OF(packers)], &text), archive = {0};
        const char *name = names[i / COUNT_OF(packers)];
        char shown[64];
        append_entry(&archive, "out/barcodes.tsv.gz", "text\n", '0');
        append_header(&archive, name, member.size, '0');
        append_data(&archive, member.data, member.size);
        append_entry(&archive, "out/features.mtx.gzip", "text\n", '0');
        append_end(&archive);
        snprintf(shown, sizeof shown, "input(%s)", name);
        check_archive(&archive, NULL, MATRIX, shown);
        free(archive.data);
        free(member.data);
    }
    free(text.data);
}
END_TEST

/* A compressed member that is truncated or altered is refused, like a file of this kind. */
START_TEST(broken_packed_members_are_refused)
{
    bytes text = bytes_of(MATRIX), member = {0}, archive = {0};
    pack_gzip(&member, &text);
    append_header(&archive, "out/matrix.mtx.gz", member.size - 9, '0');
    append_data(&archive, member.data, member.size - 9);
    append_end(&archive);
    outcome o = read_bytes(&archive, NULL, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_MALFORMED);
    ck_assert_ptr_nonnull(strstr(o.sentence, "the compressed data ends early, at byte"));
    free(o.text.data);
    free(archive.data);
    free(member.data);
    free(text.data);
}
END_TEST

START_TEST(many_matrices_are_listed_in_part)
{
    bytes archive = {0};
    char name[64];
    for (int i = 0; i < 100; i++) {
        snprintf(name, sizeof name, "folder\n/matrix%d.mtx", i);
        append_entry(&archive, name, MATRIX, '0');
    }
    append_end(&archive);
    outcome o = read_bytes(&archive, NULL, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_IO_ERROR);
    ck_assert_ptr_nonnull(strstr(o.sentence, "only folder?/matrix0.mtx, folder?/matrix1.mtx, "));
    ck_assert_ptr_nonnull(strstr(o.sentence, ".mtx and others; unpack"));
    free(o.text.data);
    free(archive.data);
}
END_TEST

/* Appends a record of a pax header. The archives below use all forms of names and sizes. */
static void append_record(bytes *to, const char *key, const char *value)
{
    char record[5000];
    size_t rest = strlen(key) + strlen(value) + 3, length = rest + 1;
    while (length != rest + (size_t)snprintf(NULL, 0, "%zu", length))
        length++;
    snprintf(record, sizeof record, "%zu %s=%s\n", length, key, value);
    append(to, record, length);
}

static void append_pax(bytes *to, const bytes *records, char type)
{
    append_header(to, "PaxHeaders/name", records->size, type);
    append_data(to, records->data, records->size);
}

static void long_name(char *name, size_t folder)
{
    memset(name, 'f', folder);
    name[folder] = '/';
    memset(name + folder + 1, 'f', folder);
    memcpy(name + 2 * folder + 1, ".mtx", 5);
}

static bytes archive_gnu(const char *name)
{
    bytes b = {0};
    append_entry(&b, "././@LongLink", "link", 'K');
    append_header(&b, "././@LongLink", strlen(name) + 1, 'L');
    append_data(&b, name, strlen(name) + 1);
    append_entry(&b, name, MATRIX, '0');
    append_end(&b);
    return b;
}

/* Makes an archive in which the target of a link is between the long name and its entry. */
static bytes archive_link_last(const char *name)
{
    bytes b = {0};
    append_header(&b, "././@LongLink", strlen(name) + 1, 'L');
    append_data(&b, name, strlen(name) + 1);
    append_entry(&b, "././@LongLink", "link", 'K');
    append_entry(&b, "short", MATRIX, '0');
    append_end(&b);
    return b;
}

static bytes archive_pax(const char *name)
{
    bytes b = {0}, records = {0}, global = {0};
    append_record(&global, "comment", "path=none");
    append_pax(&b, &global, 'g');
    append_record(&records, "mtime", "1.5");
    append_record(&records, "path", name);
    append_record(&records, "LIBARCHIVE.xattr", "\n1\n");
    append_pax(&b, &records, 'x');
    append_entry(&b, "short", MATRIX, '0');
    append_end(&b);
    free(records.data);
    free(global.data);
    return b;
}

static bytes archive_pax_size(const char *name)
{
    bytes b = {0}, records = {0};
    char size[20];
    snprintf(size, sizeof size, "%zu", strlen(MATRIX));
    append_record(&records, "size", size);
    append_record(&records, "path", name);
    append_pax(&b, &records, 'x');
    append_header(&b, "short", 0, '0');
    append_data(&b, MATRIX, strlen(MATRIX));
    append_end(&b);
    free(records.data);
    return b;
}

/* Makes an archive whose pax header overrides the invalid size in the plain header. */
static bytes archive_pax_over_no_size(const char *name)
{
    bytes b = archive_pax_size(name);
    char *block = b.data + b.size - 4 * FUR_TAR_BLOCK; /* before the data and the end */
    memset(block + 124, '8', 12);
    set_checksum(block);
    return b;
}

/* Makes an archive whose size is in GNU's binary form. */
static bytes archive_binary_size(const char *name)
{
    bytes b = archive_gnu(name);
    char *block = b.data + b.size - 4 * FUR_TAR_BLOCK; /* before the data and the end */
    memset(block + 124, 0, 12);
    block[124] = '\x80';
    block[135] = (char)strlen(MATRIX);
    set_checksum(block);
    return b;
}

static bytes (*const forms[])(const char *name) = {
    archive_gnu,      archive_link_last,        archive_pax,
    archive_pax_size, archive_pax_over_no_size, archive_binary_size};

START_TEST(long_names_are_read)
{
    static const size_t folders[] = {1, 47, 48, 60, 150, 254, 255, 1000, 2040};
    char name[4200], shown[4300];
    for (int i = 0; i < COUNT_OF(folders); i++) {
        long_name(name, folders[i]);
        bytes archive = forms[_i](name);
        snprintf(shown, sizeof shown, "input(%s)", name);
        shown[FUR_SENTENCE_SIZE - 1] = '\0'; /* as an outcome has it */
        check_archive(&archive, NULL, MATRIX, shown);
        free(archive.data);
    }
}
END_TEST

START_TEST(names_longer_than_a_path_are_refused)
{
    char name[4200];
    long_name(name, 2046);
    bytes archive = archive_gnu(name);
    check_refused(&archive, NULL,
                  "input: byte 1024 of the archive: found a file name that is too long, expected "
                  "less than 4096 bytes");
    free(archive.data);
}
END_TEST

START_TEST(names_may_have_a_prefix)
{
    bytes archive = {0};
    append_entry(&archive, "name.mtx", MATRIX, '0');
    append_end(&archive);
    memcpy(archive.data + 345, "folder/name", 11);
    set_checksum(archive.data);
    check_archive(&archive, NULL, MATRIX, "input(folder/name/name.mtx)");
    memset(archive.data + 262, ' ', 2); /* magic of GNU tar, whose headers have no prefix */
    set_checksum(archive.data);
    check_archive(&archive, NULL, MATRIX, "input(name.mtx)");
    free(archive.data);
}
END_TEST

/* Changes a header to the old form: no magic, blanks around numbers. Mode and owners are invalid
 * because readers must ignore them. */
static void make_old(char *block)
{
    memset(block + 100, 'x', 24);
    memset(block + 257, 0, 8);
    memset(block + 124, ' ', 9);
    block[135] = ' ';
    set_checksum(block);
}

START_TEST(old_archives_are_read)
{
    bytes archive = {0};
    append_entry(&archive, "name/", "", '\0');
    append_entry(&archive, "name/name.mtx", MATRIX, '\0');
    append_end(&archive);
    make_old(archive.data);
    make_old(archive.data + FUR_TAR_BLOCK);
    check_archive(&archive, NULL, MATRIX, "input(name/name.mtx)");
    free(archive.data);
}
END_TEST

/* Folders, links and devices have no data, even if their header has a size. */
START_TEST(folders_and_links_have_no_data)
{
    bytes archive = {0};
    for (int type = '1'; type <= '6'; type++)
        append_header(&archive, "something", 12345, (char)type);
    append_entry(&archive, "unknown", "data", 'Z');
    append_entry(&archive, "name/name.mtx", MATRIX, '7');
    append_end(&archive);
    check_archive(&archive, NULL, MATRIX, "input(name/name.mtx)");
    free(archive.data);
}
END_TEST

/* The next functions each damage one header. The table below has the expected sentences. */
static void break_checksum(char *block)
{
    block[5] ^= 1;
}

static void break_size(char *block)
{
    block[130] = 'x';
    set_checksum(block);
}

/* Puts a blank between the digits of the size, which must not end the number there. */
static void part_size(char *block)
{
    memcpy(block + 124, "0000000 072", 12);
    set_checksum(block);
}

static void enlarge(char *block)
{
    set_octal(block + 124, 12, UINT64_C(077777777777));
    set_checksum(block);
}

static void overflow(char *block)
{
    memset(block + 124, 0xff, 12);
    set_checksum(block);
}

static void make_link(char *block)
{
    block[156] = '2';
    set_checksum(block);
}

static void make_sparse(char *block)
{
    block[156] = 'S';
    set_checksum(block);
}

static void make_pax(char *block)
{
    block[156] = 'x';
    set_checksum(block);
}

static void make_large_pax(char *block)
{
    set_octal(block + 124, 12, 65537);
    make_pax(block);
}

static const struct {
    void (*damage)(char *block);
    const char *sentence;
} damages[] = {
    {break_checksum, "input: byte 1024 of the archive: found a block with a wrong checksum, "
                     "expected a tar header; get the archive again"},
    {break_size, "input: byte 1024 of the archive: found a size that is not a number, expected "
                 "octal digits"},
    {part_size, "input: byte 1024 of the archive: found a size that is not a number, expected "
                "octal digits"},
    {enlarge,
     "input(name/name.mtx): the archive ends early, at byte 3072; it is incomplete: get it again"},
    {overflow, "input: byte 1024 of the archive: found a size that is not a number, expected octal "
               "digits"},
    {make_link, "input: byte 1024 of the archive: found a link or another special entry instead of "
                "the matrix file"},
    {make_sparse, "input: byte 1024 of the archive: found a sparse file, which cannot be read; "
                  "pack it again without --sparse"},
    {make_pax, "input: byte 1024 of the archive: found a pax header with a broken record, expected "
               "\"length key=value\""},
    {make_large_pax,
     "input: byte 1024 of the archive: found an extended header of more than 64 KiB"},
};

START_TEST(broken_entries_are_refused)
{
    bytes archive = {0};
    append_entry(&archive, "a.txt", "text\n", '0');
    append_entry(&archive, "name/name.mtx", MATRIX, '0');
    append_end(&archive);
    damages[_i].damage(archive.data + 1024);
    check_refused(&archive, NULL, damages[_i].sentence);
    free(archive.data);
}
END_TEST

/* An extended header without a following entry is refused. */
START_TEST(a_header_about_nothing_is_refused)
{
    static const char types[] = "LKxg";
    bytes archive = {0}, records = {0};
    append_record(&records, "path", "name/name.mtx");
    append_entry(&archive, "only.mtx", MATRIX, '0');
    append_pax(&archive, &records, types[_i]);
    append_end(&archive);
    check_refused(&archive, NULL,
                  "input: byte 2048 of the archive: found the end of the archive, expected the "
                  "entry of the extended header");
    free(records.data);
    free(archive.data);
}
END_TEST

/* Two extended headers for one entry are refused, because some programs use the first and some the
 * second. */
START_TEST(two_headers_about_one_entry_are_refused)
{
    static const char *const types[] = {"xx", "LL", "xL", "Lx"};
    bytes archive = {0}, records = {0};
    append_record(&records, "path", "name/name.mtx");
    append_pax(&archive, &records, types[_i][0]);
    append_entry(&archive, "././@LongLink", "link", 'K');
    append_pax(&archive, &records, types[_i][1]);
    append_entry(&archive, "only.mtx", MATRIX, '0');
    append_end(&archive);
    check_refused(&archive, NULL,
                  "input: byte 2048 of the archive: found a second extended header for one entry, "
                  "expected one; pack it again");
    free(records.data);
    free(archive.data);
}
END_TEST

static const struct {
    const char *records;
    const char *found;
} broken_records[] = {
    {"5\n", "a pax header with a broken record, expected \"length key=value\""},
    {"100 path=a/a.mtx\n", "a pax header with a broken record, expected \"length key=value\""},
    {"0 path=a/a.mtx\n", "a pax header with a broken record, expected \"length key=value\""},
    {"2 \n", "a pax header with a broken record, expected \"length key=value\""},
    {" path=a/a.mtx\n", "a pax header with a broken record, expected \"length key=value\""},
    {"99999999999999999999 a=\n",
     "a pax header with a broken record, expected \"length key=value\""},
    {"10 size=x\n", "a size that is not a number, expected decimal digits"},
    {"8 size=\n", "a size that is not a number, expected decimal digits"},
    {"10 size=-\n", "a size that is not a number, expected decimal digits"},
    {"28 size=9999999999999999999\n", "a size that is not a number, expected decimal digits"},
    {"22 GNU.sparse.major=1\n",
     "a sparse file, which cannot be read; pack it again without --sparse"},
};

START_TEST(broken_records_are_refused)
{
    bytes archive = {0}, records = bytes_of(broken_records[_i].records);
    char sentence[200];
    append_pax(&archive, &records, 'x');
    append_entry(&archive, "name/name.mtx", MATRIX, '0');
    append_end(&archive);
    snprintf(sentence, sizeof sentence, "input: byte 0 of the archive: found %s",
             broken_records[_i].found);
    check_refused(&archive, NULL, sentence);
    free(records.data);
    free(archive.data);
}
END_TEST

/* An archive that is truncated before the end of the member is refused. If it is truncated later,
 * it is refused only if it has a checksum. */
START_TEST(truncated_archives_are_refused)
{
    bytes archive = tar_of(collection, 3), text = bytes_of(MATRIX);
    size_t end = 5 * FUR_TAR_BLOCK + text.size, recognised = 262;
    for (size_t size = 0; size < archive.size; size++) {
        bytes part = piece(&archive, 0, size);
        outcome o = read_bytes(&part, NULL, LARGE_ROOM);
        ck_assert_msg(size < recognised ? has_text(&o, &part)
                      : size < end      ? o.status == FUR_MALFORMED
                                        : has_text(&o, &text),
                      "cut to %zu bytes: %d %s", size, (int)o.status, o.sentence);
        free(o.text.data);
        free(part.data);
    }
    for (int i = 1; i < COUNT_OF(packers); i++) {
        bytes file = packed(&packers[i], &archive);
        if (file.size < archive.size / 2) { /* larger files would take too long */
            check_truncations(&file, packers[i].magic);
            check_flips(&file, &text);
        }
        free(file.data);
    }
    free(text.data);
    free(archive.data);
}
END_TEST

/* If any byte of a header is altered, the archive is refused or no longer recognised as an
 * archive. */
START_TEST(altered_headers_are_noticed)
{
    bytes archive = tar_of(collection, 3), text = bytes_of(MATRIX);
    for (size_t i = 0; i < 5 * FUR_TAR_BLOCK; i++) {
        bool magic = i >= 257 && i < 262;
        bool harmless = i / FUR_TAR_BLOCK % 2 == 1 || i % FUR_TAR_BLOCK == 155; /* data, a blank */
        archive.data[i] ^= 1;
        outcome o = read_bytes(&archive, NULL, LARGE_ROOM);
        ck_assert_msg(harmless ? has_text(&o, &text)
                      : magic  ? has_text(&o, &archive)
                               : o.status == FUR_MALFORMED,
                      "byte %zu", i);
        free(o.text.data);
        archive.data[i] ^= 1;
    }
    free(text.data);
    free(archive.data);
}
END_TEST

START_TEST(every_truncation_of_a_slow_archive_ends)
{
    bytes archive = tar_of(lone, COUNT_OF(lone));
    for (size_t size = 600; size < archive.size; size += 37) {
        bytes part = piece(&archive, 0, size);
        fur_failure failure = {0};
        fur_member member = {.suffix = NULL};
        fur_stage *top = open_slow(&part);
        fur_status status = fur_untar(top, &member, &failure, &top);
        ck_assert(!member.found);
        ck_assert(status == FUR_MALFORMED || status == FUR_OK);
        fur_stage_close(top, NULL);
        free(part.data);
    }
    free(archive.data);
}
END_TEST

/* Files that the system does not let us read are refused. */
START_TEST(files_that_cannot_be_read_are_refused)
{
    static const struct {
        const char *path;
        const char *sentence;
    } cases[] = {
        {"missing", "missing: cannot open: No such file or directory"},
        {".", ".: cannot read: Is a directory"},
        {"", ": cannot open: No such file or directory"},
        {"secret", "secret: cannot open: Permission denied"},
    };
    scratch_write("secret", MATRIX);
    ck_assert_int_eq(chmod("secret", 0), 0);
    for (int i = 0; i < COUNT_OF(cases) - (access("secret", R_OK) == 0); i++) {
        fur_input_request request = {.path = cases[i].path};
        outcome o = read_all(&request, LARGE_ROOM);
        ck_assert_int_eq(o.status, FUR_IO_ERROR);
        ck_assert_str_eq(o.sentence, cases[i].sentence);
        free(o.text.data);
    }
}
END_TEST

START_TEST(closed_standard_input_is_refused)
{
    fur_input_request request = {.path = "-"};
    int before = dup(STDIN_FILENO);
    close(STDIN_FILENO);
    outcome o = read_all(&request, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_IO_ERROR);
    ck_assert_str_eq(o.sentence, "standard input: cannot open: Bad file descriptor");
    free(o.text.data);
    if (before >= 0)
        dup2(before, STDIN_FILENO);
}
END_TEST

START_TEST(devices_are_read)
{
    fur_input_request request = {.path = "/dev/null"};
    outcome o = read_all(&request, LARGE_ROOM);
    ck_assert_int_eq(o.status, FUR_OK);
    ck_assert_uint_eq(o.text.size, 0);
    free(o.text.data);
}
END_TEST

/* If any allocation fails, no input is opened and no memory is lost. */
START_TEST(opening_survives_every_lack_of_memory)
{
    memory m = {0};
    fur_context *counting = context_counting(&m, NULL, 1), *usual = context;
    bytes archive = tar_of(_i % 2 == 0 ? collection : lone, _i % 2 == 0 ? 4 : 3);
    bytes file = packed(&packers[_i / 2], &archive), text = bytes_of(MATRIX);
    fur_input_request request = {.path = "file"};
    int64_t before = m.outstanding;
    fur_status status = FUR_OUT_OF_MEMORY;
    scratch_write_bytes("file", file.data, file.size);
    context = counting;
    for (int64_t n = 1; status != FUR_OK; n++) {
        m.calls = 0;
        m.fail_at = n;
        outcome o = read_all(&request, LARGE_ROOM);
        status = o.status;
        ck_assert(status == FUR_OUT_OF_MEMORY || has_text(&o, &text));
        ck_assert_int_eq(m.outstanding, before);
        free(o.text.data);
    }
    m.fail_at = 0;
    context = usual;
    fur_context_destroy(counting);
    free(archive.data);
    free(file.data);
    free(text.data);
}
END_TEST

/* An open input allocates nothing while it is read. */
START_TEST(reading_allocates_nothing)
{
    memory m = {0};
    fur_context *counting = context_counting(&m, NULL, 1);
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 300000), file = packed(&packers[_i], &text);
    fur_input_request request = {.path = "input", .memory = file.data, .size = file.size};
    fur_failure failure = {0};
    fur_input *input = NULL;
    char buffer[1000];
    size_t got = 1;
    ck_assert_int_eq(fur_input_open(counting, &request, &failure, &input), FUR_OK);
    m.calls = 0;
    while (got > 0)
        ck_assert_int_eq(fur_input_read(input, buffer, sizeof buffer, &got, &failure), FUR_OK);
    ck_assert_int_eq(m.calls, 0);
    fur_input_close(input);
    fur_context_destroy(counting);
    free(file.data);
    free(text.data);
}
END_TEST

/* Archives made by commands of several systems. Commands that are not installed are skipped. */
static const struct {
    const char *tool;
    const char *command;
    const char *name;
} commands[] = {
#ifdef FURROW_HAVE_GZIP
    {"gzip", "gzip -1c name/name.mtx > file", "file"},
    {"gzip", "gzip -9c name/name.mtx > file", "file"},
    {"gzip",
     "head -c 100000 name/name.mtx | gzip -c > file; "
     "tail -c +100001 name/name.mtx | gzip -c >> file",
     "file"},
    {"tar", "tar -czf file name", "file(name/name.mtx)"},
#endif
#ifdef FURROW_HAVE_ZSTD
    {"zstd", "zstd -qc name/name.mtx > file", "file"},
    {"zstd", "zstd -19 -qc --no-check name/name.mtx > file", "file"},
    {"zstd", "tar -cf - name | zstd -qc > file", "file(name/name.mtx)"},
#endif
    {"tar", "tar -cf file name", "file(name/name.mtx)"},
    {"tar", "tar --format=v7 -cf file name", "file(name/name.mtx)"},
    {"tar", "tar --format=ustar -cf file ./name", "file(./name/name.mtx)"},
    {"tar", "tar --format=gnu -cf file name", "file(name/name.mtx)"},
    {"tar", "tar --format=pax -cf file name", "file(name/name.mtx)"},
};

START_TEST(files_of_the_commands_are_read)
{
    char check[100];
    snprintf(check, sizeof check, "command -v %s > /dev/null", commands[_i].tool);
    if (system(check) != 0)
        return;
    rng r = rng_stream((uint64_t)_i);
    bytes text = random_text(&r, 300000);
    fur_input_request request = {.path = "file"};
    ck_assert_int_eq(mkdir("name", 0777), 0);
    scratch_write("name/name_b.mtx", OTHER);
    scratch_write_bytes("name/name.mtx", text.data, text.size);
    ck_assert_int_eq(system(commands[_i].command), 0);
    outcome o = read_all(&request, LARGE_ROOM);
    check_text(&o, &text);
    ck_assert_str_eq(o.name, commands[_i].name);
    ck_assert_int_eq(system("rm -r name"), 0);
    free(o.text.data);
    free(text.data);
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_checked_fixture(tests, open_context, close_context);
    tcase_add_loop_test(tests, every_size_and_room_gives_the_same_bytes, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, a_file_is_read_as_its_bytes_are, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, progress_is_counted_in_the_files_bytes, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, only_plain_text_is_handed_out, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, bytes_may_come_one_by_one, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, standard_input_may_be_a_pipe, 0, COUNT_OF(packers));
    tcase_add_test(tests, a_pipe_has_no_size);
    tcase_add_test(tests, standard_input_is_read_from_where_it_stands);
    tcase_add_test(tests, closed_standard_input_is_refused);
    tcase_add_loop_test(tests, pieces_are_joined, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, truncated_data_is_refused, 1, COUNT_OF(packers));
    tcase_add_loop_test(tests, altered_data_is_refused, 1, COUNT_OF(packers));
#ifdef FURROW_HAVE_GZIP
    tcase_add_loop_test(tests, every_gzip_header_is_read, 0, 32);
    tcase_add_test(tests, only_zeros_may_follow_gzip_data);
    tcase_add_test(tests, gzip_errors_say_what_and_where);
#endif
#ifdef FURROW_HAVE_ZSTD
    tcase_add_loop_test(tests, skippable_frames_are_skipped, 0, 16);
    tcase_add_test(tests, large_windows_are_refused);
#endif
    tcase_add_test(tests, what_the_build_lacks_is_said);
    tcase_add_loop_test(tests, members_are_found_in_any_order, 0, 10);
    tcase_add_test(tests, a_member_that_is_not_there_is_missed);
    tcase_add_test(tests, the_only_matrix_is_taken);
    tcase_add_test(tests, packed_members_are_read);
    tcase_add_test(tests, broken_packed_members_are_refused);
    tcase_add_test(tests, many_matrices_are_listed_in_part);
    tcase_add_loop_test(tests, long_names_are_read, 0, COUNT_OF(forms));
    tcase_add_test(tests, names_longer_than_a_path_are_refused);
    tcase_add_test(tests, names_may_have_a_prefix);
    tcase_add_test(tests, old_archives_are_read);
    tcase_add_test(tests, folders_and_links_have_no_data);
    tcase_add_loop_test(tests, broken_entries_are_refused, 0, COUNT_OF(damages));
    tcase_add_loop_test(tests, two_headers_about_one_entry_are_refused, 0, 4);
    tcase_add_loop_test(tests, a_header_about_nothing_is_refused, 0, 4);
    tcase_add_loop_test(tests, broken_records_are_refused, 0, COUNT_OF(broken_records));
    tcase_add_test(tests, truncated_archives_are_refused);
    tcase_add_test(tests, altered_headers_are_noticed);
    tcase_add_test(tests, every_truncation_of_a_slow_archive_ends);
    tcase_add_test(tests, files_that_cannot_be_read_are_refused);
    tcase_add_test(tests, devices_are_read);
    tcase_add_loop_test(tests, opening_survives_every_lack_of_memory, 0, 2 * COUNT_OF(packers));
    tcase_add_loop_test(tests, reading_allocates_nothing, 0, COUNT_OF(packers));
    tcase_add_loop_test(tests, files_of_the_commands_are_read, 0, COUNT_OF(commands));
}

int main(void)
{
    return scratch_run("input", add_tests);
}
