// Launches kernels of the CPU target from Python objects. A HostFunction is loaded code; a HostLauncher runs it on this process's threads.
#pragma once

#include "bindings/launch/Launcher.h"

namespace triton::python {

/// Adds the classes to the module; false with an exception set.
bool addHostLauncher(PyObject *module);

} // namespace triton::python
