/* Fuzz target: any bytes as a binary file. Random bytes do not pass the checksums. So each input is
 * tried twice: unchanged, and as the words of a header followed by the bytes of the sections, which
 * are put into their places under correct checksums. An accepted file must be a valid matrix or
 * vector that is written as the same bytes. A refusal must have a message. */
#include <furrow/author/context.h>

#include "fuzz.h"
#include "binary_format.h"

/* A file with a larger shape has a header, but not the sections that the header promises. */
#define LARGEST_SHAPE 10000

static void put_file(const void *bytes, size_t size)
{
    FILE *file = fopen(fuzz_path(), "wb");
    require(file != NULL, "the file cannot be made");
    require(fwrite(bytes, 1, size, file) == size, "the file cannot be written");
    require(fclose(file) == 0, "the file cannot be closed");
}

/* Checks that the written file equals the accepted one. */
static void check_same(const void *bytes, size_t size)
{
    FILE *file = fopen(fuzz_path(), "rb");
    require(file != NULL, "the file is not there");
    char *found = malloc(size + 1);
    require(fread(found, 1, size + 1, file) == size, "what is written has another size");
    require(memcmp(found, bytes, size) == 0, "what is written differs");
    fclose(file);
    free(found);
}

static void check_sentence(void)
{
    const char *sentence = fur_context_error(the_context());
    require(strncmp(sentence, fuzz_path(), strlen(fuzz_path())) == 0, "no sentence");
}

/* Checks an accepted matrix. The file may call a matrix symmetric that is not symmetric. The matrix
 * is read, but it cannot be written as symmetric. */
static void check_matrix(const fur_csr *matrix, const fur_mtx_header *header, const void *bytes,
                         size_t size)
{
    const fur_binary_write_options options = {.size = sizeof options, .origin = header};
    fur_csr_view view = *fur_csr_get(matrix);
    require(fur_csr_check(the_context(), &view) == FUR_OK, "not a matrix");
    if (header->format == FUR_MTX_ARRAY)
        return;
    fur_status status = fur_binary_write_csr(matrix, fuzz_path(), &options);
    require(status == FUR_OK || header->symmetry != FUR_MTX_GENERAL, "cannot be written");
    if (status == FUR_OK)
        check_same(bytes, size);
}

static void check_vector(const fur_vector *vector, const fur_mtx_header *header, const void *bytes,
                         size_t size)
{
    const fur_binary_write_options options = {.size = sizeof options, .origin = header};
    if (header->format != FUR_MTX_ARRAY)
        return;
    require(fur_binary_write_vector(vector, fuzz_path(), &options) == FUR_OK, "cannot be written");
    check_same(bytes, size);
}

/* Checks that a mapped file gives the same matrix as a copied one, or the same message. */
static void check_mapped(const fur_csr *copied, const char *sentence)
{
    const fur_binary_read_options options = {.size = sizeof options, .map = 1};
    fur_csr *mapped = NULL;
    int equal = copied == NULL;
    fur_status status = fur_binary_read_csr(the_context(), fuzz_path(), &options, &mapped);
    require((status == FUR_OK) == (copied != NULL), "only one of copied and mapped succeeds");
    if (copied)
        require(fur_csr_compare(copied, mapped, &equal) == FUR_OK, "cannot be compared");
    else
        require(strcmp(fur_context_error(the_context()), sentence) == 0, "the sentences differ");
    require(equal, "copied and mapped differ");
    fur_csr_destroy(mapped);
}

static void read_file(const void *bytes, size_t size)
{
    char sentence[1024] = "";
    fur_context *context = the_context();
    fur_mtx_header header = FUR_DEFAULT(fur_mtx_header);
    const fur_binary_read_options options = {.size = sizeof options, .header = &header};
    fur_csr *matrix = NULL;
    fur_vector *vector = NULL;
    put_file(bytes, size);
    if (fur_binary_read_vector(context, fuzz_path(), &options, &vector) == FUR_OK)
        check_vector(vector, &header, bytes, size);
    else
        check_sentence();
    if (fur_binary_read_csr(context, fuzz_path(), &options, &matrix) != FUR_OK) {
        check_sentence();
        snprintf(sentence, sizeof sentence, "%s", fur_context_error(context));
    }
    check_mapped(matrix, sentence);
    if (matrix)
        check_matrix(matrix, &header, bytes, size);
    fur_vector_destroy(vector);
    fur_csr_destroy(matrix);
    unlink(fuzz_path());
}

/* Fills a section with the next bytes of the input, as far as there are any. Appends the checksums
 * of the section to the table. */
static void fill_section(char *file, fur_binary_extent section, const uint8_t **data, size_t *left,
                         uint64_t **table)
{
    size_t taken = *left < section.size ? *left : section.size;
    memcpy(file + section.at, *data, taken);
    *data += taken;
    *left -= taken;
    for (uint64_t at = 0; at < section.size; at += FUR_BINARY_PIECE) {
        uint64_t rest = section.size - at;
        *(*table)++ = fur_binary_sum(file + section.at + at,
                                     rest < FUR_BINARY_PIECE ? rest : FUR_BINARY_PIECE);
    }
}

/* Reads the file that has this header and these bytes. */
static void read_assembled(fur_binary_header *header, const uint8_t *data, size_t left)
{
    int large = header->rows > LARGEST_SHAPE || header->entries > LARGEST_SHAPE ||
                header->kind > FUR_BINARY_VECTOR;
    fur_binary_layout layout = {.file_size = sizeof *header};
    if (!large)
        layout = fur_binary_lay_out(header);
    char *file = calloc(1, layout.file_size);
    require(file != NULL, "no memory");
    if (!large) {
        fur_binary_extent table = layout.sections[FUR_BINARY_TABLE];
        uint64_t *sums = (uint64_t *)(void *)(file + table.at);
        for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
            fill_section(file, layout.sections[i], &data, &left, &sums);
        header->table_sum = fur_binary_sum(file + table.at, table.size);
    }
    header->header_sum = fur_binary_header_sum(header);
    memcpy(file, header, sizeof *header);
    read_file(file, layout.file_size);
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    fur_binary_header header;
    read_file(data, size);
    if (size < sizeof header)
        return 0;
    memcpy(&header, data, sizeof header);
    read_assembled(&header, data + sizeof header, size - sizeof header);
    if (header.rows <= LARGEST_SHAPE && header.entries <= LARGEST_SHAPE &&
        header.kind <= FUR_BINARY_VECTOR) {
        fur_binary_complete(&header);
        read_assembled(&header, data + sizeof header, size - sizeof header);
    }
    return 0;
}
