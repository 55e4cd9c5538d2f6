/* Makes a matrix from a grid of matrices. */
#include "algebra.h"
#include "split.h"

/* The grid, and the beginnings of its rows and columns. */
typedef struct grid {
    int64_t rows;
    int64_t cols;
    const fur_csr *const *blocks;
    int64_t *row_starts; /* rows + 1 */
    int64_t *col_starts; /* cols + 1 */
} grid;

/* A block of the grid, or NULL for a block of zeros. */
static const fur_csr_view *block_at(const grid *g, int64_t r, int64_t c)
{
    const fur_csr *block = g->blocks[r * g->cols + c];
    return block ? &block->view : NULL;
}

/* The block row of row i. */
static int64_t find_block_row(const grid *g, int64_t i)
{
    int64_t r = 0;
    while (g->row_starts[r + 1] <= i)
        r++;
    return r;
}

static int64_t count_rows(const void *job, int64_t begin, int64_t end)
{
    const grid *g = job;
    int64_t count = 0;
    for (int64_t i = begin; i < end;) {
        int64_t r = find_block_row(g, i);
        int64_t first = i - g->row_starts[r];
        int64_t last = fur_smaller(end, g->row_starts[r + 1]) - g->row_starts[r];
        for (int64_t c = 0; c < g->cols; c++) {
            const fur_csr_view *a = block_at(g, r, c);
            count += a ? fur_offset_at(a, last) - fur_offset_at(a, first) : 0;
        }
        i += last - first;
    }
    return count;
}

/* Writes row i, which is in block row r. Returns the position after it. */
static int64_t fill_row(const grid *g, int64_t r, int64_t i, int64_t at, fur_csr *out)
{
    for (int64_t c = 0; c < g->cols; c++) {
        const fur_csr_view *a = block_at(g, r, c);
        if (!a)
            continue;
        int64_t from = fur_offset_at(a, i - g->row_starts[r]);
        int64_t count = fur_offset_at(a, i - g->row_starts[r] + 1) - from;
        fur_csr_copy_entries(a, from, count, g->col_starts[c], at, out);
        at += count;
    }
    fur_csr_end_row(out, i, at);
    return at;
}

static void fill_rows(const void *job, int64_t begin, int64_t end, int64_t at, fur_csr *out)
{
    const grid *g = job;
    for (int64_t i = begin; i < end;) {
        int64_t r = find_block_row(g, i);
        int64_t last = fur_smaller(end, g->row_starts[r + 1]);
        if (g->cols == 1) {
            fur_csr_copy_rows(block_at(g, r, 0), i - g->row_starts[r], last - g->row_starts[r], 0,
                              i, at, out);
            at = fur_offset_at(&out->view, last);
            i = last;
        }
        for (; i < last; i++)
            at = fill_row(g, r, i, at, out);
    }
}

/* Sets the size of a block row or column. It must equal the size that earlier blocks have set. */
static fur_status set_size(fur_context *context, const char *side, const char *sizes,
                           int64_t number, int64_t size, int64_t *set)
{
    if (*set >= 0 && *set != size)
        return fur_env_fail(&context->env, FUR_INVALID,
                            "block %s %lld, counting from 1, has blocks of %lld and of %lld %s; "
                            "they need the same number",
                            side, (long long)number + 1, (long long)*set, (long long)size, sizes);
    *set = size;
    return FUR_OK;
}

/* Replaces each size by the sum of the sizes before it. */
static fur_status add_sizes(fur_context *context, const char *side, int64_t count, int64_t *sizes)
{
    int64_t sum = 0;
    for (int64_t i = 0; i <= count; i++) {
        int64_t size = i < count ? sizes[i] : 0;
        if (size < 0)
            return fur_env_fail(&context->env, FUR_INVALID,
                                "block %s %lld, counting from 1, has only NULL, so its size is "
                                "unknown; put a matrix without entries there",
                                side, (long long)i + 1);
        sizes[i] = sum;
        sum += size;
    }
    return FUR_OK;
}

