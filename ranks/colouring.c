/* Finds two colours of the rows of all ranks. Each rank joins its own rows to sets, as one process
 * does. An entry between ranks joins a set of one rank to a set of another. Every rank gets all
 * these crossings, and the sets that may be in one, and joins them in the same way. */
#include "colouring.h"

#include <furrow/author/parity.h>

#include "bounds.h"
#include "rows.h"

#include <stdlib.h>
#include <string.h>

/* Two equivalent literals (furrow/author/parity.h) of rows of the whole matrix. */
typedef struct crossing {
    int64_t one; /* of an even row */
    int64_t other;
} crossing;

/* Rows of one rank that its own entries join. */
typedef struct row_set {
    int64_t first;   /* first row, numbered in the whole matrix */
    int64_t surplus; /* even rows minus odd rows, where the first row is even */
} row_set;

/* The lengths of a rank's lists. */
typedef struct count {
    int64_t crossings; /* -1: two colours are impossible */
    int64_t sets;
} count;

typedef struct search {
    fur_ranks_csr *m;
    fur_ranks *g;
    const own_rows *rows;
    uint32_t *link; /* of the rank's rows */
    /* for each own row: the literal of its set's first row that is equivalent to "the row is
     * even" */
    int64_t *literal;
    int64_t *packed;  /* workspace for sending */
    int64_t *surplus; /* of a set, at its first row */
    int64_t *set; /* number of a set in the list of all ranks, at its first row; -1: not listed */
    colouring *out;
    crossing *mine;
    row_set *own_sets;
    int64_t *lengths;    /* lengths of the next two lists in each rank: counts, then workspace */
    crossing *crossings; /* crossings and sets of all ranks */
    row_set *sets;
    int64_t set_count;
    uint32_t *links;
    int64_t *surpluses; /* of joined sets of all ranks, at the first of them */
    count counts;
} search;

int colouring_owner(const fur_ranks_csr *m, int64_t halo_column)
{
    return bounds_find(m->column_bounds, m->group->count, m->halo.column[halo_column]);
}

static fur_status allocate(search *s)
{
    fur_ranks *g = s->g;
    int64_t rows = s->rows->count;
    FUR_TRY(group_allocate(g, rows, sizeof *s->link, &s->link));
    FUR_TRY(group_allocate(g, rows, sizeof *s->literal, &s->literal));
    FUR_TRY(group_allocate(g, rows, sizeof *s->surplus, &s->surplus));
    FUR_TRY(group_allocate(g, rows, sizeof *s->set, &s->set));
    FUR_TRY(group_allocate(g, rows, sizeof *s->own_sets, &s->own_sets));
    FUR_TRY(group_allocate(g, s->m->halo.give_count, sizeof *s->packed, &s->packed));
    FUR_TRY(group_allocate(g, s->rows->outer->entries, sizeof *s->mine, &s->mine));
    FUR_TRY(group_allocate(g, (int64_t)4 * g->count, sizeof *s->lengths, &s->lengths));
    FUR_TRY(group_allocate(g, g->count, sizeof *s->out->red, &s->out->red));
    FUR_TRY(group_allocate(g, rows, sizeof *s->out->order, &s->out->order));
    FUR_TRY(group_allocate(g, rows, sizeof *s->out->place, &s->out->place));
    return group_allocate(g, s->m->halo.columns, sizeof *s->out->far, &s->out->far);
}

static void release(const search *s)
{
    fur_ranks *g = s->g;
    group_release(g, s->link);
    group_release(g, s->literal);
    group_release(g, s->surplus);
    group_release(g, s->set);
    group_release(g, s->own_sets);
    group_release(g, s->packed);
    group_release(g, s->mine);
    group_release(g, s->lengths);
    group_release(g, s->crossings);
    group_release(g, s->sets);
    group_release(g, s->links);
    group_release(g, s->surpluses);
}

