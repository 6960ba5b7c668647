// The driver for host languages: handles as numbers, errors as values.
#include <triton/embed_cuda.h>

#include "compiler/gpu/Occupancy.h"
#include "dispatch/launch/CudaKernel.h"
#include "embed/Result.h"
#include "runtime/cuda/CublasLt.h"
#include "runtime/cuda/TensorMap.h"
#include "runtime/simulated/Simulation.h"

namespace triton::embed {

namespace cuda = runtime::cuda;
namespace gpu = runtime::gpu;
namespace json = llvm::json;
namespace simulated = runtime::simulated;

template <typename Handle> static uint64_t number(Handle handle) { return reinterpret_cast<uint64_t>(handle); }

/// What `body` gives, called with the driver; an error where there is none.
template <typename Body> static auto withDriver(Body body) -> decltype(body(*gpu::Driver::getIfUsed())) {
  auto driver = gpu::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  return body(*driver);
}

void cudaSetLibrary(std::string path) { gpu::Driver::setLibrary(std::move(path)); }

Result<int> cudaDeviceCount() {
  return withDriver([](gpu::Driver &driver) -> Result<int> { return driver.deviceCount(); });
}

Result<std::string> cudaDeviceProperties(int device, bool withClocks) {
  return withDriver([&](gpu::Driver &driver) -> Result<std::string> {
    auto found = driver.properties(device);
    if (!found)
      return toError(found.takeError());
    json::Object out{{"name", found->name},
                     {"arch", found->architecture},
                     {"capability", found->capability},
                     {"max_shared_mem", found->maxSharedBytes},
                     {"max_shared_mem_per_multiprocessor", found->maxSharedBytesPerMultiprocessor},
                     {"max_num_regs", found->maxRegisters},
                     {"multiprocessor_count", found->multiprocessors},
                     {"warpSize", found->warpSize},
                     {"mem_bus_width", found->memoryBusWidth},
                     {"l2_cache_size", found->l2CacheBytes}};
    if (withClocks) {
      auto rates = driver.clockRates(device);
      if (!rates)
        return toError(rates.takeError());
      out["sm_clock_rate"] = rates->multiprocessors;
      out["mem_clock_rate"] = rates->memory;
    }
    return toText(std::move(out));
  });
}

Result<std::pair<double, std::string>> cudaOccupancy(const std::string &architecture, unsigned registers,
                                                     unsigned sharedBytes, unsigned threads) {
  llvm::Expected<triton::gpu::Target> target = triton::gpu::Target::byName(architecture);
  if (!target)
    return toError(target.takeError());
  const triton::gpu::Occupancy found = triton::gpu::occupancyOf(*target, registers, sharedBytes, threads);
  return std::pair(found.share, found.limit.str());
}

Result<int> cudaCurrentDevice() {
  return withDriver([](gpu::Driver &driver) -> Result<int> { return driver.currentDevice(); });
}

std::optional<Error> cudaSetCurrentDevice(int device) {
  return withDriver([&](gpu::Driver &driver) { return toOptional(driver.use(device).takeError()); });
}

uint64_t cudaCurrentContext() {
  gpu::Driver *driver = gpu::Driver::getIfUsed();
  return driver ? number(driver->currentContext()) : 0;
}

Result<CudaFunction> cudaLoad(std::string_view image, const std::string &name, uint32_t sharedBytes, int device) {
  return withDriver([&](gpu::Driver &driver) -> Result<CudaFunction> {
    auto loaded = gpu::load(driver, llvm::StringRef(image.data(), image.size()), name, sharedBytes, device);
    if (!loaded)
      return toError(loaded.takeError());
    return CudaFunction{number(loaded->module), number(loaded->function),  loaded->registers,
                        loaded->localBytes,     loaded->staticSharedBytes, loaded->maxThreads};
  });
}

std::optional<Error> cudaUnload(uint64_t module) {
  return withDriver([&](gpu::Driver &driver) {
    return toOptional(gpu::unload(driver, reinterpret_cast<gpu::ModuleHandle>(module)));
  });
}

static gpu::FunctionHandle handle(uint64_t function) { return reinterpret_cast<gpu::FunctionHandle>(function); }

CudaLauncher::CudaLauncher(const dispatch::CudaPlan &plan) : state(std::make_unique<dispatch::CudaLauncher>(plan)) {}
CudaLauncher::~CudaLauncher() = default;
Result<uint64_t> CudaLauncher::prepare(uint64_t function) const { return toResult(state->prepare(function)); }
uint64_t CudaLauncher::graphLaunches() const { return state->graphLaunches(); }
uint64_t CudaLauncher::scratchBytes(const int32_t grid[3], uint64_t perBlock) const {
  return state->scratchBytes(grid, perBlock);
}

int CudaLauncher::launch(const dispatch::CudaCall &call, std::byte *arguments) {
  gpu::Driver *driver = gpu::Driver::getIfUsed();
  return driver ? state->launch(driver->api(), call, arguments) : int(gpu::NotInitialized);
}

std::string CudaLauncher::describeFailure(const dispatch::CudaCall &call, int status) const {
  auto driver = gpu::Driver::get();
  return driver ? state->describeFailure(driver->api(), call, status) : llvm::toString(driver.takeError());
}

Result<double> cudaTimeLaunches(uint64_t function, uint32_t threads, uint64_t argumentBytes, int count, int handover) {
  std::optional<gpu::LoadedFunction> found = gpu::find(handle(function));
  if (!found || handover < 0 || handover > 3)
    return Error{"ValueError", "expected a function that was loaded here, and a handover from 0 to 3"};
  return withDriver([&](gpu::Driver &driver) {
    return toResult(gpu::timeLaunches(driver, *found, threads, argumentBytes, count, gpu::Handover(handover)));
  });
}

std::optional<uint64_t> cudaDevicePointer(uint64_t pointer) {
  gpu::Driver *driver = gpu::Driver::getIfUsed();
  return driver ? gpu::devicePointer(*driver, pointer) : std::nullopt;
}

void cudaNoteMemory(std::vector<CudaMemory> memory) {
  std::vector<simulated::KnownMemory> known;
  for (CudaMemory &each : memory)
    known.push_back({each.begin, each.end, std::move(each.name)});
  simulated::noteMemory(std::move(known));
}

void cudaObserve(bool collects, bool counts, bool (*isInterrupted)()) {
  simulated::observe({collects, counts, isInterrupted});
}
std::string cudaTakeFindings() {
  json::Array found;
  for (const simulated::KernelFinding &each : simulated::takeFindings())
    found.push_back(json::Array{each.kernel, each.place, each.kind, each.message, each.count, each.isFatal});
  return toText(std::move(found));
}
std::string cudaTakeCounts() {
  json::Array counts;
  for (const simulated::KernelCount &each : simulated::takeCounts()) {
    const simulator::Counter &counter = each.counter;
    counts.push_back(json::Object{{"kernel", each.kernel},
                                  {"place", each.place},
                                  {"family", each.family},
                                  {"executions", counter.executions},
                                  {"requests", counter.requests},
                                  {"sectors", counter.sectors},
                                  {"global_bytes", counter.globalBytes},
                                  {"shared_requests", counter.sharedRequests},
                                  {"passes", counter.passes},
                                  {"needed_passes", counter.neededPasses},
                                  {"shared_bytes", counter.sharedBytes},
                                  {"products", counter.products},
                                  {"issue_time", each.times.issue},
                                  {"memory_time", each.times.memory},
                                  {"shared_time", each.times.shared},
                                  {"tensor_time", each.times.tensor}});
  }
  return toText(std::move(counts));
}

Result<int> cudaMaxActiveClusters(uint64_t function, uint32_t threads, uint32_t sharedBytes, uint32_t clusterSize) {
  return withDriver([&](gpu::Driver &driver) {
    return toResult(gpu::maxActiveClusters(driver, handle(function), threads, sharedBytes, clusterSize));
  });
}

std::optional<Error> cudaSetPrintfFifoBytes(uint64_t bytes) {
  return withDriver([&](gpu::Driver &driver) { return toOptional(gpu::setPrintfFifoBytes(driver, bytes)); });
}

std::optional<std::string> cudaPackTensorMap(const dispatch::TensorMapDescription &description, void *destination) {
  return dispatch::encodeTensorMap(description, destination);
}

int cudaElementType(int formatType) { return cuda::driverElementType(formatType); }

Result<CublasLt> CublasLt::create(uint64_t workspace, uint64_t workspaceBytes) {
  auto made = cuda::CublasLt::create(workspace, workspaceBytes);
  if (!made)
    return toError(made.takeError());
  CublasLt out;
  out.state = std::shared_ptr<cuda::CublasLt>(std::move(*made));
  return out;
}

static std::optional<cuda::CublasLt::Element> elementOf(const std::string &name) {
  using Element = cuda::CublasLt::Element;
  static const std::pair<const char *, Element> known[] = {{"fp32", Element::F32},
                                                           {"fp16", Element::F16},
                                                           {"bf16", Element::BF16},
                                                           {"fp8e4nv", Element::E4M3},
                                                           {"fp8e5", Element::E5M2}};
  for (auto [text, element] : known)
    if (name == text)
      return element;
  return std::nullopt;
}

std::optional<Error> CublasLt::multiply(const CublasProduct &product, uint64_t stream) const {
  auto operands = elementOf(product.operands), result = elementOf(product.result);
  if (!operands || !result)
    return Error{"ValueError", "cuBLASLt multiplies fp32, fp16, bf16, fp8e4nv and fp8e5, not " + product.operands +
                                   " into " + product.result};
  return toOptional(static_cast<const cuda::CublasLt *>(state.get())
                        ->multiply({product.a, product.b, product.c, product.d, product.m, product.n, product.k,
                                    *operands, *result, product.alpha, product.beta},
                                   stream));
}

} // namespace triton::embed
