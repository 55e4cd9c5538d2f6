/* Levels of the rows of a triangle. */
#include "triangle.h"

int64_t fur_levels_fill(const fur_strict *t, int32_t *level)
{
    const int32_t *columns = t->a->columns;
    int32_t count = 0;
    for (int64_t place = 0; place < t->a->rows; place++) {
        int64_t i = fur_strict_row(t, place);
        int64_t begin;
        int64_t end;
        int32_t own = 0;
        fur_strict_entries(t, i, &begin, &end);
        for (int64_t k = begin; k < end; k++) {
            int32_t needs = level[columns[k]] + 1;
            own = needs > own ? needs : own;
        }
        level[i] = own;
        count = own >= count ? own + 1 : count;
    }
    return count;
}
