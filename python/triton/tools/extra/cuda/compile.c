/* Kernel $kernel_name for $target. */
#include "$header"

static const unsigned char ${function}_cubin[$binary_size] = {$binary};
static CUmodule ${function}_module = NULL;
static CUfunction ${function}_entry = NULL;

static CUresult ${function}_try_load(void) {
  CUresult result = cuModuleLoadData(&${function}_module, ${function}_cubin);
  if (result == CUDA_SUCCESS)
    result = cuModuleGetFunction(&${function}_entry, ${function}_module, "$symbol");
  /* More than the default must be asked for. */
  if (result == CUDA_SUCCESS && $shared > 49152)
    result = cuFuncSetAttribute(${function}_entry, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES, $shared);
  return result;
}

void load_$function(void) {
  if (!${function}_entry)
    (void)${function}_try_load();
}

void unload_$function(void) {
  if (${function}_module)
    (void)cuModuleUnload(${function}_module);
  ${function}_module = NULL;
  ${function}_entry = NULL;
}

CUresult $function(CUstream stream$prototype) {
$constants
  const int64_t extents[3] = {$grid};
  CUdeviceptr scratch[2] = {0, 0};
  void *parameters[] = {$addresses&scratch[0], &scratch[1]};
  for (int i = 0; i < 3; ++i)
    if (extents[i] < 0 || extents[i] > INT32_MAX / (i == 0 ? $num_ctas : 1))
      return CUDA_ERROR_INVALID_VALUE;
  if (extents[0] == 0 || extents[1] == 0 || extents[2] == 0)
    return CUDA_SUCCESS;
  if (!${function}_entry) {
    CUresult result = ${function}_try_load();
    if (result != CUDA_SUCCESS)
      return result;
  }
  return cuLaunchKernel(${function}_entry, (unsigned)(extents[0] * $num_ctas), (unsigned)extents[1], (unsigned)extents[2],
                        $threads, 1, 1, $shared, stream, parameters, NULL);
}
