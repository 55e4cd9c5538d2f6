// The program of solve.c, with handles that destroy their objects and a user's operator of C++.
#include <furrow/author/operator.h>
#include <furrow/furrow.h>

#include <cmath>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

template <auto destroy> struct destroyer {
    template <typename object> void operator()(object *pointer) const
    {
        destroy(pointer);
    }
};
using context_handle = std::unique_ptr<fur_context, destroyer<fur_context_destroy>>;
using csr_handle = std::unique_ptr<fur_csr, destroyer<fur_csr_destroy>>;
using vector_handle = std::unique_ptr<fur_vector, destroyer<fur_vector_destroy>>;
using spmv_handle = std::unique_ptr<fur_spmv, destroyer<fur_spmv_destroy>>;
using operator_handle = std::unique_ptr<fur_operator, destroyer<fur_operator_destroy>>;
using solver_handle = std::unique_ptr<fur_solver, destroyer<fur_solver_destroy>>;

static context_handle context;

static void check(fur_status status)
{
    if (status != FUR_OK)
        throw std::runtime_error(std::string(fur_status_name(status)) + ": " +
                                 fur_context_error(context.get()));
}

/* make<fur_vector_create, vector_handle>(arguments) returns the created object in its handle. */
template <auto create, typename handle, typename... arguments> handle make(arguments... given)
{
    typename handle::pointer object = nullptr;
    check(create(given..., &object));
    return handle(object);
}

static std::vector<double> entries_of(const fur_vector *x)
{
    const auto *data = static_cast<const double *>(fur_vector_const_data(x));
    return {data, data + fur_vector_size(x)};
}

/* Computes y = A x, where `plan` is the plan of A. */
static fur_status apply(void *plan, const fur_vector *x, fur_vector *y)
{
    return fur_spmv_apply(static_cast<const fur_spmv *>(plan), fur_real(1), x, fur_real(0), y);
}

static bool run()
{
    const std::vector<std::int32_t> rows{0, 0, 1, 1, 1, 2, 2}, cols{0, 1, 0, 1, 2, 1, 2};
    const std::vector<double> values{4, -1, -1, 4, -1, -1, 4};
    const fur_coo_view list{sizeof list, 3, 3, 7, FUR_F64, rows.data(), cols.data(), values.data()};

    context = make<fur_context_create, context_handle>(nullptr);
    auto a = make<fur_csr_from_coo, csr_handle>(context.get(), &list, FUR_DUPLICATES_SUM);
    auto x = make<fur_vector_create, vector_handle>(context.get(), FUR_F64, 3);
    auto y = make<fur_vector_create, vector_handle>(context.get(), FUR_F64, 3);
    auto plan = make<fur_spmv_plan, spmv_handle>(a.get(), nullptr);
    check(fur_vector_fill(x.get(), fur_real(1)));
    check(fur_spmv_apply(plan.get(), fur_real(1), x.get(), fur_real(0), y.get()));
    bool multiplied = entries_of(y.get()) == std::vector<double>{3, 2, 3};

    fur_operator_definition definition{};
    definition.size = sizeof definition;
    definition.rows = definition.cols = 3;
    definition.value_type = FUR_F64;
    definition.user = plan.get();
    definition.apply = apply;
    auto op = make<fur_operator_create, operator_handle>(context.get(), &definition);
    auto solver = make<fur_solver_create, solver_handle>(op.get(), nullptr);
    fur_solver_report report = FUR_DEFAULT(fur_solver_report);
    check(fur_vector_fill(x.get(), fur_real(0)));
    check(fur_solver_solve(solver.get(), y.get(), x.get(), &report));
    double worst = 0;
    for (double entry : entries_of(x.get()))
        worst = std::fmax(worst, std::fabs(entry - 1));
    std::cout << "furrow " << fur_version() << ": " << fur_outcome_name(report.outcome)
              << ", residual " << report.residual << "\n";
    return multiplied && report.outcome == FUR_OUTCOME_CONVERGED && worst < 1e-9;
}

int main()
{
    bool good = false;
    try {
        good = run();
    } catch (const std::exception &problem) {
        std::cerr << problem.what() << "\n";
    }
    context.reset();
    return good ? 0 : 1;
}
