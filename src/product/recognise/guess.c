/* Guesses the stencil of a matrix. It finds the distances between row and column that many rows
 * have, and the grids on which these distances are short offsets. It chooses the grid that fits
 * most rows. */
#include "recognise.h"
#include "split.h"

#include <stdio.h>
#include <stdlib.h>

/* Rows whose distances are collected, and rows that are compared with a grid's stencil. */
#define SURVEY_ROWS 64
#define TRIAL_ROWS FUR_SAMPLE_MAX
/* The most different distances, and the most grids. */
#define DISTANCES_MAX 2048
#define GRIDS_MAX 64

bool fur_recognise_refuse(fur_recognise_report *report, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(report->reason, sizeof report->reason, format, arguments);
    va_end(arguments);
    return false;
}

/* Distances that rows have in common. */
typedef struct survey {
    int rows;
    int count;
    int32_t distance[DISTANCES_MAX]; /* column - row, rising */
    int32_t found[DISTANCES_MAX];    /* number of rows that have it */
} survey;

/* A grid with as many points as the matrix has rows. */
typedef struct grid {
    int64_t extent[3];
    int length; /* sum of |x| + |y| + |z| over the offsets for the common distances */
} grid;

typedef struct search {
    const fur_csr_view *a;
    fur_sample sample; /* sample of the survey, then of the trial */
    survey survey;
    int grids;
    grid grid[GRIDS_MAX];
} search;

/* Counts a distance. Returns false if there are too many distances for a stencil. */
static bool count_distance(survey *s, int32_t distance)
{
    int low = 0;
    int high = s->count;
    while (low < high) {
        int middle = (low + high) / 2;
        if (s->distance[middle] < distance)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == s->count || s->distance[low] != distance) {
        if (s->count == DISTANCES_MAX)
            return false;
        size_t behind = (size_t)(s->count - low) * sizeof *s->distance;
        memmove(&s->distance[low + 1], &s->distance[low], behind);
        memmove(&s->found[low + 1], &s->found[low], behind);
        s->distance[low] = distance;
        s->found[low] = 0;
        s->count++;
    }
    s->found[low]++;
    return true;
}

static bool collect(const fur_sample *f, survey *s, fur_recognise_report *report)
{
    s->rows = f->count;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; k < f->length[i]; k++)
            if (!count_distance(s, (int32_t)(f->columns[f->begin[i] + k] - f->row[i])))
                return fur_recognise_refuse(
                    report, "%d rows have more than %d different offsets (column minus row)", i + 1,
                    DISTANCES_MAX);
    return true;
}

static bool is_common(const survey *s, int i)
{
    return FUR_FEW * s->found[i] >= s->rows;
}

/* Keeps only the common distances. */
static bool keep_common(survey *s, fur_recognise_report *report)
{
    int kept = 0;
    for (int i = 0; i < s->count; i++)
        if (is_common(s, i))
            s->distance[kept++] = s->distance[i];
    s->count = kept;
    bool off_diagonal = kept > 1 || (kept == 1 && s->distance[0] != 0);
    return off_diagonal ||
           fur_recognise_refuse(
               report, "no offset (column minus row) except 0 occurs in an eighth of the rows");
}

/* The length of the shortest offset to a column at this distance, or -1 if no offset within the
 * radius and the grid leads there. */
static int offset_length(const int64_t extent[3], int64_t distance)
{
    int64_t least = -1;
    const int most = FUR_STENCIL_RADIUS;
    for (int64_t z = -most; z <= most; z++)
        for (int64_t y = -most; y <= most; y++) {
            int64_t x = distance - extent[0] * (y + extent[1] * z);
            bool inside = llabs(x) <= most && llabs(x) < extent[0] && llabs(y) < extent[1] &&
                          llabs(z) < extent[2];
            int64_t length = llabs(x) + llabs(y) + llabs(z);
            if (inside && (least < 0 || length < least))
                least = length;
        }
    return (int)least;
}

