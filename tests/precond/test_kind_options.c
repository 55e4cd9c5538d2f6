/* Tests of the preconditioners' option tables: texts compared with structs, sentences, random
 * texts. */
#include "support.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

/* Each option accepts its default, both ends of its range and each of its words. It accepts 0 if
 * the table says so. */
START_TEST(tables_agree_with_themselves)
{
    const fur_method_info *kind;
    const fur_option *o;
    for (int k = 0; (kind = fur_precond_at(k)); k++)
        for (int i = 0; (o = fur_precond_option_at(kind->name, i)); i++) {
            const double values[] = {o->least, fmin(o->most, 1e9), o->standard, 0};
            bool share = o->type == FUR_OPTION_SHARE;
            bool searches = strcmp(o->name, "grow") == 0 || strcmp(o->name, "gain") == 0;
            const char *with = searches ? "steps=1," : ""; /* these options require `steps` */
            char text[128];
            ck_assert(*o->summary && o->least <= o->most);
            for (int w = 0; o->words && o->words[w]; w++) {
                snprintf(text, sizeof text, "%s:%s=%s", kind->name, o->name, o->words[w]);
                ck_assert_int_eq(fur_precond_check(text), FUR_OK);
            }
            for (int v = 0; !o->words && v < COUNT_OF(values); v++) {
                bool zero = v >= 2 && values[v] == 0; /* not a value if it means the default */
                bool fits = zero ? o->zero != 0 || o->least <= 0 : !share || values[v] < o->most;
                snprintf(text, sizeof text, "%s:%s%s=%.17g", kind->name, with, o->name, values[v]);
                ck_assert_msg((fur_precond_check(text) == FUR_OK) == fits, "%s", text);
            }
            if (o->standard != 0)
                ck_assert_msg(o->zero != 0 || o->least > 0, "%s: what is a 0?", text);
        }
    ck_assert_ptr_null(fur_precond_option_at("ilut", -1));
    ck_assert_ptr_null(fur_precond_option_at("none such", 0));
    ck_assert_str_eq(fur_precond_find("ilut:fill=20")->name, "ilut");
    ck_assert_ptr_null(fur_precond_find("ilutx"));
}
END_TEST

#define NAMELESS "remove the \":\" or \",\" before it, or write one of: "

START_TEST(wrong_texts_are_refused)
{
    static const struct {
        const char *text;
        const char *sentence;
    } cases[] = {
        {"ilut:", "an option of \"ilut\" has no name; " NAMELESS "fill, drop, shift, no_matching"},
        {"ic0:", "an option of \"ic0\" has no name; " NAMELESS "shift, modified, coloured"},
        {"ilut:fil=3", "\"ilut\" has no option \"fil\"; it has: fill, drop, shift, no_matching"},
        {"ilut:fill=3,",
         "an option of \"ilut\" has no name; " NAMELESS "fill, drop, shift, no_matching"},
        {"ilut:=3",
         "an option of \"ilut\" has no name; " NAMELESS "fill, drop, shift, no_matching"},
        {"ic0:fill=1", "\"ic0\" has no option \"fill\"; it has: shift, modified, coloured"},
        {"jacobi:fill=3", "\"jacobi\" has no options; write \"jacobi\" alone"},
        {"ssor:", "\"ssor\" has no options; write \"ssor\" alone"},
        {"ilut:fill", "fill of \"ilut\" has no value; write fill= and a whole number"},
        {"ilu:fill=", "fill of \"ilu\" has no value; write fill= and a whole number"},
        {"ilut:drop", "drop of \"ilut\" has no value; write drop= and a number"},
        {"amg:cycle", "cycle of \"amg\" has no value; write cycle= and one of: V, W, K"},
        {"amg:single=", "single of \"amg\" has no value; write single= and 0 or 1"},
        {"fsai:grow=2",
         "grow of \"fsai\" needs a search of positions; set the option steps, or leave grow out"},
        {"fsai:steps=0,gain=0",
         "gain of \"fsai\" needs a search of positions; set the option steps, or leave gain out"},
        {"ilut:fill=1.5", "fill of \"ilut\" is \"1.5\"; it must be a whole number"},
        {"ilut:fill= 3", "fill of \"ilut\" is \" 3\"; it must be a whole number"},
        {"ilut:fill=9999999999", "fill of \"ilut\" must be from 1 to 10000; it is 9999999999"},
        {"ilut:fill=0", "fill of \"ilut\" must be from 1 to 10000; it is 0"},
        {"ilut:drop=1", "drop of \"ilut\" must be from 0 to below 1; it is 1"},
        {"ilut:drop=1e-3x", "drop of \"ilut\" is \"1e-3x\"; it must be a number"},
        {"ilut:drop=nan", "drop of \"ilut\" is \"nan\"; it must be a number"},
        {"ilut:drop=1e999", "drop of \"ilut\" is \"1e999\"; it must be a number"},
        {"ilut:no_matching=yes", "no_matching of \"ilut\" is \"yes\"; it must be 0 or 1"},
        {"ilut:no_matching=2", "no_matching of \"ilut\" must be from 0 to 1; it is 2"},
        {"ilut:shift=1001", "shift of \"ilut\" must be from 0 to 1000; it is 1001"},
        {"amg:levels=0", "levels of \"amg\" must be at least 1; it is 0"},
        {"amg:cycle=w", "cycle of \"amg\" is \"w\"; it must be one of: V, W, K"},
    };
    for (int i = 0; i < COUNT_OF(cases); i++) {
        ck_assert_int_eq(fur_precond_check(cases[i].text), FUR_INVALID);
        ck_assert_str_eq(fur_context_error(NULL), cases[i].sentence);
    }
    ck_assert_int_eq(fur_precond_check("Ilut"), FUR_UNSUPPORTED);
    ck_assert_int_eq(fur_precond_check(""), FUR_UNSUPPORTED);
}
END_TEST

