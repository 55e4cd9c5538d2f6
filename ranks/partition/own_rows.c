/* The rows of this rank in their original form, before the split into inner rows and boundary. */
#include "own_rows.h"
#include "pieces.h"

#include <string.h>

static fur_status take_part(const fur_ranks_csr *m, const fur_csr *part, fur_csr **copy,
                            const fur_csr_view **out)
{
    if (strcmp(fur_context_device(m->context), "cpu") != 0) {
        FUR_TRY(group_pass_on(m->group, m->context, fur_csr_transfer(part, m->group->home, copy)));
        part = *copy;
    }
    *out = fur_csr_get(part);
    return FUR_OK;
}

fur_status own_rows_open(const fur_ranks_csr *m, own_rows *r)
{
    fur_ranks *g = m->group;
    *r = (own_rows){
        .m = m, .begin = m->bounds[g->rank], .count = m->bounds[g->rank + 1] - m->bounds[g->rank]};
    FUR_TRY(take_part(m, m->inner, &r->copies[0], &r->inner));
    FUR_TRY(take_part(m, m->outer, &r->copies[1], &r->outer));
    FUR_TRY(group_allocate(g, r->count, sizeof *r->place, &r->place));
    for (int64_t i = 0; i < r->count; i++)
        r->place[i] = -1;
    for (int64_t i = 0; i < m->boundary_rows; i++)
        r->place[m->boundary[i]] = i;
    return FUR_OK;
}

void own_rows_close(own_rows *r)
{
    group_release(r->m->group, r->place);
    fur_csr_destroy(r->copies[0]);
    fur_csr_destroy(r->copies[1]);
}

const fur_csr_view *own_rows_find(const own_rows *r, int64_t row, int64_t *first, int64_t *end)
{
    bool in = r->place[row] < 0;
    const fur_csr_view *v = in ? r->inner : r->outer;
    int64_t at = in ? row - r->m->inner_first : r->place[row];
    *first = view_offset(v, at);
    *end = view_offset(v, at + 1);
    return v;
}
