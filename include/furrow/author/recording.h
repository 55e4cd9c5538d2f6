/* Calls on a GPU, recorded once and replayed for a fraction of what they cost the host: a CUDA
 * graph of the library's kernels. For loops that leave their scalars on the device
 * (furrow/author/scalars.h). */
#ifndef FURROW_AUTHOR_RECORDING_H
#define FURROW_AUTHOR_RECORDING_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Used by one thread at a time, as its context. Keeps addresses of the vectors and scalars in it,
 * which must outlive it. */
typedef struct fur_recording fur_recording;

/* A recording of nothing yet. FUR_UNSUPPORTED on a CPU, which has nothing to gain. */
FUR_API fur_status fur_recording_create(fur_context *context, fur_recording **out);

/* From now on calls on objects of the context do nothing but enter the recording, until
 * fur_recording_end; what was in it before is gone. May be recorded: operations on vectors and
 * scalars that do not wait for a result (fur_axpby_from, fur_dot_into, fur_vector_copy within the
 * context, ...), and operators that say so (fur_operator_recordable). A call that waits or
 * allocates fails, and so does the recording. FUR_DEVICE_ERROR on the default stream. */
FUR_API fur_status fur_recording_begin(fur_recording *recording);

/* Ends the recording. On failure it is empty, and the context works as before. */
FUR_API fur_status fur_recording_end(fur_recording *recording);

/* Queues all recorded calls, in order, `times` times over, as if they were made now. */
FUR_API fur_status fur_recording_replay(fur_recording *recording, int64_t times);

/* Destroys a recording; work that is queued is done first. */
FUR_API void fur_recording_destroy(fur_recording *recording);

#ifdef __cplusplus
}
#endif
#endif
