// Tests the owners of furrow.hpp. Each does what the C interface does, and throws if the C call
// fails.
#include <furrow/furrow.h>

#include <cstdlib>

// The program has a function of the same name as a function of the wrapper. The wrapper must not
// call it.
[[maybe_unused]] static void check(fur_status status, const fur_context *context)
{
    (void)status, (void)context;
    std::abort();
}

#include <furrow/furrow.hpp>

#include <cmath>
#include <cstdio>
#include <iostream>
#include <map>

static void expect(bool holds, const char *what)
{
    if (!holds) {
        std::cerr << "does not hold: " << what << "\n";
        std::exit(1);
    }
}
#define EXPECT(condition) expect(condition, #condition)

// Checks that the call throws furrow::error with this status and message.
template <typename Call>
static void expect_error(fur_status status, const std::string &sentence, Call call)
{
    try {
        call();
    } catch (const furrow::error &problem) {
        if (problem.status() == status && problem.what() == sentence)
            return;
        std::cerr << problem.what() << "\n";
    }
    expect(false, sentence.c_str());
}

template <typename Owner>
constexpr bool move_only =
    std::is_nothrow_move_constructible_v<Owner> &&std::is_nothrow_move_assignable_v<Owner> &&
    !std::is_copy_constructible_v<Owner> && !std::is_copy_assignable_v<Owner>;
static_assert(move_only<furrow::context> && move_only<furrow::vector> && move_only<furrow::csr> &&
              move_only<furrow::permutation> && move_only<furrow::spmv> &&
              move_only<furrow::trsv> && move_only<furrow::classes> && move_only<furrow::stencil> &&
              move_only<furrow::spgemm> && move_only<furrow::triple> &&
              move_only<furrow::recognised> && move_only<furrow::linear_operator> &&
              move_only<furrow::solver> && move_only<furrow::scalars> &&
              move_only<furrow::recording> && move_only<furrow::multigrid> &&
              move_only<furrow::product> && move_only<furrow::output> && move_only<furrow::batch> &&
              move_only<furrow::batch_solver> && move_only<furrow::amg> &&
              move_only<furrow::precond>);

using numbers = std::vector<double>;

// Returns the matrix [4 -1 0; -1 4 -1; 0 -1 4].
static furrow::csr line(furrow::context &context)
{
    const std::vector<std::int32_t> rows{0, 0, 1, 1, 1, 2, 2}, cols{0, 1, 0, 1, 2, 1, 2};
    return furrow::csr::from_coo(context, 3, 3, rows, cols, numbers{4, -1, -1, 4, -1, -1, 4});
}

static void vectors(furrow::context &context)
{
    furrow::vector x(context, numbers{3, 4});
    furrow::vector y(context, FUR_F64, 2);
    EXPECT(furrow::norm2(x) == 5 && furrow::norm1(x) == 7 && furrow::norm_max(x) == 4);
    furrow::axpby(2.0, x, 0.0, y);
    EXPECT(y.download<double>() == (numbers{6, 8}));
    EXPECT(furrow::dot(x, y) == 50.0);
    y.scale(0.5);
    furrow::multiply_elementwise(x, y, y);
    EXPECT(y.download<double>() == (numbers{9, 16}));
    y.fill(1.0);
    furrow::copy(y, x);
    x.upload(numbers{1, 2});
    double sum = 0;
    for (double entry : x.entries<double>())
        sum += entry;
    EXPECT(sum == 3);
    const double lent[] = {5, 6};
    double own[] = {5, 6};
    furrow::vector z = furrow::vector::borrow(context, own);
    z.scale(2.0);
    EXPECT(own[0] == 10 && furrow::vector(context, lent).download<double>()[1] == 6);
    furrow::vector c = x.convert(FUR_C64);
    EXPECT(c.value_type() == FUR_C64 && c.entries<std::complex<float>>()[1] == 2.0F);
    c.scale(std::complex<double>(0, 1));
    EXPECT(c.download<std::complex<float>>()[0] == std::complex<float>(0, 1));
    const fur_vector *handle = x;
    furrow::vector moved = std::move(x);
    EXPECT(moved.get() == handle);
    x = std::move(moved);
    EXPECT(x.get() == handle);
    expect_error(FUR_INVALID, "the vector has 2 entries of type f64, not 2 of type f32",
                 [&] { x.download<float>(); });
    expect_error(FUR_INVALID, "the vector has 2 entries of type f64, not 3 of type f64", [&] {
        x.upload(numbers{1, 2, 3});
    });
}

