// `KernelBase`: the native half of a JITFunction. It remembers compiled kernels by LaunchKey, so that `kernel[grid](…)` is one C call when it is warm.
//   In:  `kernel[grid](*args, **kwargs)`.
//   Out: the launched CompiledKernel. Whatever is unusual (first time, hooks, objects without a key) goes to the Python
// method `_run_generally`; a subclass that replaces `run` gets every launch.
// It also keeps the parsed function, so that callers and kernels share one.
#pragma once

#include <Python.h>
#include <triton/embed.h>

#include <optional>

namespace triton::python {

bool addKernelObject(PyObject *module);

/// Whether it is a jitted function (KernelBase).
bool isKernelObject(PyObject *object);
/// Its `hash` attribute, borrowed; null if it has none.
PyObject *kernelHash(PyObject *kernel);

/// The slot for the parsed function; `source` and `noinline` tell whether it is still the one that was parsed.
struct ParsedFunction {
  PyObject *source = nullptr; // the text object that was parsed
  bool noinline = false;
  std::optional<embed::Function> function;
};
ParsedFunction &parsedFunction(PyObject *kernel);

} // namespace triton::python
