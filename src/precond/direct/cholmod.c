/* CHOLMOD (Chen, Davis, Hager and Rajamanickam 2008): complete factors L L^H of a Hermitian
 * positive definite matrix, with half the operations and half the entries of LU factors.
 *
 * Its functions take structs. The structs here belong to versions 3 to 5; other versions are
 * skipped. The end of cholmod_common differs between versions, so only its begin is declared. There
 * is room for every version. Fields are set only if all defaults of the begin are where they should
 * be. */
#include "direct.h"

#define VERSION_LEAST 3
#define VERSION_MAX 5
#define COMMON_BYTES 16384 /* about 2700 bytes are used */

/* Values of the user guide. */
#define SOLVE_A 0
#define UPPER 1
#define INTEGERS_LONG 2
#define REAL 1
#define COMPLEX 2

typedef struct common_begin {
    double dbound;
    double grow0;
    double grow1;
    size_t grow2;
    size_t maxrank;
    double supernodal_switch;
    int supernodal;
    int final_asis;
    int final_super;
    int final_ll; /* 1: L L^H, which breaks down unless A is positive definite; 0: L D L^H */
    int final_pack;
    int final_monotonic;
    int final_resymbol;
    double zrelax[3];
    size_t nrelax[3];
    int prefer_zomplex;
    int prefer_upper;
    int quick_return_if_not_posdef;
    int prefer_binary;
    int print;
    int precise;
    int try_catch;
} common_begin;

typedef union common {
    common_begin begin;
    unsigned char room[COMMON_BYTES];
} common;

typedef struct sparse {
    size_t rows;
    size_t cols;
    size_t most;
    void *starts;
    void *indices;
    void *counts;
    void *x;
    void *z;
    int half;
    int integers;
    int numbers;
    int precision;
    int sorted;
    int packed;
} sparse;

typedef struct dense {
    size_t rows;
    size_t cols;
    size_t most;
    size_t stride;
    void *x;
    void *z;
    int numbers;
    int precision;
} dense;

typedef struct factor {
    size_t rows;
    size_t minor; /* column of the first pivot that is not positive; rows: all are positive */
    void *order[3];
    size_t most; /* entries without supernodes */
    void *columns[7];
    size_t supernodes;
    size_t indices;
    size_t numbers; /* in supernodes */
    size_t sizes[2];
    void *parts[4];
    int ordering;
    int is_ll;
    int is_super;
    int is_monotonic;
    int integers;
    int kind;
    int precision;
} factor;

typedef struct cholmod {
    int (*version)(int version[3]);
    int (*start)(common *c);
    int (*finish)(common *c);
    factor *(*analyze)(sparse *a, common *c);
    int (*factorize)(sparse *a, factor *l, common *c);
    int (*solve)(int system, factor *l, dense *b, sparse *b_rows, dense **x, sparse **x_rows,
                 dense **y, dense **e, common *c);
    int (*free_factor)(factor **l, common *c);
    int (*free_dense)(dense **x, common *c);
    common common;
    bool started;
    bool complex;
    int sign; /* -1: factors of -A */
    factor *l;
    dense *x; /* result of the last solve, and room for the next */
    dense *y;
    dense *e;
} cholmod;

#define AT(member) offsetof(cholmod, member)
static const fur_direct_function functions[] = {
    {"cholmod_l_version", "cholmod_l_version", AT(version)},
    {"cholmod_l_start", "cholmod_l_start", AT(start)},
    {"cholmod_l_finish", "cholmod_l_finish", AT(finish)},
    {"cholmod_l_analyze", "cholmod_l_analyze", AT(analyze)},
    {"cholmod_l_factorize", "cholmod_l_factorize", AT(factorize)},
    {"cholmod_l_solve2", "cholmod_l_solve2", AT(solve)},
    {"cholmod_l_free_factor", "cholmod_l_free_factor", AT(free_factor)},
    {"cholmod_l_free_dense", "cholmod_l_free_dense", AT(free_dense)},
    {NULL, NULL, 0},
};

/* Returns true if all defaults are where they should be. */
static bool is_known(const common_begin *c)
{
    return c->dbound == 0 && c->grow0 == 1.2 && c->grow1 == 1.2 && c->grow2 == 5 &&
           c->maxrank == 8 && c->supernodal_switch == 40 && c->supernodal == 1 &&
           c->final_asis == 1 && c->final_super == 1 && c->final_ll == 0 && c->final_pack == 1 &&
           c->final_monotonic == 1 && c->final_resymbol == 0 && c->zrelax[0] == 0.8 &&
           c->zrelax[1] == 0.1 && c->zrelax[2] == 0.05 && c->nrelax[0] == 4 && c->nrelax[1] == 16 &&
           c->nrelax[2] == 48 && c->prefer_zomplex == 0 && c->prefer_upper == 1 &&
           c->quick_return_if_not_posdef == 0 && c->prefer_binary == 0 && c->print == 3 &&
           c->precise == 0 && c->try_catch == 0;
}

