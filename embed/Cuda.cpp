// The driver for host languages: handles as numbers, errors as values.
#include <triton/embed_cuda.h>

#include "runtime/cuda/CublasLt.h"
#include "runtime/cuda/LaunchGraph.h"
#include "runtime/cuda/TensorMap.h"

namespace triton::embed {

namespace cuda = runtime::cuda;

static Error toError(llvm::Error error) { return {"RuntimeError", llvm::toString(std::move(error))}; }
static std::optional<Error> toOptional(llvm::Error error) {
  if (error)
    return toError(std::move(error));
  return std::nullopt;
}

template <typename Handle> static uint64_t number(Handle handle) { return reinterpret_cast<uint64_t>(handle); }

void cudaSetLibrary(std::string path) { cuda::Driver::setLibrary(std::move(path)); }

Result<int> cudaDeviceCount() {
  auto driver = cuda::Driver::get();
  return driver ? Result<int>(driver->deviceCount()) : toError(driver.takeError());
}

Result<CudaDeviceProperties> cudaDeviceProperties(int device) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  auto found = driver->properties(device);
  if (!found)
    return toError(found.takeError());
  return CudaDeviceProperties{
      found->name,         found->capability,      found->maxSharedBytes, found->maxSharedBytesPerMultiprocessor,
      found->maxRegisters, found->multiprocessors, found->warpSize,       found->memoryBusWidth,
      found->l2CacheBytes};
}

Result<CudaClockRates> cudaClockRates(int device) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  auto found = driver->clockRates(device);
  if (!found)
    return toError(found.takeError());
  return CudaClockRates{found->multiprocessors, found->memory};
}

Result<int> cudaCurrentDevice() {
  auto driver = cuda::Driver::get();
  return driver ? Result<int>(driver->currentDevice()) : toError(driver.takeError());
}

std::optional<Error> cudaSetCurrentDevice(int device) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  return toOptional(driver->use(device).takeError());
}

uint64_t cudaCurrentContext() {
  cuda::Driver *driver = cuda::Driver::getIfUsed();
  return driver ? number(driver->currentContext()) : 0;
}

static CudaFunction fromRuntime(const cuda::LoadedFunction &loaded) {
  return {number(loaded.module), number(loaded.function), number(loaded.context),   loaded.device,
          loaded.registers,      loaded.localBytes,       loaded.staticSharedBytes, loaded.maxThreads};
}

Result<CudaFunction> cudaLoad(std::string_view image, const std::string &name, uint32_t sharedBytes, int device) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  auto loaded = cuda::load(*driver, llvm::StringRef(image.data(), image.size()), name, sharedBytes, device);
  if (!loaded)
    return toError(loaded.takeError());
  return fromRuntime(*loaded);
}

static cuda::FunctionHandle handle(uint64_t function) { return reinterpret_cast<cuda::FunctionHandle>(function); }

std::optional<CudaFunction> cudaFind(uint64_t function) {
  std::optional<cuda::LoadedFunction> found = cuda::find(handle(function));
  return found ? std::optional(fromRuntime(*found)) : std::nullopt;
}

CudaLaunchGraph::CudaLaunchGraph() : state(std::make_unique<cuda::LaunchGraph>()) {}
CudaLaunchGraph::~CudaLaunchGraph() = default;
uint64_t CudaLaunchGraph::launches() const { return state->launches(); }

struct CudaLaunchAccess {
  static cuda::LaunchGraph *state(CudaLaunchGraph *graph) { return graph ? graph->state.get() : nullptr; }
};

static cuda::Launch toRuntime(const CudaLaunch &launch) {
  return {.function = handle(launch.function),
          .context = reinterpret_cast<cuda::ContextHandle>(launch.context),
          .isContextCurrent = launch.isContextCurrent,
          .stream = reinterpret_cast<cuda::StreamHandle>(launch.stream),
          .grid = {launch.grid[0], launch.grid[1], launch.grid[2]},
          .threads = launch.threads,
          .sharedBytes = launch.sharedBytes,
          .clusterSize = launch.clusterSize,
          .isCooperative = launch.isCooperative,
          .isProgrammatic = launch.isProgrammatic,
          .waitsAtEntry = launch.waitsAtEntry,
          .arguments = launch.arguments,
          .graph = CudaLaunchAccess::state(launch.graph),
          .argumentBlock = launch.argumentBlock};
}

int cudaLaunch(const CudaLaunch &launch) {
  cuda::Driver *driver = cuda::Driver::getIfUsed();
  return driver ? cuda::launch(driver->api(), toRuntime(launch)) : int(cuda::NotInitialized);
}

Result<double> cudaTimeLaunches(uint64_t function, uint32_t threads, uint64_t argumentBytes, int count, int handover) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  std::optional<cuda::LoadedFunction> found = cuda::find(handle(function));
  if (!found || handover < 0 || handover > 3)
    return Error{"ValueError", "expected a function that was loaded here, and a handover from 0 to 3"};
  auto time = cuda::timeLaunches(*driver, *found, threads, argumentBytes, count, cuda::Handover(handover));
  return time ? Result<double>(*time) : toError(time.takeError());
}

std::string cudaDescribeFailure(const CudaLaunch &launch, int status) {
  auto driver = cuda::Driver::get();
  return driver ? cuda::describeFailure(driver->api(), toRuntime(launch), status) : llvm::toString(driver.takeError());
}

std::optional<Error> cudaAllowLargeClusters(uint64_t function) {
  auto driver = cuda::Driver::get();
  return toOptional(driver ? cuda::allowLargeClusters(*driver, handle(function)) : driver.takeError());
}

std::optional<uint64_t> cudaDevicePointer(uint64_t pointer) {
  cuda::Driver *driver = cuda::Driver::getIfUsed();
  return driver ? cuda::devicePointer(*driver, pointer) : std::nullopt;
}

Result<int> cudaMaxActiveClusters(uint64_t function, uint32_t threads, uint32_t sharedBytes, uint32_t clusterSize) {
  auto driver = cuda::Driver::get();
  auto count = driver ? cuda::maxActiveClusters(*driver, handle(function), threads, sharedBytes, clusterSize)
                      : llvm::Expected<int>(driver.takeError());
  return count ? Result<int>(*count) : toError(count.takeError());
}

std::optional<Error> cudaSetPrintfFifoBytes(uint64_t bytes) {
  auto driver = cuda::Driver::get();
  return toOptional(driver ? cuda::setPrintfFifoBytes(*driver, bytes) : driver.takeError());
}

static cuda::TensorMapDescription toRuntime(const CudaTensorMapDescription &description) {
  return {.address = description.address,
          .swizzle = description.swizzle,
          .elementBytes = description.elementBytes,
          .elementType = description.elementType,
          .box = {description.box.data(), description.box.size()},
          .shape = {description.shape.data(), description.shape.size()},
          .strides = {description.strides.data(), description.strides.size()},
          .fillWithNan = description.fillWithNan};
}

Result<CudaTensorMap> cudaEncodeTensorMap(const CudaTensorMapDescription &description) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return toError(driver.takeError());
  auto map = cuda::encode(driver->api(), toRuntime(description));
  if (!map)
    return toError(map.takeError());
  CudaTensorMap result;
  std::copy(std::begin(map->words), std::end(map->words), result.words);
  return result;
}

std::optional<Error> cudaPackTensorMap(const CudaTensorMapDescription &description, void *destination) {
  auto driver = cuda::Driver::get();
  return toOptional(driver ? cuda::encodeOnce(driver->api(), toRuntime(description), destination) : driver.takeError());
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
