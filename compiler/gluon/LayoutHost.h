// Layouts for hosts without Python: the classes of `gluon.language` as records, and the modules that kernels import them from.
#pragma once

#include "compiler/frontend/Host.h"

namespace triton::gluon {

/// A name of the modules below `triton.experimental`; nullopt if there is none.
std::optional<frontend::Value> languageName(llvm::StringRef module, llvm::StringRef name);

} // namespace triton::gluon
