/* The web page about a race. */
#include "race_page.h"

#include <math.h>
#include <string.h>

#include "bars.h"
#include "chart.h"
#include "mark.h"
#include "overview.h"
#include "page.h"
#include "roofline.h"
#include "shown.h"

static const char style[] =
    ".bars,.chart{overflow-x:auto}.bars svg{min-width:27rem}.chart svg{min-width:44rem}\n"
    ".bars svg text{font-size:14px!important}.chart svg text{font-size:13px!important}\n"
    ".races{display:grid;gap:1rem;grid-template-columns:repeat(auto-fit,minmax(min(100%,28rem),"
    "1fr))}.races .card{margin:0}\n"
    ".peer-key::before{background:none;border:1.5px solid var(--soft);height:.6rem}\n"
    ".kernel-key::before{height:.6rem}\n"
    ".taken-key::before{background:var(--warm);width:.55rem;height:.55rem;transform:rotate(45deg)}"
    "\n"
    ".keys span{margin-right:1.4rem}.plans th,.plans td{padding:.3rem .5rem}\n"
    ".plans tbody th{font-weight:400}.plans tbody th[colspan]{padding-top:1.2rem;font-weight:650}"
    "\n";

static void put_header(FILE *stream, const json_t *saved)
{
    char name[64];
    char facts[512];
    snprintf(name, sizeof name, "furrow bench %s", record_text(saved, "suite"));
    shown_machine(saved, facts, sizeof facts);
    page_header(stream, "Race of kernels", name, facts);
}

/* A figure over several cases: its geometric mean, the smallest value and its case. */
typedef struct summary {
    double logarithms;
    int count;
    double least;
    char where[128];
} summary;

static void sum_up(summary *s, double figure, const json_t *record)
{
    if (s->count == 0 || figure < s->least) {
        s->least = figure;
        shown_title(record, "", s->where, sizeof s->where);
    }
    s->logarithms += log(figure);
    s->count++;
}

static double mean(const summary *s)
{
    return exp(s->logarithms / s->count);
}

/* Returns the time of the library's fastest contender that adds in the order of docs/numerics.md,
 * or 0 if there is only one. */
static double best_seconds(const json_t *record, const char *heat)
{
    size_t index;
    const json_t *line;
    double best = HUGE_VAL;
    int count = 0;
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        if (shown_role(line) != RACE_PEER && json_is_true(record_get(line, "exact"))) {
            best = fmin(best, shown_figure(line, heat, "seconds"));
            count++;
        }
    }
    return count > 1 ? best : 0;
}

/* Computes auto's speed over the peer's, and over the best kernel's. */
static void sum_up_auto(const json_t *results, const char *heat, summary *over_peer,
                        summary *of_best)
{
    size_t index;
    const json_t *record;
    json_array_foreach(results, index, record)
    {
        const json_t *line = shown_auto(record);
        double best = best_seconds(record, heat);
        if (shown_ratio(line, heat) > 0)
            sum_up(over_peer, shown_ratio(line, heat), record);
        if (line && best > 0)
            sum_up(of_best, best / shown_figure(line, heat, "seconds"), record);
    }
}

static void put_mean_card(FILE *stream, const char *title, const summary *s, double scale,
                          int decimals, const char *unit)
{
    char figure[64];
    char note[256];
    snprintf(figure, sizeof figure, "%.*f%s", decimals, scale * mean(s), unit);
    snprintf(note, sizeof note, "geometric mean of %d; least %.*f%s: %s", s->count, decimals,
             scale * s->least, unit, s->where);
    page_card(stream, title, figure, note);
}

