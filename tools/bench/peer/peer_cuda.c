/* Loads cuBLAS and cuSOLVER, and cuSPARSE, which describes the matrices for cuSOLVER. */
#include "peer_cuda.h"

#include <dlfcn.h>
#include <stddef.h>

#define POINTERS_ON_HOST 0
#define POINTERS_ON_DEVICE 1

/* Opens the first library of a list that exists. */
static void *open_library(const char *const *names)
{
    for (; *names; names++) {
        void *library = dlopen(*names, RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

peer_cublas peer_cublas_open(void *stream, bool scalars_on_device)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so", NULL};
    peer_cublas cublas = {0};
    int (*create)(void **handle) = NULL;
    int (*set_stream)(void *handle, void *stream) = NULL;
    int (*set_pointers)(void *handle, int mode) = NULL;
    void *library = open_library(names);
    if (!library)
        return cublas;
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)&set_pointers = dlsym(library, "cublasSetPointerMode_v2");
    *(void **)&cublas.destroy = dlsym(library, "cublasDestroy_v2");
    *(void **)&cublas.dot = dlsym(library, "cublasDdot_v2");
    *(void **)&cublas.norm2 = dlsym(library, "cublasDnrm2_v2");
    *(void **)&cublas.axpy = dlsym(library, "cublasDaxpy_v2");
    *(void **)&cublas.dgemm = dlsym(library, "cublasDgemm_v2");
    *(void **)&cublas.sgemm = dlsym(library, "cublasSgemm_v2");
    *(void **)&cublas.set_math_mode = dlsym(library, "cublasSetMathMode");
    bool found = create && set_stream && set_pointers && cublas.destroy && cublas.dot &&
                 cublas.norm2 && cublas.axpy && cublas.dgemm && cublas.sgemm &&
                 cublas.set_math_mode;
    if (found && create(&cublas.handle) == 0 &&
        (set_stream(cublas.handle, stream) != 0 ||
         set_pointers(cublas.handle, scalars_on_device ? POINTERS_ON_DEVICE : POINTERS_ON_HOST) !=
             0))
        peer_cublas_close(&cublas);
    return cublas;
}

void peer_cublas_close(peer_cublas *cublas)
{
    if (cublas->handle) {
        cublas->destroy(cublas->handle);
        cublas->handle = NULL;
    }
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
