/* triton.cpp for C programs, and for every language that calls C: compile, tune and launch kernels written in the Triton language, with no Python in the process.
 *
 *   triton_error *error = NULL;
 *   triton_module *module = triton_module_load("kernels.py", &error);
 *   triton_kernel *add = module ? triton_module_kernel(module, "add_kernel", &error) : NULL;
 *   triton_argument arguments[] = {triton_pointer(x, TRITON_FLOAT32), triton_pointer(y, TRITON_FLOAT32), triton_pointer(out, TRITON_FLOAT32),
 *                                  triton_integer(n), triton_integer(1024)};
 *   if (add && triton_kernel_launch(add, (n + 1023) / 1024, 1, 1, arguments, 5, NULL, &error) == 0) ...
 *
 * The interface is stable: names and meanings stay, structures grow only at their end and say their own size, enumerators keep their values. What fails returns NULL
 * or nonzero and, if `error` is not NULL, leaves an error there that the caller frees. Texts are UTF-8 and belong to the object they come from. Objects may be used
 * by several threads at once; each is freed once by its `_free`, in any order, and once more for each `_retain`.
 *
 * Memory never changes hands: what the library allocates it frees itself, whatever allocator the program has. NULL where an object or a text is asked for is an error;
 * functions that cannot report one answer NULL, zero or nothing. No exception leaves the library. One that comes out of a callback ends the call with an error; what
 * it was is lost (<triton/tune.h> takes functions that throw, and throws on).
 * C++ programs take the classes of <triton/triton.h>, which stand on this interface alone. */
#ifndef TRITON_C_H
#define TRITON_C_H

#include <triton/export.h>

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Grows by one when something is added. */
#define TRITON_C_VERSION 7

typedef struct triton_error triton_error;
typedef struct triton_module triton_module;
typedef struct triton_kernel triton_kernel;
typedef struct triton_compiled triton_compiled;
typedef struct triton_tuning triton_tuning;

/* The TRITON_C_VERSION that the library was built with, and its release, "3.6.0". */
TRITON_EXPORT int triton_c_version(void);
TRITON_EXPORT const char *triton_version(void);

/* Bytes that the library made, and behind them one that is zero. */
typedef struct triton_bytes triton_bytes;
TRITON_EXPORT const char *triton_bytes_data(const triton_bytes *bytes);
TRITON_EXPORT size_t triton_bytes_size(const triton_bytes *bytes);
TRITON_EXPORT void triton_bytes_free(triton_bytes *bytes);

/* Bytes of the caller's: texts that may hold zeros, names that do not end in one. */
typedef struct triton_text {
  const char *data;
  size_t size;
} triton_text;

/* The kind is what users of Python know: "CompilationError", "TypeError". The message has the file, the line and the place in it. */
TRITON_EXPORT const char *triton_error_kind(const triton_error *error);
TRITON_EXPORT const char *triton_error_message(const triton_error *error);
TRITON_EXPORT void triton_error_free(triton_error *error);

typedef enum triton_data_type {
  TRITON_INT1 = 0,
  TRITON_INT8 = 1,
  TRITON_INT16 = 2,
  TRITON_INT32 = 3,
  TRITON_INT64 = 4,
  TRITON_UINT8 = 5,
  TRITON_UINT16 = 6,
  TRITON_UINT32 = 7,
  TRITON_UINT64 = 8,
  TRITON_FLOAT8E5 = 9,
  TRITON_FLOAT8E5B16 = 10,
  TRITON_FLOAT8E4NV = 11,
  TRITON_FLOAT8E4B8 = 12,
  TRITON_FLOAT8E4B15 = 13,
  TRITON_FLOAT16 = 14,
  TRITON_BFLOAT16 = 15,
  TRITON_FLOAT32 = 16,
  TRITON_FLOAT64 = 17
} triton_data_type;

typedef enum triton_argument_kind {
  TRITON_ARGUMENT_NONE = 0,
  TRITON_ARGUMENT_BOOLEAN = 1,
  TRITON_ARGUMENT_INTEGER = 2,
  TRITON_ARGUMENT_UNSIGNED = 3,
  TRITON_ARGUMENT_REAL = 4,
  TRITON_ARGUMENT_STRING = 5,
  TRITON_ARGUMENT_TYPE = 6,
  TRITON_ARGUMENT_POINTER = 7,
  TRITON_ARGUMENT_TEXT = 8,      /* since version 5: a string of given size */
  TRITON_ARGUMENT_DESCRIPTOR = 9 /* since version 5 */
} triton_argument_kind;

