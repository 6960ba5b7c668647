// What is written in kernels for words that users bring along from Python, NumPy and PyTorch: the hints of errors about names.
// A hint is one sentence without a full stop; empty where there is nothing to say.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <string>

namespace triton::frontend {

/// For `name`, which nobody has defined.
std::string insteadOfName(llvm::StringRef name);
/// For `tl.name`, where `modulePath` is triton.language or a module of it that has no such name.
std::string insteadOfLanguageName(llvm::StringRef modulePath, llvm::StringRef name);
/// For `x.name` of an object of the language, by the name of its class.
std::string insteadOfAttribute(llvm::StringRef className, llvm::StringRef name);

} // namespace triton::frontend