void colouring_release(const fur_ranks_csr *m, colouring *c)
{
    group_release(m->group, c->red);
    group_release(m->group, c->order);
    group_release(m->group, c->place);
    group_release(m->group, c->far);
    *c = (colouring){.red = NULL};
}

/* --- sets of a rank --------------------------------------------------------------------------- */

/* Joins row i with the rank's rows left of the diagonal. Returns false if two colours are
 * impossible, or if the row does not have exactly one entry on the diagonal. */
static bool join_row(search *s, int64_t i)
{
    int64_t k;
    int64_t end;
    int64_t diagonals = 0;
    const fur_csr_view *part = own_rows_find(s->rows, i, &k, &end);
    for (; k < end; k++) {
        int64_t j = own_rows_column(s->rows, part, k) - s->rows->begin;
        if (j >= 0 && j < i && !fur_parity_part(s->link, (uint32_t)i, (uint32_t)j))
            return false;
        diagonals += j == i;
    }
    return diagonals == 1;
}

static bool join_rows(search *s)
{
    for (int64_t i = 0; i < s->rows->count; i++) {
        s->link[i] = 2 * (uint32_t)i;
        if (!join_row(s, i))
            return false;
    }
    return true;
}

static void set_literals(search *s)
{
    for (int64_t i = 0; i < s->rows->count; i++)
        s->surplus[i] = 0;
    for (int64_t i = 0; i < s->rows->count; i++) {
        uint32_t literal = fur_parity_find(s->link, 2 * (uint32_t)i);
        s->literal[i] = 2 * s->rows->begin + literal;
        s->surplus[literal >> 1] += literal & 1 ? -1 : 1;
        s->set[i] = -1;
    }
}

static int64_t first_of(const search *s, int64_t row)
{
    return (s->literal[row] >> 1) - s->rows->begin;
}

/* Lists the sets that may be in a crossing, and numbers them from 0. */
static void list_sets(search *s)
{
    const fur_ranks_csr *m = s->m;
    for (int64_t i = 0; i < m->boundary_rows; i++)
        s->set[first_of(s, m->boundary[i])] = 0;
    for (int64_t i = 0; i < m->halo.give_count; i++)
        s->set[first_of(s, m->halo.give[i])] = 0;
    for (int64_t i = 0; i < s->rows->count; i++)
        if (s->set[i] == 0) {
            s->own_sets[s->counts.sets] = (row_set){s->rows->begin + i, s->surplus[i]};
            s->set[i] = s->counts.sets++;
        }
}

static int compare_crossings(const void *a, const void *b)
{
    const crossing *x = a;
    const crossing *y = b;
    int first = (x->one > y->one) - (x->one < y->one);
    return first != 0 ? first : (x->other > y->other) - (x->other < y->other);
}

/* Lists the crossings of the entries left of the diagonal, each once. far: the literals of the
 * halo's columns. */
static void list_crossings(search *s, const int64_t *far)
{
    const fur_ranks_csr *m = s->m;
    const fur_csr_view *outer = s->rows->outer;
    int64_t listed = 0;
    int64_t kept = 0;
    for (int64_t i = 0; i < m->boundary_rows; i++)
        for (int64_t k = view_offset(outer, i); k < view_offset(outer, i + 1); k++) {
            int64_t one = s->literal[m->boundary[i]];
            int64_t other = far[outer->columns[k]] ^ 1;
            if (m->halo.column[outer->columns[k]] < s->rows->begin)
                s->mine[listed++] = (crossing){one & ~INT64_C(1), other ^ (one & 1)};
        }
    if (listed > 0)
        qsort(s->mine, (size_t)listed, sizeof *s->mine, compare_crossings);
    for (int64_t i = 0; i < listed; i++)
        if (kept == 0 || compare_crossings(&s->mine[kept - 1], &s->mine[i]) != 0)
            s->mine[kept++] = s->mine[i];
    s->counts.crossings = kept;
}