/* Starts a version whose structs are known. Returns false for another version. */
static bool start(cholmod *c)
{
    int version[3] = {0};
    c->version(version);
    if (version[0] < VERSION_LEAST || version[0] > VERSION_MAX)
        return false;
    c->start(&c->common);
    c->started = true;
    if (!is_known(&c->common.begin))
        return false;
    c->common.begin.final_ll = 1;
    c->common.begin.quick_return_if_not_posdef = 1;
    c->common.begin.print = 0;
    c->common.begin.try_catch = 1;
    return true;
}

/* Columns of A^T are rows of A: its upper triangle is the lower one of A. */
static sparse transpose_of(const fur_direct_matrix *a)
{
    return (sparse){.rows = (size_t)a->rows,
                    .cols = (size_t)a->rows,
                    .most = (size_t)a->offsets[a->rows],
                    .starts = a->offsets,
                    .indices = a->columns,
                    .x = a->values,
                    .half = UPPER,
                    .integers = INTEGERS_LONG,
                    .numbers = a->complex ? COMPLEX : REAL,
                    .sorted = 1,
                    .packed = 1};
}

static void count(const cholmod *c, fur_direct_made *made)
{
    const factor *l = c->l;
    if (l->integers != INTEGERS_LONG || l->kind != (c->complex ? COMPLEX : REAL))
        return;
    made->entries = (int64_t)(l->is_super ? l->numbers : l->most);
    int64_t indices = (int64_t)(l->is_super ? l->indices : l->most);
    made->bytes = 2 * (made->entries * (c->complex ? 16 : 8) + indices * 8); /* L and L^H */
}

/* A := sign A */
static void turn(const cholmod *c, const fur_direct_matrix *a)
{
    int64_t count = a->offsets[a->rows] * (a->complex ? 2 : 1);
    for (int64_t k = 0; c->sign < 0 && k < count; k++)
        a->values[k] = -a->values[k];
}

static fur_direct_outcome factor_turned(cholmod *c, const fur_direct_matrix *a,
                                        fur_direct_made *made)
{
    sparse s = transpose_of(a);
    c->l = c->analyze(&s, &c->common);
    if (!c->l || !c->factorize(&s, c->l, &c->common))
        return fur_direct_say(made, FUR_DIRECT_NO_MEMORY, "CHOLMOD ran out of memory");
    if (c->l->minor != c->l->rows || c->l->rows != s.rows)
        return fur_direct_say(made, FUR_DIRECT_FAILED,
                              "CHOLMOD broke down, because the matrix is not definite");
    count(c, made);
    return fur_direct_say(made, FUR_DIRECT_MADE, "the matrix is Hermitian and %s definite",
                          c->sign < 0 ? "negative" : "positive");
}

static fur_direct_outcome make(void *state, const fur_direct_matrix *a, fur_direct_made *made)
{
    cholmod *c = state;
    c->complex = a->complex;
    c->sign = a->definite;
    if (!a->definite)
        return fur_direct_say(made, FUR_DIRECT_PASSED, "the matrix is not Hermitian and definite");
    if (!start(c))
        return fur_direct_say(made, FUR_DIRECT_PASSED, "this version of CHOLMOD is not known");
    turn(c, a);
    fur_direct_outcome outcome = factor_turned(c, a, made);
    turn(c, a);
    return outcome;
}

/* y = sign conj(x) */
static void conjugate(const cholmod *c, double sign, int64_t rows, const double *x, double *y)
{
    const double other = c->complex ? -sign : sign;
    for (int64_t i = 0; i < (c->complex ? 2 * rows : rows); i++)
        y[i] = (i % 2 == 0 ? sign : other) * x[i];
}

/* Solves with factors of sign A^T, where A^T is the conjugate of A. */
static fur_direct_outcome solve(void *state, const fur_direct_vectors *v)
{
    cholmod *c = state;
    const size_t n = (size_t)v->rows;
    dense b = {.rows = n, .cols = 1, .most = n, .stride = n, .x = v->x};
    b.numbers = c->complex ? COMPLEX : REAL;
    conjugate(c, c->sign, v->rows, v->b, v->x);
    if (!c->solve(SOLVE_A, c->l, &b, NULL, &c->x, NULL, &c->y, &c->e, &c->common) || !c->x ||
        c->x->rows != n)
        return FUR_DIRECT_NO_MEMORY;
    conjugate(c, 1, v->rows, c->x->x, v->x);
    return FUR_DIRECT_MADE;
}

static void drop(void *state)
{
    cholmod *c = state;
    if (!c->started)
        return;
    c->free_dense(&c->e, &c->common);
    c->free_dense(&c->y, &c->common);
    c->free_dense(&c->x, &c->common);
    c->free_factor(&c->l, &c->common);
    c->finish(&c->common);
    c->started = false;
}

static const char *const files[] = {"libcholmod.so.5", "libcholmod.so.4", "libcholmod.so.3",
                                    "libcholmod.so", NULL};

const fur_direct_library fur_direct_cholmod = {
    .name = "CHOLMOD",
    .files = files,
    .functions = functions,
    .state = sizeof(cholmod),
    .factor = make,
    .solve = solve,
    .drop = drop,
};
