/* Writes the page about a solve. */
#include "job.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>

#include "curve.h"
#include "interrupt.h"
#include "new_file.h"
#include "page.h"

/* Number of timed runs for the page; the shortest counts. */
#define RUNS 5
/* Bytes of each of the two vectors in the copy with which rates are compared. */
#define COPY_BYTES (64 << 20)

typedef struct page {
    const job *job;
    FILE *stream;
    double product; /* seconds of one product */
    double copy;    /* bytes per second */
} page;

fur_status job_time(fur_context *context, const fur_operator *a, const fur_vector *x, fur_vector *y,
                    double *out)
{
    double least = HUGE_VAL;
    for (int run = 0; run < RUNS; run++) {
        double start = fur_seconds();
        FUR_TRY(fur_operator_apply(a, x, y));
        FUR_TRY(fur_context_synchronize(context));
        least = fmin(least, fur_seconds() - start);
    }
    *out = least;
    return FUR_OK;
}

/* Returns the time of all applications of preconditioners. NaN: not all kinds were timed. */
static double precond_seconds(const job *j)
{
    double sum = 0;
    for (int i = 0; i < j->count; i++) {
        const job_attempt *a = &j->attempts[i];
        bool applied = a->report.iterations > 0 && !job_is(a->choice.precond, "none");
        if (applied && !(a->seconds_applied > 0))
            return NAN;
        sum += a->seconds_applied * job_products(a) * (double)a->report.iterations;
    }
    return sum;
}

static fur_status time_copy(page *p)
{
    fur_context *context = p->job->context;
    fur_vector *x = NULL;
    fur_vector *y = NULL;
    double least = HUGE_VAL;
    int64_t n = COPY_BYTES / (int64_t)sizeof(double);
    fur_status status = fur_vector_create(context, FUR_F64, n, &x);
    if (status == FUR_OK)
        status = fur_vector_create(context, FUR_F64, n, &y);
    for (int run = 0; status == FUR_OK && run < RUNS; run++) {
        double start = fur_seconds();
        status = fur_vector_copy(x, y);
        if (status == FUR_OK)
            status = fur_context_synchronize(context);
        least = fmin(least, fur_seconds() - start);
    }
    p->copy = 2.0 * COPY_BYTES / least;
    fur_vector_destroy(x);
    fur_vector_destroy(y);
    return status;
}

static fur_status measure(page *p)
{
    const job *j = p->job;
    FUR_TRY(job_time(j->context, j->op, j->x, j->watch.sample.r, &p->product));
    return time_copy(p);
}

static bool has_solved(const job *j)
{
    return fur_outcome_solved(j->total.outcome) || j->total.outcome == FUR_OUTCOME_LEAST_SQUARES;
}

static void put_header(const page *p)
{
    const job *j = p->job;
    char rows[WORDS_BYTES];
    char cols[WORDS_BYTES];
    char entries[WORDS_BYTES] = "";
    char facts[512];
    page_count((double)fur_operator_rows(j->op), rows);
    page_count((double)fur_operator_cols(j->op), cols);
    if (!j->stencil)
        page_count((double)fur_csr_get(j->a.matrix)->entries, entries);
    snprintf(facts, sizeof facts, "%s × %s%s%s%s · %s · right-hand side: %.250s", rows, cols,
             *entries ? " · " : "", entries, *entries ? " entries" : "",
             fur_value_name(fur_operator_value_type(j->op)), words_file(j->rhs));
    page_header(p->stream, "Linear system, solved by iteration", words_file(j->name), facts);
}

static void put_verdict(const page *p)
{
    const job *j = p->job;
    const fur_solver_report *r = &j->total;
    char iterations[WORDS_BYTES];
    char seconds[WORDS_BYTES];
    page_count((double)r->iterations, iterations);
    page_time(r->seconds, seconds);
    fprintf(p->stream, "<p class=\"verdict%s\"><b>%c%s</b> after %s iterations and %s",
            has_solved(j) ? "" : " bad", toupper(interrupt_outcome(r->outcome)[0]),
            interrupt_outcome(r->outcome) + 1, iterations, seconds);
    if (j->count > 1)
        fprintf(p->stream, ", by attempt %d of %d", (int)(j->best - j->attempts) + 1, j->count);
    const char *advice = fur_outcome_advice(r->outcome);
    fprintf(p->stream, ". %s%s</p>\n", *advice ? "What to try: " : "", advice);
}

