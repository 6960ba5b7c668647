// Python's functions that compile-time code in files may call and kernels may not: `abs`, `sum`, `str`, `zip`, … Entries are those of any builtin.
#pragma once

#include "compiler/frontend/Builtins.h"

namespace triton::frontend {

/// What `name` means in compile-time Python if nothing else binds it; null if it is not known here.
const Builtin *findPythonFunction(llvm::StringRef name);

} // namespace triton::frontend
