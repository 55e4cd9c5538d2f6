/* KLU (Davis and Palamadai Natarajan 2010): complete factors of the blocks of a block triangular
 * form, column by column, without dense parts. It suits matrices of circuits, and others with very
 * few operations an entry of the factors.
 *
 * klu_l_common differs between versions. There is room for every version. Its begin is the same in
 * versions 1 and 2. Two fields of it are set, if all defaults are where they should be. The begin
 * of the two structs that KLU makes is also read. */
#include "direct.h"

/* Up to this number of operations an entry KLU took less time than UMFPACK:
 * docs/results/solve/solve.md. */
#define WORK_MAX 30

/* Limit of the search for a block triangular form, in operations an entry. An unlimited search took
 * 20 s for the 80,000 rows of cont-201. */
#define SEARCH_MAX 10

typedef struct common_begin {
    double tolerance;
    double growth;
    double memory[2];
    double search; /* the limit; 0: none */
    int64_t btf;
    int64_t ordering;
    int64_t scale;
} common_begin;

typedef union common {
    common_begin begin;
    unsigned char room[4096]; /* some 200 are used */
} common;

typedef struct symbolic {
    double symmetry;
    double operations; /* expected operations without pivots off the diagonal; -1: not known */
    double lower;      /* expected entries */
    double upper;
    double *lower_of_block;
    int64_t rows;
} symbolic;

typedef struct numeric {
    int64_t rows;
    int64_t blocks;
    int64_t lower; /* entries */
    int64_t upper;
} numeric;

typedef struct klu {
    int (*defaults)(common *c);
    symbolic *(*analyze)(int64_t n, const int64_t *starts, const int64_t *indices, common *c);
    numeric *(*factor)(const int64_t *starts, const int64_t *indices, const double *values,
                       symbolic *s, common *c);
    union {
        int (*real)(symbolic *s, numeric *f, int64_t stride, int64_t columns, double *b, common *c);
        int (*complex)(symbolic *s, numeric *f, int64_t stride, int64_t columns, double *b,
                       int conjugate, common *c);
    } solve;
    int (*free_symbolic)(symbolic **s, common *c);
    int (*free_numeric)(numeric **f, common *c);
    common common;
    bool complex;
    symbolic *symbolic;
    numeric *numeric;
} klu;

#define AT(member) offsetof(klu, member)
static const fur_direct_function functions[] = {
    {"klu_l_defaults", "klu_l_defaults", AT(defaults)},
    {"klu_l_analyze", "klu_l_analyze", AT(analyze)},
    {"klu_l_factor", "klu_zl_factor", AT(factor)},
    {"klu_l_tsolve", "klu_zl_tsolve", AT(solve)},
    {"klu_l_free_symbolic", "klu_l_free_symbolic", AT(free_symbolic)},
    {"klu_l_free_numeric", "klu_zl_free_numeric", AT(free_numeric)},
    {NULL, NULL, 0},
};

/* Sets the options. Returns false if they are not where they should be. */
static bool start(klu *k, bool careful)
{
    common_begin *c = &k->common.begin;
    k->defaults(&k->common);
    if (c->tolerance != 0.001 || c->growth != 1.2 || c->memory[0] != 1.2 || c->memory[1] != 10 ||
        c->search != 0 || c->btf != 1 || c->ordering != 0 || c->scale != 2)
        return false;
    c->search = SEARCH_MAX;
    if (careful)
        c->tolerance = 1;
    return true;
}

/* Returns the expected operations an entry of the factors; -1: not known. */
static double work(const symbolic *s, int64_t rows)
{
    double entries = s->lower + s->upper;
    return s->rows == rows && s->operations >= 0 && entries > 0 ? s->operations / entries : -1;
}

static fur_direct_outcome make(void *state, const fur_direct_matrix *a, fur_direct_made *made)
{
    klu *k = state;
    k->complex = a->complex;
    if (!start(k, a->careful))
        return fur_direct_say(made, FUR_DIRECT_PASSED, "this version of KLU is not known");
    k->symbolic = k->analyze(a->rows, a->offsets, a->columns, &k->common);
    double expected = k->symbolic ? work(k->symbolic, a->rows) : -1;
    if (expected < 0)
        return fur_direct_say(made, FUR_DIRECT_PASSED, "KLU could not analyse the matrix");
    if (expected > WORK_MAX)
        return fur_direct_say(made, FUR_DIRECT_PASSED,
                              "too many operations for KLU: %.0f expected for each entry",
                              expected);
    k->numeric = k->factor(a->offsets, a->columns, a->values, k->symbolic, &k->common);
    if (!k->numeric)
        return fur_direct_say(made, FUR_DIRECT_FAILED,
                              "KLU found a pivot that is 0, or ran out of memory");
    made->entries = k->numeric->lower + k->numeric->upper;
    made->bytes = made->entries * (a->complex ? 24 : 16);
    return fur_direct_say(made, FUR_DIRECT_MADE, "few operations: %.1f expected for each entry",
                          expected);
}

static fur_direct_outcome solve(void *state, const fur_direct_vectors *v)
{
    klu *k = state;
    const int64_t n = v->rows;
    for (int64_t i = 0; i < (k->complex ? 2 * n : n); i++)
        v->x[i] = v->b[i];
    int done = k->complex ? k->solve.complex(k->symbolic, k->numeric, n, 1, v->x, 0, &k->common)
                          : k->solve.real(k->symbolic, k->numeric, n, 1, v->x, &k->common);
    return done ? FUR_DIRECT_MADE : FUR_DIRECT_FAILED;
}

static void drop(void *state)
{
    klu *k = state;
    if (k->numeric)
        k->free_numeric(&k->numeric, &k->common);
    if (k->symbolic)
        k->free_symbolic(&k->symbolic, &k->common);
    k->numeric = NULL;
    k->symbolic = NULL;
}

static const char *const files[] = {"libklu.so.2", "libklu.so.1", "libklu.so", NULL};

const fur_direct_library fur_direct_klu = {
    .name = "KLU",
    .files = files,
    .functions = functions,
    .state = sizeof(klu),
    .factor = make,
    .solve = solve,
    .drop = drop,
};
