/* Fuzz target: any bytes as a Matrix Market file. Whatever is accepted must be a valid matrix that
 * survives being written and read; whatever is refused must have a sentence. */
#include <furrow/furrow.h>

#include "banner.h"
#include "read.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Shapes beyond this only make an iteration slow. */
#define LARGEST_SHAPE 10000

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(int condition, const char *what)
{
    if (condition)
        return;
    fprintf(stderr, "%s\n", what);
    abort();
}

static fur_context *the_context(void)
{
    static fur_context *context;
    if (!context) {
        fur_context_options options = {.size = sizeof options, .threads = 1};
        require(fur_context_create(&options, &context) == FUR_OK, "no context");
    }
    return context;
}

/* A file name of this process, in memory if the system has such a place. */
static const char *the_path(void)
{
    static char path[64];
    if (!*path)
        snprintf(path, sizeof path, "%s/furrow-fuzz-%ld.mtx",
                 access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp", (long)getpid());
    return path;
}

static int is_large(const char *text, size_t size)
{
    fur_scan scan = fur_scan_start(the_context(), "fuzz", text, size);
    fur_banner banner;
    return fur_banner_read(&scan, &banner) == FUR_OK &&
           (banner.header.rows > LARGEST_SHAPE || banner.header.cols > LARGEST_SHAPE);
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

/* What is written reads back as what is written again. Bits are not compared: NaN may change. */
static void check_round_trip(fur_context *context, const fur_csr *matrix)
{
    size_t first_size, second_size;
    fur_mtx_read_options options = {
        .size = sizeof options, .convert = 1, .value = fur_csr_get(matrix).value};
    fur_csr *back = NULL;
    require(fur_mtx_write_csr(matrix, the_path(), NULL) == FUR_OK, "cannot be written");
    char *first = slurp(the_path(), &first_size);
    require(fur_read_text(context, "back", first, first_size, &options, &back) == FUR_OK,
            "what was written cannot be read");
    require(fur_mtx_write_csr(back, the_path(), NULL) == FUR_OK, "cannot be written again");
    char *second = slurp(the_path(), &second_size);
    require(first_size == second_size && memcmp(first, second, first_size) == 0,
            "the round trip changed the matrix");
    unlink(the_path());
    fur_csr_destroy(back);
    free(first);
    free(second);
}

static void read_with(const char *text, size_t size, const fur_mtx_read_options *options,
                      int round_trip)
{
    fur_context *context = the_context();
    fur_csr *matrix = NULL;
    if (fur_read_text(context, "fuzz", text, size, options, &matrix) != FUR_OK) {
        require(matrix == NULL, "an out-parameter was set by a failure");
        require(strncmp(fur_context_error(context), "fuzz:", 5) == 0, "no sentence");
        return;
    }
    fur_csr_view view = fur_csr_get(matrix);
    require(fur_csr_check(context, &view) == FUR_OK, "not a matrix");
    if (round_trip)
        check_round_trip(context, matrix);
    fur_csr_destroy(matrix);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const fur_mtx_read_options options[] = {
        {.size = sizeof *options},
        {.size = sizeof *options, .convert = 1, .value = FUR_C64, .keep_triangle = 1},
        {.size = sizeof *options, .duplicates = FUR_DUPLICATES_ERROR},
    };
    /* Memory of exactly this size: reading past its end is found. */
    char *text = malloc(size + (size == 0));
    if (size > 0)
        memcpy(text, data, size);
    for (size_t i = 0; i < sizeof options / sizeof *options && !is_large(text, size); i++)
        read_with(text, size, &options[i], i < 2);
    free(text);
    return 0;
}
