// C code around compiled kernels: for each specialisation a function that launches it, over them a dispatcher. The same files that `triton.tools.compile` and
// `triton.tools.link` write, from the same templates, without Python.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "compiler/frontend/emitter/Function.h"

#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace triton {

/// One entry of a signature.
struct SignatureEntry {
  std::string text;  // without spaces
  std::string type;  // empty: a constant
  unsigned hint = 0; // 16: divisible by it; 1: equal to it
  bool isRuntime() const { return !type.empty() && hint != 1; }
};

/// One specialisation.
struct CVariant {
  std::string signature; // as the driver takes it: what is 1 by its hint is the constant 1
  std::string function;  // add_1a2b3c4d_0d1d2
  std::string symbol;    // of its code
  std::vector<SignatureEntry> entries;
  std::shared_ptr<const artifact::Artifact> artifact; // filled in by who compiles it
};

struct CLibraryOptions {
  std::string name;       // of the C functions
  std::string fileBase;   // of the files, without folders
  std::string grid;       // three C expressions over the parameters' names
  std::string targetName; // "cpu", "cuda"
  int numWarps = 4, numStages = 3;
};

/// Takes a signature apart and names what will be made of it.
llvm::Expected<CVariant> makeVariant(const frontend::Function &function, llvm::StringRef signature,
                                     const CLibraryOptions &options);

/// File names (after the base: ".h", ".1a2b3c4d_0d1d2.c") and contents.
using NamedContents = std::vector<std::pair<std::string, std::string>>;
llvm::Expected<NamedContents> makeCLibrary(const frontend::Function &function, llvm::ArrayRef<CVariant> variants,
                                           const CLibraryOptions &options);

} // namespace triton
