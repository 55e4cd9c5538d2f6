/* Orders the square matrices of a folder. Every number of threads gives the same permutation. Its
 * bandwidth is at most the bandwidth of the input.
 *
 *     check_orders FOLDER
 *
 * Exit status 77, skipped, if the folder is missing. */
#include <furrow/furrow.h>

#include <dirent.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SKIPPED 77
#define THREADS 8

static fur_context *make_context(int threads)
{
    fur_context_options options = {.size = sizeof options, .threads = threads};
    fur_context *context = NULL;
    if (fur_context_create(&options, &context) != FUR_OK)
        abort();
    return context;
}

static bool is_bijection(const int32_t *order, int64_t n)
{
    bool *seen = calloc((size_t)n + 1, 1);
    bool good = true;
    for (int64_t i = 0; i < n && good; i++) {
        good = order[i] >= 0 && order[i] < n && !seen[order[i]];
        if (good)
            seen[order[i]] = true;
    }
    free(seen);
    return good;
}

static int64_t bandwidth_of(const fur_csr *a, const fur_permutation *order)
{
    fur_order_figures figures = {.size = sizeof figures};
    return fur_order_measure(a, order, &figures) == FUR_OK ? figures.bandwidth : -1;
}

/* Returns whether a context with `threads` threads finds a good order that equals *first. The first
 * call sets *first. */
static bool check_threads(const fur_csr *a, int threads, int32_t **first)
{
    size_t bytes = (size_t)fur_csr_get(a)->rows * sizeof **first;
    fur_context *context = make_context(threads);
    fur_csr *same = NULL;
    fur_permutation *p = NULL;
    const char *wrong = NULL;
    if (fur_csr_create(context, fur_csr_get(a), FUR_OWNERSHIP_BORROW, &same) != FUR_OK ||
        fur_reorder(same, NULL, NULL, NULL, &p) != FUR_OK)
        wrong = fur_context_error(context);
    else if (*first)
        wrong = memcmp(*first, fur_permutation_order(p), bytes) == 0 ? NULL : "another order";
    else if (!is_bijection(fur_permutation_order(p), fur_csr_get(a)->rows))
        wrong = "no permutation";
    else if (bandwidth_of(same, p) > bandwidth_of(same, NULL))
        wrong = "wider than the input";
    else
        *first = memcpy(malloc(bytes + 1), fur_permutation_order(p), bytes);
    if (wrong)
        printf("%d threads: %s\n", threads, wrong);
    fur_permutation_destroy(p);
    fur_csr_destroy(same);
    fur_context_destroy(context);
    return !wrong;
}

static bool check_matrix(const char *name, const fur_csr *a)
{
    int32_t *first = NULL;
    bool good = true;
    for (int threads = 1; threads <= THREADS && good; threads++)
        good = check_threads(a, threads, &first);
    if (!good)
        printf("WRONG %s\n", name);
    free(first);
    return good;
}

static bool is_matrix_file(const char *name)
{
    size_t length = strlen(name);
    return length > 4 && strcmp(name + length - 4, ".mtx") == 0;
}

int main(int count, char **arguments)
{
    char path[2048];
    int checked = 0, wrong = 0;
    DIR *folder = count == 2 ? opendir(arguments[1]) : NULL;
    if (!folder) {
        printf("SKIPPED: there is no such folder\n");
        return SKIPPED;
    }
    fur_context *context = make_context(1);
    for (struct dirent *file = readdir(folder); file; file = readdir(folder)) {
        fur_csr *a = NULL;
        snprintf(path, sizeof path, "%s/%s", arguments[1], file->d_name);
        if (is_matrix_file(path) && fur_mtx_read_csr(context, path, NULL, &a) == FUR_OK &&
            fur_csr_get(a)->rows == fur_csr_get(a)->cols) {
            checked++;
            wrong += !check_matrix(path, a);
        }
        fur_csr_destroy(a);
    }
    closedir(folder);
    fur_context_destroy(context);
    printf("%d square matrices, %d in a wrong order\n", checked, wrong);
    return wrong > 0 || checked == 0;
}