/* --- sets of all ranks ------------------------------------------------------------------------ */

/* Gathers the lists of all ranks. *found = false if a rank has found that two colours are
 * impossible. */
static fur_status gather(search *s, bool *found)
{
    fur_ranks *g = s->g;
    count *all = (count *)(void *)s->lengths;
    int64_t *crossings = s->lengths + (ptrdiff_t)2 * g->count;
    int64_t *sets = crossings + g->count;
    int64_t before = 0;
    int64_t crossing_count = 0;
    *found = true;
    FUR_TRY(group_gather(g, &s->counts, sizeof s->counts, all));
    for (int i = 0; i < g->count; i++) {
        *found = *found && all[i].crossings >= 0;
        crossings[i] = all[i].crossings;
        sets[i] = all[i].sets;
        before += i < g->rank ? sets[i] : 0;
        s->set_count += sets[i];
        crossing_count += crossings[i];
    }
    if (!*found)
        return FUR_OK;
    s->counts.crossings = crossing_count; /* from here on, the counts of all ranks */
    for (int64_t i = 0; i < s->rows->count; i++)
        s->set[i] += s->set[i] >= 0 ? before : 0;
    FUR_TRY(group_allocate(g, crossing_count, sizeof *s->crossings, &s->crossings));
    FUR_TRY(group_allocate(g, s->set_count, sizeof *s->sets, &s->sets));
    FUR_TRY(rows_gather_array(g, s->mine, crossings, sizeof *s->mine, (char *)s->crossings));
    return rows_gather_array(g, s->own_sets, sets, sizeof *s->sets, (char *)s->sets);
}

static int compare_sets(const void *a, const void *b)
{
    const row_set *x = a;
    const row_set *y = b;
    return (x->first > y->first) - (x->first < y->first);
}

/* Turns a row's literal into a literal of its set's number. */
static uint32_t literal_of(const search *s, int64_t literal)
{
    const row_set key = {literal >> 1, 0};
    const row_set *found =
        bsearch(&key, s->sets, (size_t)s->set_count, sizeof *s->sets, compare_sets);
    return 2 * (uint32_t)(found - s->sets) + (uint32_t)(literal & 1);
}

/* Joins sets along the crossings. *found = false if two colours are impossible. */
static fur_status join_sets(search *s, bool *found)
{
    FUR_TRY(group_allocate(s->g, s->set_count, sizeof *s->links, &s->links));
    FUR_TRY(group_allocate(s->g, s->set_count, sizeof *s->surpluses, &s->surpluses));
    for (int64_t i = 0; i < s->set_count; i++) {
        s->links[i] = 2 * (uint32_t)i;
        s->surpluses[i] = 0;
    }
    for (int64_t i = 0; *found && i < s->counts.crossings; i++)
        *found = fur_parity_join(s->links, literal_of(s, s->crossings[i].one),
                                 literal_of(s, s->crossings[i].other));
    for (int64_t i = 0; i < s->set_count; i++) {
        uint32_t literal = fur_parity_find(s->links, 2 * (uint32_t)i);
        s->surpluses[literal >> 1] += literal & 1 ? -s->sets[i].surplus : s->sets[i].surplus;
    }
    return FUR_OK;
}

/* --- colours ---------------------------------------------------------------------------------- */

static bool is_red(search *s, int64_t row)
{
    int64_t first = first_of(s, row);
    uint32_t odd = s->literal[row] & 1;
    if (s->set[first] < 0)
        return odd == (s->surplus[first] > 0);
    uint32_t literal = fur_parity_find(s->links, 2 * (uint32_t)s->set[first] + odd);
    return (literal & 1) == (s->surpluses[literal >> 1] > 0);
}

/* Orders the rank's rows by colour. mine[0] = the number of red rows. mine[1] = the entries of red
 * rows minus the entries of black rows. */
