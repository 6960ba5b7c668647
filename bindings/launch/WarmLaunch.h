// A launch of a kernel that is compiled and remembered.
//   In:  the launch, the grid, the arguments as far as they have been looked at.
//   Out: the CompiledKernel, a new reference; null with an exception set.
#pragma once

#include "bindings/launch/KernelState.h"

namespace triton::python {

struct WarmArguments {
  PyObject *const *values; // per parameter
  const Argument *classified;
  PackedArguments *packed; // or null
};

/// A grid that is no tuple: called with the arguments if it is callable. False with an exception set.
bool evaluateGrid(const KernelState &state, PyObject *grid, PyObject *const *values, int32_t out[3]);
/// The current stream of the launch's device; false with an exception set.
bool findStream(const RememberedLaunch &launch, uint64_t &stream);

[[gnu::always_inline]] inline PyObject *launchWarm(const KernelState &state, const RememberedLaunch &launch,
                                                   PyObject *grid, const WarmArguments &arguments) {
  int32_t extents[3];
  if (!(PyTuple_CheckExact(grid) ? readGrid(grid, extents) : evaluateGrid(state, grid, arguments.values, extents)))
    return nullptr;
  Invocation invocation{launch.function.get(), 0,    extents,         {arguments.values, state.parameters.size()},
                        arguments.classified,  true, arguments.packed};
  if (launch.getStream && !findStream(launch, invocation.stream))
    return nullptr;
  Launcher &launcher = launch.native();
  Reference result = Reference::borrow(launch.kernel.get()); // the launch lets go of the lock, and may be forgotten
  return launcher.launch(launcher, invocation) ? result.release() : nullptr;
}

} // namespace triton::python
