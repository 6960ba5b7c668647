/* Kernel $kernel_name for $target. */
#ifndef TT_${guard}_H
#define TT_${guard}_H

#include <cuda.h>
#include <stdint.h>

#ifndef TT_CUDA_TYPES
#define TT_CUDA_TYPES
typedef CUresult TT_ResultTy;
typedef CUstream TT_StreamTy;
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Loads the code into the current context; a launch does it by itself. */
void load_$function(void);
void unload_$function(void);
CUresult $function(CUstream stream$prototype);
// tt-linker: $function:$full_signature:$algo_info
// tt-linker-target: $function:cuda:$positions

#ifdef __cplusplus
}
#endif
#endif