/* Random texts of the words and characters that options use end with a status. A refusal has a
 * sentence. */
START_TEST(random_texts_are_read_or_refused)
{
    static const char *const parts[] = {
        "ilut", "amg",      "fill", "drop",   "theta", "smoother", ":",  ",",   "=",          "1e",
        "-",    "99999999", ".",    "jacobi", "\xff",  " ",        "0x", "inf", "no_matching"};
    rng r = rng_stream(2026);
    for (int i = 0; i < 20000; i++) {
        char text[512] = "";
        for (int64_t n = rng_below(&r, 12); n >= 0; n--)
            strcat(text, parts[rng_below(&r, COUNT_OF(parts))]);
        fur_status status = fur_precond_check(text);
        ck_assert(status == FUR_OK || status == FUR_INVALID || status == FUR_UNSUPPORTED);
        ck_assert(status == FUR_OK || *fur_context_error(NULL));
    }
}
END_TEST

/* Returns the entries of M r. */
static double *apply(fur_context *context, const fur_precond_options *options)
{
    enum { N = 60 };
    int32_t row[3 * N];
    int32_t col[3 * N];
    double values[3 * N];
    double ones[N];
    double *z = malloc(N * sizeof *z);
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    for (int i = 0; i < 3 * N; i++) {
        row[i] = i / 3;
        col[i] = (i / 3 + 17 * (i % 3)) % N;
        values[i] = i % 3 == 0 ? 4 : -1 - i % 7 / 8.0;
        ones[i / 3] = 1;
    }
    fur_coo_view coo = {sizeof coo, N, N, 3 * N, FUR_F64, row, col, values};
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    fur_vector *x = vector_from(context, FUR_F64, N, ones);
    fur_vector *y = vector_from(context, FUR_F64, N, ones);
    ck_ok(context, fur_precond_create(a, options, &p));
    ck_ok(context, fur_precond_apply(p, x, y));
    ck_ok(context, fur_vector_download(y, z));
    fur_precond_destroy(p);
    fur_vector_destroy(y);
    fur_vector_destroy(x);
    fur_csr_destroy(a);
    return z;
}

/* Options in a text have the effect of the struct's members, and override them. */
START_TEST(texts_and_structs_are_the_same)
{
    const fur_ilut_options ilut = {.size = sizeof ilut, .fill = 1, .drop = 0.25, .no_matching = 1};
    const fur_ilut_options other = {.size = sizeof other, .fill = 7, .drop = 0.25};
    const fur_amg_options amg = {
        .size = sizeof amg, .coarsest = 5, .theta = FUR_AMG_NONE, .cycle = FUR_AMG_W};
    const fur_precond_options options[] = {
        {.size = sizeof options[0], .kind = "ilut", .ilut = &ilut},
        {.size = sizeof options[0], .kind = "ilut:fill=1,drop=.25,no_matching"},
        {.size = sizeof options[0], .kind = "ilut:fill=3,no_matching=1,fill=1", .ilut = &other},
        {.size = sizeof options[0], .kind = "amg", .amg = &amg},
        {.size = sizeof options[0], .kind = "amg:coarsest=5,theta=0,cycle=W,nonsymmetric=0"},
    };
    fur_context *context = context_make(NULL, 1);
    double *first = NULL;
    for (int i = 0; i < COUNT_OF(options); i++) {
        double *z = apply(context, &options[i]);
        if (i != 0 && i != 3)
            ck_assert_mem_eq(z, first, 60 * sizeof *z);
        free(first);
        first = z;
    }
    free(first);
    fur_context_destroy(context);
}
END_TEST