/* Writes these figures for each kind of times. */
static void put_auto_cards(FILE *stream, const json_t *results, const char *heat)
{
    const json_t *first = json_array_get(results, 0);
    const json_t *line = shown_auto(first);
    const char *comma = *heat ? ", " : "";
    char title[256];
    summary over_peer = {.count = 0};
    summary of_best = {.count = 0};
    sum_up_auto(results, heat, &over_peer, &of_best);
    snprintf(title, sizeof title, "%s over %s%s%s", record_text(line, "name"),
             record_text(first, "against"), comma, heat);
    if (over_peer.count > 0)
        put_mean_card(stream, title, &over_peer, 1, 2, " ×");
    snprintf(title, sizeof title, "%s of the best exact kernel%s%s", record_text(line, "name"),
             comma, heat);
    if (of_best.count > 0)
        put_mean_card(stream, title, &of_best, 100, 0, " %");
}

static void put_cards(FILE *stream, const json_t *results)
{
    const json_t *first = json_array_get(results, 0);
    const char *heats[SHOWN_HEATS];
    char figure[64];
    fputs("<div class=\"cards\">\n", stream);
    shown_heats(first, heats);
    for (int i = 0; heats[i] && shown_auto(first); i++)
        put_auto_cards(stream, results, heats[i]);
    snprintf(figure, sizeof figure, "%.1f GB/s", shown_memory(results));
    if (shown_memory(results) > 0)
        page_card(stream, "Memory", figure,
                  record_get(first, "copy_gbps") ? "a copy in the same run"
                                                 : "a sum over an array in the same run");
    fputs("</div>\n", stream);
}

static void put_key(FILE *stream)
{
    fputs("<p class=\"note keys\"><span class=\"key kernel-key\">furrow</span><span class=\"key "
          "peer-key\">what it is compared with</span><span class=\"key taken-key\">what auto "
          "took</span><span>the longer the bar, the faster</span></p>\n",
          stream);
}

/* Writes a figure with the bars of a case. */
static void put_race(FILE *stream, const json_t *record, const char *heat)
{
    static const char *const sizes[] = {"rows", "entries", "iterations"};
    char title[256];
    char number[WORDS_BYTES];
    shown_title(record, heat, title, sizeof title);
    fputs("<figure class=\"card bars\"><figcaption><b>", stream);
    words_put(stream, title);
    fputs("</b>", stream);
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        if (record_get(record, sizes[i])) {
            page_count(record_number(record, sizes[i]), number);
            fprintf(stream, "<span>%s %s</span>", number, sizes[i]);
        }
    fputs("</figcaption>\n", stream);
    chart_begin(stream, BARS_WIDTH, bars_height(record), title);
    bars_put(stream, record, heat);
    chart_end(stream);
    fputs("</figure>\n", stream);
}

static void put_races(FILE *stream, const json_t *results)
{
    size_t index;
    const json_t *record;
    fputs("<div class=\"races\">\n", stream);
    json_array_foreach(results, index, record)
    {
        const char *heats[SHOWN_HEATS];
        shown_heats(record, heats);
        for (int i = 0; heats[i]; i++)
            put_race(stream, record, heats[i]);
    }
    fputs("</div>\n", stream);
}

static void put_overview(FILE *stream, const json_t *results, const char *heat)
{
    if (!overview_suits(results, heat))
        return;
    fprintf(stream,
            "<figure class=\"card chart\"><figcaption><b>All cases%s%s</b><span>speed-ups of all "
            "contenders; on the right what auto took</span></figcaption>\n",
            *heat ? ", " : "", heat);
    chart_begin(stream, OVERVIEW_WIDTH, overview_height(results), "Speed-ups of all contenders");
    overview_put(stream, results, heat);
    chart_end(stream);
    fputs("</figure>\n", stream);
}

static void put_roofline(FILE *stream, const json_t *results, const char *heat)
{
    if (!roofline_known(results, heat))
        return;
    fprintf(
        stream,
        "<figure class=\"card chart\"><figcaption><b>Roofline%s%s</b><span>what memory allows, and "
        "what kernels reach; above the line data come from the caches</span></figcaption>\n",
        *heat ? ", " : "", heat);
    chart_begin(stream, ROOFLINE_WIDTH, ROOFLINE_HEIGHT,
                "Operations a second against operations a byte");
    roofline_put(stream, results, heat);
    chart_end(stream);
    fputs("</figure>\n", stream);
}

