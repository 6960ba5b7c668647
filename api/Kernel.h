// Modules and kernels: what the C interface calls triton_module and triton_kernel.
#pragma once

#include "api/LaunchPlan.h"
#include "compiler/frontend/filehost/FileHost.h"

#include "llvm/ADT/StringMap.h"

#include <mutex>

struct triton_module : llvm::ThreadSafeRefCountedBase<triton_module> {
  std::shared_ptr<const triton::Source> source;
  std::unique_ptr<triton::frontend::FileHost> host;
  std::vector<std::string> names; // of its kernels
};

struct triton_kernel : llvm::ThreadSafeRefCountedBase<triton_kernel> {
  llvm::IntrusiveRefCntPtr<triton_module> module; // keeps the host alive
  std::shared_ptr<const triton::frontend::Function> function;
  std::vector<std::optional<triton_argument>> defaults; // one per parameter; texts are the function's
  std::mutex mutex;
  llvm::StringMap<triton::CompiledKernel> compiled; // by specialisation and options
  llvm::StringMap<std::shared_ptr<const triton::LaunchPlan>> plans;
};

namespace triton {

/// Compiles for arguments like these without running anything. `options` are complete.
llvm::Expected<CompiledKernel> compile(triton_kernel &kernel, Arguments arguments, const triton_options &options);
/// Runs all programs of the grid, and returns when they are done (CUDA: queued).
llvm::Expected<CompiledKernel> launch(triton_kernel &kernel, const triton_grid &grid, Arguments arguments,
                                      const triton_options &options);

} // namespace triton