/* Sets the beginnings of rows and columns. */
static fur_status find_sizes(fur_context *context, const grid *g)
{
    for (int64_t r = 0; r < g->rows; r++)
        g->row_starts[r] = -1;
    for (int64_t c = 0; c < g->cols; c++)
        g->col_starts[c] = -1;
    for (int64_t r = 0; r < g->rows; r++)
        for (int64_t c = 0; c < g->cols; c++) {
            const fur_csr_view *a = block_at(g, r, c);
            if (!a)
                continue;
            FUR_TRY(set_size(context, "row", "rows", r, a->rows, &g->row_starts[r]));
            FUR_TRY(set_size(context, "column", "columns", c, a->cols, &g->col_starts[c]));
        }
    FUR_TRY(add_sizes(context, "row", g->rows, g->row_starts));
    FUR_TRY(add_sizes(context, "column", g->cols, g->col_starts));
    return fur_csr_check_size(context, g->row_starts[g->rows], g->col_starts[g->cols]);
}

/* The first block that is not NULL, or NULL. */
static const fur_csr *find_block(int64_t count, const fur_csr *const *blocks)
{
    for (int64_t n = 0; n < count; n++)
        if (blocks[n])
            return blocks[n];
    return NULL;
}

/* As above, if the blocks are on a device. */
static fur_status combine_there(fur_context *context, const grid *g, fur_csr **out)
{
    int64_t count = g->rows * g->cols;
    const fur_csr_view **views;
    FUR_TRY(find_sizes(context, g));
    FUR_TRY(fur_env_allocate(&context->env, count, sizeof *views, &views));
    for (int64_t n = 0; n < count; n++)
        views[n] = g->blocks[n] ? &g->blocks[n]->view : NULL;
    const fur_making making = {
        .kind = FUR_MAKING_BLOCKS,
        .rows = g->row_starts[g->rows],
        .cols = g->col_starts[g->cols],
        .value_type = find_block(count, g->blocks)->view.value_type,
        .grid = {g->rows, g->cols, views, g->row_starts, g->col_starts},
    };
    fur_status status = fur_making_follow(context, &making, out);
    fur_env_release(&context->env, views);
    return status;
}

static fur_status combine(fur_context *context, const fur_csr *const *blocks, const void *arguments,
                          fur_csr **out)
{
    grid g = *(const grid *)arguments;
    int64_t work = 0;
    g.blocks = blocks;
    FUR_TRY(find_sizes(context, &g));
    for (int64_t n = 0; n < g.rows * g.cols; n++)
        work += blocks[n] ? blocks[n]->view.entries : 0;
    const fur_recipe recipe = {
        .rows = g.row_starts[g.rows],
        .cols = g.col_starts[g.cols],
        .value_type = find_block(g.rows * g.cols, blocks)->view.value_type,
        .work = work,
        .count = count_rows,
        .fill = fill_rows,
        .job = &g,
    };
    return fur_recipe_follow(context, &recipe, out);
}

fur_status fur_csr_from_blocks(int64_t block_rows, int64_t block_cols, const fur_csr *const *blocks,
                               fur_csr **out)
{
    FUR_NEED(NULL, blocks, out);
    if (block_rows < 1 || block_cols < 1 || block_rows > INT32_MAX / block_cols)
        return fur_context_fail(
            NULL, FUR_INVALID,
            "a grid cannot have %lld x %lld blocks; it needs from 1 to 2^31-1 blocks",
            (long long)block_rows, (long long)block_cols);
    const fur_csr *first = find_block(block_rows * block_cols, blocks);
    if (!first)
        return fur_context_fail(NULL, FUR_INVALID,
                                "all blocks of the grid are NULL; at least one must be a matrix");
    for (int64_t n = 0; n < block_rows * block_cols; n++)
        if (blocks[n])
            FUR_TRY(fur_csr_match(first, blocks[n]));
    fur_env *env = &first->context->env;
    int64_t *starts;
    FUR_TRY(fur_env_allocate(env, block_rows + block_cols + 2, sizeof *starts, &starts));
    const grid g = {block_rows, block_cols, blocks, starts, starts + block_rows + 1};
    fur_status status = fur_algebra_device(first->context)
                            ? combine_there(first->context, &g, out)
                            : fur_algebra_on_host(first->context, block_rows * block_cols, blocks,
                                                  combine, &g, out);
    fur_env_release(env, starts);
    return status;
}
