/* Parts of a graph by METIS, or by SCOTCH through its METIS 5 interface, if they are installed.
 * Recursive bisection numbers the parts so that consecutive parts are close to each other, too.
 *
 * Both libraries count in 32 or in 64 bits, depending on their build, which can be queried. */
#include "bounds.h"

#include <furrow/author/context.h>

#include "pieces.h"
#include "partition.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>

/* The sum of all row weights stays below this bound, because METIS adds them in its own
 * integers. */
#define WEIGHT_MAX (1 << 30)

/* The type of METIS_PartGraphRecursive. All pointers are to its integers, except the shares and
 * tolerances, which are NULL. */
typedef int part_function(const void *rows, const void *constraints, const void *offsets,
                          const void *neighbours, const void *weights, const void *sizes,
                          const void *edge_weights, const void *parts, const void *shares,
                          const void *tolerances, const void *options, void *cut, void *part);

#define PARTED 1 /* its result on success */

/* The number of options in METIS 5. */
#define OPTIONS 40

typedef struct part_library {
    const char *method;
    const char *package; /* of a Linux distribution */
    const char *files[4];
    const char *function;
    const char *reset;   /* restarts the random numbers; NULL: each call does */
    const char *width;   /* returns the bytes of its integers */
    const char *options; /* if `width` is NULL: sets 40 nonzero integers */
    const float *most;   /* largest part over the mean; NULL: default */
} part_library;

/* SCOTCH needs this number; METIS uses 1.001. */
static const float most_of_mean = 1.01F;

static const part_library libraries[] = {
    {"metis",
     "libmetis5",
     {"libmetis.so.5", "libmetis.so", NULL},
     "METIS_PartGraphRecursive",
     NULL,
     NULL,
     "METIS_SetDefaultOptions",
     NULL},
    {"scotch",
     "libscotch-7.0",
     {"libscotchmetisv5-7.0.so", "libscotchmetisv5.so.7.0", "libscotchmetisv5.so", NULL},
     "SCOTCH_METIS_V5_PartGraphRecursive",
     "SCOTCH_randomReset",
     "SCOTCH_numSizeof",
     NULL,
     &most_of_mean},
};

/* A graph in the integers of the library. Arrays are NULL before they are allocated. */
typedef struct part_graph {
    fur_context *context;
    const part_library *library;
    void *handle;
    part_function *divide;
    size_t width; /* bytes of an integer: 4 or 8 */
    int64_t rows;
    int64_t edges; /* in both directions */
    fur_csr *turned;
    void *offsets;
    void *neighbours;
    void *weights;
    void *part;
} part_graph;

static void put(const part_graph *p, void *array, int64_t i, int64_t number)
{
    if (p->width == sizeof(int64_t))
        ((int64_t *)array)[i] = number;
    else
        ((int32_t *)array)[i] = (int32_t)number;
}