static void many_vectors(furrow::context &context)
{
    furrow::vector x(context, numbers{3, 4}), y(context, numbers{1, 2}), z(context, numbers{0, 1});
    const fur_vector *both[] = {x, y};
    const fur_scalar factors[] = {fur_real(2), fur_real(-1)};
    EXPECT(furrow::dot_many(both, y) == (std::vector<std::complex<double>>{11, 5}));
    furrow::axpy_many(factors, both, z);
    EXPECT(z.download<double>() == (numbers{5, 7}));
    z = furrow::vector(context, numbers{0, 1});
    EXPECT(furrow::axpy_many_norm2(factors, both, z) == std::sqrt(74.0));
    z = furrow::vector(context, numbers{0, 1});
    EXPECT(furrow::axpy_many_dots(factors, both, z) == (std::vector<std::complex<double>>{43, 19}));
    EXPECT(furrow::axpy_norm2(-1.0, y, x) == std::sqrt(8.0) && x.entries<double>()[0] == 2);
    expect_error(FUR_INVALID, "there are 1 factors for 2 vectors",
                 [&] { furrow::axpy_many(furrow::span<const fur_scalar>(factors, 1), both, z); });
    std::vector<std::int64_t> squares(1000);
    context.parallel(1000, 10, [&](std::int64_t begin, std::int64_t end) {
        for (std::int64_t i = begin; i < end; i++)
            squares[static_cast<std::size_t>(i)] = i * i;
    });
    EXPECT(squares[31] == 961 && squares[999] == 998001);
}

// Checks steps of an iteration whose scalars stay on the device of the vectors.
static void device_scalars(furrow::context &context)
{
    furrow::scalars slots(context);
    furrow::vector x(context, numbers{3, 4}), y(context, numbers{1, 1});
    furrow::dot_into(x, x, slots, 0);
    furrow::dot_into(x, y, slots, 1);
    EXPECT(slots.state().value[0].re == 25 && slots.state().value[1].re == 7);
    furrow::axpby_from(slots.quotient(1), x, slots.quotient(0, 1, 7.0), y);
    EXPECT(y.download<double>() == (numbers{46, 53}));
    furrow::axpy_norm2_into(-10.0, x, y, slots, 2);
    EXPECT(slots.state().value[2].re == furrow::norm2(y) && slots.state().halted == -1);
    furrow::vector r(context, numbers{1, 1}), p(context, numbers{1, 0});
    furrow::axpy_norms_into(2.0, x, nullptr, 0.5, r, slots, 4, 5);
    EXPECT(r.download<double>() == (numbers{7, 9}) && slots.state().value[5].re == 65);
    furrow::axpy_direction(1.0, 2.0, x, 1.0, r, p, x);
    EXPECT(x.download<double>() == (numbers{4, 4}) && p.download<double>()[1] == 36);
    slots.keep(1, 3);
    slots.set(fur_scalars_initial());
    furrow::dot_into(r, r, slots, 0);
    furrow::dot_into(y, y, slots, 0);
    EXPECT(slots.kept(0, 2) == (numbers{130, furrow::dot(y, y).real()}));
    expect_error(FUR_INVALID, "the scalars keep only 3 values of 1 slots",
                 [&] { slots.kept(1, 1); });
    x.upload(numbers{3, 4});
    auto state = fur_scalars_initial();
    state.floor[3] = 100;
    slots.set(state);
    furrow::dot_into(x, x, slots, 3);
    EXPECT(slots.state().halted == 3);
    state.halted = FUR_SCALARS_MAX;
    bool refused = false;
    try {
        slots.set(state);
    } catch (const furrow::error &problem) {
        refused = problem.status() == FUR_INVALID;
    }
    EXPECT(refused);
}

// Checks recordings. Only a GPU supports them; the CPU refuses.
static void recordings(furrow::context &context)
{
    if (std::string(fur_context_device(context)) == "cpu") {
        bool refused = false;
        try {
            furrow::recording none(context);
        } catch (const furrow::error &problem) {
            refused = problem.status() == FUR_UNSUPPORTED;
        }
        EXPECT(refused);
        return;
    }
    furrow::recording calls(context);
    furrow::vector x(context, numbers{1, 2}), y(context, FUR_F64, 2);
    calls.record([&] { furrow::axpby_from(2.0, x, 1.0, y); });
    EXPECT(furrow::norm_max(y) == 0);
    calls.replay(3);
    EXPECT(y.download<double>() == (numbers{6, 12}));
    expect_error(FUR_INVALID, "given up", [&] {
        calls.record(
            [&] { furrow::check(fur_context_fail(context, FUR_INVALID, "given up"), context); });
    });
}

