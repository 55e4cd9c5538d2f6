/* Inverses of blocks in their forms: the parts of entries, scaled by a power of two, in full, in
 * single or in half precision. */
#include "half.h"
#include "inverses.h"
#include "team.h"
#include "value_type.h"

#include <math.h>
#include <string.h>

#define BLOCK_GRAIN 1024

typedef struct packing {
    fur_value_type type;
    const fur_inverses *v;
    char *out;
} packing;

static int64_t part_bytes(fur_value_type type, int form)
{
    int64_t full = fur_value_is_single(type) ? sizeof(float) : sizeof(double);
    return form == FUR_DENSE_FULL     ? full
           : form == FUR_DENSE_SINGLE ? (int64_t)sizeof(float)
                                      : (int64_t)sizeof(uint16_t);
}

/* No precision needs more bytes than full precision, alignment included. */
int64_t fur_inverses_place(fur_value_type type, const fur_inverses *v)
{
    int64_t at = 0;
    for (int64_t b = 0; b < v->count; b++) {
        int64_t size = part_bytes(type, v->blocks[b].form);
        v->blocks[b].start = (at + size - 1) / size * size;
        at =
            v->blocks[b].start + (v->squares[b + 1] - v->squares[b]) * fur_value_parts(type) * size;
    }
    return at;
}

static void store(const packing *p, int64_t b, char *out)
{
    const fur_dense_block *block = &p->v->blocks[b];
    int64_t first = p->v->squares[b] * fur_value_parts(p->type);
    int64_t count = p->v->squares[b + 1] * fur_value_parts(p->type) - first;
    for (int64_t k = 0; k < count; k++) {
        double part = scalbn(fur_value_part(p->type, p->v->values, first + k), -block->exponent);
        if (block->form == FUR_DENSE_HALF)
            ((uint16_t *)(void *)out)[k] = fur_half_nearest(part);
        else
            ((float *)(void *)out)[k] = (float)part;
    }
}

static void pack_blocks(void *job, int64_t begin, int64_t end)
{
    const packing *p = job;
    int64_t size = (int64_t)fur_value_size(p->type);
    for (int64_t b = begin; b < end; b++) {
        const fur_inverses *v = p->v;
        char *out = p->out + v->blocks[b].start;
        if (v->blocks[b].form != FUR_DENSE_FULL)
            store(p, b, out);
        else
            memcpy(out, (const char *)v->values + v->squares[b] * size,
                   (size_t)((v->squares[b + 1] - v->squares[b]) * size));
    }
}

void fur_inverses_pack(const fur_env *env, fur_value_type type, const fur_inverses *v, void *out)
{
    packing p = {type, v, out};
    fur_parallel(env, v->count / BLOCK_GRAIN, v->count, pack_blocks, &p);
}
