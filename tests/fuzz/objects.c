/* See objects.h. */
#include "objects.h"

#include <furrow/author.h>

/* Draws options of any bytes with a mostly correct size. Returns NULL half of the time. */
static void *draw_options(run *r, void *options, size_t size)
{
    static const size_t word = sizeof(size_t);
    if (draw(r, 2) == 0)
        return NULL;
    memset(options, 0, size);
    if (draw(r, 2))
        for (size_t i = word; i < size; i++)
            ((unsigned char *)options)[i] = draw(r, 4) ? 0 : (unsigned char)draw(r, 256);
    if (draw(r, 32) == 0)
        size = draw(r, (unsigned)size);
    memcpy(options, &size, word);
    return options;
}

static const char *draw_name(run *r, const char *const *names, unsigned count)
{
    unsigned n = draw(r, count + 3);
    return n < count ? names[n] : n == count ? "no such name" : NULL;
}

static const char *draw_listed(run *r, const fur_method_info *(*at)(int))
{
    unsigned count = 0;
    while (at((int)count))
        count++;
    const fur_method_info *info = at((int)draw(r, count + 1));
    return info ? info->name : NULL;
}

static fur_context *context_of(const world *w)
{
    return fur_vector_context(w->x);
}

/* --- matrices and stencils --- */

static void define_grid(fur_value_type value, fur_stencil_definition *d)
{
    *d = (fur_stencil_definition){
        .size = sizeof *d, .value_type = value, .extent = {OBJECT_EDGE, OBJECT_EDGE}};
    require(fur_stencil_named(5, d) == 1, "no stencil of 5 points");
}

static fur_status make_stencil(world *w, void *const from[2], void **out)
{
    fur_stencil_definition d;
    (void)from;
    define_grid(w->value, &d);
    return fur_stencil_create(context_of(w), &d, (fur_stencil **)out);
}

static void destroy_stencil(void *handle)
{
    fur_stencil_destroy(handle);
}

static fur_status use_stencil(world *w, void *handle, unsigned way)
{
    fur_csr *a = NULL;
    fur_multigrid *mg = NULL;
    fur_status status;
    if (way == 0)
        return fur_stencil_apply(handle, fur_real(1), w->x, fur_real(0), w->y);
    if (way == 1)
        return fur_stencil_apply_block(handle, fur_real(1), w->many_x, fur_real(0), w->many_y);
    if (way == 2) {
        status = fur_stencil_assemble(handle, &a);
        fur_csr_destroy(a);
    } else {
        status = fur_multigrid_create(handle, NULL, &mg);
        fur_multigrid_destroy(mg);
    }
    return status;
}

/* Makes a matrix with `entries` entries at random positions. */
static fur_status make_sparse(world *w, int64_t entries, void **out)
{
    int32_t at[2][OBJECT_ROWS];
    const double values[2 * OBJECT_ROWS] = {0};
    for (int k = 0; k < entries; k++) {
        at[0][k] = (int32_t)draw(w->r, OBJECT_ROWS);
        at[1][k] = (int32_t)draw(w->r, OBJECT_ROWS);
    }
    const fur_coo_view coo = {sizeof coo, OBJECT_ROWS, OBJECT_ROWS, entries,
                              w->value,   at[0],       at[1],       values};
    return fur_csr_from_coo(context_of(w), &coo, FUR_DUPLICATES_SUM, (fur_csr **)out);
}

static fur_status make_matrix(world *w, void *const from[2], void **out)
{
    void *stencil = NULL;
    if (draw(w->r, 8) == 7)
        return make_sparse(w, draw(w->r, 2) * draw(w->r, OBJECT_ROWS), out);
    fur_status status = make_stencil(w, from, &stencil);
    if (status == FUR_OK)
        status = fur_stencil_assemble(stencil, (fur_csr **)out);
    fur_stencil_destroy(stencil);
    return status;
}

static void destroy_matrix(void *handle)
{
    fur_csr_destroy(handle);
}

static fur_status use_matrix(world *w, void *handle, unsigned way)
{
    fur_csr *made = NULL;
    (void)w;
    fur_status status =
        way == 0 ? fur_csr_transpose(handle, 1, &made) : fur_csr_multiply(handle, handle, &made);
    fur_csr_destroy(made);
    return status;
}

