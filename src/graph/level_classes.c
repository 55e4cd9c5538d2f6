/* The levels of a triangle as classes. */
#include "graph_classes.h"
#include "triangle.h"

/* arguments: points to a fur_triangle */
static fur_status classify(const fur_csr *a, const void *arguments, int32_t *of, int64_t *count)
{
    const fur_triangle *triangle = arguments;
    *count = fur_levels_fill(&(fur_strict){&a->view, *triangle == FUR_TRIANGLE_UPPER}, of);
    return FUR_OK;
}

static const fur_classification how = {"levels", classify, NULL};

fur_status fur_classes_from_levels(const fur_csr *a, fur_triangle triangle, fur_classes **out)
{
    FUR_NEED(fur_csr_context(a), a, out);
    if ((unsigned)triangle > FUR_TRIANGLE_UPPER)
        return fur_context_fail(
            a->context, FUR_INVALID,
            "%d is not a triangle; use FUR_TRIANGLE_LOWER or FUR_TRIANGLE_UPPER", (int)triangle);
    return fur_classes_create(a, &how, &triangle, out);
}
