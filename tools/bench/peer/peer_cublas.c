/* Finding cuBLAS. */
#include "peer_cublas.h"

#include <dlfcn.h>
#include <stddef.h>

#define POINTERS_ON_HOST 0
#define POINTERS_ON_DEVICE 1

static void *open_library(void)
{
    static const char *const names[] = {"libcublas.so.13", "libcublas.so.12", "libcublas.so"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        void *library = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
        if (library)
            return library;
    }
    return NULL;
}

peer_cublas peer_cublas_open(void *stream, bool scalars_on_device)
{
    peer_cublas cublas = {0};
    int (*create)(void **handle) = NULL;
    int (*set_stream)(void *handle, void *stream) = NULL;
    int (*set_pointers)(void *handle, int mode) = NULL;
    void *library = open_library();
    if (!library)
        return cublas;
    *(void **)&create = dlsym(library, "cublasCreate_v2");
    *(void **)&set_stream = dlsym(library, "cublasSetStream_v2");
    *(void **)&set_pointers = dlsym(library, "cublasSetPointerMode_v2");
    *(void **)&cublas.destroy = dlsym(library, "cublasDestroy_v2");
    *(void **)&cublas.dot = dlsym(library, "cublasDdot_v2");
    *(void **)&cublas.norm2 = dlsym(library, "cublasDnrm2_v2");
    *(void **)&cublas.axpy = dlsym(library, "cublasDaxpy_v2");
    bool found = create && set_stream && set_pointers && cublas.destroy && cublas.dot &&
                 cublas.norm2 && cublas.axpy;
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
