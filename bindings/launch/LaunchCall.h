// One call of `kernel[grid](…)`.
//   In:  the arguments as the interpreter passes them.
//   Out: the launched CompiledKernel, a new reference; null with an exception set.
// Warm, it touches no Python code and creates no Python object.
#pragma once

#include "bindings/Package.h"
#include "bindings/launch/InlineVector.h"
#include "bindings/launch/KernelState.h"

namespace triton::python {

class LaunchCall {
public:
  LaunchCall(PyObject *kernel, PyObject *grid, PyObject *const *arguments, size_t positionalCount, PyObject *names,
             KernelState &state)
      : kernel(kernel), grid(grid), arguments(arguments), positionalCount(positionalCount), names(names), state(state),
        package(*Package::get()) {}
  /// Natively if a launch with the same key came before, else through `_run_generally`.
  PyObject *run();
  /// The same for a call that is not one of the latest again.
  PyObject *runAnew();
  /// Through the Python method `run`, which a subclass has replaced.
  PyObject *runOwn();

private:
  bool bind();
  bool addEnvironment();
  std::shared_ptr<RememberedLaunch> find();
  void expectAgain(std::shared_ptr<RememberedLaunch> launch);
  PyObject *launchCold(PyObject *method);

  PyObject *kernel, *grid;
  PyObject *const *arguments;
  size_t positionalCount;
  PyObject *names; // tuple or null
  KernelState &state;
  const Package &package;

  LaunchKey key;
  InlineVector<PyObject *, 32> values;   // per parameter, borrowed
  InlineVector<Argument, 32> classified; // per parameter
  std::vector<Reference> holders;
};

} // namespace triton::python
