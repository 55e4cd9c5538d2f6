// Conjugate gradients with Jacobi's preconditioner for a batch of systems (Hestenes and Stiefel
// 1952). A block solves SIDE systems from beginning to end, with the steps of src/cpu/batch/cg.c.
// Each thread has some rows of one system. These rows belong to its lanes of the summation tree in
// docs/numerics.md.
//
// Bytes a row of n entries, system and iteration: n + 16 entries, from the second-level cache if
// the systems fit there. 2 n + 13 flops.
#include "batch.cuh"
#include "batch_course.h"
#include "magnitude.cuh"
#include "reciprocal.cuh"
#include "tree.cuh"

// Systems of a block. Four f64 entries in a row fill a sector of the memory. More systems would
// leave too few registers for a thread.
#define SIDE 4
// The most threads of a system, the rows of lanes in a leaf, and the bytes of a row of lanes.
#define MAX_THREADS 64
#define DEPTH 32
#define LANE_BYTES 512

namespace
{

template <class Value> constexpr int lanes = LANE_BYTES / static_cast<int>(sizeof(Value));
template <class Value>
constexpr int threads = lanes<Value> < MAX_THREADS ? lanes<Value> : MAX_THREADS;

struct add {
    template <int Parts>
    static __device__ fur_partial<Parts> combine(fur_partial<Parts> left,
                                                 const fur_partial<Parts> &right)
    {
#pragma unroll
        for (int i = 0; i < Parts; i++)
            left.part[i] += right.part[i];
        return left;
    }
};

// The shared memory of a block. The additional lane puts the systems, and the lanes of a system,
// into different banks.
template <class Value> struct shared {
    double lane[2][SIDE][lanes<Value> + 1];
    double root[2][SIDE];
    int flag[2][SIDE];
    fur_course course[SIDE];
};

template <class Value> struct job {
    fur_batch_systems<Value> a;
    fur_batch_side<const Value> b;
    fur_batch_side<Value> x;
    fur_batch_side<Value> d; // d and the next arrays are in the workspace
    fur_batch_side<Value> r;
    fur_batch_side<Value> p;
    fur_batch_side<Value> q;
    fur_batch_side<Value> t;
    fur_batch_form form;
    fur_batch_result *results;
};

// sum + Re or Im of conj(x) y.
template <class Value> __device__ inline double dot_re(Value x, Value y, double sum)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fma(double(x.im), double(y.im), fma(double(x.re), double(y.re), sum));
    else
        return fma(double(x), double(y), sum);
}
template <class Value> __device__ inline double dot_im(Value x, Value y, double sum)
{
    if constexpr (fur_value_of<Value>::is_complex)
        return fma(-double(x.im), double(y.re), fma(double(x.re), double(y.im), sum));
    else
        return sum;
}
template <class Value> __device__ inline double square(Value x, double scale, double sum)
{
    if constexpr (fur_value_of<Value>::is_complex) {
        double re = scale * double(x.re);
        double im = scale * double(x.im);
        return fma(im, im, fma(re, re, sum));
    } else {
        double re = scale * double(x);
        return fma(re, re, sum);
    }
}