fur_status object_set_values(world *w, object *matrix)
{
    const fur_csr_view *a = fur_csr_get(matrix->handle);
    const int32_t *offsets = a->offsets;
    bool single = w->value == FUR_F32 || w->value == FUR_C64;
    int parts = w->value == FUR_C64 || w->value == FUR_C128 ? 2 : 1;
    unsigned numbers = 1 + draw(w->r, 5);
    bool bad = draw(w->r, 8) == 0; /* zeros on the diagonal, which Jacobi refuses */
    void *values = calloc((size_t)a->entries, fur_value_size(w->value));
    require(values != NULL, "no memory for values");
    for (int i = 0; i < OBJECT_ROWS; i++)
        for (int k = offsets[i]; k < offsets[i + 1]; k++) {
            double value = a->columns[k] != i ? -1 : bad ? 0 : 4 + (double)((unsigned)i % numbers);
            if (single)
                ((float *)values)[parts * k] = (float)value;
            else
                ((double *)values)[parts * k] = value;
        }
    fur_status status = fur_csr_set_values(matrix->handle, values, FUR_OWNERSHIP_COPY);
    free(values);
    return status;
}

static fur_status make_found(world *w, void *const from[2], void **out)
{
    fur_recognise_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.kernel = NULL;
    fur_status status = fur_stencil_recognise(from[0], given, NULL, (fur_recognised **)out);
    return status == FUR_OK && !*out ? fur_context_fail(context_of(w), FUR_UNSUPPORTED, "none")
                                     : status;
}

static void destroy_found(void *handle)
{
    fur_recognised_destroy(handle);
}

static fur_status use_found(world *w, void *handle, unsigned way)
{
    (void)way;
    return fur_recognised_apply(handle, fur_real(2), w->x, fur_real(1), w->y);
}

static fur_status borrow_stencil(world *w, void *const from[2], void **out)
{
    (void)w;
    *out = (void *)(uintptr_t)fur_recognised_stencil(from[0]);
    return FUR_OK;
}

/* --- products --- */

static fur_status make_plan(world *w, void *const from[2], void **out)
{
    static const char *const kernels[] = {"reference", "rows", "merge", "sell", "sell_runs"};
    fur_spmv_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.kernel = draw_name(w->r, kernels, 5);
    return fur_spmv_plan(from[0], given, (fur_spmv **)out);
}

static void destroy_plan(void *handle)
{
    fur_spmv_destroy(handle);
}

static fur_status use_plan(world *w, void *handle, unsigned way)
{
    (void)way;
    (void)fur_csr_get(fur_spmv_matrix(handle));
    return fur_spmv_apply(handle, fur_real(1), w->x, fur_real(0), w->y);
}

static fur_status make_block_plan(world *w, void *const from[2], void **out)
{
    fur_spmm_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.kernel = NULL;
    return fur_spmm_plan(from[0], given, (fur_spmm **)out);
}

static void destroy_block_plan(void *handle)
{
    fur_spmm_destroy(handle);
}

static fur_status use_block_plan(world *w, void *handle, unsigned way)
{
    (void)way;
    return fur_spmm_apply(handle, fur_real(1), w->many_x, fur_real(0), w->many_y);
}

static fur_status make_pair(world *w, void *const from[2], void **out)
{
    fur_spgemm_options o;
    return fur_spgemm_plan(from[0], from[1], draw_options(w->r, &o, sizeof o), (fur_spgemm **)out);
}

static void destroy_pair(void *handle)
{
    fur_spgemm_destroy(handle);
}

static fur_status use_pair(world *w, void *handle, unsigned way)
{
    fur_csr *c = NULL;
    (void)w;
    (void)way;
    fur_status status = fur_spgemm_multiply(handle, fur_real(1), &c);
    if (status == FUR_OK)
        status = fur_spgemm_apply(handle, fur_real(2), c);
    fur_csr_destroy(c);
    return status;
}

static fur_status make_triple(world *w, void *const from[2], void **out)
{
    fur_spgemm_options o;
    return fur_triple_plan(from[0], from[1], from[0], draw_options(w->r, &o, sizeof o),
                           (fur_triple **)out);
}

