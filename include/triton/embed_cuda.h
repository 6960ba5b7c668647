// Launching on GPUs, for host languages; named for NVIDIA's, and for AMD's as well once `cudaSetLibrary` has named HIP's library: what a binding needs of the driver, without its headers.
//   In:  code, arguments, a stream of the host language's runtime (PyTorch's current one).
//   Out: queued work. Handles of the driver are plain numbers, as programs pass them around.
// The driver's library is opened on first use. Every device's primary context is used, the one PyTorch uses.
#pragma once

#include <triton/embed.h>

#include <span>

namespace triton::dispatch { // launch/CudaCall.h, Descriptor.h
class CudaLauncher;
struct CudaCall;
struct CudaPlan;
struct TensorMapDescription;
} // namespace triton::dispatch

namespace triton::embed {

/// How much of a multiprocessor's warps a kernel keeps at once, and what limits that: "registers".
TRITON_EXPORT Result<std::pair<double, std::string>> cudaOccupancy(const std::string &architecture, unsigned registers,
                                                                   unsigned sharedBytes, unsigned threads);

struct CudaFunction {
  uint64_t module = 0, function = 0;
  int registers = 0, localBytes = 0, staticSharedBytes = 0, maxThreads = 0;
};

/// Launches a kernel; used by one thread at a time or by many.
class TRITON_EXPORT CudaLauncher {
public:
  explicit CudaLauncher(const dispatch::CudaPlan &plan);
  ~CudaLauncher();
  CudaLauncher(const CudaLauncher &) = delete;
  /// Makes a function ready to be launched, and gives the context that it was loaded into; 0 if `cudaLoad` did not load it.
  Result<uint64_t> prepare(uint64_t function) const;
  /// `arguments`: the packed block. 0, or the driver's status.
  int launch(const dispatch::CudaCall &call, std::byte *arguments);
  std::string describeFailure(const dispatch::CudaCall &call, int status) const;
  /// How many went through a graph.
  uint64_t graphLaunches() const;
  /// How many bytes of scratch memory a launch takes, of `perBlock` bytes each.
  uint64_t scratchBytes(const int32_t grid[3], uint64_t perBlock) const;

private:
  std::unique_ptr<dispatch::CudaLauncher> state;
};

/// A path of the driver's library, or a folder that holds it; empty: the system's. Counts until the driver is used.
TRITON_EXPORT void cudaSetLibrary(std::string path);
TRITON_EXPORT Result<int> cudaDeviceCount();
/// A JSON object; with its clocks, for which the driver asks the device, which takes a while.
TRITON_EXPORT Result<std::string> cudaDeviceProperties(int device, bool withClocks = false);
/// Of this thread: the device of its context, else 0.
TRITON_EXPORT Result<int> cudaCurrentDevice();
TRITON_EXPORT std::optional<Error> cudaSetCurrentDevice(int device);
/// 0 if the driver has not been used, or no context is current on this thread. Cheap.
TRITON_EXPORT uint64_t cudaCurrentContext();

/// A cubin, or PTX that the driver translates.
TRITON_EXPORT Result<CudaFunction> cudaLoad(std::string_view image, const std::string &name, uint32_t sharedBytes,
                                            int device);
/// Unloads what `cudaLoad` loaded. Its functions must not be used any more, by graphs neither.
TRITON_EXPORT std::optional<Error> cudaUnload(uint64_t module);
/// Microseconds of the driver's part of a launch; `handover` 0: a pointer to each argument, 1: one buffer, 2: cuLaunchKernel, 3: as 0, programmatic.
TRITON_EXPORT Result<double> cudaTimeLaunches(uint64_t function, uint32_t threads, uint64_t argumentBytes, int count,
                                              int handover);

/// Where kernels reach this memory; nullopt if they do not.
TRITON_EXPORT std::optional<uint64_t> cudaDevicePointer(uint64_t pointer);
/// On a simulated GPU: the memory, all of it, that the next launch of this thread may touch; nothing: it is not known.
struct CudaMemory {
  uint64_t begin, end;
  std::string name;
};
TRITON_EXPORT void cudaNoteMemory(std::vector<CudaMemory> memory);
/// On a simulated GPU: `collects`: what launches find is kept, and no error unless it ended the launch; `counts`: so are counters. `isInterrupted`, asked now and
/// then on the launching thread, ends a launch.
TRITON_EXPORT void cudaObserve(bool collects, bool counts, bool (*isInterrupted)());
/// What was found since the last call, as JSON: [[kernel, place, kind, message, how many equal ones, whether it ended the launch], …].
TRITON_EXPORT std::string cudaTakeFindings();
/// What instructions of one family in one line of a kernel did, as JSON objects: see simulator/watch/Counters.h.
TRITON_EXPORT std::string cudaTakeCounts();
TRITON_EXPORT Result<int> cudaMaxActiveClusters(uint64_t function, uint32_t threads, uint32_t sharedBytes,
                                                uint32_t clusterSize);
TRITON_EXPORT std::optional<Error> cudaSetPrintfFifoBytes(uint64_t bytes);
/// A tensor map into the 128 bytes at `destination`; what goes wrong, as a sentence. Maps made before are remembered.
TRITON_EXPORT std::optional<std::string> cudaPackTensorMap(const dispatch::TensorMapDescription &description,
                                                           void *destination);
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
