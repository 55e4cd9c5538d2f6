/* Reads matrices from files. A plain coordinate file is divided into ranges of bytes, and each rank
 * reads its range as if it were a whole file. For a packed file, rank 0 distributes the lines. If
 * this is impossible or fails, rank 0 reads the whole file, so that the messages are those of the
 * library. */
#include "pieces.h"
#include "text_stream.h"

#include <furrow/author/files.h>
#include <furrow/files.h>

/* Data of each rank's range that all ranks must know. */
typedef struct finding {
    int64_t entries; /* number of lines; -1: not read, so that rank 0 must read */
    int64_t rows;
    int64_t cols;
    int64_t kind; /* field and symmetry */
} finding;

typedef struct reading {
    fur_ranks *g;
    const char *path;
    const int64_t *bounds;
    fur_mtx_header header;
    fur_csr *piece;
} reading;

/* Returns the limit of rows plus columns, as for the whole file. A range alone does not show the
 * size of the file. */
static int64_t shape_limit(const text_range *t, int64_t entries)
{
    int64_t limit = INT64_C(1) << 22;
    limit = limit > 8 * t->file_bytes ? limit : 8 * t->file_bytes;
    return limit > 2 * entries ? limit : 2 * entries;
}

/* Finds this rank's lines in a plain file. *found = false if there are none. */
static fur_status find_range(reading *r, text_range *t, bool *found)
{
    *t = (text_range){0};
    *found = false;
    if (fur_mtx_read_header(r->g->home, r->path, &r->header) != FUR_OK ||
        r->header.format != FUR_MTX_COORDINATE)
        return FUR_OK;
    return text_range_read(r->g, r->path, &r->header, t, found);
}

/* Lets rank 0 distribute the lines of a file, if all ranks have found that it is not plain. */
static fur_status find_stream(const reading *r, text_range *t, bool *found)
{
    int32_t own = !*found && t->file_bytes > 0;
    int32_t *all;
    int packed = 0;
    FUR_TRY(group_allocate(r->g, r->g->count, sizeof *all, &all));
    fur_status status = group_gather(r->g, &own, sizeof own, all);
    for (int i = 0; status == FUR_OK && i < r->g->count; i++)
        packed += all[i];
    group_release(r->g, all);
    return status == FUR_OK && packed == r->g->count && packed > 1
               ? text_stream_read(r->g, r->path, &r->header, t, found)
               : status;
}

/* Parses the lines. *entries stays -1 if this fails. */
static fur_status parse(reading *r, const text_range *t, int64_t *entries)
{
    fur_mtx_read_options options = {.size = sizeof options,
                                    .duplicates = FUR_DUPLICATES_KEEP,
                                    .limits = {.shape = shape_limit(t, r->header.entries_in_file),
                                               .entries = FUR_NO_LIMIT,
                                               .unpacked = FUR_NO_LIMIT}};
    fur_status status =
        fur_mtx_read_csr_from_memory(r->g->home, t->text, t->bytes, &options, &r->piece);
    if (status == FUR_OK)
        *entries = t->entries;
    return status == FUR_OUT_OF_MEMORY ? group_pass_on(r->g, r->g->home, status) : FUR_OK;
}

/* Reads this rank's lines. *piece stays NULL if rank 0 must read. */
static fur_status read_piece(reading *r, int64_t *entries)
{
    text_range t;
    bool found;
    *entries = -1;
    fur_status status = find_range(r, &t, &found);
    if (status == FUR_OK)
        status = find_stream(r, &t, &found);
    if (status == FUR_OK && found)
        status = parse(r, &t, entries);
    text_range_release(r->g, &t);
    return status;
}

/* Tests whether the ranges of all ranks together are the file that its head describes. */
static fur_status compare_pieces(reading *r, int64_t entries, bool *whole)
{
    finding *all;
    finding own = {entries, r->header.rows, r->header.cols,
                   (int64_t)r->header.field * 16 + (int64_t)r->header.symmetry};
    int64_t sum = 0;
    FUR_TRY(group_allocate(r->g, r->g->count, sizeof *all, &all));
    fur_status status = group_gather(r->g, &own, sizeof own, all);
    *whole = status == FUR_OK;
    for (int i = 0; status == FUR_OK && i < r->g->count; i++) {
        *whole = *whole && all[i].entries >= 0 && all[i].rows == own.rows &&
                 all[i].cols == own.cols && all[i].kind == own.kind;
        sum += all[i].entries;
    }
    *whole = *whole && sum == r->header.entries_in_file;
    group_release(r->g, all);
    return status;
}

