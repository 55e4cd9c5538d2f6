/* The matrices for trials. */
#include "trial.h"
#include "spmv.h"

#include "value_type.h"

#include <string.h>

/* Rows of `least` to `most` entries in `cols` columns. `scattered` out of eight entries are
 * anywhere, and the others are on diagonals. The higher the power, the fewer rows are long. */
typedef struct shape {
    int64_t rows;
    int least;
    int most;
    int64_t cols;
    int scattered;
    int power;
} shape;

/* Every part that a kernel counts is frequent in one of the matrices and rare in another. Varying
 * lengths come in a sequence that is too long for the processor to learn. */
static const shape shapes[FUR_TRIALS] = {
    {2048, 5, 5, 4096, 0, 1},      {256, 60, 60, 1024, 0, 1}, {1024, 12, 12, 2048, 8, 1},
    {4096, 0, 9, 8192, 8, 1},      {512, 8, 72, 1024, 8, 1},  {2048, 4, 6, 4096, 0, 1},
    {128, 100, 100, 2048, 8, 1},   {2048, 5, 9, 8192, 3, 1},  {192, 0, 127, 2048, 8, 1},
    {4096, 1, 1, 8192, 4, 1},      {64, 0, 255, 2048, 8, 1},  {16, 0, 1500, 2048, 8, 8},
    {1024, 24, 24, 1 << 19, 8, 1},
};

/* A pseudo-random number for each index. */
static uint32_t scatter(int64_t index)
{
    uint32_t h = ((uint32_t)index + 1) * UINT32_C(0x9e3779b1);
    h = (h ^ h >> 15) * UINT32_C(0x85ebca6b);
    return h ^ h >> 13;
}

static int32_t column_of(const shape *s, int64_t row, int place, int64_t entry)
{
    uint32_t hash = scatter(entry);
    bool anywhere = (int)(hash % 8) < s->scattered;
    return anywhere ? (int32_t)((hash >> 3) % (uint32_t)s->cols) : (int32_t)(row + place);
}

static int length_of(const shape *s, int64_t row)
{
    double part = 1;
    for (int i = 0; i < s->power; i++)
        part *= scatter(row) * 0x1p-32;
    return s->least + (int)((s->most - s->least + 1) * part);
}

static void set_pattern(const shape *s, fur_trial *t)
{
    int64_t k = 0;
    t->offsets[0] = 0;
    for (int64_t i = 0; i < s->rows; i++) {
        int length = length_of(s, i);
        for (int j = 0; j < length; j++, k++)
            t->columns[k] = column_of(s, i, j, k);
        t->offsets[i + 1] = (int32_t)k;
    }
}

/* Numbers that need all bits of their type and are all different, so that no kernel can store them
 * in fewer bytes. */
static void set_values(fur_value_type value, int64_t count, void *values)
{
    int64_t parts = count * fur_value_parts(value);
    for (int64_t i = 0; i < parts; i++)
        if (fur_value_is_single(value))
            ((float *)values)[i] = 1 + (float)scatter(i) * 0x1p-32F;
        else
            ((double *)values)[i] = 1 + scatter(i) * 0x1p-32;
}

fur_status fur_trial_create(fur_env *env, int index, fur_value_type value, fur_trial *out)
{
    const shape *s = &shapes[index];
    size_t size = fur_value_size(value);
    int64_t most = s->rows * s->most;
    FUR_TRY(fur_env_allocate(env, s->rows + 1, sizeof *out->offsets, &out->offsets));
    FUR_TRY(fur_env_allocate(env, most, sizeof *out->columns, &out->columns));
    FUR_TRY(fur_env_allocate(env, most, size, &out->values));
    FUR_TRY(fur_env_allocate(env, s->cols, size, &out->x));
    FUR_TRY(fur_env_allocate(env, s->rows, size, &out->y));
    set_values(value, most, out->values);
    memset(out->x, 0, (size_t)s->cols * size);
    set_pattern(s, out);
    out->a = (fur_csr_view){
        .rows = s->rows,
        .cols = s->cols,
        .entries = out->offsets[s->rows],
        .value_type = value,
        .offset_type = FUR_I32,
        .offsets = out->offsets,
        .columns = out->columns,
        .values = out->values,
    };
    fur_spmv_profile_of(env, &out->a, &out->profile);
    return FUR_OK;
}

void fur_trial_release(fur_env *env, fur_trial *t)
{
    fur_env_release(env, t->y);
    fur_env_release(env, t->x);
    fur_env_release(env, t->values);
    fur_env_release(env, t->columns);
    fur_env_release(env, t->offsets);
}