static void destroy_triple(void *handle)
{
    fur_triple_destroy(handle);
}

static fur_status use_triple(world *w, void *handle, unsigned way)
{
    fur_csr *c = NULL;
    (void)w;
    (void)way;
    fur_status status = fur_triple_multiply(handle, fur_real(1), &c);
    if (status == FUR_OK)
        status = fur_triple_apply(handle, fur_real(2), c);
    fur_csr_destroy(c);
    return status;
}

static fur_status make_product(world *w, void *const from[2], void **out)
{
    static const char *const kernels[] = {"stencil", "rows", "sell"};
    static const char *const orders[] = {"rcm", "sloan", "none"};
    fur_product_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.kernel = draw_name(w->r, kernels, 3);
    o.order = draw_name(w->r, orders, 3);
    return fur_product_create(from[0], given, (fur_product **)out);
}

static void destroy_product(void *handle)
{
    fur_product_destroy(handle);
}

static fur_status use_product(world *w, void *handle, unsigned way)
{
    (void)way;
    require(fur_product_describe(handle)->kernel[0] != '\0', "a product without a kernel");
    return fur_operator_apply(fur_product_operator(handle), w->x, w->y);
}

static fur_status borrow_product(world *w, void *const from[2], void **out)
{
    (void)w;
    *out = (void *)(uintptr_t)fur_product_operator(from[0]);
    return FUR_OK;
}

static fur_status make_batch(world *w, void *const from[2], void **out)
{
    return fur_batch_create(from[0], w->values, (fur_batch **)out);
}

static void destroy_batch(void *handle)
{
    fur_batch_destroy(handle);
}

static fur_status use_batch(world *w, void *handle, unsigned way)
{
    (void)way;
    return fur_batch_apply(handle, fur_real(1), w->many_x, fur_real(0), w->many_y);
}

static fur_status make_batch_solver(world *w, void *const from[2], void **out)
{
    static const char *const methods[] = {"cg", "band"};
    fur_batch_solver_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.method = draw_name(w->r, methods, 2);
    o.max_iterations = draw(w->r, 20);
    return fur_batch_solver_create(from[0], given, (fur_batch_solver **)out);
}

static void destroy_batch_solver(void *handle)
{
    fur_batch_solver_destroy(handle);
}

static fur_status use_batch_solver(world *w, void *handle, unsigned way)
{
    (void)way;
    return fur_batch_solve(handle, w->many_x, w->many_y, NULL, NULL);
}

/* --- preconditioners --- */

static fur_status make_triangle(world *w, void *const from[2], void **out)
{
    static const char *const schedules[] = {"serial", "blocks", "levels"};
    fur_trsv_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.schedule = draw_name(w->r, schedules, 3);
    return fur_trsv_plan(from[0], (fur_triangle)draw(w->r, 2), (fur_op)draw(w->r, 3),
                         (fur_triangle_diagonal)draw(w->r, 2), given, (fur_trsv **)out);
}

static void destroy_triangle(void *handle)
{
    fur_trsv_destroy(handle);
}

static fur_status use_triangle(world *w, void *handle, unsigned way)
{
    const fur_vector *b = w->x;
    return way == 0 ? fur_trsv_apply(handle, fur_real(1), w->x, w->y)
                    : fur_trsv_apply_many(handle, fur_real(1), 1, &b, &w->y);
}

static fur_status make_grids(world *w, void *const from[2], void **out)
{
    fur_multigrid_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.pre_sweeps = (int)draw(w->r, 4);
    o.post_sweeps = (int)draw(w->r, 4);
    return fur_multigrid_create(from[0], given, (fur_multigrid **)out);
}

static void destroy_grids(void *handle)
{
    fur_multigrid_destroy(handle);
}

static fur_status use_grids(world *w, void *handle, unsigned way)
{
    return way == 0 ? fur_multigrid_cycle(handle, w->x, w->y)
                    : fur_multigrid_solve(handle, w->x, w->y, 1e-3, 3, NULL);
}