static void drop_piece(void *user)
{
    reading *r = user;
    fur_csr_destroy(r->piece);
    r->piece = NULL;
}

/* Reads the file by all ranks. *out stays NULL if rank 0 must read. */
static fur_status read_together(reading *r, fur_ranks_csr **out)
{
    int64_t entries;
    bool whole;
    FUR_TRY(read_piece(r, &entries));
    FUR_TRY(compare_pieces(r, entries, &whole));
    if (!whole)
        return FUR_OK;
    const fur_csr_view *view = fur_csr_get(r->piece);
    pieces p = {.rows = view->rows,
                .cols = view->cols,
                .value = view->value_type,
                .own = view,
                .bounds = r->bounds,
                .refuses_duplicates = r->header.symmetry != FUR_MTX_GENERAL,
                .done = drop_piece,
                .user = r};
    return matrix_from_pieces(r->g, &p, out);
}

static fur_status read_alone(const reading *r, fur_ranks_csr **out)
{
    fur_csr *whole = NULL;
    fur_status status = FUR_OK;
    if (r->g->rank == 0)
        status =
            group_pass_on(r->g, r->g->home, fur_mtx_read_csr(r->g->home, r->path, NULL, &whole));
    if (status == FUR_OK)
        status = matrix_scatter(r->g, whole, r->bounds, out);
    fur_csr_destroy(whole);
    return status;
}

/* Every rank maps the file, and its piece has the rows of its share. */
static fur_status read_binary(const reading *r, fur_ranks_csr **out)
{
    fur_ranks *g = r->g;
    fur_csr *whole = NULL;
    int64_t *offsets = NULL;
    fur_binary_read_options options = {.size = sizeof options, .map = 1};
    FUR_TRY(group_pass_on(g, g->home, fur_binary_read_csr(g->home, r->path, &options, &whole)));
    fur_csr_view own = *fur_csr_get(whole);
    int64_t begin = own.rows * g->rank / g->count;
    int64_t end = own.rows * (g->rank + 1) / g->count;
    int64_t first = view_offset(&own, begin);
    int64_t last = view_offset(&own, end);
    fur_status status = group_allocate(g, own.rows + 1, sizeof *offsets, &offsets);
    for (int64_t row = 0; status == FUR_OK && row <= own.rows; row++)
        offsets[row] = row < begin ? 0 : (row < end ? view_offset(&own, row) : last) - first;
    own.offset_type = FUR_I64;
    own.offsets = offsets;
    own.columns += first;
    own.values = (const char *)own.values + (size_t)first * fur_value_size(own.value_type);
    pieces p = {.rows = own.rows,
                .cols = own.cols,
                .value = own.value_type,
                .own = &own,
                .bounds = r->bounds};
    if (status == FUR_OK)
        status = matrix_from_pieces(g, &p, out);
    group_release(g, offsets);
    fur_csr_destroy(whole);
    return status;
}

static fur_status read_matrix(reading *r, fur_ranks_csr **out)
{
    if (fur_binary_detect(r->path))
        return read_binary(r, out);
    FUR_TRY(read_together(r, out));
    return *out ? FUR_OK : read_alone(r, out);
}

fur_status fur_ranks_csr_read(fur_ranks *group, const char *path, const int64_t *bounds,
                              fur_ranks_csr **out)
{
    fur_ranks_csr *made = NULL;
    if (!group || !path || !out)
        return fur_context_fail(NULL, FUR_INVALID, "%s was given NULL", __func__);
    reading r = {.g = group, .path = path, .bounds = bounds, .header = {.size = sizeof r.header}};
    fur_status status = read_matrix(&r, &made);
    drop_piece(&r);
    return matrix_finish(group, status, made, out);
}