/* Adds the grid with lines of nx points and planes of `plane` points. The grid must exist, must be
 * new, and all common distances must be short in it. */
static void propose(search *s, int64_t nx, int64_t plane)
{
    int64_t rows = s->a->rows;
    if (nx < 2 || plane < nx || plane % nx != 0 || rows % plane != 0 || s->grids == GRIDS_MAX)
        return;
    grid g = {.extent = {nx, plane / nx, rows / plane}};
    for (int i = 0; i < s->grids; i++)
        if (memcmp(g.extent, s->grid[i].extent, sizeof g.extent) == 0)
            return;
    for (int i = 0; i < s->survey.count; i++) {
        int length = offset_length(g.extent, s->survey.distance[i]);
        if (length < 0)
            return;
        g.length += length;
    }
    s->grid[s->grids++] = g;
}

/* Proposes grids with lines of nx points: a grid with two axes, and grids with three axes for all
 * offsets that could have the largest distance. */
static void propose_planes(search *s, int64_t nx)
{
    const int most = FUR_STENCIL_RADIUS;
    const survey *v = &s->survey;
    int64_t largest = v->distance[v->count - 1];
    if (-v->distance[0] > largest)
        largest = -v->distance[0];
    if (nx < 2 || s->a->rows % nx != 0)
        return;
    propose(s, nx, s->a->rows);
    for (int z = 1; z <= most; z++)
        for (int y = -most; y <= most; y++)
            for (int x = -most; x <= most; x++) {
                int64_t planes = largest - x - y * nx;
                if (planes % z == 0)
                    propose(s, nx, planes / z);
            }
}

/* Proposes grids of two kinds. In the first kind, lines are so short that offsets along x reach
 * other lines. In the second kind, the least distance beyond the radius is the distance of an
 * offset to another line. */
static void propose_grids(search *s)
{
    const int most = FUR_STENCIL_RADIUS;
    const survey *v = &s->survey;
    int64_t least = INT64_MAX;
    for (int i = 0; i < v->count; i++)
        if (llabs(v->distance[i]) > most)
            least = fur_smaller(least, llabs(v->distance[i]));
    propose(s, s->a->rows, s->a->rows);
    for (int64_t nx = 2; nx <= 2 * (int64_t)most; nx++)
        propose_planes(s, nx);
    for (int y = 1; least < INT64_MAX && y <= most; y++)
        for (int x = -most; x <= most; x++)
            if ((least - x) % y == 0)
                propose_planes(s, (least - x) / y);
}

/* Shorter offsets are better. If several lengths of lines are possible, because lines are not
 * coupled, the longest lines are better. */
static bool is_better(const grid *g, const grid *other)
{
    return g->length != other->length ? g->length < other->length : g->extent[0] > other->extent[0];
}

/* Removes the best grid from the list, and returns it. */
static grid take_best(search *s)
{
    int best = 0;
    for (int i = 1; i < s->grids; i++)
        if (is_better(&s->grid[i], &s->grid[best]))
            best = i;
    grid g = s->grid[best];
    s->grid[best] = s->grid[--s->grids];
    return g;
}

static void locate(const int64_t extent[3], int64_t p, int64_t at[3])
{
    at[0] = p % extent[0];
    at[1] = p / extent[0] % extent[1];
    at[2] = p / extent[0] / extent[1];
}

/* found[place] = the number of sampled rows that have an entry at this offset. */
static void count_offsets(const fur_sample *f, const int64_t extent[3],
                          int found[FUR_STENCIL_POINTS])
{
    memset(found, 0, FUR_STENCIL_POINTS * sizeof *found);
    for (int i = 0; i < f->count; i++) {
        int64_t here[3];
        locate(extent, f->row[i], here);
        for (int k = 0; k < f->length[i]; k++) {
            int64_t there[3];
            locate(extent, f->columns[f->begin[i] + k], there);
            int place = 0;
            bool near = true;
            for (int axis = 2; axis >= 0; axis--) {
                int64_t distance = there[axis] - here[axis];
                near = near && llabs(distance) <= FUR_STENCIL_RADIUS;
                place = near ? place * FUR_STENCIL_WIDTH + (int)distance + FUR_STENCIL_RADIUS : 0;
            }
            found[place] += near;
        }
    }
}

