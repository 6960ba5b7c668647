/* The C interface as a C program uses it. */
#include <triton/c.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;
#define CHECK(condition)                                                                                               \
  do {                                                                                                                 \
    if (!(condition)) {                                                                                                \
      printf("line %d: %s\n", __LINE__, #condition);                                                                   \
      ++failures;                                                                                                      \
    }                                                                                                                  \
  } while (0)

static const char *text = "import triton\n"
                          "import triton.language as tl\n"
                          "\n"
                          "@triton.jit\n"
                          "def scale(x, y, n, factor, BLOCK: tl.constexpr = 64):\n"
                          "    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)\n"
                          "    mask = offsets < n\n"
                          "    tl.store(y + offsets, tl.load(x + offsets, mask=mask) * factor, mask=mask)\n"
                          "\n"
                          "@triton.jit\n"
                          "def broken(p):\n"
                          "    tl.store(p, undefined_name)\n";

enum { count = 1000 };
static float x[count], y[count];

static int holds(float factor) {
  for (int i = 0; i < count; ++i)
    if (y[i] != factor * x[i])
      return 0;
  return 1;
}

static triton_grid grid_of(const triton_config *config, void *context) {
  triton_grid grid = {(count + config->arguments[0].value.integer - 1) / config->arguments[0].value.integer, 1, 1};
  ++*(int *)context;
  return grid;
}

static void check_launch(const triton_kernel *scale) {
  triton_error *error = NULL;
  triton_argument arguments[] = {triton_pointer(x, TRITON_FLOAT32), triton_pointer(y, TRITON_FLOAT32),
                                 triton_integer(count), triton_real(2.5), triton_named("BLOCK", triton_integer(128))};
  CHECK(triton_kernel_launch(scale, 8, 1, 1, arguments, 5, NULL, &error) == 0 && error == NULL);
  CHECK(holds(2.5f));
  triton_options options = TRITON_OPTIONS_INIT;
  options.threads = 1;
  arguments[3] = triton_integer(4);
  CHECK(triton_kernel_launch(scale, 16, 1, 1, arguments, 4, &options, NULL) == 0);
  CHECK(holds(4));
  /* A caller that was built when the structure was shorter. */
  options.size = offsetof(triton_options, threads);
  options.threads = 12345;
  CHECK(triton_kernel_launch(scale, 16, 1, 1, arguments, 4, &options, NULL) == 0);
  arguments[1] = triton_read_only(y, TRITON_FLOAT32);
  CHECK(triton_kernel_launch(scale, 16, 1, 1, arguments, 4, NULL, &error) != 0);
  CHECK(error && strcmp(triton_error_message(error), "argument 'y' points to const, and the kernel stores to it") == 0);
  triton_error_free(error);
  arguments[0].kind = 99;
  CHECK(triton_kernel_launch(scale, 1, 1, 1, arguments, 4, NULL, &error) != 0);
  CHECK(error && strcmp(triton_error_kind(error), "ValueError") == 0);
  triton_error_free(error);
}

static void check_compiled(const triton_kernel *scale) {
  triton_error *error = NULL;
  size_t size = 0;
  triton_compiled *compiled =
      triton_kernel_compile_signature(scale, "*fp32:16, *fp32:16, i32, fp32, 256", NULL, &error);
  CHECK(compiled && !error);
  CHECK(strcmp(triton_compiled_name(compiled), "scale") == 0);
  CHECK(strstr(triton_compiled_stage(compiled, "ttir", &size), "tt.load") && size > 100);
  CHECK(triton_compiled_stage(compiled, "ptx", &size) == NULL && size == 0);
  CHECK(triton_compiled_stage_count(compiled) >= 3 && triton_compiled_stage_name(compiled, 0) != NULL);
  CHECK(triton_compiled_stage_name(compiled, 99) == NULL);
  triton_compiled_free(compiled);
  CHECK(triton_kernel_compile_signature(scale, "nonsense", NULL, &error) == NULL && error != NULL);
  triton_error_free(error);
}

static void check_tuning(const triton_kernel *scale) {
  triton_error *error = NULL;
  int calls = 0;
  triton_argument arguments[] = {triton_pointer(x, TRITON_FLOAT32), triton_pointer(y, TRITON_FLOAT32),
                                 triton_integer(count), triton_real(1.5)};
  triton_argument blocks[] = {triton_named("BLOCK", triton_integer(16)), triton_named("BLOCK", triton_integer(512))};
  triton_config configs[] = {{&blocks[0], 1, NULL}, {&blocks[1], 1, NULL}};
  triton_tuning *tuning = triton_kernel_tune(scale, grid_of, &calls, arguments, 4, configs, 2, &error);
  CHECK(tuning && !error && calls >= 2);
  CHECK(triton_tuning_best(tuning) < 2 && holds(1.5f));
  CHECK(triton_tuning_milliseconds(tuning, 0) > 0 && triton_tuning_milliseconds(tuning, 7) < 0);
  triton_tuning_free(tuning);
}

int main(void) {
  triton_error *error = NULL;
  for (int i = 0; i < count; ++i)
    x[i] = (float)i;
  CHECK(triton_c_version() == TRITON_C_VERSION && strncmp(triton_version(), "3.", 2) == 0);
#ifdef TRITON_STAMP // of the build; programs beside an installed library do not know it
  CHECK(strcmp(triton_version(), TRITON_STAMP) == 0);
#endif
  triton_module *module = triton_module_parse(text, "kernels.py", &error);
  CHECK(module && !error);
  CHECK(triton_module_kernel_count(module) == 2 && strcmp(triton_module_kernel_name(module, 1), "broken") == 0);
  triton_kernel *scale = triton_module_kernel(module, "scale", &error),
                *broken = triton_module_kernel(module, "broken", &error);
  CHECK(scale && broken && !error);
  CHECK(triton_module_kernel(module, "nothing", &error) == NULL);
  CHECK(strcmp(triton_error_kind(error), "NameError") == 0 && strstr(triton_error_message(error), "scale, broken"));
  triton_error_free(error);
  error = NULL;
  triton_module_free(module); /* kernels stay good */
  CHECK(triton_kernel_parameter_count(scale) == 5 && strcmp(triton_kernel_parameter_name(scale, 4), "BLOCK") == 0);
  check_launch(scale);
  check_compiled(scale);
  check_tuning(scale);
  triton_argument argument = triton_pointer(x, TRITON_FLOAT32);
  CHECK(triton_kernel_launch(broken, 1, 1, 1, &argument, 1, NULL, &error) != 0);
  CHECK(error && strstr(triton_error_message(error), "kernels.py:12:17: error: ") &&
        strstr(triton_error_message(error), "'undefined_name' is not defined"));
  triton_error_free(error);
  triton_kernel_free(scale);
  triton_kernel_free(broken);
  CHECK(triton_module_load("/nowhere.py", NULL) == NULL);
  printf("%d failures\n", failures);
  return failures != 0;
}