/* Returns the bytes per second of the best attempt; 0: unknown. */
static double rate(const job *j)
{
    const fur_solver_report *r = &j->best->report;
    return r->seconds > 0 ? job_bytes(j) * (double)r->iterations / r->seconds : 0;
}

/* Returns the mean reduction of the residual per iteration in the last attempt (geometric mean).
 * NaN if there was no iteration. */
static double mean_factor(const job *j)
{
    const watch *w = &j->watch;
    const fur_solver_report *r = &j->attempts[j->count - 1].report;
    int64_t first = 0;
    while (first < w->count && w->points[first].attempt < j->count)
        first++;
    return first < w->count && r->iterations > 0
               ? pow(r->residual / w->points[first].true_residual, 1 / (double)r->iterations)
               : NAN;
}

static void put_cards(const page *p)
{
    const job *j = p->job;
    const fur_solver_report *r = &j->best->report;
    char figure[WORDS_BYTES];
    char note[2 * WORDS_BYTES];
    fputs("<div class=\"cards\">\n", p->stream);
    snprintf(figure, sizeof figure, "%.1e", j->total.residual);
    snprintf(note, sizeof note, "true; recurrence %.1e, requested %.0e",
             j->total.residual_recurrence, j->watch.rtol);
    page_card(p->stream, "Relative residual", figure, note);
    page_time(r->seconds / fmax(1, (double)r->iterations), figure);
    snprintf(note, sizeof note, "with %.0f %s with the matrix", job_products(j->best),
             job_products(j->best) == 1 ? "product" : "products");
    page_card(p->stream, "One iteration", r->iterations > 0 ? figure : "none was needed",
              job_products(j->best) > 0 ? note : "");
    snprintf(figure, sizeof figure, "%.1f GB/s", 1e-9 * rate(j));
    snprintf(note, sizeof note, "%.0f %% of a copy of vectors, %.1f GB/s", 100 * rate(j) / p->copy,
             1e-9 * p->copy);
    page_card(p->stream, "Memory traffic", rate(j) > 0 ? figure : "not counted",
              rate(j) > 0 ? note : "of this method");
    fputs("</div>\n", p->stream);
}

static void put_curve(const page *p)
{
    const job *j = p->job;
    const char *labels[JOB_ATTEMPTS] = {NULL};
    for (int i = 0; i < j->count; i++)
        labels[i] = j->attempts[i].choice.method;
    fputs("<figure class=\"card\"><figcaption><b>Convergence</b>"
          "<span class=\"key carried-key\">recurrence residual</span>"
          "<span class=\"key true-key\">true residual ‖b − A x‖ / ‖b‖, if computed</span>"
          "</figcaption>\n",
          p->stream);
    curve_put(p->stream, &j->watch, labels);
    fputs("<p class=\"note\">cg and gmres do not have the x of each iteration: their true residual "
          "is "
          "computed at the start and at the end.</p>\n</figure>\n",
          p->stream);
}

/* Writes the attempts with their reasons and results. */
static void put_attempts(const page *p)
{
    const job *j = p->job;
    fputs("<section class=\"card\">\n<h2>What was tried</h2>\n<table class=\"tried\">\n<thead><tr>"
          "<th scope=\"col\">method</th><th scope=\"col\">why</th><th scope=\"col\">outcome</th>"
          "<th scope=\"col\">iterations</th><th scope=\"col\">true residual</th></tr></thead>\n"
          "<tbody>\n",
          p->stream);
    for (int i = 0; i < j->count; i++) {
        const job_attempt *a = &j->attempts[i];
        char iterations[WORDS_BYTES];
        page_count((double)a->report.iterations, iterations);
        fprintf(p->stream, "<tr><th scope=\"row\">%s<small>preconditioner: %s</small></th><td>",
                a->choice.method, a->choice.precond);
        words_put(p->stream, a->choice.reason);
        fputs(*a->made.note ? "; factors by " : "", p->stream);
        words_put(p->stream, a->made.note);
        fprintf(p->stream, "</td><td>%s</td><td>%s</td><td>", interrupt_outcome(a->report.outcome),
                iterations);
        if (isfinite(a->report.residual))
            fprintf(p->stream, "%.1e", a->report.residual);
        fputs("</td></tr>\n", p->stream);
    }
    fputs("</tbody>\n</table>\n</section>\n", p->stream);
}

