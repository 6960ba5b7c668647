/* The toolkit's cuda.h, in which programs written for CUDA 12 compile with CUDA 13 too, as they do with the header that Triton ships:
 * cuCtxCreate takes three arguments there and four here, so both are taken. */
#ifndef TRITON_CUDA_H
#define TRITON_CUDA_H

#if __has_include_next(<cuda.h>)
#include_next <cuda.h>
#else /* where this folder is the only one that is named */
#include "/usr/local/cuda/include/cuda.h"
#endif

#if CUDA_VERSION >= 13000
#ifdef __cplusplus
extern "C"
#endif
    CUresult CUDAAPI cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device);
#undef cuCtxCreate
#define TRITON_FIFTH_OF(a, b, c, d, e, ...) e
#define cuCtxCreate(...) TRITON_FIFTH_OF(__VA_ARGS__, cuCtxCreate_v4, cuCtxCreate_v2, )(__VA_ARGS__)
#endif

#endif
