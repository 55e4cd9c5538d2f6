/* Calls on a GPU, recorded once and replayed for a fraction of their cost on the host: a CUDA graph
 * of the library's kernels. It serves loops that leave their scalars on the device
 * (furrow/author/scalars.h).
 *
 *     fur_recording_create(context, &recording);
 *     fur_recording_begin(recording);
 *     ...                                                calls of one iteration
 *     fur_recording_end(recording);
 *     fur_recording_replay(recording, 10); */
#ifndef FURROW_AUTHOR_RECORDING_H
#define FURROW_AUTHOR_RECORDING_H

#include <furrow/base.h>
#include <furrow/context.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A recording. Use it in one thread at a time, as its context.
 *
 * It keeps addresses of its vectors and scalars, which must outlive it. */
typedef struct fur_recording fur_recording;

/* Makes an empty recording. The caller destroys *out.
 *
 * Errors: FUR_UNSUPPORTED on a CPU, which would gain nothing. */
FUR_API fur_status fur_recording_create(fur_context *context, fur_recording **out);

/* Starts to record calls on objects of the context.
 *
 * Until fur_recording_end such calls only enter the recording. The previous recording is removed.
 * These calls can be recorded: operations on vectors and scalars that do not wait for a result
 * (fur_axpby_from, fur_dot_into, fur_vector_copy within the context, ...), and operators that allow
 * it (fur_operator_recordable). A call that waits or allocates fails, and so does the recording.
 *
 * Errors: FUR_DEVICE_ERROR on the default stream. */
FUR_API fur_status fur_recording_begin(fur_recording *recording);

/* Ends the recording. On failure it is empty, and the context works as before. */
FUR_API fur_status fur_recording_end(fur_recording *recording);

/* Queues all recorded calls, in order, `times` times, as if they were made now. */
FUR_API fur_status fur_recording_replay(fur_recording *recording, int64_t times);

/* Destroys a recording, after its queued work is done; NULL does nothing. */
FUR_API void fur_recording_destroy(fur_recording *recording);

#ifdef __cplusplus
}
#endif
#endif