static void matrices(furrow::context &context)
{
    furrow::csr a = line(context);
    const std::int64_t offsets[] = {0, 2, 5, 7};
    const std::vector<std::int32_t> columns{0, 1, 0, 1, 2, 1, 2};
    furrow::csr b =
        furrow::csr::from_arrays(context, 3, offsets, columns, numbers{4, -1, -1, 4, -1, -1, 4});
    EXPECT(a.equals(b) && b.equals(a) && b.view().offset_type == FUR_I64 && b.rows() == 3 &&
           b.cols() == 3);
    EXPECT(a.entry(1, 2) == -1.0 && a.entry(0, 2) == 0.0 && a.measure().bandwidth == 1);
    EXPECT(!a.find_asymmetry(FUR_SYMMETRY_SYMMETRIC).found);
    EXPECT(furrow::add(a.band(INT64_MIN, 0), a.band(1, INT64_MAX)).equals(a) &&
           furrow::add(a, 2.0, a, -1.0).equals(a) && a.norm(FUR_NORM_1) == 6 &&
           a.norm(FUR_NORM_INF) == 6 && a.norm(FUR_NORM_MAX) == 4 &&
           a.norm(FUR_NORM_FROBENIUS) == std::sqrt(52.0));
    EXPECT(a.shift(4.0).drop(0).entries() == 4 && a.submatrix(1, 3, 0, 2).entry(0, 0) == -1.0);
    const std::int32_t last[] = {2, 0};
    EXPECT(a.select(last, last).entry(0, 0) == 4.0 && a.select_rows(last).cols() == 3 &&
           a.select_cols(last).entry(1, 1) == -1.0 && a.select_cols({}).cols() == 0);
    furrow::csr twice =
        furrow::kron(furrow::diagonal_matrix(furrow::vector(context, numbers{1, 1})), a);
    const fur_csr *blocks[] = {a, nullptr, nullptr, a};
    EXPECT(furrow::from_blocks(context, 2, blocks).equals(twice) &&
           furrow::from_blocks(context, {{a, nullptr}, {nullptr, a}}).equals(twice) &&
           furrow::multiply_elementwise(a, a).entry(0, 0) == 16.0 &&
           a.compare_within(a.shift(1.0), 0.1).beyond == 3);
    expect_error(FUR_INVALID,
                 "rows of blocks have 1 and 2 blocks; all rows need the same number, with nullptr "
                 "for an empty block",
                 [&] {
                     furrow::from_blocks(context, {{a}, {a, nullptr}});
                 });
    EXPECT(a.examine().dominant_rows == 3 && furrow::measure_order(a).profile == 2);
    double lent[] = {4, -1, -1, 4, -1, -1, 4};
    int gone = 0;
    {
        furrow::csr c =
            furrow::csr::from_arrays(context, 3, offsets, columns, lent, FUR_OWNERSHIP_BORROW);
        c.on_destroy([](void *count) { ++*static_cast<int *>(count); }, &gone);
        EXPECT(c.entry(1, 1) == 4.0 && gone == 0);
    }
    EXPECT(gone == 1);
    b.scale(furrow::vector(context, numbers{1, 2, 3}), nullptr);
    EXPECT(b.transpose().entry(0, 1) == -2.0 && b.diagonal().download<double>()[2] == 12);
    EXPECT(b.find_asymmetry(FUR_SYMMETRY_SYMMETRIC).col == 1);
    b.set_values(numbers{1, 2, 3, 4, 5, 6, 7});
    EXPECT(b.convert(FUR_F32, FUR_I32).entry(2, 2) == 7.0);
    furrow::vector x(context, numbers{1, 0, 0});
    furrow::vector right(context, FUR_F64, 3);
    a.eliminate(std::vector<std::int32_t>{0}, 1.0, x, right);
    EXPECT(right.download<double>() == (numbers{1, 1, 0}) && a.entry(1, 0) == 0.0);
    furrow::permutation order(context, std::vector<std::int32_t>{2, 1, 0});
    EXPECT(b.permute(order, order).entry(0, 0) == 7.0 && order.size() == 3);
    EXPECT(order.order()[0] == 2 && order.position()[2] == 0);
    furrow::vector turned(context, FUR_F64, 3);
    order.permute(x, turned);
    EXPECT(turned.download<double>()[2] == 1);
    order.unpermute(turned, right);
    EXPECT(right.download<double>()[0] == 1);
    EXPECT(order.transfer(context).order()[0] == 2 && !a.equals(b));
    EXPECT(furrow::reorder(a).size() == 3 && b.transfer(context).entries() == 7);
    expect_error(FUR_INVALID, "rows, cols and values must have the same number of elements",
                 [&] { furrow::csr::from_coo(context, 1, 1, columns, columns, numbers{1}); });
    expect_error(
        FUR_INVALID,
        "(4, 1), counting from 1, is outside the 3 x 3 matrix; indices in memory count from 0",
        [&] { a.entry(3, 0); });
    furrow::spgemm square(a, a);
    furrow::csr aa = square.multiply(2.0);
    EXPECT(aa.entry(1, 1) == 34.0 && square.describe().entries == 9);
    square.apply(1.0, aa);
    furrow::triple cube(a, a, a);
    furrow::csr aaa = cube.multiply(2.0);
    cube.apply(1.0, aaa);
    EXPECT(aaa.equals(a.multiply(aa)) && aaa.equals(a.triple(a, a)));
    EXPECT(aa.entry(1, 1) == 17.0 && a.multiply(a).entry(1, 1) == 17.0);
}