/* Returns whether a plan costs at least one product. */
static bool has_plan(const json_t *line)
{
    return record_number(line, "plan_products") >= 1;
}

static void put_plan(FILE *stream, const json_t *line)
{
    const json_t *back = record_get(line, "products_to_pay_back");
    char seconds[WORDS_BYTES];
    char products[WORDS_BYTES];
    char after[WORDS_BYTES] = "never";
    page_time(record_number(line, "plan_seconds"), seconds);
    words_number(record_number(line, "plan_products"), 1, products);
    if (json_is_number(back))
        page_count(ceil(json_number_value(back)), after);
    fputs("<tr><th scope=\"row\">", stream);
    words_put(stream, record_text(line, "name"));
    fprintf(stream, "</th><td>%s</td><td>%s</td><td>%s</td></tr>\n", seconds, products, after);
}

static int count_plans(const json_t *record)
{
    size_t index;
    const json_t *line;
    int count = 0;
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        count += has_plan(line);
    }
    return count;
}

/* Writes the plans of a case as a part of the table. */
static void put_plans_of(FILE *stream, const json_t *record)
{
    char title[256];
    size_t index;
    const json_t *line;
    if (count_plans(record) == 0)
        return;
    shown_title(record, "", title, sizeof title);
    fputs("<tbody><tr><th scope=\"rowgroup\" colspan=\"4\">", stream);
    words_put(stream, title);
    fputs("</th></tr>\n", stream);
    json_array_foreach(record_get(record, "contenders"), index, line)
    {
        if (has_plan(line))
            put_plan(stream, line);
    }
    fputs("</tbody>\n", stream);
}

static void put_plans(FILE *stream, const json_t *results)
{
    size_t index;
    const json_t *record;
    int count = 0;
    json_array_foreach(results, index, record)
    {
        count += count_plans(record);
    }
    if (count == 0)
        return;
    fputs("<section class=\"card\">\n<h2>Plans</h2>\n<table class=\"plans\">\n<thead><tr>"
          "<th scope=\"col\">kernel</th><th scope=\"col\">plan</th>"
          "<th scope=\"col\">in its products</th>"
          "<th scope=\"col\">pays back after</th></tr></thead>\n",
          stream);
    json_array_foreach(results, index, record)
    {
        put_plans_of(stream, record);
    }
    fputs("</table>\n<p class=\"note\">Plans that cost a product or more; they pay back after this "
          "number of products, compared with ",
          stream);
    words_put(stream, record_text(json_array_get(results, 0), "against"));
    fputs(".</p>\n</section>\n", stream);
}

void race_page_put(FILE *stream, const json_t *saved)
{
    const json_t *results = record_get(saved, "results");
    char title[64];
    char styles[4096];
    const char *heats[SHOWN_HEATS];
    page_origin origin = {record_text(saved, "device"), record_text(saved, "isa"),
                          (int)json_integer_value(record_get(saved, "threads")),
                          record_text(saved, "version")};
    snprintf(title, sizeof title, "furrow bench %s", record_text(saved, "suite"));
    snprintf(styles, sizeof styles, "%s%s%s", mark_style, roofline_style, style);
    shown_heats(json_array_get(results, 0), heats);
    page_begin(stream, title, styles);
    put_header(stream, saved);
    put_cards(stream, results);
    put_key(stream);
    for (int i = 0; heats[i]; i++)
        put_overview(stream, results, heats[i]);
    put_races(stream, results);
    for (int i = 0; heats[i]; i++)
        put_roofline(stream, results, heats[i]);
    put_plans(stream, results);
    fputs("<footer>", stream);
    page_put_origin(stream, &origin);
    fputs(".</footer>\n", stream);
    page_end(stream);
}