/* A tensor and the blocks in which kernels access it. GPUs that have TMA access it by that, where it can. */
typedef struct triton_descriptor {
  void *address;          /* a multiple of 16 bytes */
  int32_t type;           /* triton_data_type */
  int32_t pads_with_nan;  /* what loads give outside of the tensor: else zeros */
  const int64_t *shape;   /* in elements */
  const int64_t *strides; /* likewise; the last is 1, the others are multiples of 16 bytes */
  const int64_t *block;   /* powers of two */
  size_t rank;            /* how many numbers `shape` has */
  size_t stride_count;    /* and */
  size_t block_count;     /* the others: as many */
} triton_descriptor;

/* Added to the type of a pointer, or of a descriptor's tensor: the kernel's pointer is one to const; a kernel that stores to it is not launched. */
#define TRITON_CONST 0x100
#define TRITON_READ_ONLY 0x200
/* Added to the type of a descriptor's tensor of float32: loads round to the nearest number that TF32 has. */
#define TRITON_ROUNDS_TO_TF32 0x400

/* One argument of a launch; make it with the functions below. Without a name it stands for the parameter at its position. */
typedef struct triton_argument {
  int32_t kind;     /* triton_argument_kind */
  int32_t type;     /* triton_data_type: of a type, and of what a pointer points to */
  const char *name; /* NULL: by position */
  union {
    int64_t integer;
    uint64_t natural;
    double real;
    const char *string;
    void *pointer;
    const triton_text *text;
    const triton_descriptor *descriptor;
  } value;
} triton_argument;

static inline triton_argument triton_none(void) {
  triton_argument argument = {TRITON_ARGUMENT_NONE, 0, NULL, {0}};
  return argument;
}
static inline triton_argument triton_boolean(int value) {
  triton_argument argument = {TRITON_ARGUMENT_BOOLEAN, 0, NULL, {value != 0}};
  return argument;
}
static inline triton_argument triton_integer(int64_t value) {
  triton_argument argument = {TRITON_ARGUMENT_INTEGER, 0, NULL, {value}};
  return argument;
}
static inline triton_argument triton_unsigned(uint64_t value) {
  triton_argument argument = {TRITON_ARGUMENT_UNSIGNED, 0, NULL, {0}};
  argument.value.natural = value;
  return argument;
}
static inline triton_argument triton_real(double value) {
  triton_argument argument = {TRITON_ARGUMENT_REAL, 0, NULL, {0}};
  argument.value.real = value;
  return argument;
}
static inline triton_argument triton_string(const char *value) {
  triton_argument argument = {TRITON_ARGUMENT_STRING, 0, NULL, {0}};
  argument.value.string = value;
  return argument;
}
static inline triton_argument triton_type(triton_data_type type) {
  triton_argument argument = {TRITON_ARGUMENT_TYPE, (int32_t)type, NULL, {0}};
  return argument;
}
static inline triton_argument triton_pointer(const void *address, triton_data_type type) {
  triton_argument argument = {TRITON_ARGUMENT_POINTER, (int32_t)type, NULL, {0}};
  argument.value.pointer = (void *)address;
  return argument;
}
/* Of memory that must not change: a kernel that stores to it is not launched. */
static inline triton_argument triton_read_only(const void *address, triton_data_type type) {
  triton_argument argument = triton_pointer(address, type);
  argument.type |= TRITON_READ_ONLY;
  return argument;
}
static inline triton_argument triton_named(const char *name, triton_argument argument) {
  argument.name = name;
  return argument;
}

/* {"sanitize_overflow", "0"}: values as text, names of a list separated by commas. */
typedef struct triton_named_option {
  const char *name, *value;
} triton_named_option;