static fur_status make_levels(world *w, void *const from[2], void **out)
{
    static const char *const smoothers[] = {"chebyshev", "jacobi", "gauss-seidel"};
    static const char *const kinds[] = {"classical", "aggregation"};
    fur_amg_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o.near_nullspace = NULL;
    o.smoother = draw_name(w->r, smoothers, 3);
    o.coarsening = draw_name(w->r, kinds, 2);
    o.coarsest = draw(w->r, 2) ? 4 : o.coarsest;
    return fur_amg_create(from[0], given, (fur_amg **)out);
}

static void destroy_levels(void *handle)
{
    fur_amg_destroy(handle);
}

static fur_status use_levels(world *w, void *handle, unsigned way)
{
    (void)way;
    return fur_amg_apply(handle, w->x, w->y);
}

/* Draws a kind of preconditioner, and one of its options with a number. */
static void draw_precond(run *r, char *text, size_t size)
{
    const char *kind = draw_listed(r, fur_precond_at);
    const fur_option *o = fur_precond_option_at(kind, (int)draw(r, 12));
    snprintf(text, size, "%s", kind ? kind : "jacobi");
    if (o)
        snprintf(text, size, "%s:%s=%u", kind, o->name, draw(r, 20));
}

static fur_status make_preconditioner(world *w, void *const from[2], void **out)
{
    char text[64];
    fur_precond_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    o = (fur_precond_options){.size = given ? o.size : 0, .kind = text};
    draw_precond(w->r, text, sizeof text);
    return fur_precond_create(from[0], given, (fur_precond **)out);
}

static void destroy_preconditioner(void *handle)
{
    fur_precond_destroy(handle);
}

static fur_status use_preconditioner(world *w, void *handle, unsigned way)
{
    return way == 0 ? fur_precond_apply(handle, w->x, w->y) : fur_precond_update(handle);
}

/* --- operators and solvers --- */

static fur_status operator_of_plan(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_spmv(from[0], (fur_operator **)out);
}

static fur_status operator_of_triangle(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_trsv(from[0], (fur_operator **)out);
}

static fur_status operator_of_found(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_recognised(from[0], (fur_operator **)out);
}

static fur_status operator_of_stencil(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_stencil(from[0], (fur_operator **)out);
}

static fur_status operator_of_grids(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_multigrid(from[0], (fur_operator **)out);
}

static fur_status operator_of_levels(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_amg(from[0], (fur_operator **)out);
}

static fur_status operator_of_preconditioner(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_from_precond(from[0], (fur_operator **)out);
}

static fur_status operator_of_solver(world *w, void *const from[2], void **out)
{
    return fur_operator_from_solver(from[0], w->value, (fur_operator **)out);
}

static fur_status make_jacobi(world *w, void *const from[2], void **out)
{
    (void)w;
    return fur_operator_jacobi(from[0], (fur_operator **)out);
}

static fur_status make_permuted(world *w, void *const from[2], void **out)
{
    return fur_operator_permute(from[0], w->order, (fur_operator **)out);
}

static void destroy_operator(void *handle)
{
    fur_operator_destroy(handle);
}

static fur_status use_operator(world *w, void *handle, unsigned way)
{
    const fur_operator *twice[] = {handle, handle};
    const fur_eigs_options few = {.size = sizeof few, .count = 1, .max_iterations = 80};
    const fur_lobpcg_options fewer = {.size = sizeof fewer, .count = 1, .max_iterations = 2};
    const fur_vector *d = fur_operator_scaling(handle);
    double value[2];
    if (d)
        (void)fur_vector_size(d);
    switch (way) {
    case 0:
        return fur_operator_apply(handle, w->x, w->y);
    case 1:
        return fur_operator_race(twice, 0, value);
    case 2:
        return fur_eigs(handle, &few, value, NULL, NULL, NULL);
    default:
        return fur_lobpcg(handle, &fewer, value, NULL, NULL, NULL);
    }
}

static fur_status make_solver(world *w, void *const from[2], void **out)
{
    fur_solver_options o;
    void *given = draw_options(w->r, &o, sizeof o);
    if (!given)
        o = (fur_solver_options){.size = sizeof o};
    o.method = given ? draw_listed(w->r, fur_solver_method_at) : NULL;
    o.preconditioner = from[1];
    o.adjoint = from[0];
    o.matrix = NULL;
    o.null_space = NULL;
    o.monitor = NULL;
    o.max_iterations = 1 + draw(w->r, 20);
    return fur_solver_create(from[0], &o, (fur_solver **)out);
}

