// Launching on NVIDIA GPUs, for host languages: what a binding needs of the driver, without its headers.
//   In:  code, arguments, a stream of the host language's runtime (PyTorch's current one).
//   Out: queued work. Handles of the driver are plain numbers, as programs pass them around.
// The driver's library is opened on first use. Every device's primary context is used, the one PyTorch uses.
#pragma once

#include <triton/embed.h>

#include <span>

namespace triton::runtime::cuda {
class LaunchGraph;
}

namespace triton::embed {

struct CudaDeviceProperties {
  std::string name;
  int capability = 0; // 90 for 9.0
  int maxSharedBytes = 0, maxSharedBytesPerMultiprocessor = 0, maxRegisters = 0, multiprocessors = 0, warpSize = 0;
  int memoryBusWidth = 0, l2CacheBytes = 0; // bits, bytes
};

struct CudaClockRates {
  int multiprocessors = 0, memory = 0; // kHz
};

struct CudaFunction {
  uint64_t module = 0, function = 0;
  uint64_t context = 0; // that it was loaded into
  int device = 0;
  int registers = 0, localBytes = 0, staticSharedBytes = 0, maxThreads = 0;
};

/// What a kernel's launches share, so that they may go through a graph while the GPU waits for the host; kept beside the function, used by one launch at a time
/// or by many.
class TRITON_EXPORT CudaLaunchGraph {
public:
  CudaLaunchGraph();
  ~CudaLaunchGraph();
  CudaLaunchGraph(const CudaLaunchGraph &) = delete;
  /// How many went through a graph.
  uint64_t launches() const;

private:
  friend struct CudaLaunchAccess;
  std::unique_ptr<runtime::cuda::LaunchGraph> state;
};

struct CudaLaunch {
  uint64_t function = 0, context = 0, stream = 0;
  bool isContextCurrent = false; // the caller has just seen that
  uint32_t grid[3] = {1, 1, 1};
  uint32_t threads = 128, sharedBytes = 0, clusterSize = 1;
  bool isCooperative = false, isProgrammatic = false;
  bool waitsAtEntry = false;                // as the artifact says; then it may overlap the launch before it
  void **arguments = nullptr;               // a pointer to each
  CudaLaunchGraph *graph = nullptr;         // null: never through a graph. Then the context is given, and
  std::span<const std::byte> argumentBlock; // all that `arguments` point to and that is not always the same
};

struct CudaTensorMap {
  uint64_t words[16];
};

struct CudaTensorMapDescription {
  uint64_t address = 0;
  int swizzle = 0, elementBytes = 0, elementType = 0; // the driver's numbers
  std::span<const uint32_t> box;                      // outermost dimension first
  std::span<const uint64_t> shape, strides;
  bool fillWithNan = false;
};

/// A path of the driver's library, or a folder that holds it; empty: the system's. Counts until the driver is used.
TRITON_EXPORT void cudaSetLibrary(std::string path);
TRITON_EXPORT Result<int> cudaDeviceCount();
TRITON_EXPORT Result<CudaDeviceProperties> cudaDeviceProperties(int device);
/// Apart from the properties: the driver asks the device, which takes a while.
TRITON_EXPORT Result<CudaClockRates> cudaClockRates(int device);
/// Of this thread: the device of its context, else 0.
TRITON_EXPORT Result<int> cudaCurrentDevice();
TRITON_EXPORT std::optional<Error> cudaSetCurrentDevice(int device);
/// 0 if the driver has not been used, or no context is current on this thread. Cheap.
TRITON_EXPORT uint64_t cudaCurrentContext();

/// A cubin, or PTX that the driver translates.
TRITON_EXPORT Result<CudaFunction> cudaLoad(std::string_view image, const std::string &name, uint32_t sharedBytes,
                                            int device);
/// What `cudaLoad` gave for this function; nullopt if it came from elsewhere.
TRITON_EXPORT std::optional<CudaFunction> cudaFind(uint64_t function);
/// 0, or the driver's status. `context` 0: the current one.
TRITON_EXPORT int cudaLaunch(const CudaLaunch &launch);
/// Microseconds of the driver's part of a launch; `handover` 0: a pointer to each argument, 1: one buffer, 2: cuLaunchKernel, 3: as 0, programmatic.
TRITON_EXPORT Result<double> cudaTimeLaunches(uint64_t function, uint32_t threads, uint64_t argumentBytes, int count,
                                              int handover);
TRITON_EXPORT std::string cudaDescribeFailure(const CudaLaunch &launch, int status);
TRITON_EXPORT std::optional<Error> cudaAllowLargeClusters(uint64_t function);

/// Where kernels reach this memory; nullopt if they do not.
TRITON_EXPORT std::optional<uint64_t> cudaDevicePointer(uint64_t pointer);
TRITON_EXPORT Result<int> cudaMaxActiveClusters(uint64_t function, uint32_t threads, uint32_t sharedBytes,
                                                uint32_t clusterSize);
TRITON_EXPORT std::optional<Error> cudaSetPrintfFifoBytes(uint64_t bytes);
TRITON_EXPORT Result<CudaTensorMap> cudaEncodeTensorMap(const CudaTensorMapDescription &description);
/// The same into 128 bytes of an argument block; maps made before are remembered.
TRITON_EXPORT std::optional<Error> cudaPackTensorMap(const CudaTensorMapDescription &description, void *destination);
/// The driver's number of the element type that TensorMapFormat names.
TRITON_EXPORT int cudaElementType(int formatType);

/// Products by NVIDIA's cuBLASLt, as a baseline: d = alpha * a * transposed b + beta * c of row-major [m, k], [n, k] and [m, n]. Element types are "fp32", "fp16",
/// "bf16", "fp8e4nv", "fp8e5".
struct CublasProduct {
  uint64_t a = 0, b = 0, c = 0, d = 0; // addresses
  int m = 0, n = 0, k = 0;
  std::string operands, result;
  float alpha = 1, beta = 0;
};

class TRITON_EXPORT CublasLt {
public:
  static Result<CublasLt> create(uint64_t workspace, uint64_t workspaceBytes);
  std::optional<Error> multiply(const CublasProduct &product, uint64_t stream) const;

private:
  std::shared_ptr<void> state;
};

} // namespace triton::embed
