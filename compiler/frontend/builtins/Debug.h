// `device_print`, which is also Python's `print` in kernels.
#pragma once

#include "compiler/frontend/Builtins.h"

namespace triton::frontend {

mlir::FailureOr<Value> devicePrint(Emitter &emitter, const BoundArguments &arguments);

} // namespace triton::frontend
