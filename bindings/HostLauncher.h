// Launches kernels of the CPU target from Python objects. A HostFunction is loaded code; a HostLauncher knows how to pack its arguments:
// `launcher(gridX, gridY, gridZ, stream, function, packed_metadata, launch_metadata, enter_hook, exit_hook, *parameters)`, and the same from C++
// without a Python call.
#pragma once

#include "bindings/Argument.h"

#include <triton/embed.h>

#include <span>
#include <vector>

namespace triton::python {

/// One run-time argument: which parameter it comes from, and where it goes.
struct LaunchSlot {
  uint16_t parameter;
  std::vector<uint16_t> path; // inside a tuple parameter; empty: the parameter itself
  bool isPointer;
  TypeCode type; // of the scalar, or of the pointer's element
  uint32_t offset;
};

struct HostFunction {
  PyObject_HEAD embed::HostKernel *kernel;
};

struct HostLauncher {
  PyObject_HEAD vectorcallfunc vectorcall;
  std::vector<LaunchSlot> *slots;
  uint32_t argumentBytes;
  uint32_t parameterCount;
};

extern PyTypeObject *hostFunctionType, *hostLauncherType;
/// Adds the classes to the module; false with an exception set.
bool addHostLauncher(PyObject *module);

/// Runs the kernel. `classified[i]` describes `parameters[i]`; if it is null, they are looked at here. False with an exception set.
bool launch(const HostLauncher &launcher, const HostFunction &function, const int32_t grid[3],
            std::span<PyObject *const> parameters, const Argument *classified);

/// Entries of a grid as 32-bit numbers: a tuple or list of one to three ints. False with an exception set.
bool readGrid(PyObject *grid, int32_t out[3]);

} // namespace triton::python
