/* Watches the memory accesses of kernels on the CPU: <triton/sanitize.h> for C programs. The rules are those of <triton/c.h>. */
#ifndef TRITON_C_SANITIZE_H
#define TRITON_C_SANITIZE_H

#include <triton/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/* While one lives, kernels launched by its thread with `check_accesses` run on that thread alone, and fail at the first access that cannot be meant. */
typedef struct triton_checked_launch triton_checked_launch;

/* `address`: where accesses go, and reads of what was never written. `race`: accesses that nothing orders. */
TRITON_EXPORT triton_checked_launch *triton_checked_launch_create(int address, int race, triton_error **error);
/* A tensor that the kernel may access, under the name of its parameter; `type` is a triton_data_type. Without strides (NULL) its elements lie one after another, the last dimension fastest. */
TRITON_EXPORT int triton_checked_launch_add(triton_checked_launch *launch, const char *name, const void *data,
                                            int32_t type, const int64_t *shape, const int64_t *strides, size_t rank,
                                            triton_error **error);
/* By the thread that created it. */
TRITON_EXPORT void triton_checked_launch_free(triton_checked_launch *launch);
/* Memory that counts as never written until somebody writes it. */
TRITON_EXPORT void triton_poison(void *data, uint64_t bytes);

#ifdef __cplusplus
}
#endif
#endif