/* Start from TRITON_OPTIONS_INIT; NULL where options are asked for means the same. */
typedef struct triton_options {
  size_t size;              /* of this structure */
  const char *target;       /* "cpu", "cuda" or "hip" */
  const char *architecture; /* "native", or a processor's name */
  int32_t num_warps, num_stages, num_ctas;
  int32_t debug; /* device_assert and overflow checks */
  int32_t enable_fp_fusion;
  int32_t keep_assembly;       /* makes stage "asm" available */
  uint32_t threads;            /* of a launch on the CPU; 0: all */
  const char *cache_directory; /* where compiled kernels are kept; NULL: nowhere */
  /* Since version 2. Of target "cuda", whose launches return when they are queued. */
  int32_t device;
  int32_t max_registers; /* of a thread; 0: as many as the assembler likes */
  void *stream;          /* a CUstream of the device; NULL: its default one */
  int32_t launch_cooperative, launch_programmatic;
  /* Since version 3. */
  int32_t overlap_launches; /* from sm_90 on, a launch overlaps the end of the one before it */
  /* Since version 4. */
  int32_t launch_graphs; /* launches go through graphs, which are quicker to launch, while the GPU waits for the host */
  /* Since version 5. */
  int32_t check_accesses; /* cpu: memory accesses are watched by the triton_checked_launch of <triton/c_sanitize.h> */
  const char
      *cache_secret_file; /* with a secret that what is kept is signed with, and strangers' is refused; NULL: none */
  /* Since version 6: options of the compiler by the names of docs/reference/options.md. One that it or the target does not know is refused. */
  const struct triton_named_option *named;
  size_t named_count;
  /* Since version 7. Bundles of kernels, which Python writes and reads too (docs/how-to/use-the-cache.md). */
  const char *bundles;          /* directories that are looked into first, between colons; NULL: none */
  const char *record_directory; /* the bundle that every kernel is added to; NULL: none */
} triton_options;
#define TRITON_OPTIONS_INIT                                                                                            \
  {sizeof(triton_options),                                                                                             \
   "cpu",                                                                                                              \
   "native",                                                                                                           \
   4,                                                                                                                  \
   3,                                                                                                                  \
   1,                                                                                                                  \
   0,                                                                                                                  \
   1,                                                                                                                  \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   0,                                                                                                                  \
   1,                                                                                                                  \
   1,                                                                                                                  \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   NULL,                                                                                                               \
   0,                                                                                                                  \
   NULL,                                                                                                               \
   NULL}

/* A Python file, or its text (`name` stands for the file in messages). Only the kernels are compiled; the rest is not run. */
TRITON_EXPORT triton_module *triton_module_load(const char *path, triton_error **error);
TRITON_EXPORT triton_module *triton_module_parse(const char *text, const char *name, triton_error **error);
TRITON_EXPORT triton_module *triton_module_parse_text(triton_text text, const char *name, triton_error **error);
TRITON_EXPORT size_t triton_module_kernel_count(const triton_module *module);
/* NULL past the last. */
TRITON_EXPORT const char *triton_module_kernel_name(const triton_module *module, size_t index);
TRITON_EXPORT triton_kernel *triton_module_kernel(const triton_module *module, const char *name, triton_error **error);
TRITON_EXPORT triton_module *triton_module_retain(const triton_module *module);
TRITON_EXPORT void triton_module_free(triton_module *module);

TRITON_EXPORT const char *triton_kernel_name(const triton_kernel *kernel);
TRITON_EXPORT size_t triton_kernel_parameter_count(const triton_kernel *kernel);
TRITON_EXPORT const char *triton_kernel_parameter_name(const triton_kernel *kernel, size_t index);
TRITON_EXPORT const char *triton_kernel_parameter_annotation(const triton_kernel *kernel, size_t index);
TRITON_EXPORT int triton_kernel_parameter_is_constexpr(const triton_kernel *kernel, size_t index);
TRITON_EXPORT int triton_kernel_parameter_has_default(const triton_kernel *kernel, size_t index);
/* Runs all programs of the grid and returns when they are done; compiles first if need be. 0 if it went well. */
TRITON_EXPORT int triton_kernel_launch(const triton_kernel *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                       const triton_argument *arguments, size_t argument_count,
                                       const triton_options *options, triton_error **error);
/* The same, and gives the code that ran: to be freed. */
TRITON_EXPORT triton_compiled *triton_kernel_run(const triton_kernel *kernel, int64_t grid_x, int64_t grid_y,
                                                 int64_t grid_z, const triton_argument *arguments,
                                                 size_t argument_count, const triton_options *options,
                                                 triton_error **error);
/* Compiles for arguments like these, or for a signature ("*fp32:16, i32, 1024"), without running anything. */
TRITON_EXPORT triton_compiled *triton_kernel_compile(const triton_kernel *kernel, const triton_argument *arguments,
                                                     size_t argument_count, const triton_options *options,
                                                     triton_error **error);
