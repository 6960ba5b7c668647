// Launches kernels on NVIDIA GPUs from Python objects. Functions are the driver's handles, as ints.
#pragma once

#include "bindings/Launcher.h"

namespace triton::python {

bool addCudaLauncher(PyObject *module);

} // namespace triton::python
