// AMD's HIP library (libamdhip64.so) as a table like that of NVIDIA's driver, found at run time.
//   In:  the path of the library, or nothing.
//   Out: a table in which every required function is there, or an error that names what is missing.
// Functions whose parameters agree are AMD's own; the others are written here: a context stands for a device, whose primary one is the only one HIP has; attributes of devices
// have other numbers; launches without attributes go through the plain call; nodes of graphs are laid out differently.
// No AMD GPU has run this: test/hip holds it against a library that knows HIP's rules.
#pragma once

#include "runtime/driver/DriverApi.h"

namespace triton::runtime::hip {

/// What `gpu::Driver::setLibrary` takes in front of a path.
inline constexpr llvm::StringLiteral libraryPrefix = "hip:";

/// Opens the library; it stays open for good. `path` may be a folder that holds it. Empty: the one that this process has open already (PyTorch's), else the system's, else that of
/// /opt/rocm. There is never a second one beside PyTorch's.
llvm::Expected<std::unique_ptr<const gpu::DriverApi>> openLibrary(const std::string &path);

} // namespace triton::runtime::hip