TRITON_EXPORT triton_compiled *triton_kernel_compile_signature(const triton_kernel *kernel, const char *signature,
                                                               const triton_options *options, triton_error **error);
TRITON_EXPORT triton_kernel *triton_kernel_retain(const triton_kernel *kernel);
TRITON_EXPORT void triton_kernel_free(triton_kernel *kernel);

TRITON_EXPORT const char *triton_compiled_name(const triton_compiled *compiled);
TRITON_EXPORT size_t triton_compiled_stage_count(const triton_compiled *compiled);
TRITON_EXPORT const char *triton_compiled_stage_name(const triton_compiled *compiled, size_t index);
/* The text or bytes of a stage ("ttir", "obj"); NULL if there is none. */
TRITON_EXPORT const char *triton_compiled_stage(const triton_compiled *compiled, const char *name, size_t *size);
/* What each stage took, in order; NULL past the last. */
TRITON_EXPORT const char *triton_compiled_timing(const triton_compiled *compiled, size_t index, double *milliseconds);
/* Run-time arguments in order, and their types ("*fp32", "i32"); NULL past the last. */
TRITON_EXPORT const char *triton_compiled_argument_name(const triton_compiled *compiled, size_t index);
TRITON_EXPORT const char *triton_compiled_argument_type(const triton_compiled *compiled, size_t index);
TRITON_EXPORT triton_compiled *triton_compiled_retain(const triton_compiled *compiled);
TRITON_EXPORT void triton_compiled_free(triton_compiled *compiled);

/* One way to run a kernel: constexprs by name, and options. */
typedef struct triton_config {
  const triton_argument *arguments;
  size_t argument_count;
  const triton_options *options; /* NULL: the defaults */
} triton_config;

typedef struct triton_grid {
  int64_t x, y, z;
} triton_grid;

/* Start from TRITON_TUNE_OPTIONS_INIT; NULL means the same. */
typedef struct triton_tune_options {
  size_t size;                 /* of this structure */
  uint32_t compile_threads;    /* 0: one per processor */
  uint32_t repetitions;        /* runs per configuration, so that equal machines do equal work; 0: as the time allows */
  double milliseconds;         /* to spend on measuring each configuration */
  const char *cache_directory; /* where results are kept; NULL: nowhere */
  const char *cache_secret_file; /* with a secret that they are signed with; NULL: they are not */
  const char *key;               /* what else the choice depends on; part of the key of a kept result */
  /* Since version 6. The arguments whose values the choice depends on, by name, as `key` of triton.autotune in Python: results are kept for both. NULL: all numbers. */
  const char *const *keys;
  size_t key_count;
} triton_tune_options;
#define TRITON_TUNE_OPTIONS_INIT {sizeof(triton_tune_options), 0, 0, 50, NULL, NULL, NULL, NULL, 0}

/* Measures the configurations on these arguments, on a GPU by its events; `grid` gives each one's grid. The kernel runs many times. */
TRITON_EXPORT triton_tuning *triton_kernel_tune(const triton_kernel *kernel,
                                                triton_grid (*grid)(const triton_config *config, void *context),
                                                void *context, const triton_argument *arguments, size_t argument_count,
                                                const triton_config *configs, size_t config_count,
                                                triton_error **error);
TRITON_EXPORT triton_tuning *triton_kernel_tune_with(const triton_kernel *kernel,
                                                     triton_grid (*grid)(const triton_config *config, void *context),
                                                     void *context, const triton_argument *arguments,
                                                     size_t argument_count, const triton_config *configs,
                                                     size_t config_count, const triton_tune_options *options,
                                                     triton_error **error);
/* Which configuration is fastest, and the milliseconds of each (negative: it failed). */
TRITON_EXPORT size_t triton_tuning_best(const triton_tuning *tuning);
TRITON_EXPORT double triton_tuning_milliseconds(const triton_tuning *tuning, size_t index);
/* Why a configuration failed; NULL if it did not. */
TRITON_EXPORT const char *triton_tuning_error(const triton_tuning *tuning, size_t index);
/* Whether the result was taken from the cache directory. */
TRITON_EXPORT int triton_tuning_was_kept(const triton_tuning *tuning);
TRITON_EXPORT void triton_tuning_free(triton_tuning *tuning);

#ifdef __cplusplus
}
#endif
#endif
