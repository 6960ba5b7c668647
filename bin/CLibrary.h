// The files of a C library: what `triton.tools.compile` and `triton.tools.link` write, without Python.
#pragma once

#include "compiler/artifact/Artifact.h"
#include "dispatch/CLibrary.h"

#include "llvm/ADT/ArrayRef.h"

#include <memory>

namespace triton {

struct CompiledVariant {
  dispatch::CVariant variant;
  std::shared_ptr<const artifact::Artifact> artifact;
};

/// File names (after the base: ".h", ".1a2b3c4d_0d1d2.c") and contents.
using NamedContents = std::vector<std::pair<std::string, std::string>>;
/// `name`: of the dispatcher; `fileBase`: what the names of all files begin with, without folders; `grid`: three C expressions over the parameters' names.
std::variant<NamedContents, dispatch::Problem> makeCLibrary(const std::string &name,
                                                            llvm::ArrayRef<CompiledVariant> compiled,
                                                            const std::string &fileBase, std::string_view grid);

} // namespace triton