/* Writes one part of the time, with a bar in proportion to its share. */
static void put_part(FILE *stream, const char *name, double seconds, double all)
{
    char text[WORDS_BYTES];
    page_time(seconds, text);
    fprintf(stream,
            "<tr><th scope=\"row\">%s</th><td>%s<div class=\"bar new\" "
            "style=\"width:%.1f%%\"></div></td></tr>\n",
            name, text, all > 0 ? 100 * seconds / all : 0);
}

/* Writes the parts of the solve's time that were measured. */
static void put_solve_times(const page *p, double all)
{
    const job *j = p->job;
    const fur_solver_report *r = &j->total;
    double products = fmin(p->product * (double)r->products, r->seconds);
    double applied = precond_seconds(j);
    double precond = applied > 0 ? fmin(applied, r->seconds - products) : 0;
    double samples = fmin(j->watch.sample.seconds, r->seconds - products - precond);
    if (r->products > 0)
        put_part(p->stream, "Products with the matrix", products, all);
    if (precond > 0)
        put_part(p->stream, "Preconditioner", precond, all);
    put_part(p->stream,
             r->products == 0 ? "Cycles"
             : applied >= 0   ? "Vectors and scalars"
                              : "Preconditioners, vectors and scalars",
             r->seconds - products - precond - samples, all);
    if (samples > 0)
        put_part(p->stream, "True residuals for this page", samples, all);
}

static void put_times(const page *p)
{
    const job *j = p->job;
    double all = j->a.seconds + j->seconds_setup + j->total.seconds;
    fputs("<section class=\"card\">\n<h2>Where the time went</h2>\n<table "
          "class=\"times\">\n<tbody>\n",
          p->stream);
    if (!j->stencil) {
        put_part(p->stream, "Reading the matrix", j->a.seconds, all);
        put_part(p->stream, "Analysis of the matrix", j->seconds_examine, all);
    }
    put_part(p->stream, "Kernel, preconditioner, workspace", j->seconds_setup - j->seconds_examine,
             all);
    put_solve_times(p, all);
    fputs("</tbody>\n</table>\n<p class=\"note\">Products and preconditioner: their number times "
          "what one takes alone.</p>\n</section>\n",
          p->stream);
}

static void put_count_row(FILE *stream, const char *name, double count)
{
    char text[WORDS_BYTES];
    page_count(count, text);
    page_row(stream, name, text);
}

static void put_symmetry(const page *p)
{
    const fur_csr_traits *t = &p->job->traits;
    char text[2 * WORDS_BYTES];
    if (t->hermitian)
        snprintf(text, sizeof text, t->asymmetric_pairs > 0 ? "yes, up to rounding" : "yes");
    else
        snprintf(text, sizeof text, "no: %lld pairs differ, by up to %.0e",
                 (long long)t->asymmetric_pairs, t->asymmetry);
    page_row(p->stream, "Symmetric (Hermitian)", text);
}

static void put_square(const page *p)
{
    const fur_csr_traits *t = &p->job->traits;
    char text[2 * WORDS_BYTES];
    put_symmetry(p);
    snprintf(text, sizeof text, "%lld positive, %lld negative, %lld zero",
             (long long)t->diagonal_positive, (long long)t->diagonal_negative,
             (long long)t->diagonal_zero);
    page_row(p->stream, "Diagonal", text);
    snprintf(text, sizeof text, "%.0f %% of the rows",
             t->rows > 0 ? floor(100.0 * (double)t->dominant_rows / (double)t->rows) : 0);
    page_row(p->stream, "Diagonally dominant", text);
    if (t->indefinite_row >= 0) {
        snprintf(text, sizeof text, "no: a small submatrix with row %lld, counting from 1",
                 (long long)t->indefinite_row + 1);
        page_row(p->stream, "Positive definite", text);
    } else if (t->blocks > 0) {
        snprintf(text, sizeof text, "as far as %lld small submatrices tell", (long long)t->blocks);
        page_row(p->stream, "Positive definite", text);
    }
}

