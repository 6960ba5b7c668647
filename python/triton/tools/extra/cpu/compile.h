/* Kernel $kernel_name for $target. Link with $object and the source file of the same name. */
#ifndef TT_${guard}_H
#define TT_${guard}_H

#include <stdint.h>

#ifndef TT_CPU_TYPES
#define TT_CPU_TYPES
typedef int TT_ResultTy;   /* 0, or one of the errors below */
typedef void *TT_StreamTy; /* not used on the CPU: pass NULL */
enum { TT_SUCCESS = 0, TT_ERROR_INVALID_VALUE = 1, TT_ERROR_OUT_OF_MEMORY = 2 };
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* Nothing has to be loaded on the CPU; these are there so that programs for GPUs build for it too. */
void load_$function(void);
void unload_$function(void);
/* Runs the whole grid and returns when it is done. Built with OpenMP it uses all threads. */
TT_ResultTy $function(TT_StreamTy stream$prototype);
// tt-linker: $function:$full_signature:$algo_info
// tt-linker-target: $function:cpu:$positions

#ifdef __cplusplus
}
#endif
#endif