static void files(furrow::context &context)
{
    furrow::csr a = line(context);
    auto options = FUR_DEFAULT(fur_mtx_write_options);
    options.symmetry = FUR_MTX_SYMMETRIC;
    a.write_mtx("owners.mtx", &options);
    a.write_binary("owners.fur");
    EXPECT(furrow::csr::read_mtx(context, "owners.mtx").entries() == 7);
    EXPECT(furrow::csr::read_binary(context, "owners.fur").entry(2, 1) == -1.0);
    EXPECT(furrow::read_mtx_header(context, "owners.mtx").symmetry == FUR_MTX_SYMMETRIC);
    EXPECT(furrow::read_binary_header(context, "owners.fur").rows == 3);
    const std::string text = "%%MatrixMarket matrix coordinate real general\n2 2 1\n2 1 5\n";
    EXPECT(furrow::csr::read_mtx_from_memory(context, text).entry(1, 0) == 5.0);
    const std::string column = "%%MatrixMarket matrix array real general\n2 1\n5\n6\n";
    EXPECT(furrow::vector::read_mtx_from_memory(context, column).entries<double>()[1] == 6);
    furrow::vector(context, numbers{9, 8, 7}).write_binary("owners.fur");
    EXPECT(furrow::vector::read_binary(context, "owners.fur").entries<double>()[2] == 7);
    furrow::vector(context, numbers{7, 8}).write_mtx("owners.mtx");
    EXPECT(furrow::vector::read_mtx(context, "owners.mtx").download<double>()[1] == 8);
    std::remove("owners.mtx");
    std::remove("owners.fur");
    furrow::output(context, "owners.txt").write(std::string("given up"));
    furrow::output file(context, "owners.txt");
    file.write(text);
    file.commit();
    EXPECT(file.get() == nullptr && furrow::csr::read_mtx(context, "owners.txt").rows() == 2);
    EXPECT(furrow::unpack_mtx(context, "owners.txt") == text);
    std::remove("owners.txt");
    expect_error(FUR_IO_ERROR, "owners.mtx: cannot open: No such file or directory",
                 [&] { furrow::csr::read_mtx(context, "owners.mtx"); });
}

// Solves A x = b with the preconditioner m and checks the solution, which contains ones.
static void solves(furrow::context &context, const fur_operator *a, const fur_operator *m)
{
    furrow::vector ones(context, numbers(100, 1.0));
    furrow::vector b(context, FUR_F64, 100);
    furrow::vector x(context, FUR_F64, 100);
    furrow::check(fur_operator_apply(a, ones, b), context);
    auto options = FUR_DEFAULT(fur_solver_options);
    options.preconditioner = m;
    fur_solver_report report = furrow::solver(a, &options).solve(b, x);
    furrow::axpby(-1.0, ones, 1.0, x);
    EXPECT(report.outcome == FUR_OUTCOME_CONVERGED && furrow::norm_max(x) < 1e-8);
}

