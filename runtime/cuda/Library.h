// NVIDIA's driver library, found at run time.
//   In:  the name or path of the library (libcuda.so.1).
//   Out: a table in which every required function is there, or an error that names what is missing.
#pragma once

#include "runtime/driver/DriverApi.h"

namespace triton::runtime::cuda {

/// Opens the library; it stays open for good. `path` may be a folder that holds it; empty: the system's.
llvm::Expected<std::unique_ptr<const gpu::DriverApi>> openLibrary(const std::string &path);

} // namespace triton::runtime::cuda
