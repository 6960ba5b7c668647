/* Plug-ins: shared libraries that add passes and operations, named in TRITON_PLUGIN_PATHS (docs/how-to/write-a-plugin.md).
 * Only C crosses the border, and IR as text: a plug-in is built with whatever compiler and MLIR, or none, and stays valid. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Not the numbers of Triton's own plug-ins, which pass MLIR's C++ objects: those are refused by their number. */
#define TRITON_PLUGIN_API_VERSION 1001u

/* A pass. `run` gets a module as text and gives the changed one, from malloc; or NULL with `*error`, from malloc too, if it cannot. */
typedef struct triton_plugin_pass {
  const char *name, *version;
  char *(*run)(const char *module, const char *const *arguments, size_t argument_count, char **error);
} triton_plugin_pass;

/* An operation: a function of the language, as text ("def twice(x):\n    return x + x\n"), with `tl` and `triton` in scope. It is called where the operation is built. */
typedef struct triton_plugin_op {
  const char *name, *source;
} triton_plugin_op;

typedef struct triton_plugin_info {
  uint32_t api_version; /* TRITON_PLUGIN_API_VERSION */
  const char *name, *version;
  const triton_plugin_pass *passes;
  size_t pass_count;
  const triton_plugin_op *ops;
  size_t op_count;
  const char *triton_version; /* what it is made for: "3.9.0" */
} triton_plugin_info;

/* What a plug-in exports; called once, when it is loaded. */
const triton_plugin_info *tritonGetPluginInfo(void);

#ifdef __cplusplus
}
#endif
