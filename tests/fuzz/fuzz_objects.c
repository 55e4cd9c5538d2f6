/* Fuzz target: any bytes as a program. It makes objects from each other with random options, uses
 * them, gives their matrices new values, and destroys them in any order, including their context.
 * An object whose source is destroyed must refuse to be used. At the end all memory must be freed.
 * In one program of four an allocation fails. */
#include "objects.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    run r;
    int64_t fail_at = size > 1 && data[0] % 4 == 3 ? 4 * data[1] : 0;
    size_t head = size < 2 ? size : 2;
    if (run_begin(&r, data + head, size - head, 2, fail_at))
        objects_program(&r);
    run_end(&r);
    free(r.log);
    return 0;
}
