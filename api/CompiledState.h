// What a compiled kernel of the C++ API holds.
#pragma once

#include <triton/triton.h>

#include "api/CudaKernel.h"
#include "compiler/artifact/Artifact.h"
#include "runtime/host/Launch.h"

#include <memory>

namespace triton {

struct CompiledKernel::State {
  std::shared_ptr<const artifact::Artifact> artifact;
  std::shared_ptr<const runtime::KernelCode> code; // null if it was compiled for another machine
  std::unique_ptr<CudaKernel> cuda;                // null if it is none for GPUs
};

} // namespace triton
