// A stencil's terms as kernels read them.
#include "stencil.cuh"

namespace
{

bool same_line(fur_stencil_offset a, fur_stencil_offset b)
{
    return a.y == b.y && a.z == b.z;
}

int next_line(const fur_stencil_view *s, int k)
{
    int next = k + 1;
    while (next < s->points && same_line(s->offsets[k], s->offsets[next]))
        next++;
    return next;
}

template <class Value> void list(const fur_stencil_view *s, fur_stencil_term<Value> *terms)
{
    auto constants = static_cast<const Value *>(s->coefficients);
    for (int k = 0; k < s->points; k++) {
        fur_stencil_term<Value> *t = &terms[k];
        t->offset = s->offsets[k];
        t->next = next_line(s, k);
        t->step = t->offset.x + s->extent[0] * (t->offset.y + s->extent[1] * t->offset.z);
        t->field = constants ? nullptr : static_cast<const Value *>(s->fields[k]);
        t->constant = constants ? constants[k] : fur_zero<Value>();
    }
}

fur_status upload(fur_env *env, const void *terms, int64_t bytes, void **out)
{
    void *memory;
    FUR_TRY(fur_cuda_allocate(env, bytes, 1, &memory));
    fur_status status = fur_cuda_copy(env, memory, terms, bytes);
    if (status == FUR_OK)
        *out = memory;
    else
        fur_cuda_release(env, memory);
    return status;
}

} // namespace

fur_status fur_cuda_stencil_terms(fur_env *env, const fur_stencil_view *s, void **out)
{
    return fur_with_value(s->value, [&](auto value) {
        fur_stencil_term<decltype(value)> *terms;
        FUR_TRY(fur_env_allocate(env, s->points, sizeof *terms, &terms));
        list(s, terms);
        fur_status status = upload(env, terms, s->points * int64_t(sizeof *terms), out);
        fur_env_release(env, terms);
        return status;
    });
}
