// A compiled kernel on the GPUs of this machine: loaded on each device at its first launch there.
#pragma once

#include "dispatch/Shortage.h"
#include "dispatch/launch/CudaLauncher.h"

#include "llvm/ADT/DenseMap.h"

#include <mutex>

namespace triton::dispatch {

/// The driver, from the library that TRITON_LIBCUDA_PATH names, if it is set.
llvm::Expected<runtime::cuda::Driver &> cudaDriver();
/// What a device is compiled for: "sm_90a".
llvm::Expected<std::string> cudaArchitecture(int device);

/// The device has too little of something.
class OutOfResources : public llvm::ErrorInfo<OutOfResources> {
public:
  static char ID;
  OutOfResources(uint64_t required, uint64_t limit, std::string what) : shortage{required, limit, std::move(what)} {}
  void log(llvm::raw_ostream &stream) const override { stream << shortage.message(); }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  Shortage shortage;
};

class CudaKernel {
public:
  explicit CudaKernel(std::shared_ptr<const artifact::Artifact> artifact) : artifact(std::move(artifact)) {}
  /// `arguments`: the packed block that the artifact describes. Scratch memory is found here. Returns when the launch is queued.
  llvm::Error launch(std::byte *arguments, CudaCall call, int device);

private:
  struct OnDevice {
    runtime::cuda::LoadedFunction function;
    CudaLauncher launcher;
  };
  llvm::Expected<OnDevice &> load(runtime::cuda::Driver &driver, int device);

  std::shared_ptr<const artifact::Artifact> artifact;
  std::mutex mutex;
  llvm::DenseMap<int, std::unique_ptr<OnDevice>> loaded; // by device
};

} // namespace triton::dispatch