static int64_t get(const part_graph *p, const void *array, int64_t i)
{
    return p->width == sizeof(int64_t) ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Looks up a function. Returns false if it does not exist. */
static bool find(const part_graph *p, const char *name, void *out)
{
    void *found = name ? dlsym(p->handle, name) : NULL;
    memcpy(out, &found, sizeof found);
    return found != NULL;
}

/* Finds the width of integers: by the library's function, or by how much its default options
 * fill. */
static bool find_width(part_graph *p)
{
    int32_t options[2 * OPTIONS] = {0};
    int (*width)(void);
    int (*fill)(void *options);
    if (find(p, p->library->width, &width))
        p->width = (size_t)width();
    else if (find(p, p->library->options, &fill)) {
        fill(options);
        p->width = options[2 * OPTIONS - 1] ? sizeof(int64_t) : sizeof(int32_t);
    }
    return p->width == sizeof(int32_t) || p->width == sizeof(int64_t);
}

static fur_status open_library(part_graph *p, const char *method)
{
    p->library = &libraries[strcmp(method, libraries[0].method) != 0];
    for (const char *const *file = p->library->files; *file && !p->handle; file++)
        p->handle = dlopen(*file, RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    void (*reset)(void) = NULL;
    bool found = p->handle && find(p, p->library->function, &p->divide);
    if (!found || (p->library->reset && !find(p, p->library->reset, &reset)))
        return fur_context_fail(p->context, FUR_UNSUPPORTED,
                                "partition \"%s\" needs its library, which was not found; install "
                                "it (%s), or use another partition",
                                method, p->library->package);
    if (reset) {
        setenv("SCOTCH_PTHREAD_NUMBER", "1", 0); /* parts must not depend on the order of threads */
        reset();
    }
    if (find_width(p))
        return FUR_OK;
    return fur_context_fail(p->context, FUR_UNSUPPORTED,
                            "the library of \"%s\" has integers of unknown size; install %s",
                            method, p->library->package);
}

/* Writes the columns of row i of A + A^T without the diagonal, each once. If `out` is NULL, only
 * counts them. */
static int64_t neighbours_of(const part_graph *p, const fur_csr_view *a, const fur_csr_view *t,
                             int64_t i, int64_t at, void *out)
{
    int64_t k = view_offset(a, i);
    int64_t l = view_offset(t, i);
    int64_t k_end = view_offset(a, i + 1);
    int64_t l_end = view_offset(t, i + 1);
    int64_t begin = at;
    while (k < k_end || l < l_end) {
        int64_t left = k < k_end ? a->columns[k] : INT64_MAX;
        int64_t right = l < l_end ? t->columns[l] : INT64_MAX;
        int64_t next = left < right ? left : right;
        while (k < k_end && a->columns[k] == next)
            k++;
        while (l < l_end && t->columns[l] == next)
            l++;
        if (next == i)
            continue;
        if (out)
            put(p, out, at, next);
        at++;
    }
    return at - begin;
}

static fur_status allocate(const part_graph *p, int64_t count, void *out)
{
    void *memory;
    fur_status status = fur_context_allocate(p->context, (size_t)(count + 1) * p->width, &memory);
    if (status == FUR_OK)
        memcpy(out, &memory, sizeof memory);
    return status;
}

/* Sets the weights of rows to their work, in larger units if the sum would not fit. */
static void weigh(const part_graph *p, const fur_csr_view *a)
{
    int64_t all = a->entries + ROW_WORK * a->rows;
    int shift = 0;
    while (all >> shift > WEIGHT_MAX - a->rows && shift < 62)
        shift++;
    for (int64_t i = 0; i < a->rows; i++) {
        int64_t work = view_offset(a, i + 1) - view_offset(a, i) + ROW_WORK;
        put(p, p->weights, i, (work >> shift) > 0 ? work >> shift : 1);
    }
}

static fur_status make_graph(part_graph *p, const fur_csr *matrix)
{
    const fur_csr_view *a = fur_csr_get(matrix);
    FUR_TRY(fur_csr_transpose(matrix, 0, &p->turned));
    const fur_csr_view *t = fur_csr_get(p->turned);
    FUR_TRY(allocate(p, p->rows, &p->offsets));
    FUR_TRY(allocate(p, p->rows, &p->weights));
    FUR_TRY(allocate(p, p->rows, &p->part));
    for (int64_t i = 0; i < p->rows; i++)
        p->edges += neighbours_of(p, a, t, i, 0, NULL);
    if (p->width == sizeof(int32_t) && p->edges > INT32_MAX)
        return fur_context_fail(p->context, FUR_OVERFLOW,
                                "the graph has %lld edges, but this library of \"%s\" has 32-bit "
                                "integers; install a library with 64-bit integers",
                                (long long)p->edges, p->library->method);
    FUR_TRY(allocate(p, p->edges, &p->neighbours));
    int64_t at = 0;
    for (int64_t i = 0; i < p->rows; i++) {
        put(p, p->offsets, i, at);
        at += neighbours_of(p, a, t, i, at, p->neighbours);
    }
    put(p, p->offsets, p->rows, at);
    weigh(p, a);
    return FUR_OK;
}

/* Gets the parts from the library, or even parts if there is nothing to divide. */
static fur_status divide(part_graph *p, int parts, int32_t *part)
{
    int64_t rows = p->rows; /* read with either width, as above */
    int64_t wanted = parts;
    int64_t one = 1;
    int64_t cut = 0;
    for (int64_t i = 0; i < rows; i++)
        part[i] = (int32_t)(i * parts / rows);
    if (parts == 1 || p->edges == 0)
        return FUR_OK;
    int answer = p->divide(&rows, &one, p->offsets, p->neighbours, p->weights, NULL, NULL, &wanted,
                           NULL, p->library->most, NULL, &cut, p->part);
    for (int64_t i = 0; answer == PARTED && i < rows; i++) {
        int64_t number = get(p, p->part, i);
        if (number < 0 || number >= parts)
            answer = 0;
        part[i] = (int32_t)number;
    }
    if (answer == PARTED)
        return FUR_OK;
    return fur_context_fail(
        p->context, FUR_UNSUPPORTED,
        "\"%s\" failed for %lld rows in %d parts, with error %d; use another partition",
        p->library->method, (long long)rows, parts, answer);
}

fur_status graph_parts(const fur_csr *a, const char *method, int parts, int32_t *part)
{
    part_graph p = {.context = fur_csr_context(a), .rows = fur_csr_get(a)->rows};
    fur_status status = open_library(&p, method);
    if (status == FUR_OK)
        status = make_graph(&p, a);
    if (status == FUR_OK)
        status = divide(&p, parts, part);
    fur_csr_destroy(p.turned);
    fur_context_release(p.context, p.offsets);
    fur_context_release(p.context, p.neighbours);
    fur_context_release(p.context, p.weights);
    fur_context_release(p.context, p.part);
    if (p.handle)
        dlclose(p.handle);
    return status;
}
