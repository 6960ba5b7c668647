/* What our code and the archives in it call that glibc 2.28 lacks, by what it has. Hidden: each library has its own. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <link.h>
#include <pthread.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/random.h>
#include <sys/types.h>
#include <time.h>

#define SHIM __attribute__((visibility("hidden")))

/* Before 2.33 the functions that look at files took the version of the structure. */
#ifdef __x86_64__
enum { statVersion = 1 };
#else
enum { statVersion = 0 };
#endif
struct stat;
struct stat64;
extern int __xstat(int version, const char *path, struct stat *out);
extern int __lxstat(int version, const char *path, struct stat *out);
extern int __fxstat(int version, int file, struct stat *out);
extern int __fxstat64(int version, int file, struct stat64 *out);
extern int __fxstatat(int version, int folder, const char *path, struct stat *out, int flags);
SHIM int stat(const char *path, struct stat *out) { return __xstat(statVersion, path, out); }
SHIM int lstat(const char *path, struct stat *out) { return __lxstat(statVersion, path, out); }
SHIM int fstat(int file, struct stat *out) { return __fxstat(statVersion, file, out); }
SHIM int fstat64(int file, struct stat64 *out) { return __fxstat64(statVersion, file, out); }
SHIM int fstatat(int folder, const char *path, struct stat *out, int flags) {
  return __fxstatat(statVersion, folder, path, out, flags);
}

/* Whether the process has one thread only (2.32): unknown, so no. */
SHIM char __libc_single_threaded = 0;

/* Where exceptions look for their tables (2.35): what the loader told about its libraries before. */
struct search {
  uintptr_t address;
  struct dl_find_object *result;
};
static int findTables(struct dl_phdr_info *library, size_t size, void *context) {
  struct search *search = context;
  uintptr_t tables = 0;
  int isIn = 0;
  (void)size;
  for (int i = 0; i < library->dlpi_phnum; ++i) {
    const uintptr_t begin = library->dlpi_addr + library->dlpi_phdr[i].p_vaddr;
    const uintptr_t end = begin + library->dlpi_phdr[i].p_memsz;
    if (library->dlpi_phdr[i].p_type == PT_GNU_EH_FRAME)
      tables = begin;
    if (library->dlpi_phdr[i].p_type != PT_LOAD || search->address < begin || search->address >= end)
      continue;
    isIn = 1;
    search->result->dlfo_map_start = (void *)begin;
    search->result->dlfo_map_end = (void *)end;
  }
  search->result->dlfo_eh_frame = (void *)tables;
  return isIn && tables;
}
SHIM int _dl_find_object(void *address, struct dl_find_object *result) {
  struct search search = {(uintptr_t)address, result};
  result->dlfo_flags = 0;
  result->dlfo_link_map = NULL;
  return dl_iterate_phdr(findTables, &search) ? 0 : -1;
}

/* Sizes of the heap (2.33), as numbers of 32 bits. */
struct mallinfo {
  int counts[10];
};
struct mallinfo2 {
  size_t counts[10];
};
extern struct mallinfo mallinfo(void);
SHIM struct mallinfo2 mallinfo2(void) {
  const struct mallinfo small = mallinfo();
  struct mallinfo2 out;
  for (int i = 0; i < 10; ++i)
    out.counts[i] = (unsigned)small.counts[i];
  return out;
}

/* Waiting by any clock (2.30), by the one that conditions have. */
SHIM int pthread_cond_clockwait(pthread_cond_t *condition, pthread_mutex_t *mutex, clockid_t clock,
                                const struct timespec *until) {
  if (clock == CLOCK_REALTIME)
    return pthread_cond_timedwait(condition, mutex, until);
  struct timespec now, real;
  if (clock_gettime(clock, &now) || clock_gettime(CLOCK_REALTIME, &real))
    return errno;
  int64_t rest = (until->tv_sec - now.tv_sec) * 1000000000ll + until->tv_nsec - now.tv_nsec;
  rest = (rest < 0 ? 0 : rest) + real.tv_nsec;
  real.tv_sec += rest / 1000000000;
  real.tv_nsec = rest % 1000000000;
  return pthread_cond_timedwait(condition, mutex, &real);
}

/* Random numbers (2.36), from the system. */
SHIM uint32_t arc4random(void) {
  uint32_t value = 0;
  while (getrandom(&value, sizeof(value), 0) != sizeof(value))
    ;
  return value;
}
