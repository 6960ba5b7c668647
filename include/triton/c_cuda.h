/* Memory and streams of NVIDIA GPUs for C programs that use no other CUDA library; no CUDA header is needed. The rules are those of <triton/c.h>. */
#ifndef TRITON_C_CUDA_H
#define TRITON_C_CUDA_H

#include <triton/c.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct triton_cuda_memory triton_cuda_memory;
typedef struct triton_cuda_stream triton_cuda_stream;

/* Negative after an error: there is no driver. */
TRITON_EXPORT int triton_cuda_device_count(triton_error **error);
/* "sm_90a" */
TRITON_EXPORT triton_bytes *triton_cuda_architecture(int device, triton_error **error);
/* Waits for the work of a stream, a CUstream (NULL: the device's default one); errors of kernels show here. */
TRITON_EXPORT int triton_cuda_synchronize(void *stream, int device, triton_error **error);

TRITON_EXPORT triton_cuda_memory *triton_cuda_memory_allocate(size_t bytes, int device, triton_error **error);
TRITON_EXPORT void *triton_cuda_memory_data(const triton_cuda_memory *memory);
TRITON_EXPORT size_t triton_cuda_memory_bytes(const triton_cuda_memory *memory);
/* Both wait until the copy is done. */
TRITON_EXPORT int triton_cuda_memory_copy_from(const triton_cuda_memory *memory, const void *host, size_t bytes,
                                               triton_error **error);
TRITON_EXPORT int triton_cuda_memory_copy_to(const triton_cuda_memory *memory, void *host, size_t bytes,
                                             triton_error **error);
TRITON_EXPORT triton_cuda_memory *triton_cuda_memory_retain(const triton_cuda_memory *memory);
TRITON_EXPORT void triton_cuda_memory_free(triton_cuda_memory *memory);

TRITON_EXPORT triton_cuda_stream *triton_cuda_stream_create(int device, triton_error **error);
/* A CUstream. */
TRITON_EXPORT void *triton_cuda_stream_handle(const triton_cuda_stream *stream);
TRITON_EXPORT int triton_cuda_stream_synchronize(const triton_cuda_stream *stream, triton_error **error);
TRITON_EXPORT triton_cuda_stream *triton_cuda_stream_retain(const triton_cuda_stream *stream);
TRITON_EXPORT void triton_cuda_stream_free(triton_cuda_stream *stream);

#ifdef __cplusplus
}
#endif
#endif