static void destroy_solver(void *handle)
{
    fur_solver_destroy(handle);
}

static fur_status use_solver(world *w, void *handle, unsigned way)
{
    return way == 0 ? fur_solver_solve(handle, w->x, w->y, NULL)
                    : fur_solver_solve_block(handle, w->many_x, w->many_y, NULL);
}

#define MATRIX                                                                                     \
    {                                                                                              \
        ROLE_MATRIX, ROLE_NONE                                                                     \
    }
#define OPERATOR(name, role, make)                                                                 \
    {                                                                                              \
        name, ROLE_OPERATOR, {role, ROLE_NONE}, false, false, make, destroy_operator, 4,           \
            use_operator                                                                           \
    }

const object_kind object_kinds[] = {
    {"a matrix", ROLE_MATRIX, {0}, true, false, make_matrix, destroy_matrix, 2, use_matrix},
    {"a stencil", ROLE_STENCIL, {0}, true, false, make_stencil, destroy_stencil, 4, use_stencil},
    {"a plan", ROLE_PLAN, MATRIX, false, false, make_plan, destroy_plan, 1, use_plan},
    {"a plan for blocks", ROLE_OTHER, MATRIX, false, false, make_block_plan, destroy_block_plan, 1,
     use_block_plan},
    {"a plan of two matrices",
     ROLE_OTHER,
     {ROLE_MATRIX, ROLE_MATRIX},
     false,
     false,
     make_pair,
     destroy_pair,
     1,
     use_pair},
    {"a plan of three matrices",
     ROLE_OTHER,
     {ROLE_MATRIX, ROLE_MATRIX},
     false,
     false,
     make_triple,
     destroy_triple,
     1,
     use_triple},
    {"a triangular solve", ROLE_TRIANGLE, MATRIX, false, false, make_triangle, destroy_triangle, 2,
     use_triangle},
    {"a recognised stencil", ROLE_FOUND, MATRIX, true, false, make_found, destroy_found, 1,
     use_found},
    {"the stencil of one",
     ROLE_STENCIL,
     {ROLE_FOUND, ROLE_NONE},
     false,
     true,
     borrow_stencil,
     NULL,
     4,
     use_stencil},
    {"a product", ROLE_PRODUCT, MATRIX, false, false, make_product, destroy_product, 1,
     use_product},
    {"a batch", ROLE_BATCH, MATRIX, false, false, make_batch, destroy_batch, 1, use_batch},
    {"a solver of a batch",
     ROLE_OTHER,
     {ROLE_BATCH, ROLE_NONE},
     false,
     false,
     make_batch_solver,
     destroy_batch_solver,
     1,
     use_batch_solver},
    {"a geometric multigrid",
     ROLE_GRIDS,
     {ROLE_STENCIL, ROLE_NONE},
     true,
     false,
     make_grids,
     destroy_grids,
     2,
     use_grids},
    {"an algebraic multigrid", ROLE_LEVELS, MATRIX, false, false, make_levels, destroy_levels, 1,
     use_levels},
    {"a preconditioner", ROLE_PRECONDITIONER, MATRIX, false, false, make_preconditioner,
     destroy_preconditioner, 2, use_preconditioner},
    {"the operator of a product",
     ROLE_OPERATOR,
     {ROLE_PRODUCT, ROLE_NONE},
     false,
     true,
     borrow_product,
     NULL,
     4,
     use_operator},
    OPERATOR("the operator of a plan", ROLE_PLAN, operator_of_plan),
    OPERATOR("the operator of a triangular solve", ROLE_TRIANGLE, operator_of_triangle),
    OPERATOR("the operator of a recognised stencil", ROLE_FOUND, operator_of_found),
    OPERATOR("the operator of a stencil", ROLE_STENCIL, operator_of_stencil),
    OPERATOR("the operator of a geometric multigrid", ROLE_GRIDS, operator_of_grids),
    OPERATOR("the operator of an algebraic multigrid", ROLE_LEVELS, operator_of_levels),
    OPERATOR("the operator of a preconditioner", ROLE_PRECONDITIONER, operator_of_preconditioner),
    OPERATOR("the operator of a solver", ROLE_SOLVER, operator_of_solver),
    OPERATOR("a permuted operator", ROLE_OPERATOR, make_permuted),
    {"Jacobi's preconditioner",
     ROLE_OPERATOR,
     {ROLE_OPERATOR, ROLE_NONE},
     true,
     false,
     make_jacobi,
     destroy_operator,
     4,
     use_operator},
    {"a solver",
     ROLE_SOLVER,
     {ROLE_OPERATOR, ROLE_OPERATOR},
     false,
     false,
     make_solver,
     destroy_solver,
     2,
     use_solver},
};
const int object_kind_count = (int)(sizeof object_kinds / sizeof *object_kinds);

