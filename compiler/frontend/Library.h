// The part of the language that is written in the language itself: library/*.py, embedded in the binary and parsed once, on first use.
#pragma once

#include "compiler/frontend/emitter/Function.h"

namespace triton::frontend {

/// The module of libdevice's functions for targets that have no libdevice. It is not part of the language's tree.
inline constexpr llvm::StringLiteral portableLibdevice = "triton.language.extra.libdevice.portable";

/// Adds a module of another language that this frontend reads, written in that language; `alias` is what its text calls the language's module,
/// `language` that module. Before anything asks for the library: from static initialisation.
struct LibraryModule {
  llvm::StringLiteral module, alias, language, text;
};
void registerLibrary(const LibraryModule &module);

/// The library function `name` of a module such as "triton.language.standard"; null if there is none.
std::shared_ptr<const Function> libraryFunction(llvm::StringRef module, llvm::StringRef name);
/// The library function that tensors have as a method (`x.sum()`); null if there is none.
std::shared_ptr<const Function> libraryMethod(llvm::StringRef name);
/// The functions of a module in the order of its text.
std::vector<llvm::StringRef> libraryNames(llvm::StringRef module);

} // namespace triton::frontend