static void set_order(search *s, int64_t *mine)
{
    colouring *c = s->out;
    int64_t next[2] = {0, 0}; /* next place of a black row, and of a red row */
    mine[0] = mine[1] = 0;
    for (int64_t i = 0; i < s->rows->count; i++) {
        int64_t k;
        int64_t end;
        bool red = is_red(s, i);
        own_rows_find(s->rows, i, &k, &end);
        mine[0] += red;
        mine[1] += (end - k - 1) * (red ? 1 : -1);
        c->place[i] = red;
    }
    next[0] = mine[0];
    for (int64_t i = 0; i < s->rows->count; i++) {
        c->place[i] = next[c->place[i]]++;
        c->order[c->place[i]] = (int32_t)i;
    }
}

/* Tests whether there is a red row, and whether red and black rows have equally many entries off
 * the diagonal. */
static fur_status compare_colours(search *s, bool *found)
{
    int64_t mine[2];
    int64_t *all = s->lengths;
    int64_t red = 0;
    int64_t surplus = 0;
    set_order(s, mine);
    FUR_TRY(group_gather(s->g, mine, sizeof mine, all));
    for (int i = 0; i < s->g->count; i++) {
        s->out->red[i] = all[2 * i];
        red += all[2 * i];
        surplus += all[2 * i + 1];
    }
    *found = red > 0 && surplus == 0;
    return FUR_OK;
}

/* Returns whether an entry is between rows of different colours, or on the diagonal. */
static bool is_clean(const search *s, const fur_csr_view *part, int64_t k, int64_t row)
{
    const colouring *c = s->out;
    int32_t at = part->columns[k];
    bool own_red = c->place[row] < c->red[s->g->rank];
    if (own_rows_column(s->rows, part, k) == s->rows->begin + row)
        return true;
    bool red = part == s->rows->inner ? c->place[at] < c->red[s->g->rank]
                                      : c->far[at] < c->red[colouring_owner(s->m, at)];
    return red != own_red;
}

static bool are_rows_clean(const search *s)
{
    for (int64_t row = 0; row < s->rows->count; row++) {
        int64_t k;
        int64_t end;
        const fur_csr_view *part = own_rows_find(s->rows, row, &k, &end);
        for (; k < end; k++)
            if (!is_clean(s, part, k, row))
                return false;
    }
    return true;
}

/* Tests whether no entry of any rank is between rows of the same colour. */
static fur_status check_clean(search *s, bool *found)
{
    char mine;
    char *all = (char *)s->lengths;
    FUR_TRY(halo_exchange(s->m, sizeof *s->packed, s->out->place, s->packed, s->out->far));
    mine = !are_rows_clean(s);
    FUR_TRY(group_gather(s->g, &mine, sizeof mine, all));
    *found = memchr(all, 1, (size_t)s->g->count) == NULL;
    return FUR_OK;
}

static fur_status find(search *s, bool usable, bool *found)
{
    FUR_TRY(allocate(s));
    bool joined = usable && join_rows(s);
    if (!joined) /* other ranks wait for the literals */
        for (int64_t i = 0; i < s->rows->count; i++)
            s->link[i] = 0;
    set_literals(s);
    FUR_TRY(halo_exchange(s->m, sizeof *s->packed, s->literal, s->packed, s->out->far));
    if (joined) {
        list_sets(s);
        list_crossings(s, s->out->far);
    } else {
        s->counts.crossings = -1;
    }
    FUR_TRY(gather(s, found));
    FUR_TRY(*found ? join_sets(s, found) : FUR_OK);
    FUR_TRY(*found ? compare_colours(s, found) : FUR_OK);
    return *found ? check_clean(s, found) : FUR_OK;
}

fur_status colouring_find(fur_ranks_csr *m, const own_rows *rows, bool usable, colouring *out,
                          bool *found)
{
    search s = {.m = m, .g = m->group, .rows = rows, .out = out};
    *out = (colouring){.red = NULL};
    fur_status status = find(&s, usable, found);
    release(&s);
    return status;
}
