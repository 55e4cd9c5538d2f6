/* A mapped file needs no memory to be cleared and no bytes to be copied: what is left to do is its
 * checksums. */
#include "binary_map.h"
#include "companion.h"
#include "scan.h"
#include "system.h"

#include <string.h>
#include <sys/mman.h>

void fur_binary_map(fur_binary_file *file)
{
    uint64_t size = file->layout.file_size;
    void *mapping = fur_system.mmap(NULL, size, PROT_READ, MAP_PRIVATE, file->descriptor, 0);
    if (mapping == MAP_FAILED)
        return;
    file->arrays.mapping = mapping;
    file->arrays.mapped = size;
    for (int i = FUR_BINARY_OFFSETS; i < FUR_BINARY_SECTIONS; i++)
        if (file->layout.sections[i].size > 0)
            file->arrays.of[i] = (char *)mapping + file->layout.sections[i].at;
}

static bool is_mapped(const fur_binary_arrays *arrays, const void *array)
{
    return (uintptr_t)array - (uintptr_t)arrays->mapping < arrays->mapped;
}

void fur_binary_release(fur_binary_arrays *arrays)
{
    for (int i = 0; i < FUR_BINARY_SECTIONS; i++)
        if (!is_mapped(arrays, arrays->of[i]))
            fur_context_release(arrays->context, arrays->of[i]);
    if (arrays->mapping)
        fur_system.munmap(arrays->mapping, arrays->mapped);
}

/* What a matrix keeps. */
static void release_kept(void *user)
{
    fur_binary_arrays arrays = *(fur_binary_arrays *)user;
    fur_context_release(arrays.context, user);
    fur_binary_release(&arrays);
}

/* Passes the arrays to the matrix over them. */
static fur_status pass_arrays(fur_binary_file *file, fur_csr *matrix)
{
    void *kept = NULL;
    FUR_TRY(fur_context_allocate(file->context, sizeof file->arrays, &kept));
    memcpy(kept, &file->arrays, sizeof file->arrays);
    fur_status status = fur_csr_on_destroy(matrix, release_kept, kept);
    if (status == FUR_OK)
        file->arrays = (fur_binary_arrays){.context = file->context};
    else
        fur_context_release(file->context, kept);
    return status;
}

fur_status fur_binary_lend(fur_binary_file *file, const fur_csr_view *view, fur_csr **out)
{
    fur_context *host = fur_context_host(file->context);
    fur_csr *matrix = NULL;
    FUR_TRY(fur_from_companion(file->context,
                               fur_csr_create(host, view, FUR_OWNERSHIP_BORROW, &matrix)));
    if (host != file->context) {
        fur_status status =
            fur_from_companion(file->context, fur_csr_transfer(matrix, file->context, out));
        fur_csr_destroy(matrix);
        return status;
    }
    fur_status status = pass_arrays(file, matrix);
    if (status == FUR_OK)
        *out = matrix;
    else
        fur_csr_destroy(matrix);
    return status;
}