static void blocks(furrow::context &context, const furrow::csr &a)
{
    furrow::vectors x(context, FUR_F64, a.cols(), 3);
    furrow::vectors y(context, FUR_F64, a.rows(), 3, FUR_LAYOUT_COLUMNS);
    furrow::spmm plan(a);
    std::vector<double> entries(static_cast<std::size_t>(a.cols()) * 3, 2.0);
    x.upload(entries.data());
    plan.apply(1.0, x, 0.0, y);
    furrow::vector column = y.column(1);
    furrow::spmv single(a);
    furrow::vector expected(context, FUR_F64, a.rows());
    furrow::vector twos(context, std::vector<double>(static_cast<std::size_t>(a.cols()), 2.0));
    single.apply(1.0, twos, 0.0, expected);
    EXPECT(column.download<double>() == expected.download<double>());
    auto shown = furrow::vectors::from_vector(expected);
    y.columns(0, 1).copy_to(shown);
    y.rows(0, 1).fill(5.0);
    x.axpby(1.0, 1.0, x);
    x.download(entries.data());
    EXPECT(entries[0] == 4.0 && y.view().cols == 3 && *plan.describe().kernel);
    EXPECT(column.download<double>()[0] == 5.0);
    const fur_scalar half = fur_real(0.5);
    shown.fill(-3.0);
    shown.multiply(1.0, &half, 0.0, shown);
    EXPECT(shown.gram(shown)[0].re == 2.25 * static_cast<double>(a.rows()));
    EXPECT(shown.norms(FUR_NORM_2).size() == 1 && shown.norms(FUR_NORM_MAX)[0] == 1.5 &&
           shown.norms(FUR_NORM_1)[0] == 1.5 * static_cast<double>(a.rows()));
    furrow::vectors copy(context, y.view(), FUR_OWNERSHIP_COPY);
    EXPECT(copy.view().stride == a.rows());
    const double places[] = {0, 1, 3};
    furrow::vectors points(context, FUR_F64, 3, 1);
    points.upload(places);
    EXPECT(points.neighbours(1).entry(2, 1) == 2.0);
    EXPECT(furrow::vectors(context, FUR_F64, 3, 2).rigid_modes().view().cols == 3);
    furrow::csr sampled = furrow::sddmm(1.0, x, x, 0.0, a);
    furrow::sddmm_apply(1.0, x, x, -1.0, sampled);
    EXPECT(sampled.norm(FUR_NORM_MAX) == 0.0);
}

// Checks a batch of three equal matrices.
static void batches(furrow::context &context)
{
    furrow::csr a = line(context);
    const auto *entries = static_cast<const double *>(fur_csr_get(a)->values);
    numbers side;
    for (int k = 0; k < 7; k++)
        side.insert(side.end(), 3, entries[k]);
    furrow::vectors values(context, FUR_F64, 7, 3, FUR_LAYOUT_ROWS);
    furrow::vectors x(context, FUR_F64, 3, 3, FUR_LAYOUT_ROWS);
    furrow::vectors y(context, FUR_F64, 3, 3, FUR_LAYOUT_ROWS);
    values.upload(side.data());
    x.fill(1.0);
    furrow::batch three(a, values);
    three.apply(1.0, x, 0.0, y);
    numbers products(9);
    y.download(products.data());
    EXPECT(three.count() == 3 && products == (numbers{3, 3, 3, 2, 2, 2, 3, 3, 3}));
    furrow::batch_solver solver(three);
    x.fill(0.0);
    auto results = solver.solve(y, x);
    EXPECT(results.size() == 3 && results[2].outcome == FUR_OUTCOME_CONVERGED);
}