/* --- the world --- */

bool world_begin(world *w, run *r, fur_value_type value)
{
    int32_t order[OBJECT_ROWS];
    fur_context *context = r->context;
    int64_t entries = 5 * OBJECT_ROWS - 4 * OBJECT_EDGE;
    *w = (world){.r = r, .value = value, .has_context = true};
    for (int i = 0; i < OBJECT_ROWS; i++)
        order[i] = (i * 5 + 3) % OBJECT_ROWS;
    return MAKE(r, &w->x, fur_vector_create(context, value, OBJECT_ROWS, &w->x)) &&
           MAKE(r, &w->y, fur_vector_create(context, value, OBJECT_ROWS, &w->y)) &&
           MAKE(r, &w->many_x,
                fur_vectors_create(context, value, OBJECT_ROWS, OBJECT_COLS, FUR_LAYOUT_ROWS,
                                   &w->many_x)) &&
           MAKE(r, &w->many_y,
                fur_vectors_create(context, value, OBJECT_ROWS, OBJECT_COLS, FUR_LAYOUT_ROWS,
                                   &w->many_y)) &&
           MAKE(r, &w->values,
                fur_vectors_create(context, value, entries, OBJECT_COLS, FUR_LAYOUT_ROWS,
                                   &w->values)) &&
           MAKE(r, &w->order, fur_permutation_create(context, OBJECT_ROWS, order, &w->order)) &&
           CALL(r, fur_vector_fill(w->x, fur_real(1))) &&
           CALL(r, fur_vector_fill(w->y, fur_real(0))) &&
           CALL(r, fur_vectors_fill(w->many_x, fur_real(1))) &&
           CALL(r, fur_vectors_fill(w->many_y, fur_real(0))) &&
           CALL(r, fur_vectors_fill(w->values, fur_real(1)));
}

/* Destroys an argument of calls, or the context. NULL is ignored. */
static void destroy_needed(world *w, unsigned which)
{
    if (which == 0) {
        fur_vector_destroy(w->x);
        w->x = NULL;
    } else if (which == 1) {
        fur_vector_destroy(w->y);
        w->y = NULL;
    } else if (which == 2) {
        fur_vectors_destroy(w->many_x);
        w->many_x = NULL;
    } else if (which == 3) {
        fur_vectors_destroy(w->many_y);
        w->many_y = NULL;
    } else if (which == 4) {
        fur_vectors_destroy(w->values);
        w->values = NULL;
    } else if (which == 5) {
        fur_permutation_destroy(w->order);
        w->order = NULL;
    } else if (w->has_context) {
        fur_context_destroy(w->r->context);
        w->has_context = false;
    }
}

#define NEEDED 7

void world_end(world *w)
{
    unsigned left = (unsigned)w->count + NEEDED;
    unsigned order[OBJECTS_MAX + NEEDED];
    for (unsigned i = 0; i < left; i++) {
        unsigned j = draw(w->r, i + 1);
        order[i] = order[j];
        order[j] = i;
    }
    for (unsigned i = 0; i < left; i++)
        if (order[i] < NEEDED)
            destroy_needed(w, order[i]);
        else
            object_destroy(w, &w->objects[order[i] - NEEDED]);
    w->r->context = NULL; /* run_end() must not destroy it again */
}

