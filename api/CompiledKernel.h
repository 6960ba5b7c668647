// One specialisation of a kernel, ready to run: what the C interface calls triton_compiled.
#pragma once

#include "api/Border.h"
#include "compiler/artifact/Artifact.h"
#include "dispatch/launch/CudaKernel.h"
#include "runtime/host/Launch.h"

#include <memory>

struct triton_compiled : llvm::ThreadSafeRefCountedBase<triton_compiled> {
  std::shared_ptr<const triton::artifact::Artifact> artifact;
  std::shared_ptr<const triton::runtime::KernelCode> code; // null if it was compiled for another machine
  std::unique_ptr<triton::dispatch::CudaKernel> cuda;      // null if it is none for GPUs
};

namespace triton {
using CompiledKernel = llvm::IntrusiveRefCntPtr<triton_compiled>;
} // namespace triton