static void put_matrix(const page *p)
{
    const job *j = p->job;
    fur_csr_statistics s = FUR_DEFAULT(fur_csr_statistics);
    char text[2 * WORDS_BYTES];
    if (j->stencil || fur_csr_measure(j->a.matrix, &s) != FUR_OK)
        return;
    snprintf(text, sizeof text, "%lld to %lld, %.1f on average", (long long)s.row_min,
             (long long)s.row_max, s.row_mean);
    page_row(p->stream, "Entries in a row", text);
    put_count_row(p->stream, "Bandwidth", (double)s.bandwidth);
    if (j->traits.rows == j->traits.cols)
        put_square(p);
    page_row(p->stream, "Kernel of products", fur_product_describe(j->product)->kernel);
}

/* Writes a row for a number unless it is NaN. */
static void put_known(const page *p, const char *label, double number)
{
    char text[WORDS_BYTES];
    snprintf(text, sizeof text, "%.1e", number);
    if (number >= 0)
        page_row(p->stream, label, text);
}

static void put_figures(const page *p)
{
    const fur_solver_report *r = &p->job->total;
    char text[WORDS_BYTES];
    fputs("<section class=\"card\">\n<h2>The matrix</h2>\n<table>\n<tbody>\n", p->stream);
    put_matrix(p);
    snprintf(text, sizeof text, "at least %.1e", r->condition);
    page_row(p->stream, "Condition, preconditioned", r->condition > 0 ? text : "not estimated");
    if (r->norm > 0) {
        snprintf(text, sizeof text, "about %.1e", r->norm);
        page_row(p->stream, "Norm", text);
    }
    if (r->residual_bound >= 0) {
        snprintf(text, sizeof text, "certainly at most %.5e", (1 + 1e-5) * r->residual_bound);
        page_row(p->stream, "Residual", text);
    }
    put_known(p, "Residual, rows scaled", r->residual_scaled);
    put_known(p, "Backward error", r->backward_error);
    put_known(p, "Backward error by rows", r->backward_error_rows);
    if (strcmp(r->scale, "none") != 0)
        page_row(p->stream, "Scaled", r->scale);
    if (r->error_a_norm >= 0) {
        snprintf(text, sizeof text, "at least about %.1e", r->error_a_norm);
        page_row(p->stream, "Error in the norm of A", text);
    }
    fputs("</tbody>\n</table>\n</section>\n", p->stream);
}

static void put_page(const page *p)
{
    const job *j = p->job;
    static const char style[] =
        ".bad{background:#fdecea;color:#8c1d18}\n"
        "@media(prefers-color-scheme:dark){.bad{background:#44201d;color:#f9b4ab}}\n"
        ".times td{width:55%}\n"
        ".tried th,.tried td{text-align:left}.tried th{white-space:nowrap}\n"
        ".tried td:nth-child(n+4),.tried th:nth-child(n+4){text-align:right;white-space:nowrap}\n"
        "@media(max-width:34rem){.tried thead{display:none}"
        ".tried tr,.tried th,.tried td{display:block}"
        ".tried td,.tried td:nth-child(n+4){text-align:left;border:0;padding:.1rem 0}"
        ".tried td:nth-child(4)::before{content:\"iterations: \"}"
        ".tried td:nth-child(5)::before{content:\"true residual: \"}}\n"
        ".levels img{width:5rem;margin-left:auto}.levels td,.levels th{vertical-align:middle}\n"
        ".true-key::before{background:var(--warm)}\n";
    char title[2 * WORDS_BYTES];
    char styles[4096];
    page_origin origin = page_origin_of(p->job->context);
    snprintf(title, sizeof title, "%.100s solved", words_file(p->job->name));
    snprintf(styles, sizeof styles, "%s%s", style, curve_style);
    page_begin(p->stream, title, styles);
    put_header(p);
    put_verdict(p);
    put_cards(p);
    put_curve(p);
    put_attempts(p);
    levels_put(&j->levels, mean_factor(j), p->stream);
    fputs("<div class=\"pair\">\n", p->stream);
    put_times(p);
    put_figures(p);
    fputs("</div>\n<footer>", p->stream);
    page_put_origin(p->stream, &origin);
    fputs(". Bytes are counted as the method and the kernel must move them.</footer>\n", p->stream);
    page_end(p->stream);
}

fur_status job_report(const job *j, const char *path)
{
    page p = {.job = j};
    new_file file;
    FUR_TRY(job_about(j, measure(&p)));
    FUR_TRY(new_file_open(j->context, path, &file));
    p.stream = file.stream;
    put_page(&p);
    return new_file_close(&file, FUR_OK);
}
