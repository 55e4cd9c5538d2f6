/* The matrix that Python holds. */
#ifndef FURROW_PYTHON_CSR_H
#define FURROW_PYTHON_CSR_H

#include "array.h"
#include "context.h"

class Csr : public Held<fur_csr, fur_csr_destroy>
{
  public:
    using Held::Held;
    const fur_csr_view &view() const
    {
        return *fur_csr_get(get());
    }
    bool square() const
    {
        return view().rows == view().cols;
    }
};

/* Returns a new matrix that make(&handle) creates in a's context. */
template <typename Make> Csr derive(const Csr &a, Make make)
{
    return Csr(a.shared_context(), make_in<fur_csr>(a.context(), make));
}

/* Returns the size of the matrix's arrays in bytes. */
std::int64_t bytes_of(const Csr &a);

void bind_csr(nb::module_ &m);

#endif
