/* Two colours by sets that are joined entry by entry (Tarjan 1975): each row knows an earlier one
 * of its set, and whether that has its colour. So a matrix is read once and in order, whatever its
 * graph.
 *
 * The literal 2 i says "row i is even", 2 i + 1 "row i is odd". link[i] says the same as 2 i; it is
 * 2 i for the first row of a set. */
#include "colours.h"

/* What says the same about the first row of the set. Links on the way become shorter. */
static uint32_t find(uint32_t *link, uint32_t literal)
{
    for (;;) {
        uint32_t *own = &link[literal >> 1];
        uint32_t next = *own ^ (literal & 1);
        if (next == literal)
            return literal;
        uint32_t beyond = link[next >> 1] ^ (next & 1);
        *own = beyond ^ (literal & 1);
        literal = beyond;
    }
}

/* Gives rows i and j different colours. False: they have the same already. */
static bool join(uint32_t *link, int64_t i, int64_t j)
{
    uint32_t one = find(link, 2 * (uint32_t)i);
    uint32_t other = find(link, 2 * (uint32_t)j + 1);
    if (one >> 1 < other >> 1)
        link[other >> 1] = one ^ (other & 1);
    else if (one >> 1 > other >> 1)
        link[one >> 1] = other ^ (one & 1);
    return one >> 1 != other >> 1 || one == other;
}

/* Joins all rows along the entries left of the diagonal. False: there are no two colours, or a row
 * has no single entry on the diagonal. */
static bool join_rows(const fur_csr_view *a, uint32_t *link)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t k = fur_offset_at(a, i);
        int64_t end = fur_offset_at(a, i + 1);
        link[i] = 2 * (uint32_t)i;
        for (; k < end && a->columns[k] < i; k++)
            if (!join(link, i, a->columns[k]))
                return false;
        if (k == end || a->columns[k] != i || (k + 1 < end && a->columns[k + 1] == i))
            return false;
    }
    return true;
}

/* link[i] = 1 for a red row, else 0; returns how many there are. surplus: of even over odd rows in
 * a set, at its first row; zeros before. */
static int64_t choose_red(int64_t rows, uint32_t *link, int32_t *surplus)
{
    int64_t red = 0;
    for (int64_t i = 0; i < rows; i++) {
        link[i] = find(link, 2 * (uint32_t)i);
        surplus[link[i] >> 1] += link[i] & 1 ? -1 : 1;
    }
    for (int64_t i = 0; i < rows; i++) {
        uint32_t odd = link[i] & 1;
        link[i] = odd == (surplus[link[i] >> 1] > 0);
        red += link[i];
    }
    return red;
}

static void set_order(int64_t rows, const uint32_t *is_red, fur_colours *c)
{
    int64_t next[2] = {c->red, 0};
    for (int64_t i = 0; i < rows; i++) {
        int64_t place = next[is_red[i]]++;
        c->order[place] = (int32_t)i;
        c->position[i] = (int32_t)place;
    }
}

fur_status fur_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *out)
{
    fur_status status = FUR_OK;
    fur_colours c = {0};
    uint32_t *link = NULL;
    FUR_TRY_DONE(fur_env_allocate(env, a->rows, sizeof *link, &link));
    if (join_rows(a, link)) {
        FUR_TRY_DONE(fur_env_allocate_zeros(env, a->rows, sizeof *c.order, &c.order));
        c.red = choose_red(a->rows, link, c.order);
    }
    if (c.red > 0) {
        FUR_TRY_DONE(fur_env_allocate(env, a->rows, sizeof *c.position, &c.position));
        set_order(a->rows, link, &c);
        *out = c;
        c = (fur_colours){0};
    } else {
        *out = (fur_colours){0};
    }
done:
    fur_colours_release(env, &c);
    fur_env_release(env, link);
    return status;
}

void fur_colours_release(fur_env *env, fur_colours *colours)
{
    fur_env_release(env, colours->order);
    fur_env_release(env, colours->position);
}
