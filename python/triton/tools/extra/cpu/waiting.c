/* Kernel $kernel_name for $target. Its programs may wait for what others write: they are run one by one, and where all that have begun wait, more threads begin the
   others. */
#define _POSIX_C_SOURCE 200809L
#include "$header"

#include <pthread.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

struct ${function}_arguments {
$fields
};

extern void $symbol(const void *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);

void load_$function(void) {}
void unload_$function(void) {}

struct ${function}_turns {
  const struct ${function}_arguments *arguments;
  const int32_t *grid;
  int64_t programs, next, done;
  int running, out_of_memory;
  pthread_mutex_t mutex;
  pthread_cond_t ended;
  pthread_t *threads;
  size_t count;
};

/* What a thread does: one program after the other, as long as some have not begun. */
static void *${function}_take(void *context) {
  struct ${function}_turns *turns = context;
  void *arena = $arena_bytes ? aligned_alloc(64, ($arena_bytes + 63) / 64 * 64) : NULL;
  pthread_mutex_lock(&turns->mutex);
  turns->out_of_memory |= $arena_bytes && !arena;
  while (turns->next < turns->programs && (arena || !$arena_bytes)) {
    const int64_t program = turns->next++;
    pthread_mutex_unlock(&turns->mutex);
    $symbol(turns->arguments, turns->grid, program, program + 1, arena);
    pthread_mutex_lock(&turns->mutex);
    ++turns->done;
  }
  --turns->running;
  pthread_cond_signal(&turns->ended);
  pthread_mutex_unlock(&turns->mutex);
  free(arena);
  return NULL;
}

/* With the lock. 0 if there can be no more threads; whoever waits for what nobody writes would otherwise fill the machine with them. */
static int ${function}_add_thread(struct ${function}_turns *turns) {
  if (turns->count == 1024)
    return 0;
  pthread_t *threads = realloc(turns->threads, (turns->count + 1) * sizeof(pthread_t));
  if (!threads)
    return 0;
  turns->threads = threads;
  if (pthread_create(&threads[turns->count], NULL, ${function}_take, turns) != 0)
    return 0;
  ++turns->count;
  ++turns->running;
  return 1;
}

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
  struct ${function}_turns turns = {&arguments, grid, programs, 0, 0, 0, 0, PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, NULL, 0};
  const long processors = sysconf(_SC_NPROCESSORS_ONLN);
  int64_t wanted = processors > 1 ? processors : 1, seen = -1;
  int can_add = 1;
  pthread_mutex_lock(&turns.mutex);
  while (turns.count == 0 || turns.running > 0) {
    const int is_stuck = turns.done == seen || turns.count == 0;
    for (int64_t i = 0; is_stuck && can_add && i < wanted && turns.next + i < turns.programs; ++i)
      can_add = ${function}_add_thread(&turns);
    if (turns.count == 0)
      break;
    wanted = is_stuck && can_add ? 2 * wanted : 1;
    seen = turns.done;
    struct timespec later;
    clock_gettime(CLOCK_REALTIME, &later);
    later.tv_nsec += 10000000; /* how long nothing may end before more begin */
    later.tv_sec += later.tv_nsec / 1000000000;
    later.tv_nsec %= 1000000000;
    pthread_cond_timedwait(&turns.ended, &turns.mutex, &later);
  }
  pthread_mutex_unlock(&turns.mutex);
  for (size_t i = 0; i < turns.count; ++i)
    pthread_join(turns.threads[i], NULL);
  free(turns.threads);
  return turns.out_of_memory || turns.next < turns.programs ? TT_ERROR_OUT_OF_MEMORY : TT_SUCCESS;
}
