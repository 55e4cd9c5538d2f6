/* A row of a stencil's matrix. */
#include "stencil.h"

static void locate(const fur_stencil_view *s, int64_t p, int64_t at[3])
{
    int64_t line = p / s->extent[0];
    at[0] = p % s->extent[0];
    at[1] = line % s->extent[1];
    at[2] = line / s->extent[1];
}

bool fur_stencil_is_inner(const fur_stencil_view *s, int64_t p)
{
    int64_t at[3];
    bool inner = true;
    locate(s, p, at);
    for (int axis = 0; axis < 3; axis++)
        inner =
            inner && at[axis] >= s->radius[axis] && at[axis] < s->extent[axis] - s->radius[axis];
    return inner;
}

static int inner_row(const fur_stencil_view *s, int64_t p, fur_stencil_term *terms)
{
    for (int k = 0; k < s->points; k++) {
        fur_stencil_offset o = s->offsets[k];
        int64_t column = p + o.x + s->extent[0] * (o.y + s->extent[1] * o.z);
        terms[k] = (fur_stencil_term){column, k};
    }
    return s->points;
}

/* Moves the last of `count` terms to its place by column, after terms with the same column. */
static void insert_last(fur_stencil_term *terms, int count)
{
    fur_stencil_term last = terms[count - 1];
    int place = count - 1;
    for (; place > 0 && terms[place - 1].column > last.column; place--)
        terms[place] = terms[place - 1];
    terms[place] = last;
}

int fur_stencil_row(const fur_stencil_view *s, int64_t p,
                    fur_stencil_term terms[FUR_STENCIL_POINTS])
{
    int64_t at[3];
    int count = 0;
    if (fur_stencil_is_inner(s, p))
        return inner_row(s, p, terms);
    locate(s, p, at);
    for (int k = 0; k < s->points; k++) {
        int64_t column = fur_stencil_neighbour(s, at, s->offsets[k]);
        if (column < 0)
            continue;
        terms[count++] = (fur_stencil_term){column, k};
        insert_last(terms, count);
    }
    return count;
}
