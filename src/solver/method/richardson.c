/* Richardson's iteration x += omega M r (Richardson 1910), with the omega that minimises the
 * residual (Saad, Iterative Methods for Sparse Linear Systems, 2003, section 5.3.2). If M is a
 * solve in single precision (fur_operator_from_solver), it is iterative refinement. The residual,
 * the solution and the tolerance then have the value type, and most of the work is in single
 * precision.
 *
 * Vector transfers an iteration in addition to A z and M r: two dots 3, x update 3, r update with
 * its norm 3. */
#include "course.h"
#include "complex_number.h"
#include "solver.h"

#include "env.h"

static fur_status run(fur_pass *s)
{
    fur_course course = fur_course_begin(s);
    int64_t before = s->iterations;
    fur_vector *q = s->work[1];
    bool over = false;
    for (int64_t iteration = 1; !over; iteration++) {
        const fur_vector *z;
        fur_scalar qr;
        double length;
        double residual;
        FUR_TRY(fur_pass_preconditioned(s, s->r, s->work[0], &z));
        FUR_TRY(fur_pass_multiply(s, z, q));
        FUR_TRY(fur_dot(q, s->r, &qr));
        FUR_TRY(fur_norm2(q, &length));
        fur_scalar omega = fur_complex(qr.re / length / length, qr.im / length / length);
        if (!fur_is_finite(omega)) {
            s->outcome = FUR_OUTCOME_BREAKDOWN;
            return FUR_OK;
        }
        FUR_TRY(fur_axpby(omega, z, fur_real(1), s->x));
        FUR_TRY(fur_axpy_norm2(fur_negative(omega), q, s->r, &residual));
        over = fur_pass_is_over(s, before + iteration, residual) ||
               fur_course_is_lost(&course, s, iteration);
    }
    s->bytes = fur_pass_bytes(s, 9);
    return FUR_OK;
}

extern const fur_method fur_method_direct;
const fur_method fur_method_direct = {
    .info =
        {"direct",
         "complete factors of A by CHOLMOD, KLU or UMFPACK, if one is installed, and refinement",
         "Davis 2004"},
    .kind = FUR_METHOD_SQUARE,
    .complete = true,
    .workspace = 2,
    .guarded = true,
    .run = run,
};

extern const fur_method fur_method_richardson;
const fur_method fur_method_richardson = {
    .info = {"richardson",
             "x += omega M r with the omega of the smallest residual; iterative refinement if M "
             "solves in single precision",
             "Richardson 1910"},
    .kind = FUR_METHOD_SQUARE,
    .workspace = 2,
    .guarded = true,
    .run = run,
};