/* Without a struct, multigrid analyses the matrix, which is not symmetric here. An option in the
 * text overrides the analysis. */
START_TEST(multigrid_without_options_looks_at_the_matrix)
{
    const fur_amg_options symmetric = {.size = sizeof symmetric, .coarsest = 5};
    const fur_amg_options other = {.size = sizeof other, .coarsest = 5, .nonsymmetric = 1};
    const fur_precond_options want[] = {
        {.size = sizeof want[0], .kind = "amg", .amg = &other},
        {.size = sizeof want[0], .kind = "amg", .amg = &symmetric},
    };
    const fur_precond_options given[] = {
        {.size = sizeof given[0], .kind = "amg:coarsest=5"},
        {.size = sizeof given[0], .kind = "amg:coarsest=5,nonsymmetric=0"},
    };
    fur_context *context = context_make(NULL, 1);
    double *z[4];
    for (int i = 0; i < 2; i++) {
        z[i] = apply(context, &want[i]);
        z[2 + i] = apply(context, &given[i]);
        ck_assert_mem_eq(z[i], z[2 + i], 60 * sizeof *z[i]);
    }
    ck_assert(memcmp(z[0], z[1], 60 * sizeof *z[0]) != 0);
    for (int i = 0; i < 4; i++)
        free(z[i]);
    fur_context_destroy(context);
}
END_TEST

START_TEST(options_of_other_kinds_are_refused)
{
    static const int32_t at[] = {0};
    static const double one[] = {1};
    fur_context *context = context_make(NULL, 1);
    fur_coo_view coo = {sizeof coo, 1, 1, 1, FUR_F64, at, at, one};
    const fur_ilut_options ilut = {.size = sizeof ilut};
    const fur_factor_options levels = {.size = sizeof levels, .fill = 2};
    const fur_spai_options unsized = {.diagonal = 1};
    const struct {
        fur_precond_options options;
        const char *sentence;
    } cases[] = {
        {{.kind = "ic0", .ilut = &ilut},
         "the preconditioner is \"ic0\", but its options are fur_ilut_options; set that pointer to "
         "NULL, or choose the kind of these options"},
        {{.ilut = &ilut},
         "the preconditioner is \"jacobi\", but its options are fur_ilut_options; set that pointer "
         "to NULL, or choose the kind of these options"},
        {{.kind = "ic0", .factors = &levels},
         "\"ic0\" has no option fill; leave it out, or use \"ilu\""},
        {{.kind = "spai", .spai = &unsized},
         "fur_spai_options says that it has 0 bytes; write .size = sizeof(fur_spai_options), which "
         "are 16 in furrow 0.2.0, and set nothing beyond them"},
    };
    fur_csr *a = NULL;
    fur_precond *p = NULL;
    ck_ok(context, fur_csr_from_coo(context, &coo, FUR_DUPLICATES_SUM, &a));
    for (int i = 0; i < COUNT_OF(cases); i++) {
        fur_precond_options o = cases[i].options;
        o.size = sizeof o;
        ck_fails(context, FUR_INVALID, cases[i].sentence, fur_precond_create(a, &o, &p));
    }
    fur_csr_destroy(a);
    fur_context_destroy(context);
}
END_TEST

START_TEST(numbers_have_a_point_in_every_locale)
{
    if (!setlocale(LC_ALL, "de_DE.UTF-8"))
        (void)setlocale(LC_ALL, "C.UTF-8");
    ck_assert_int_eq(fur_precond_check("ilut:drop=0.25,fill=3"), FUR_OK);
    ck_assert_int_eq(fur_precond_check("ilut:drop=0.25x"), FUR_INVALID);
    (void)setlocale(LC_ALL, "C");
}
END_TEST

static void add_tests(TCase *tests)
{
    tcase_add_test(tests, tables_agree_with_themselves);
    tcase_add_test(tests, wrong_texts_are_refused);
    tcase_add_test(tests, random_texts_are_read_or_refused);
    tcase_add_test(tests, texts_and_structs_are_the_same);
    tcase_add_test(tests, multigrid_without_options_looks_at_the_matrix);
    tcase_add_test(tests, options_of_other_kinds_are_refused);
    tcase_add_test(tests, numbers_have_a_point_in_every_locale);
}

int main(void)
{
    return run_tests("kind_options", add_tests);
}
