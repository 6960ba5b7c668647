/* The launcher of kernel $kernel_name, for programs that load kernels as libraries: torch's AOTInductor. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef void (*Kernel)(const void *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);

struct launch {
  Kernel kernel;
  const void *arguments;
  const int32_t *grid;
  int64_t programs, piece, next;
};

/* What a thread does: one piece of the grid after the other, with scratch of its own. */
static void *run_pieces(void *context) {
  struct launch *launch = context;
  void *arena = $arena_bytes ? aligned_alloc(64, ($arena_bytes + 63) / 64 * 64) : NULL;
  if ($arena_bytes && !arena) { /* the caller waits for results, and cannot be told that there are none */
    fprintf(stderr, "$kernel_name: there is no memory for $arena_bytes bytes of scratch\n");
    abort();
  }
  for (;;) {
    const int64_t begin = __atomic_fetch_add(&launch->next, launch->piece, __ATOMIC_RELAXED);
    if (begin >= launch->programs)
      break;
    const int64_t rest = launch->programs - begin;
    launch->kernel(launch->arguments, launch->grid, begin, begin + (rest < launch->piece ? rest : launch->piece), arena);
  }
  free(arena);
  return NULL;
}

/* `args`: one for each parameter of the kernel. Constants are null, pointers are themselves, numbers are pointed to: integers of 64 bits, and floats. */
void run_from_nativert(uint32_t gx, uint32_t gy, uint32_t gz, int num_cpu_threads, void **args, void *kernel_fn) {
  enum { waits = $waits, most_threads = 1024 };
  static pthread_t unused; /* none for the caller's own thread */
  _Alignas(64) unsigned char arguments[$argument_bytes] = {0};
  const int32_t grid[3] = {(int32_t)gx, (int32_t)gy, (int32_t)gz};
  const int64_t programs = (int64_t)gx * gy * gz;
$copies
  /* Programs that wait for others must all have begun; the rest are shared in pieces. */
  int64_t count = waits ? programs : num_cpu_threads;
  count = count > programs ? programs : count;
  count = count > most_threads ? most_threads : count;
  struct launch launch = {(Kernel)kernel_fn, arguments, grid, programs, 1, 0};
  if (!waits)
    launch.piece = count > 1 ? programs / (8 * count) + 1 : programs;
  pthread_t *threads = count > 1 ? malloc(count * sizeof(pthread_t)) : &unused;
  int64_t begun = 0;
  while (threads && begun + 1 < count && pthread_create(&threads[begun], NULL, run_pieces, &launch) == 0)
    ++begun;
  if (programs > 0)
    run_pieces(&launch);
  for (int64_t i = 0; i < begun; ++i)
    pthread_join(threads[i], NULL);
  if (count > 1)
    free(threads);
}
