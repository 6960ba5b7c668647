// A compiled kernel on the GPUs of this machine: loaded on each device at its first launch there.
#pragma once

#include "dispatch/Descriptor.h"
#include "dispatch/Shortage.h"
#include "dispatch/launch/CudaLauncher.h"

#include "llvm/ADT/DenseMap.h"

#include <mutex>

namespace triton::dispatch {

/// The driver of this process: that in use; else the simulator, if TRITON_SIMULATE names an architecture; else that for `backend`, "cuda" or "hip"; else, where nothing is given, that
/// for the GPUs of this machine. TRITON_LIBCUDA_PATH and TRITON_LIBHIP_PATH name the libraries. An error where `backend` is not whose the driver in use is.
llvm::Expected<runtime::gpu::Driver &> gpuDriver(llvm::StringRef backend = "");
/// What a device is compiled for: "sm_90a", "gfx942".
llvm::Expected<std::string> gpuArchitecture(int device);

/// A tensor map into the 128 bytes at `destination`; what goes wrong, as a sentence. Maps made before are remembered.
std::optional<std::string> encodeTensorMap(const TensorMapDescription &description, void *destination);

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
    runtime::gpu::LoadedFunction function;
    CudaLauncher launcher;
  };
  llvm::Expected<OnDevice &> load(runtime::gpu::Driver &driver, int device);

  std::shared_ptr<const artifact::Artifact> artifact;
  std::mutex mutex;
  llvm::DenseMap<int, std::unique_ptr<OnDevice>> loaded; // by device
};

} // namespace triton::dispatch