fur_status object_make(world *w, const object_kind *kind, object *const from[2], object **out)
{
    void *const handles[2] = {from[0] ? from[0]->handle : NULL, from[1] ? from[1]->handle : NULL};
    void *handle = NULL;
    *out = NULL;
    fur_status status = kind->make(w, handles, &handle);
    require(status == FUR_OK || !handle, "a failure set its result");
    if (status != FUR_OK)
        return status;
    *out = &w->objects[w->count++];
    **out = (object){.kind = kind, .handle = handle, .from = {from[0], from[1]}};
    return FUR_OK;
}

void object_destroy(world *w, object *o)
{
    if (o->handle && o->kind->destroy)
        o->kind->destroy(o->handle);
    else if (o->kind->borrowed && o->handle && o->from[0]->handle)
        return; /* it is destroyed with its owner */
    o->handle = NULL;
    for (int i = 0; i < w->count; i++)
        if (w->objects[i].kind->borrowed && w->objects[i].from[0] == o)
            w->objects[i].handle = NULL;
}

/* NOLINTNEXTLINE(misc-no-recursion) as deep as objects are made from each other */
bool object_is_orphan(const object *o)
{
    for (int i = 0; i < 2 && !o->kind->copies; i++)
        if (o->from[i] && (!o->from[i]->handle || object_is_orphan(o->from[i])))
            return true;
    return false;
}

/* --- a program --- */

/* Returns one of the existing objects of a role, or NULL if there is none. */
static object *draw_object(world *w, object_role role)
{
    object *found[OBJECTS_MAX];
    unsigned count = 0;
    for (int i = 0; i < w->count; i++)
        if (w->objects[i].handle && (role == ROLE_NONE || w->objects[i].kind->role == role))
            found[count++] = &w->objects[i];
    return count > 0 ? found[draw(w->r, count)] : NULL;
}

static void make_some(world *w)
{
    const object_kind *kind = &object_kinds[draw(w->r, (unsigned)object_kind_count)];
    object *from[2] = {NULL, NULL};
    object *made;
    bool orphan = false;
    for (int i = 0; i < 2 && kind->from[i] != ROLE_NONE; i++) {
        from[i] = draw_object(w, kind->from[i]);
        orphan = orphan || (from[i] && object_is_orphan(from[i]));
    }
    bool optional = kind->role == ROLE_SOLVER;
    if ((kind->from[0] && !from[0]) || (kind->from[1] && !from[1] && !optional) ||
        w->count == OBJECTS_MAX)
        return;
    bool ok = CALL(w->r, object_make(w, kind, from, &made));
    require(!ok || !orphan || kind->borrowed, "something was made of what has lost its source");
}

static void use_some(world *w)
{
    object *o = draw_object(w, ROLE_NONE);
    if (!o)
        return;
    bool orphan = object_is_orphan(o);
    bool ok = CALL(w->r, o->kind->use(w, o->handle, draw(w->r, o->kind->ways)));
    require(!ok || !orphan, "something that has lost its source was used");
}

static void change_some(world *w)
{
    unsigned what = draw(w->r, 4);
    object *o = draw_object(w, what < 2 ? ROLE_MATRIX : what == 2 ? ROLE_OPERATOR : ROLE_NONE);
    if (what < 2 && o)
        (void)CALL(w->r, object_set_values(w, o));
    else if (what == 2 && o)
        fur_operator_changed(o->handle);
    else if (what == 3 && draw(w->r, 4) == 0)
        destroy_needed(w, NEEDED - 1);
}

void objects_program(run *r)
{
    static const fur_value_type values[] = {FUR_F64, FUR_F32, FUR_C128, FUR_C64};
    static void (*const actions[])(world *) = {make_some, make_some, make_some,  make_some,
                                               use_some,  use_some,  change_some};
    world w;
    if (world_begin(&w, r, values[draw(r, 4)]))
        for (unsigned steps = 4 + draw(r, 64); steps > 0; steps--) {
            unsigned action = draw(r, 8);
            object *o = action == 7 ? draw_object(&w, ROLE_NONE) : NULL;
            if (action < 7)
                actions[action](&w);
            else if (o)
                object_destroy(&w, o);
        }
    world_end(&w);
}