static void operators(furrow::context &context)
{
    auto definition = FUR_DEFAULT(fur_stencil_definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = definition.extent[1] = 10;
    EXPECT(fur_stencil_named(5, &definition) == 1);
    furrow::stencil s(context, definition);
    furrow::vectors pair(context, FUR_F64, s.describe().rows, 2);
    furrow::vectors product(context, FUR_F64, s.describe().rows, 2);
    pair.fill(1.0);
    s.apply_block(1.0, pair, 0.0, product);
    EXPECT(product.norms(FUR_NORM_MAX)[0] == 2.0);
    furrow::csr a = s.assemble();
    blocks(context, a);
    furrow::spmv plan(a);
    furrow::recognised found(a);
    furrow::linear_operator by_plan(plan);
    furrow::trsv lower(a);
    furrow::linear_operator by_lower(lower);
    furrow::linear_operator by_stencil(context, s);
    int calls = 0;
    furrow::linear_operator by_function(context, FUR_F64, 100, 100,
                                        [&](const furrow::vector &x, furrow::vector &y) {
                                            calls++;
                                            plan.apply(1.0, x, 0.0, y);
                                        });
    auto jacobi = furrow::linear_operator::jacobi(by_plan);
    furrow::permutation p = furrow::reorder(a, "rcm");
    furrow::csr permuted = a.permute(p, p);
    furrow::spmv permuted_plan(permuted);
    furrow::linear_operator inner(permuted_plan);
    solves(context, by_plan, jacobi);
    solves(context, by_stencil, nullptr);
    solves(context, by_function, nullptr);
    solves(context, furrow::linear_operator::permute(inner, p), jacobi);
    EXPECT(calls > 2 && !std::string(plan.describe().kernel).empty() && found.get() != nullptr);
    furrow::vector x(context, numbers(100, 1.0)), y(context, FUR_F64, 100);
    furrow::vector z(context, FUR_F64, 100), work(context, FUR_F64, 100);
    auto levels = furrow::classes::levels(a, FUR_TRIANGLE_LOWER);
    auto colours = furrow::classes::colours(a);
    EXPECT(levels.count() == 19 && colours.count() == 2 && colours.of_row(0) != colours.of_row(1));
    EXPECT(furrow::classes::components(a).count() == 1 && colours.order().size() == 100);
    EXPECT(furrow::match(a).size() == 100);
    lower.apply(1.0, x, y);
    lower.apply_many(1.0, {x}, {z});
    EXPECT(y.download<double>() == z.download<double>());
    by_lower.apply(x, z);
    EXPECT(y.download<double>() == z.download<double>());
    EXPECT(lower.describe().levels == 19);
    furrow::precond inverse_diagonal(a);
    inverse_diagonal.update();
    inverse_diagonal.apply(x, y);
    jacobi.apply(x, z);
    EXPECT(y.download<double>() == z.download<double>());
    EXPECT(inverse_diagonal.describe().entries == 100);
    EXPECT(furrow::precond(a, "chebyshev:degree=1").describe().entries > 100);
    furrow::precond::check("ilut:fill=20");
    expect_error(FUR_INVALID,
                 "\"ilut\" has no option \"full\"; it has: fill, drop, shift, no_matching",
                 [] { furrow::precond::check("ilut:full=20"); });
    solves(context, by_plan, furrow::linear_operator(inverse_diagonal));
    found.apply(1.0, x, 0.0, y);
    by_function.apply(x, z);
    EXPECT(y.download<double>() == z.download<double>());
    s.apply(1.0, x, -1.0, y);
    EXPECT(furrow::norm_max(y) == 0);
    s.sweep(1, 0.0, nullptr, x, work);
    EXPECT(x.download<double>() == z.download<double>());
}

// Checks choices of methods. The matrix of 100 points on a line, with entries 2 and -1, has the
// eigenvalues 2 - 2 cos(k pi / 101).
static void choices(furrow::context &context)
{
    auto definition = FUR_DEFAULT(fur_stencil_definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = 100;
    EXPECT(fur_stencil_named(3, &definition) == 1);
    furrow::csr a = furrow::stencil(context, definition).assemble();
    furrow::vector b(context, numbers(100, 1.0)), x(context, FUR_F64, 100);
    fur_choice first = furrow::choose(a.examine());
    EXPECT(std::string(first.method) == "cg");
    fur_choice next = furrow::choose(a.examine(), &first, FUR_OUTCOME_INDEFINITE);
    EXPECT(std::string(next.method) == "minres");
    fur_solver_report report = furrow::solve(a, b, x);
    EXPECT(report.outcome == FUR_OUTCOME_CONVERGED && std::string(report.method) == "cg");

    furrow::spmv plan(a);
    furrow::linear_operator op(plan);
    auto inner_options = FUR_DEFAULT(fur_solver_options);
    inner_options.max_iterations = 20;
    furrow::solver inner(op, &inner_options);
    furrow::linear_operator m = inner.as_operator(FUR_F64);
    auto outer_options = FUR_DEFAULT(fur_solver_options);
    outer_options.method = "fgmres";
    outer_options.preconditioner = m;
    x.fill(0.0);
    report = furrow::solver(op, &outer_options).solve(b, x);
    EXPECT(report.outcome == FUR_OUTCOME_CONVERGED && report.iterations < 20);
    EXPECT(furrow::race(op, op).second > 0);

    auto watched = FUR_DEFAULT(fur_solver_options);
    furrow::vector iterate(context, FUR_F64, 100);
    watched.method = "minres";
    watched.monitor_user = &iterate;
    watched.monitor = [](void *user, const fur_solver_progress *progress) {
        furrow::iterate(*progress, *static_cast<furrow::vector *>(user));
        return 0;
    };
    x.fill(0.0);
    furrow::solver(op, &watched).solve(b, x);
    furrow::axpby(-1.0, x, 1.0, iterate);
    EXPECT(furrow::norm_max(iterate) < 1e-8);

    furrow::vectors rhs(context, FUR_F64, 100, 3, FUR_LAYOUT_COLUMNS);
    furrow::vectors solutions(context, FUR_F64, 100, 3, FUR_LAYOUT_COLUMNS);
    EXPECT(fur_vectors_fill(rhs, fur_real(1)) == FUR_OK);
    std::vector<fur_solver_report> reports = furrow::solver(op).solve(rhs, solutions);
    EXPECT(reports.size() == 3 && reports[2].outcome == FUR_OUTCOME_CONVERGED);

    furrow::eigenpairs found = furrow::eigs(op);
    EXPECT(found.report.outcome == FUR_OUTCOME_CONVERGED && found.vectors.size() == 6);
    for (std::size_t k = 0; k < 6; k++) {
        double expected = 2 - 2 * std::cos(static_cast<double>(k + 1) * std::acos(-1.0) / 101);
        EXPECT(std::fabs(found.values[k] - expected) < 1e-9 && found.residuals[k] < 1e-9);
        op.apply(found.vectors[k], x);
        furrow::axpby(-found.values[k], found.vectors[k], 1.0, x);
        EXPECT(furrow::norm2(x) < 1e-9);
    }
    auto block_options = FUR_DEFAULT(fur_lobpcg_options);
    block_options.count = 2;
    furrow::eigenpairs lowest = furrow::lobpcg(op, &block_options);
    EXPECT(lowest.report.outcome == FUR_OUTCOME_CONVERGED && lowest.vectors.size() == 2);
    EXPECT(std::fabs(lowest.values[1] - found.values[1]) < 1e-9);

    auto options = FUR_DEFAULT(fur_eigs_options);
    options.count = 101;
    bool refused = false;
    try {
        furrow::eigs(op, &options);
    } catch (const furrow::error &problem) {
        refused = problem.status() == FUR_INVALID;
    }
    EXPECT(refused);
}

static void grids(furrow::context &context)
{
    auto definition = FUR_DEFAULT(fur_stencil_definition);
    definition.value_type = FUR_F64;
    definition.extent[0] = definition.extent[1] = 10;
    EXPECT(fur_stencil_named(5, &definition) == 1);
    furrow::stencil s(context, definition);
    furrow::linear_operator a(context, s);
    furrow::multigrid mg(context, s);
    EXPECT(mg.describe().levels > 1 && s.describe().rows == 100);
    solves(context, a, furrow::linear_operator(context, mg));
    furrow::vector b(context, numbers(100, 1.0)), x(context, FUR_F64, 100);
    mg.cycle(b, x);
    EXPECT(mg.solve(b, x).outcome == FUR_OUTCOME_CONVERGED);
    EXPECT(mg.solve(b, x, 1e-30, 1).iterations == 1);
    expect_error(FUR_UNSUPPORTED,
                 "the stencil is singular: A maps constants to 0; use a Dirichlet boundary on an "
                 "axis, or increase the centre's coefficient",
                 [&] {
                     definition.boundary[0] = definition.boundary[1] = FUR_BOUNDARY_NEUMANN;
                     furrow::multigrid(context, furrow::stencil(context, definition));
                 });
    furrow::csr matrix = s.assemble();
    EXPECT(furrow::amg::predict(matrix).bytes > 0);
    furrow::amg levels(matrix);
    EXPECT(levels.describe().levels == 1);
    levels.apply(b, x);
    solves(context, a, furrow::linear_operator(context, levels));
    furrow::product p(matrix);
    solves(context, p.as_operator(), nullptr);
    EXPECT(p.order() == nullptr && *p.describe().kernel);
    furrow::recognised found(matrix);
    solves(context, furrow::linear_operator(context, found), nullptr);
    EXPECT(a.rows() == 100 && a.cols() == 100 && a.diagonal().download<double>()[0] == 4);
}

// Checks that the first device is the CPU and that a context can be made by its name.
static void device_list()
{
    const std::vector<fur_device_info> all = furrow::devices();
    EXPECT(!all.empty() && std::string(all[0].name) == "cpu" && all[0].usable && all[0].memory > 0);
    furrow::context context(std::string(all[0].name));
    EXPECT(furrow::vector(context, numbers{2}).download<double>()[0] == 2);
}

// If the operator's function throws, the call fails. The operator owns the objects of its function.
static void failures(furrow::context &context)
{
    auto owned = std::make_shared<int>(0);
    {
        furrow::linear_operator op(
            context, FUR_F64, 2, 2,
            [owned](const furrow::vector &x, furrow::vector &) {
                if (x.entries<double>()[0] > 0)
                    throw std::runtime_error("no more today");
                x.download<float>();
            },
            [owned](furrow::vector &d) {
                d.upload(numbers{2, 4});
                if (*owned != 0)
                    throw furrow::error(FUR_CANCELLED, "not today");
            });
        furrow::vector x(context, numbers{1, 0}), y(context, FUR_F64, 2);
        EXPECT(owned.use_count() == 3);
        expect_error(FUR_INVALID, "no more today", [&] { op.apply(x, y); });
        furrow::linear_operator::jacobi(op).apply(x, y);
        EXPECT(y.download<double>() == (numbers{0.5, 0}));
        *owned = 1;
        expect_error(FUR_CANCELLED, "not today", [&] { op.diagonal(); });
        x.fill(0.0);
        expect_error(FUR_INVALID, "the vector has 2 entries of type f64, not 2 of type f32",
                     [&] { op.apply(x, y); });
    }
    EXPECT(owned.use_count() == 1);
    auto options = FUR_DEFAULT(fur_context_options);
    options.device = "abacus";
    try {
        furrow::context none(&options);
        expect(false, "a device that is not there is refused");
    } catch (const furrow::error &problem) {
        EXPECT(problem.status() == FUR_UNSUPPORTED);
    }
    expect_error(FUR_INVALID, "owner of nothing", [&] {
        furrow::check(fur_context_fail(nullptr, FUR_INVALID, "owner of nothing"), nullptr);
    });
}

// The members may be moved and destroyed in the order of their declaration or in the reverse order.
struct problem {
    furrow::context context;
    furrow::csr a = line(context);
    furrow::spmv plan{a};
    furrow::linear_operator op{plan};
    furrow::solver solver{op};
};

static void lifetimes()
{
    std::vector<problem> all(3);
    all.erase(all.begin());
    all[0] = problem();
    for (problem &p : all) {
        furrow::vector b(p.context, numbers{3, 2, 3}), x(p.context, FUR_F64, 3);
        x.fill(0.0);
        p.solver.solve(b, x);
        EXPECT(std::abs(x.entries<double>()[1] - 1) < 1e-9);
    }
    std::map<std::string, furrow::csr> matrices;
    furrow::context context;
    matrices.emplace("line", line(context));
    furrow::trsv triangle(matrices.at("line"));
    furrow::spmv plan(matrices.at("line"));
    context = furrow::context();
    EXPECT(matrices.at("line").rows() == 3);
    furrow::csr last = std::move(matrices.at("line"));
    last = furrow::csr();
    expect_error(FUR_INVALID,
                 "the plan cannot be used any more, because an object that it was created from "
                 "has been destroyed",
                 [&] { furrow::linear_operator none(plan); });
    expect_error(FUR_INVALID,
                 "the triangular solve cannot be used any more, because an object that it was "
                 "created from has been destroyed",
                 [&] { triangle.apply_many(1.0, {}, {}); });
}

static void run()
{
    furrow::context context;
    device_list();
    for (const fur_device_info &device : furrow::devices()) {
        if (device.usable == 0)
            continue;
        furrow::context any{std::string(device.name)};
        recordings(any);
    }
    vectors(context);
    many_vectors(context);
    device_scalars(context);
    matrices(context);
    files(context);
    operators(context);
    choices(context);
    grids(context);
    batches(context);
    failures(context);
    lifetimes();
    context.synchronize();
    std::cout << "furrow " << fur_version() << ": all owners work\n";
}

int main()
{
    try {
        run();
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << "\n";
        return 1;
    }
    return 0;
}
