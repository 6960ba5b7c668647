/* Kernel $kernel_name for $target. */
#include "$header"

#include <stdlib.h>

#ifdef _OPENMP
#define TT_OMP(directive) _Pragma(#directive)
#else
#define TT_OMP(directive)
#endif

struct ${function}_arguments {
$fields
};

extern void $symbol(const void *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);

void load_$function(void) {}
void unload_$function(void) {}

TT_ResultTy $function(TT_StreamTy stream$prototype) {
$constants
  const int64_t extents[3] = {$grid};
  (void)stream;
  for (int i = 0; i < 3; ++i)
    if (extents[i] < 0 || extents[i] > INT32_MAX)
      return TT_ERROR_INVALID_VALUE;
  const struct ${function}_arguments arguments = {$values};
  const int32_t grid[3] = {(int32_t)extents[0], (int32_t)extents[1], (int32_t)extents[2]};
  int64_t programs;
  if (__builtin_mul_overflow(extents[0] * extents[1], extents[2], &programs))
    return TT_ERROR_INVALID_VALUE;
  TT_ResultTy result = TT_SUCCESS;
  /* A piece of the grid for each thread at a time; every thread has scratch of its own. */
  const int64_t piece = programs / 256 + 1;
  TT_OMP(omp parallel)
  {
    void *arena = $arena_bytes ? aligned_alloc(64, ($arena_bytes + 63) / 64 * 64) : NULL;
    if ($arena_bytes && !arena) {
      TT_OMP(omp atomic write)
      result = TT_ERROR_OUT_OF_MEMORY;
    }
    TT_OMP(omp for schedule(dynamic))
    for (int64_t begin = 0; begin < programs; begin += piece)
      if (arena || !$arena_bytes)
        $symbol(&arguments, grid, begin, begin + piece < programs ? begin + piece : programs, arena);
    free(arena);
  }
  return result;
}
