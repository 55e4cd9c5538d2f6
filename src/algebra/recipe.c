/* Makes a matrix in two passes over its rows. The first counts the entries of each block of rows,
 * which gives the beginnings of the blocks. The second writes the entries. Blocks do not depend on
 * the number of threads. */
#include "algebra.h"
#include "split.h"
#include "team.h"

#define BLOCK_ROWS 512

typedef struct following {
    const fur_recipe *recipe;
    int64_t *starts; /* entries before each block */
    fur_csr *out;
} following;

static int64_t end_of(const fur_recipe *r, int64_t block)
{
    return fur_smaller(r->rows, (block + 1) * BLOCK_ROWS);
}

static void count_blocks(void *job, int64_t begin, int64_t end)
{
    const following *f = job;
    const fur_recipe *r = f->recipe;
    for (int64_t block = begin; block < end; block++)
        f->starts[block] = r->count(r->job, block * BLOCK_ROWS, end_of(r, block));
}

static void fill_blocks(void *job, int64_t begin, int64_t end)
{
    const following *f = job;
    const fur_recipe *r = f->recipe;
    for (int64_t block = begin; block < end; block++)
        r->fill(r->job, block * BLOCK_ROWS, end_of(r, block), f->starts[block], f->out);
}

/* Replaces counts by starts, and returns the sum of the counts. */
static int64_t add_up(int64_t *counts, int64_t blocks)
{
    int64_t sum = 0;
    for (int64_t block = 0; block < blocks; block++) {
        int64_t count = counts[block];
        counts[block] = sum;
        sum += count;
    }
    return sum;
}

fur_status fur_recipe_follow(fur_context *context, const fur_recipe *recipe, fur_csr **out)
{
    fur_env *env = &context->env;
    fur_status status = FUR_OK;
    following f = {.recipe = recipe};
    int64_t blocks = (recipe->rows + BLOCK_ROWS - 1) / BLOCK_ROWS;
    int64_t worth = (recipe->rows + recipe->work) / FUR_ENTRY_GRAIN;
    FUR_TRY(fur_env_allocate(env, blocks, sizeof *f.starts, &f.starts));
    fur_parallel(env, worth, blocks, count_blocks, &f);
    int64_t entries = add_up(f.starts, blocks);
    FUR_TRY_DONE(fur_csr_allocate(context, recipe->rows, recipe->cols, entries, recipe->value_type,
                                  fur_offset_for(entries), &f.out));
    fur_offsets_set(f.out->view.offset_type, fur_csr_offsets(f.out), 0, 0);
    fur_parallel(env, worth, blocks, fill_blocks, &f);
    *out = f.out;
done:
    fur_env_release(env, f.starts);
    return status;
}

void fur_csr_copy_entries(const fur_csr_view *a, int64_t from, int64_t count, int64_t shift,
                          int64_t to, fur_csr *out)
{
    const int64_t size = (int64_t)fur_value_size(a->value_type);
    if (count == 0)
        return;
    const int32_t *columns = a->columns + from;
    int32_t *moved = fur_csr_columns(out) + to;
    for (int64_t k = 0; k < count; k++)
        moved[k] = (int32_t)(columns[k] + shift);
    memcpy((char *)fur_csr_values(out) + to * size, (const char *)a->values + from * size,
           (size_t)(count * size));
}

void fur_csr_copy_rows(const fur_csr_view *a, int64_t begin, int64_t end, int64_t shift,
                       int64_t row, int64_t at, fur_csr *out)
{
    int64_t from = fur_offset_at(a, begin);
    fur_csr_copy_entries(a, from, fur_offset_at(a, end) - from, shift, at, out);
    for (int64_t i = begin; i < end; i++)
        fur_csr_end_row(out, row + i - begin, at + fur_offset_at(a, i + 1) - from);
}
