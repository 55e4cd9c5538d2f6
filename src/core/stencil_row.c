/* A row of a stencil's matrix. */
#include "stencil_row.h"

/* Moves the last of `count` terms to its place by column, behind those of the same column. */
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
    int64_t line = p / s->extent[0];
    const int64_t at[3] = {p % s->extent[0], line % s->extent[1], line / s->extent[1]};
    int count = 0;
    for (int k = 0; k < s->points; k++) {
        int64_t column = fur_stencil_neighbour(s, at, s->offsets[k]);
        if (column < 0)
            continue;
        terms[count++] = (fur_stencil_term){column, k};
        insert_last(terms, count);
    }
    return count;
}