static fur_stencil_offset offset_at(int place)
{
    const int width = FUR_STENCIL_WIDTH;
    return (fur_stencil_offset){place % width - FUR_STENCIL_RADIUS,
                                place / width % width - FUR_STENCIL_RADIUS,
                                place / width / width - FUR_STENCIL_RADIUS};
}

/* Sets the offsets that most rows have, counting only rows whose points have this neighbour
 * inside. */
static void set_stencil(const search *g, const int64_t extent[3], fur_guess *out)
{
    int found[FUR_STENCIL_POINTS];
    const fur_csr_view *a = g->a;
    fur_stencil_view *s = &out->s;
    count_offsets(&g->sample, extent, found);
    *s = (fur_stencil_view){.value_type = a->value_type, .offsets = out->offsets};
    memcpy(s->extent, extent, sizeof s->extent);
    for (int place = 0; place < FUR_STENCIL_POINTS; place++) {
        fur_stencil_offset o = offset_at(place);
        double inside = (double)(extent[0] - abs(o.x)) * (double)(extent[1] - abs(o.y)) *
                        (double)(extent[2] - abs(o.z)) / (double)a->rows * g->sample.count;
        if (found[place] == 0 || 2 * found[place] <= inside)
            continue;
        out->offsets[s->points++] = o;
        fur_stencil_widen(s->radius, o);
    }
}

/* Lists the terms of sampled row i, and returns their number. Returns 0 if the row has other
 * columns. */
static int matching_terms(const fur_sample *f, const fur_stencil_view *s, int i,
                          fur_stencil_term terms[FUR_STENCIL_POINTS])
{
    int count = fur_stencil_row(s, f->row[i], terms);
    if (f->length[i] != count)
        return 0;
    for (int t = 0; t < count; t++)
        if (f->columns[f->begin[i] + t] != terms[t].column)
            return 0;
    return count;
}

/* The number of sampled rows that have the columns of the stencil. *other: a row that has not. */
static int count_matching(const fur_sample *f, const fur_stencil_view *s, int64_t *other)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int matching = 0;
    for (int i = 0; i < f->count; i++) {
        if (matching_terms(f, s, i, terms) > 0)
            matching++;
        else
            *other = f->row[i];
    }
    return matching;
}

/* Chooses the grid that fits most rows. If several fit equally, the shortest offsets decide. */
static bool choose_grid(search *s, fur_guess *out, fur_recognise_report *report)
{
    int rows = s->sample.count;
    grid best = {.extent = {0}};
    int most = 0;
    int64_t other = 0;
    while (s->grids > 0 && most < rows) {
        int64_t misfit = 0;
        grid g = take_best(s);
        set_stencil(s, g.extent, out);
        int matching = count_matching(&s->sample, &out->s, &misfit);
        if (matching <= most)
            continue;
        most = matching;
        best = g;
        other = misfit;
    }
    if (most == 0)
        return fur_recognise_refuse(
            report, "no grid of %lld points explains the frequent offsets (column minus row)",
            (long long)s->a->rows);
    if (FUR_FEW * (rows - most) > rows)
        return fur_recognise_refuse(report,
                                    "of %d sampled rows, %d do not fit the best grid, %lld x %lld "
                                    "x %lld; one is row %lld, counting from 1",
                                    rows, rows - most, (long long)best.extent[0],
                                    (long long)best.extent[1], (long long)best.extent[2],
                                    (long long)other + 1);
    set_stencil(s, best.extent, out);
    out->axes = best.extent[2] > 1 ? 3 : best.extent[1] > 1 ? 2 : 1;
    return true;
}

