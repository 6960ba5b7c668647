#include "test/differential/Differential.h"

#include "compiler/driver/Driver.h"
#include "compiler/driver/Toolkit.h"
#include "compiler/interpreter/Interpreter.h"
#include "compiler/support/Source.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "runtime/gpu/Launch.h"
#include "runtime/gpu/Memory.h"
#include "runtime/host/Launch.h"
#include "runtime/simulated/Simulation.h"
#include "llvm/Support/FormatVariadic.h"

#include <cmath>
#include <cstring>

using namespace mlir;

namespace triton::differential {

using interpreter::Array;

namespace {

using Bytes = std::vector<char>;

size_t elementBytes(Type element) { return std::max(interpreter::bitWidth(element) / 8, 1u); }

/// Numbers of which neither sums nor products soon lose bits, the odd special one among them.
uint64_t randomElement(Type element, std::mt19937_64 &random) {
  if (auto type = dyn_cast<FloatType>(element)) {
    switch (random() % 64) {
    case 0:
      return interpreter::encode(type, 0.0);
    case 1:
      return interpreter::encode(type, -0.0);
    case 2:
      return interpreter::encode(type, HUGE_VAL);
    default:
      return interpreter::encode(type, (double(random() % 256) - 128) / 8);
    }
  }
  return interpreter::truncate(element, random() % 4 ? random() % 64 : random());
}

std::vector<Bytes> makeBuffers(RandomKernel &kernel, uint64_t seed) {
  std::mt19937_64 random(seed);
  std::vector<Bytes> buffers;
  for (const Parameter &parameter : kernel.parameters) {
    size_t bytes = elementBytes(parameter.element);
    Bytes buffer(parameter.elements * bytes);
    if (!parameter.isOutput)
      for (int64_t index = 0; index < parameter.elements; ++index) {
        uint64_t bits = randomElement(parameter.element, random);
        std::memcpy(&buffer[index * bytes], &bits, bytes);
      }
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::optional<std::string> interpret(RandomKernel &kernel, std::vector<Bytes> &buffers) {
  interpreter::Memory memory;
  SmallVector<Array> arguments;
  auto function = *kernel.module->getOps<tensor::FuncOp>().begin();
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    memory.add(buffer.data(), buffer.size(), "buffer " + std::to_string(index));
    arguments.push_back(Array::splat(function.getArgumentTypes()[index], reinterpret_cast<uint64_t>(buffer.data())));
  }
  arguments.push_back(Array::splat(function.getArgumentTypes().back(), kernel.validElements));
  std::string message;
  ScopedDiagnosticHandler handler(kernel.module->getContext(), [&](mlir::Diagnostic &diagnostic) {
    message += diagnostic.str() + "\n";
    return success();
  });
  interpreter::Interpreter interpreter(memory, llvm::nulls());
  if (failed(interpreter.launch(function, arguments, {kernel.programs, 1, 1})))
    return message;
  return std::nullopt;
}

std::optional<std::string> runOnHost(RandomKernel &kernel, const artifact::Artifact &artifact,
                                     std::vector<Bytes> &buffers) {
  auto code = runtime::KernelCode::load(*artifact.stage("obj"), artifact.name, artifact.arenaBytes);
  if (!code)
    return llvm::toString(code.takeError());
  // Pointers, then an i32: laid out like a C struct.
  Bytes arguments(8 * buffers.size() + 8);
  for (auto [index, buffer] : llvm::enumerate(buffers)) {
    const char *data = buffer.data();
    std::memcpy(&arguments[8 * index], &data, 8);
  }
  std::memcpy(&arguments[8 * buffers.size()], &kernel.validElements, 4);
  if (auto error = runtime::launch(**code, arguments.data(), {kernel.programs, 1, 1}))
    return llvm::toString(std::move(error));
  return std::nullopt;
}

llvm::Error runOnGpu(RandomKernel &kernel, const artifact::Artifact &artifact, std::vector<Bytes> &buffers) {
  namespace gpu = runtime::gpu;
  auto driver = gpu::Driver::get();
  if (!driver)
    return driver.takeError();
  auto properties = driver->properties(/*device=*/0);
  if (!properties)
    return properties.takeError();
  if (int(artifact.sharedBytes) > properties->maxSharedBytes)
    return llvm::createStringError("needs %u bytes of shared memory, and there are %d", unsigned(artifact.sharedBytes),
                                   properties->maxSharedBytes);
  auto function = gpu::load(*driver, artifact.stages.back().content, artifact.name, artifact.sharedBytes, /*device=*/0);
  if (!function)
    return function.takeError();
  std::vector<gpu::DeviceMemory> copies;
  std::vector<uint64_t> values;
  for (const Bytes &buffer : buffers) {
    auto memory = gpu::DeviceMemory::allocate(buffer.size(), 0);
    if (!memory)
      return memory.takeError();
    if (auto error = memory->copyFrom(buffer.data(), buffer.size()))
      return error;
    values.push_back(memory->address());
    copies.push_back(std::move(*memory));
  }
  values.push_back(uint32_t(kernel.validElements));
  values.insert(values.end(), {0, 0}); // no scratch
  std::vector<void *> arguments;
  for (uint64_t &value : values)
    arguments.push_back(&value);
  gpu::Launch work{.function = function->function,
                   .context = function->context,
                   .grid = {uint32_t(kernel.programs), 1, 1},
                   .threads = uint32_t(artifact.numWarps * artifact.warpSize),
                   .sharedBytes = artifact.sharedBytes,
                   .arguments = arguments.data()};
  if (int status = gpu::launch(driver->api(), work))
    return gpu::failure(driver->api(), status);
  if (auto error = gpu::synchronize(nullptr, 0))
    return error;
  for (auto [copy, buffer] : llvm::zip(copies, buffers))
    if (auto error = copy.copyTo(buffer.data(), buffer.size()))
      return error;
  return gpu::unload(*driver, *function);
}

llvm::Expected<std::string> architectureOfGpu() {
  auto driver = runtime::gpu::Driver::get();
  if (!driver)
    return driver.takeError();
  auto properties = driver->properties(0);
  if (!properties)
    return properties.takeError();
  return "sm_" + std::to_string(properties->capability);
}

/// Division and square root of f32 are approximations on a GPU unless a kernel asks for the rounded ones: it does, here.
void askForRoundedResults(ModuleOp module) {
  IRRewriter rewriter(module.getContext());
  module.walk([&](Operation *op) {
    if (!isa<arith::DivFOp, math::SqrtOp>(op) || !getElementTypeOrSelf(op->getResult(0)).isF32())
      return;
    rewriter.setInsertionPoint(op);
    if (isa<arith::DivFOp>(op))
      rewriter.replaceOpWithNewOp<tensor::PreciseDivFOp>(op, op->getOperand(0), op->getOperand(1));
    else
      rewriter.replaceOpWithNewOp<tensor::PreciseSqrtOp>(op, op->getOperand(0));
  });
}

std::optional<std::string> runCompiled(RandomKernel &kernel, std::vector<Bytes> &buffers, const Place &place) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  OwningOpRef<ModuleOp> module = kernel.module->clone();
  const bool isSimulated = place.target == "simulator";
  if (place.target != "cpu")
    askForRoundedResults(*module);
  module->print(stream);
  const auto source = Source::create("random.ttir", text);
  Diagnostics diagnostics;
  driver::IrCompileRequest request{.stage = "ttir", .source = source};
  request.options.enableFpFusion = false; // a fused multiply-add rounds once: other bits
  const bool isAmd = llvm::StringRef(place.architecture).starts_with("gfx");
  request.options.backend = isSimulated ? (isAmd ? "hip" : "cuda") : place.target;
  request.options.architecture = place.architecture;
  request.options.numWarps = place.numWarps;
  bool runs = place.runs();
  if (isSimulated) {
    if (isAmd)
      request.options.isSimulated = true;
    else
      request.options.assemblerPath = driver::simulatorName.str();
    runtime::gpu::Driver::setLibrary((runtime::simulated::simulatorPrefix + place.architecture).str());
  }
  if (place.target == "cuda" && runs) {
    auto architecture = architectureOfGpu();
    if (!architecture)
      return llvm::toString(architecture.takeError());
    request.options.architecture = *architecture;
  }
  auto artifact = driver::compileIr(request, diagnostics);
  if (!artifact) {
    std::string message;
    for (const triton::Diagnostic &diagnostic : diagnostics.all())
      message += diagnostic.message + "\n";
    return message;
  }
  if (!runs)
    return std::nullopt;
  if (place.target == "cpu")
    return runOnHost(kernel, *artifact, buffers);
  if (auto error = runOnGpu(kernel, *artifact, buffers))
    return llvm::toString(std::move(error));
  return std::nullopt;
}

/// Whether two floats may come from the same computation in another order, with functions that are a few units off.
bool isClose(FloatType type, double wanted, double got) {
  if (std::isinf(wanted) || std::isinf(got))
    return wanted == got;
  // Wide results may come from narrower numbers: sums of f32 in another order, widened.
  double unit = std::ldexp(1.0, 1 - std::min(24, int(APFloat::semanticsPrecision(type.getFloatSemantics()))));
  return std::abs(wanted - got) <= 64 * unit * std::max({std::abs(wanted), std::abs(got), 1.0});
}

/// The first element in which `actual` differs from `expected`: by its bits, or by more than a tolerance; any NaN is as good as another.
std::optional<std::string> findDifference(const Parameter &parameter, const Bytes &expected, const Bytes &actual,
                                          bool isExact) {
  size_t bytes = elementBytes(parameter.element);
  for (int64_t index = 0; index < parameter.elements; ++index) {
    uint64_t left = 0, right = 0;
    std::memcpy(&left, &expected[index * bytes], bytes);
    std::memcpy(&right, &actual[index * bytes], bytes);
    if (left == right)
      continue;
    auto type = dyn_cast<FloatType>(parameter.element);
    if (!type)
      return llvm::formatv("element {0}: expected {1:x}, got {2:x}", index, left, right);
    double wanted = interpreter::decode(type, left), got = interpreter::decode(type, right);
    if (std::isnan(wanted) && std::isnan(got))
      continue;
    if (isExact || !isClose(type, wanted, got))
      return llvm::formatv("element {0}: expected {1} ({2:x}), got {3} ({4:x})", index, wanted, left, got, right);
  }
  return std::nullopt;
}

} // namespace

/// What is different between two runs of `kernel`.
static std::optional<std::string> findDifference(const RandomKernel &kernel, ArrayRef<Bytes> expected,
                                                 ArrayRef<Bytes> actual, bool isExact = true) {
  for (auto [index, parameter] : llvm::enumerate(kernel.parameters))
    if (auto difference = findDifference(parameter, expected[index], actual[index], isExact)) {
      std::string type;
      llvm::raw_string_ostream(type) << parameter.element;
      return "parameter " + std::to_string(index) + " of " + type + ", " + *difference;
    }
  return std::nullopt;
}

Outcome compare(RandomKernel &kernel, uint64_t seed, const Place &place) {
  std::vector<Bytes> expected = makeBuffers(kernel, seed), actual = makeBuffers(kernel, seed);
  if (auto message = interpret(kernel, expected))
    return {Outcome::NotInterpreted, *message};
  if (auto message = runCompiled(kernel, actual, place))
    return {Outcome::NotCompiled, *message};
  if (!place.runs())
    return {Outcome::Same, ""};
  auto difference = findDifference(kernel, expected, actual, place.target == "cpu");
  if (!difference)
    return {Outcome::Same, ""};

  // Whose fault is it? The passes that all targets share can be asked on their own.
  RandomKernel simplified{kernel.module->clone(), kernel.parameters, kernel.programs, kernel.validElements};
  PassManager manager(kernel.module->getContext());
  tensor::buildTensorPipeline(manager);
  std::vector<Bytes> between = makeBuffers(kernel, seed);
  if (failed(manager.run(*simplified.module)) || interpret(simplified, between))
    return {Outcome::Different, "after the tensor pipeline it cannot be interpreted; compiled: " + *difference};
  if (auto early = findDifference(kernel, expected, between))
    return {Outcome::Different, "after the tensor pipeline already: " + *early};
  return {Outcome::Different, *difference};
}

} // namespace triton::differential
