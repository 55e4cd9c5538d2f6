/* Finds two colours by joining sets of rows, entry by entry. A matrix is therefore read once and in
 * order, whatever its graph. */
#include "colours.h"

#include <furrow/author/parity.h>

#include "atomic.h"
#include "team.h"

#include <string.h>

/* Rows that justify one more thread. */
#define ROW_GRAIN 8192

/* Joins all rows along the entries left of the diagonal. Returns false if two colours do not exist,
 * or if a row does not have exactly one entry on the diagonal. */
static bool join_rows(const fur_csr_view *a, uint32_t *link)
{
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t k = fur_offset_at(a, i);
        int64_t end = fur_offset_at(a, i + 1);
        link[i] = 2 * (uint32_t)i;
        for (; k < end && a->columns[k] < i; k++)
            if (!fur_parity_part(link, (uint32_t)i, (uint32_t)a->columns[k]))
                return false;
        if (k == end || a->columns[k] != i || (k + 1 < end && a->columns[k + 1] == i))
            return false;
    }
    return true;
}

/* Sets link[i] = 1 for a red row, else 0. Returns the number of red rows. `surplus` is workspace:
 * for each set, at its first row, the number of even rows minus the number of odd rows. */
static int64_t choose_red(int64_t rows, uint32_t *link, int32_t *surplus)
{
    int64_t red = 0;
    memset(surplus, 0, (size_t)rows * sizeof *surplus);
    for (int64_t i = 0; i < rows; i++) {
        link[i] = fur_parity_find(link, 2 * (uint32_t)i);
        surplus[link[i] >> 1] += link[i] & 1 ? -1 : 1;
    }
    for (int64_t i = 0; i < rows; i++) {
        uint32_t odd = link[i] & 1;
        link[i] = odd == (surplus[link[i] >> 1] > 0);
        red += link[i];
    }
    return red;
}

static int64_t row_length(const fur_csr_view *a, int64_t row)
{
    return fur_offset_at(a, row + 1) - fur_offset_at(a, row);
}

/* Sets the order. Returns whether red and black rows have equally many entries off the diagonal. */
static bool set_order(const fur_csr_view *a, const uint32_t *is_red, fur_colours *c)
{
    int64_t next[2] = {c->red, 0};
    int64_t surplus = 0;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t place = next[is_red[i]]++;
        c->order[place] = (int32_t)i;
        c->position[i] = (int32_t)place;
        surplus += (row_length(a, i) - 1) * (is_red[i] ? 1 : -1);
    }
    return surplus == 0;
}

fur_status fur_colours_find(fur_env *env, const fur_csr_view *a, fur_colours *c)
{
    uint32_t *link;
    c->red = 0;
    if (a->rows == 0)
        return FUR_OK;
    FUR_TRY(fur_env_allocate(env, a->rows, sizeof *link, &link));
    c->red = join_rows(a, link) ? choose_red(a->rows, link, c->order) : 0;
    if (c->red > 0 && !set_order(a, link, c))
        c->red = 0;
    fur_env_release(env, link);
    return FUR_OK;
}

/* The blocks under construction. */
typedef struct splitting {
    const fur_csr_view *a;
    const fur_colours *c;
    const fur_colour_blocks *out;
    fur_shared clashes; /* entries that join two rows of one colour */
} splitting;

/* Sets the beginning of each row of a block. Rows of F have no diagonal. */
static void set_offsets(const splitting *s)
{
    int32_t next[2] = {0, 0};
    for (int64_t place = 0; place < s->a->rows; place++) {
        int black = place >= s->c->red;
        int64_t row = place - (black ? s->c->red : 0);
        s->out->offsets[black][row] = next[black];
        next[black] += (int32_t)row_length(s->a, s->c->order[place]) - black;
    }
    s->out->offsets[0][s->c->red] = next[0];
    s->out->offsets[1][s->a->rows - s->c->red] = next[1];
}

/* Splits row `place` of the new order. Columns less than `red` are red. */
static void split_row(splitting *s, int32_t place)
{
    const fur_colour_blocks *out = s->out;
    int32_t red = (int32_t)s->c->red;
    int32_t row = s->c->order[place];
    bool black = place >= red;
    int32_t first = out->offsets[black][place - (black ? red : 0)];
    int32_t next = first + !black;
    int64_t clashes = 0;
    for (int64_t k = fur_offset_at(s->a, row); k < fur_offset_at(s->a, row + 1); k++) {
        int32_t column = s->c->position[s->a->columns[k]];
        bool diagonal = column == place;
        if (diagonal && black)
            continue;
        int32_t at = diagonal ? first : next++;
        clashes += !diagonal && (column >= red) == black;
        out->columns[black][at] = column;
        out->from[black][at] = (int32_t)k;
        if (black)
            out->row[at] = row;
    }
    fur_shared_add(&s->clashes, clashes);
}

static void split_rows(void *job, int64_t begin, int64_t end)
{
    for (int64_t place = begin; place < end; place++)
        split_row(job, (int32_t)place);
}

fur_status fur_colours_split(fur_env *env, const fur_csr_view *a, const fur_colours *c,
                             const fur_colour_blocks *out, bool *clean)
{
    splitting s = {.a = a, .c = c, .out = out};
    set_offsets(&s);
    fur_parallel(env, a->rows / ROW_GRAIN, a->rows, split_rows, &s);
    *clean = s.clashes == 0;
    return FUR_OK;
}
