#include "batch.h"

#include "csr.h"
#include "options.h"

/* A batch and the block of its values. Members are destroyed from the last to the first. */
struct batch_of_values {
    furrow::vectors values;
    furrow::batch batch;
};

static void destroy(batch_of_values *b)
{
    delete b;
}

using Batch = Held<batch_of_values, destroy>;

/* Makes a batch. It keeps the pattern and the array of values, which is read in place. */
static Batch create(nb::handle pattern, const InArray &values, nb::object kept)
{
    const Csr &a = nb::cast<const Csr &>(pattern);
    std::unique_ptr<batch_of_values> made;
    {
        Use use(a.context());
        furrow::vectors block = block_of(a.context().get(), Dense(values, "values"));
        furrow::batch batch(a.get(), block);
        made.reset(new batch_of_values{std::move(block), std::move(batch)});
    }
    return Batch(a.shared_context(), made.release(),
                 nb::make_tuple(nb::borrow(pattern), std::move(kept)));
}

static void multiply(const Batch &b, const InArray &x, const OutArray &y)
{
    fur_context *context = b.context().get();
    Use use(b.context());
    furrow::vectors in = block_of(context, Dense(x, "x"));
    BlockResult out(context, Dense(y, "out"));
    expect_ok(fur_batch_apply(b.get()->batch, fur_real(1), in, fur_real(0), out), context);
    out.finish();
}

static fur_batch_solver_options options_of(Keywords *given)
{
    auto options = fur_default<fur_batch_solver_options>();
    given->take("method", options.method);
    given->take_tolerance("rtol", options.rtol);
    given->take("atol", options.atol);
    given->take_count("maxiter", options.max_iterations);
    given->finish("a batch's solver");
    return options;
}

/* Solves from the initial guesses in x. Returns outcome, iterations and residual of each system. */
static nb::tuple solve(const Batch &b, const InArray &right, const OutArray &x,
                       const nb::dict &keywords)
{
    fur_context *context = b.context().get();
    Keywords given(keywords);
    fur_batch_solver_options options = options_of(&given);
    std::vector<fur_batch_result> results(
        static_cast<std::size_t>(fur_batch_count(b.get()->batch)));
    {
        Use use(b.context());
        furrow::batch_solver solver(b.get()->batch, &options);
        furrow::vectors in = block_of(context, Dense(right, "b"));
        BlockResult out(context, Dense(x, "x0"));
        expect_ok(fur_batch_solve(solver, in, out, results.data(), nullptr), context);
        out.finish();
    }
    std::vector<std::string> outcomes;
    std::vector<std::int64_t> iterations;
    std::vector<double> residuals;
    for (const fur_batch_result &result : results) {
        outcomes.emplace_back(fur_outcome_name(result.outcome));
        iterations.push_back(result.iterations);
        residuals.push_back(result.residual);
    }
    return nb::make_tuple(outcomes, iterations, residuals);
}

void bind_batch(nb::module_ &m)
{
    nb::class_<Batch>(m, "Batch")
        .def_static("create", &create, nb::arg("pattern"), nb::arg("values"), nb::arg("kept"))
        .def("multiply", &multiply)
        .def("solve", &solve);
}