static const char *values_of(const fur_sample *f, int i, size_t size)
{
    return (const char *)f->values + (size_t)f->begin[i] * size;
}

/* coefficients[k] = the value that more than half of the sampled rows have at offset k, if such a
 * value exists (Boyer, Moore 1981). */
static void vote(const fur_sample *f, const fur_stencil_view *s, char *coefficients)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    int votes[FUR_STENCIL_POINTS] = {0};
    size_t size = fur_value_size(s->value_type);
    for (int i = 0; i < f->count; i++) {
        int count = matching_terms(f, s, i, terms);
        const char *values = values_of(f, i, size);
        for (int t = 0; t < count; t++, values += size) {
            char *c = coefficients + (size_t)terms[t].k * size;
            int *votes_for = &votes[terms[t].k];
            if (*votes_for == 0)
                memcpy(c, values, size);
            *votes_for += memcmp(c, values, size) == 0 ? 1 : -1;
        }
    }
}

static bool has_coefficients(const fur_sample *f, const fur_guess *g, int i)
{
    fur_stencil_term terms[FUR_STENCIL_POINTS];
    size_t size = fur_value_size(g->s.value_type);
    int count = matching_terms(f, &g->s, i, terms);
    const char *values = values_of(f, i, size);
    for (int t = 0; t < count; t++)
        if (memcmp(g->coefficients + (size_t)terms[t].k * size, values + (size_t)t * size, size) !=
            0)
            return false;
    return count > 0;
}

/* Sets the coefficients if they are constant. */
static void set_coefficients(const fur_sample *f, fur_guess *g)
{
    int others = 0;
    vote(f, &g->s, g->coefficients);
    for (int i = 0; i < f->count; i++)
        others += !has_coefficients(f, g, i);
    if (FUR_FEW * others <= f->count)
        g->s.coefficients = g->coefficients;
}

fur_status fur_recognise_constants(const fur_csr *a, const fur_stencil_view *s, void *coefficients)
{
    fur_sample sample;
    FUR_TRY(fur_sample_take(a, TRIAL_ROWS, &sample));
    vote(&sample, s, coefficients);
    fur_sample_release(a->context, &sample);
    return FUR_OK;
}

/* *found = whether rows of the matrix have distances in common. */
static fur_status look_for_distances(const fur_csr *a, search *s, fur_recognise_report *report,
                                     bool *found)
{
    FUR_TRY(fur_sample_take(a, SURVEY_ROWS, &s->sample));
    *found = collect(&s->sample, &s->survey, report) && keep_common(&s->survey, report);
    fur_sample_release(a->context, &s->sample);
    return FUR_OK;
}

/* *found = whether there is a grid on which these distances are a stencil. It is then in *out. */
static fur_status look_for_grid(const fur_csr *a, search *s, fur_guess *out,
                                fur_recognise_report *report, bool *found)
{
    propose_grids(s);
    FUR_TRY(fur_sample_take(a, TRIAL_ROWS, &s->sample));
    *found = choose_grid(s, out, report);
    if (*found)
        set_coefficients(&s->sample, out);
    fur_sample_release(a->context, &s->sample);
    return FUR_OK;
}

fur_status fur_recognise_guess(const fur_csr *a, fur_guess *out, fur_recognise_report *report,
                               bool *found)
{
    fur_env *env = &a->context->env;
    search *s;
    FUR_TRY(fur_env_allocate(env, 1, sizeof *s, &s));
    s->a = &a->view;
    s->grids = s->survey.count = 0;
    fur_status status = look_for_distances(a, s, report, found);
    if (status == FUR_OK && *found)
        status = look_for_grid(a, s, out, report, found);
    fur_env_release(env, s);
    return status;
}