// The work of one thread.
template <class Value> struct worker {
    const job<Value> &w;
    shared<Value> &m;
    int side;   // the system's number in the block
    int first;  // the first row
    int64_t s;  // the system; threads past the last system repeat it
    int64_t at; // its column in the workspace
    bool there;
    fur_course &course; // of the system; only the system's first thread changes it

    __device__ worker(const job<Value> &w, shared<Value> &m)
        : w(w), m(m), side(threadIdx.x % SIDE), first(threadIdx.x / SIDE), course(m.course[side])
    {
        at = blockIdx.x * int64_t(SIDE) + side;
        there = at < w.a.count;
        s = there ? at : w.a.count - 1;
    }

    // Returns the sum over the lanes of a leaf. Warp `warp` adds the lanes of system `warp`.
    template <int Parts> __device__ fur_partial<Parts> fold_leaf(int warp) const
    {
        constexpr int share = lanes<Value> / FUR_WARP;
        fur_partial<Parts> lane[share];
#pragma unroll
        for (int i = 0; i < share; i++)
#pragma unroll
            for (int k = 0; k < Parts; k++)
                lane[i].part[k] = m.lane[k][warp][i * FUR_WARP + threadIdx.x % FUR_WARP];
#pragma unroll
        for (int half = share / 2; half > 0; half /= 2)
#pragma unroll
            for (int i = 0; i < half; i++)
                lane[i] = add::combine(lane[i], lane[i + half]);
#pragma unroll
        for (int half = FUR_WARP / 2; half > 0; half /= 2)
            lane[0] = add::combine(lane[0], fur_lane_partial(lane[0], threadIdx.x ^ half));
        return lane[0];
    }

    // Calls change() in the system's first thread, and makes the new course visible to all threads.
    template <class Change> __device__ void decide(Change change)
    {
        __syncthreads();
        if (first == 0)
            change();
        __syncthreads();
    }

    // Sums over all rows of the system; visit(i, sums) adds row i. All threads must call it.
    // Afterwards, each thread sees what the others have written.
    template <int Parts, class Visit> __device__ fur_partial<Parts> walk(Visit visit)
    {
        int warp = threadIdx.x / FUR_WARP;
        fur_tree<add, fur_partial<Parts>> tree;
        for (int64_t leaf = 0; leaf < w.a.rows; leaf += DEPTH * lanes<Value>) {
            int64_t end = min(w.a.rows, leaf + DEPTH * lanes<Value>);
            for (int lane = first; lane < lanes<Value>; lane += threads<Value>) {
                fur_partial<Parts> sums = {};
#pragma unroll 1
                for (int64_t i = leaf + lane; i < end; i += lanes<Value>)
                    visit(i, sums.part);
#pragma unroll
                for (int k = 0; k < Parts; k++)
                    m.lane[k][side][lane] = sums.part[k];
            }
            __syncthreads();
            if (warp < SIDE)
                tree.push(fold_leaf<Parts>(warp));
            __syncthreads();
        }
        if (warp < SIDE) {
            fur_partial<Parts> root = tree.root();
            if (threadIdx.x % FUR_WARP == 0)
#pragma unroll
                for (int k = 0; k < Parts; k++)
                    m.root[k][warp] = root.part[k];
        }
        __syncthreads();
        fur_partial<Parts> out;
#pragma unroll
        for (int k = 0; k < Parts; k++)
            out.part[k] = m.root[k][side];
        __syncthreads();
        return out;
    }

    // Calls visit(i) for the thread's rows.
    template <class Visit> __device__ void each(Visit visit) const
    {
#pragma unroll 1
        for (int64_t i = first; i < w.a.rows; i += threads<Value>)
            visit(i);
    }

    // Returns the maximum norm of a column, or NaN if an entry is NaN.
    template <class Entry> __device__ double largest(Entry entry)
    {
        double most = 0;
        each([&](int64_t i) { most = larger(magnitude(entry(i)), most); });
        m.lane[0][side][first] = most;
        __syncthreads();
        for (int k = 0; k < threads<Value>; k++)
            most = larger(m.lane[0][side][k], most);
        __syncthreads();
        return most;
    }

    // Returns the 2-norm of a column from its sum of squares, if `wanted`. If squares may have
    // overflowed or underflowed, the sum is computed again with a scale.
    template <class Entry> __device__ double norm_from(double squares, bool wanted, Entry entry)
    {
        bool near = !wanted || (squares >= 0x1p-960 && squares <= DBL_MAX);
        if (!__syncthreads_or(!near))
            return sqrt(squares);
        double most = largest(entry);
        bool again = !near && most != 0 && most <= DBL_MAX;
        double scale = again ? scalbn(1.0, most < DBL_MIN ? DBL_MAX_EXP - 1 : -ilogb(most)) : 1;
        double sum = walk<1>([&](int64_t i, double *sums) {
                         sums[0] = square(entry(i), scale, sums[0]);
                     }).part[0];
        return near ? sqrt(squares) : again ? sqrt(sum) / scale : most;
    }
    template <class Entry> __device__ double norm(Entry entry)
    {
        double squares = walk<1>([&](int64_t i, double *sums) {
                             sums[0] = square(entry(i), 1, sums[0]);
                         }).part[0];
        return norm_from(squares, true, entry);
    }

    // The reciprocals of the diagonal. A row whose diagonal is not usable gets 1.
    __device__ void invert(bool *usable, bool *finite)
    {
        if (threadIdx.x < SIDE)
            m.flag[0][threadIdx.x] = m.flag[1][threadIdx.x] = 1;
        __syncthreads();
        each([&](int64_t i) {
            int64_t k = w.a.starts[i];
            int64_t end = w.a.starts[i + 1];
            while (k < end && w.a.columns[k] != i)
                k++;
            Value entry = k < end ? w.a.values(k, s) : fur_zero<Value>();
            for (k++; k < end && w.a.columns[k] == i; k++)
                entry = fur_add(entry, w.a.values(k, s));
            Value d = entry;
            if (!fur_invert(&d)) {
                m.flag[0][side] = 0;
                if (!(dot_re(entry, entry, 0) < HUGE_VAL))
                    m.flag[1][side] = 0;
                d = fur_from<Value>({1, 0});
            }
            w.d(i, at) = d;
        });
        __syncthreads();
        *usable = m.flag[0][side];
        *finite = m.flag[1][side];
        __syncthreads();
    }

    // r = b - A t. Returns the norm of r.
    __device__ double take_residual()
    {
        const Value unit = fur_from<Value>({1, 0});
        const Value minus = fur_from<Value>({-1, 0});
        __syncthreads();
        each([&](int64_t i) {
            Value product = w.a.multiply(i, s, [&](int32_t j) { return w.t(j, at); });
            w.r(i, at) = fur_fma(unit, Value(w.b(i, s)), fur_mul(minus, product));
        });
        return norm([&](int64_t i) { return w.r(i, at); });
    }

    __device__ void begin()
    {
        bool usable;
        bool finite;
        invert(&usable, &finite);
        double b_norm = norm([&](int64_t i) { return Value(w.b(i, s)); });
        each([&](int64_t i) {
            if (b_norm == 0 && there)
                w.x(i, s) = fur_zero<Value>();
            w.t(i, at) = b_norm == 0 ? fur_zero<Value>() : w.x(i, s);
        });
        double x_norm = norm([&](int64_t i) { return w.t(i, at); });
        double residual = take_residual();
        decide([&] {
            course = {};
            fur_course_begin(&course, &w.form, b_norm, x_norm, residual, usable, finite);
            course.open = course.open && there;
            course.runs = course.runs && there;
        });
    }

    // Prepares a pass of corrections. Returns whether any pass of the block is open.
    __device__ bool prepare()
    {
        const Value scale = fur_from<Value>({course.scale, 0});
        const bool scaled = course.scale != 1;
        if (course.open && course.corrects)
            each([&](int64_t i) {
                w.t(i, at) = fur_zero<Value>();
                if (scaled)
                    w.r(i, at) = fur_mul(scale, w.r(i, at));
            });
        return __syncthreads_or(course.open);
    }

    // t += alpha p if a step is due, and p = d r + beta p if the pass continues.
    __device__ void turn()
    {
        const bool runs = course.runs;
        const Value unit = fur_from<Value>({1, 0});
        const Value alpha = fur_from<Value>({course.alpha, 0});
        const Value beta = fur_from<Value>({course.beta, 0});
        if (runs || course.settles)
            each([&](int64_t i) {
                Value p = w.p(i, at);
                w.t(i, at) = fur_fma(alpha, p, w.t(i, at));
                if (runs)
                    w.p(i, at) = fur_fma(unit, fur_mul(w.d(i, at), w.r(i, at)), fur_mul(beta, p));
            });
        decide([&] { course.settles = false; });
    }

    // p = d r, and chooses the course from r.p.
    __device__ void aim()
    {
        double rz = walk<1>([&](int64_t i, double *sums) {
                        Value r = w.r(i, at);
                        Value p = fur_mul(w.d(i, at), r);
                        w.p(i, at) = p;
                        sums[0] = dot_re(r, p, sums[0]);
                    }).part[0];
        decide([&] { fur_course_aim(&course, rz); });
    }

    // q = A p, and the step length. Returns whether any pass continues.
    __device__ bool step()
    {
        double pq = walk<1>([&](int64_t i, double *sums) {
                        Value q = w.a.multiply(i, s, [&](int32_t j) { return w.p(j, at); });
                        w.q(i, at) = q;
                        sums[0] = dot_re(w.p(i, at), q, sums[0]);
                    }).part[0];
        decide([&] { fur_course_step(&course, pq); });
        return __syncthreads_or(course.runs);
    }

    // r -= alpha q if the pass continues; then ||r|| and r.d r. Returns whether any pass continues.
    __device__ bool descend()
    {
        const Value minus = fur_from<Value>({-course.alpha, 0});
        bool runs = course.runs;
        fur_partial<2> sums = walk<2>([&](int64_t i, double *sums) {
            Value r = w.r(i, at);
            if (runs) {
                r = fur_fma(minus, w.q(i, at), r);
                w.r(i, at) = r;
            }
            sums[0] = dot_re(r, r, sums[0]);
            sums[1] = dot_re(r, fur_mul(w.d(i, at), r), sums[1]);
        });
        double length = norm_from(sums.part[0], runs, [&](int64_t i) { return w.r(i, at); });
        decide([&] { fur_course_reduce(&course, &w.form, length, sums.part[1]); });
        return __syncthreads_or(course.runs);
    }

    // Stops passes whose directions are no longer conjugate. Returns whether any pass continues.
    __device__ bool check_directions()
    {
        fur_partial<2> pair = walk<2>([&](int64_t i, double *sums) {
            sums[0] = dot_re(w.p(i, at), w.q(i, at), sums[0]);
            sums[1] = dot_im(w.p(i, at), w.q(i, at), sums[1]);
        });
        decide([&] { fur_course_check(&course, pair.part[0], pair.part[1]); });
        return __syncthreads_or(course.runs);
    }

    __device__ void run_pass()
    {
        aim();
        bool on = __syncthreads_or(course.runs);
        for (int64_t issued = 1; on && step(); issued++) {
            on = descend();
            turn();
            if (on && fur_course_is_milestone(issued))
                on = check_directions();
        }
    }

    // If the pass has reduced the residual, x is updated from t; otherwise t is set from x. Both
    // are equal afterwards.
    __device__ void accept()
    {
        const Value unit = fur_from<Value>({1, 0});
        const Value back = fur_from<Value>({1 / course.scale, 0});
        const bool gains = fur_course_gains(&course);
        const bool corrects = course.corrects;
        const bool scaled = corrects && course.scale != 1;
        each([&](int64_t i) {
            Value t = w.t(i, at);
            Value x = w.x(i, s);
            if (scaled)
                t = fur_mul(back, t);
            Value sum = !gains ? x : corrects ? fur_fma(unit, t, x) : t;
            w.t(i, at) = sum;
            if (gains)
                w.x(i, s) = sum;
        });
    }

    __device__ void solve()
    {
        begin();
        while (prepare()) {
            run_pass();
            accept();
            bool gains = fur_course_gains(&course);
            double residual = take_residual();
            decide([&] { fur_course_judge(&course, &w.form, gains ? residual : course.residual); });
        }
        if (there && first == 0)
            w.results[s] = fur_course_result(&course);
    }
};

