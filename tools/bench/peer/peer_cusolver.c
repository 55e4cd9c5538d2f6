/* Finding cuSOLVER, and cuSPARSE, which describes its matrices. */
#include "peer_cusolver.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stddef.h>

static void *open_library(const char *const *names)
{
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

peer_cusolver peer_cusolver_open(void)
{
    static const char *const solver_names[] = {"libcusolver.so.12", "libcusolver.so.11",
                                               "libcusolver.so", NULL};
    static const char *const sparse_names[] = {"libcusparse.so.12", "libcusparse.so", NULL};
    peer_cusolver cusolver = {0};
    int (*create)(void **handle) = NULL;
    int (*describe)(void **description) = NULL;
    void *solver = open_library(solver_names);
    void *sparse = open_library(sparse_names);
    if (!solver || !sparse)
        return cusolver;
    *(void **)&create = dlsym(solver, "cusolverSpCreate");
    *(void **)&describe = dlsym(sparse, "cusparseCreateMatDescr");
    *(void **)&cusolver.destroy = dlsym(solver, "cusolverSpDestroy");
    *(void **)&cusolver.destroy_description = dlsym(sparse, "cusparseDestroyMatDescr");
    *(void **)&cusolver.symrcm = dlsym(solver, "cusolverSpXcsrsymrcmHost");
    const bool found =
        create && describe && cusolver.destroy && cusolver.destroy_description && cusolver.symrcm;
    if (found && create(&cusolver.handle) == 0 && describe(&cusolver.description) != 0)
        peer_cusolver_close(&cusolver);
    return cusolver;
}

void peer_cusolver_close(peer_cusolver *cusolver)
{
    if (cusolver->description) {
        cusolver->destroy_description(cusolver->description);
        cusolver->description = NULL;
    }
    if (cusolver->handle) {
        cusolver->destroy(cusolver->handle);
        cusolver->handle = NULL;
    }
}