template <class Value, int Threads>
__global__ void __launch_bounds__(Threads, 1) solve(const __grid_constant__ job<Value> w)
{
    __shared__ shared<Value> m;
    worker<Value>(w, m).solve();
}

int64_t padded(int64_t count)
{
    return fur_ceil_div(count, SIDE) * SIDE;
}

} // namespace

int64_t fur_cuda_batch_cg_bytes(const fur_batch_view *a, const fur_batch_form *)
{
    return 5 * a->pattern->rows * padded(a->values->cols) *
           static_cast<int64_t>(fur_value_size(a->values->value_type));
}

fur_status fur_cuda_batch_cg(const fur_batch_solve_call *call, const fur_batch_room *room)
{
    return fur_with_value(call->x->value_type, [&](auto zero) {
        using Value = decltype(zero);
        int64_t step = padded(call->x->cols);
        auto vector = [&](int k) {
            return fur_batch_side<Value>(
                static_cast<Value *>(room->memory) + k * call->x->rows * step, step);
        };
        job<Value> w = {fur_batch_systems<Value>(call->a),
                        fur_batch_side<const Value>(call->b),
                        fur_batch_side<Value>(call->x),
                        vector(0),
                        vector(1),
                        vector(2),
                        vector(3),
                        vector(4),
                        *call->form,
                        room->results};
        constexpr int block = SIDE * threads<Value>;
        solve<Value, block>
            <<<static_cast<unsigned>(step / SIDE), block, 0, fur_cuda_stream(call->env)>>>(w);
        return fur_cuda_launched(call->env, "batch cg");
    });
}
