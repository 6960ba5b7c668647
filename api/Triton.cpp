// The C++ API: modules from files, kernels specialised by their arguments, compiled once, launched on the CPU's threads.
#include <cstring>
#include <triton/cuda.h>
#include <triton/triton.h>

#include "api/ArgumentPacking.h"
#include "api/CompiledState.h"
#include "api/DescriptorArgument.h"
#include "api/LaunchPlan.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/Specialization.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/frontend/FileHost.h"
#include "compiler/frontend/Folding.h"
#include "runtime/host/Launch.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MemoryBuffer.h"

#include <cstdlib>
#include <mutex>

using namespace triton;
using driver::LaunchArgument;

static constexpr size_t mostArgumentBytes = 4096;

struct Module::State {
  std::shared_ptr<const Source> source;
  std::unique_ptr<frontend::FileHost> host;
};

struct Kernel::State {
  std::shared_ptr<Module::State> module; // keeps the host alive
  std::shared_ptr<const frontend::Function> function;
  std::vector<std::optional<Argument>> defaults; // one per parameter
  std::vector<bool> isConstexpr;                 // likewise
  std::mutex mutex;
  llvm::StringMap<CompiledKernel> compiled; // by specialisation and options
  llvm::StringMap<std::shared_ptr<const LaunchPlan>> plans;
};

static Error errorOf(const Diagnostics &diagnostics) {
  std::string kind;
  for (const Diagnostic &diagnostic : diagnostics.all())
    if (kind.empty() && diagnostic.severity == Severity::Error)
      kind = diagnostic.exception;
  return Error(kind.empty() ? "CompilationError" : kind, render(diagnostics.all(), /*color=*/false));
}

static Error errorOf(llvm::Error error) {
  std::string kind = "RuntimeError", message;
  llvm::handleAllErrors(
      std::move(error),
      [&](const frontend::HostError &hostError) {
        kind = hostError.exception;
        message = hostError.message;
      },
      [&](const OutOfResources &error) {
        kind = "OutOfResources";
        message = error.message();
      },
      [&](const llvm::ErrorInfoBase &other) { message = other.message(); });
  return Error(kind, message);
}

std::string_view triton::version() { return "3.6.0"; }

Expected<Module> Module::tryLoad(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/true);
  if (!buffer)
    return Error("FileNotFoundError", "cannot read '" + path + "': " + buffer.getError().message());
  return tryParse((*buffer)->getBuffer().str(), path);
}

Expected<Module> Module::tryParse(std::string text, std::string name) {
  Module module;
  module.state = std::make_shared<State>();
  module.state->source = Source::create(std::move(name), std::move(text));
  Diagnostics diagnostics;
  module.state->host = frontend::FileHost::create(module.state->source, diagnostics);
  if (!module.state->host)
    return errorOf(diagnostics);
  return module;
}

std::vector<std::string> Module::kernels() const {
  std::vector<std::string> names;
  for (const auto &function : state->host->kernels())
    names.push_back(function->name);
  return names;
}

/// A parameter's default as if the caller had passed it; nullopt if C++ has no such argument.
static std::optional<Argument> toArgument(const frontend::Value &value) {
  if (value.isNone())
    return Argument(nullptr);
  if (auto *boolean = value.getIf<bool>())
    return Argument(*boolean);
  if (auto *real = value.getIf<double>())
    return Argument(*real);
  if (auto *text = value.getIf<std::string>())
    return Argument(*text);
  if (auto *integer = value.getIf<frontend::Integer>())
    if (auto small = frontend::toInt64(*integer))
      return Argument(*small);
  return std::nullopt;
}

Expected<Kernel> Module::tryKernel(std::string_view name) const {
  auto function = state->host->kernel(llvm::StringRef(name.data(), name.size()));
  if (!function)
    return Error("NameError", state->source->name().str() + " has no jitted function '" + std::string(name) +
                                  "'; it has: " + llvm::join(kernels(), ", "));
  Kernel kernel;
  kernel.state = std::make_shared<Kernel::State>();
  kernel.state->module = state;
  for (const frontend::Parameter &parameter : function->parameters)
    kernel.state->isConstexpr.push_back(parameter.isConstexpr);
  for (const frontend::Parameter &parameter : function->parameters)
    kernel.state->defaults.push_back(parameter.defaultValue ? toArgument(*parameter.defaultValue) : std::nullopt);
  kernel.state->function = std::move(function);
  return kernel;
}

std::string_view Kernel::name() const { return state->function->name; }

std::vector<ParameterInfo> Kernel::parameters() const {
  std::vector<ParameterInfo> result;
  for (const frontend::Parameter &parameter : state->function->parameters)
    result.push_back({parameter.name, parameter.annotation, parameter.isConstexpr, parameter.defaultValue.has_value()});
  return result;
}

static frontend::Type typeOf(DataType type) {
  // Both enumerations list the types in the same order; frontend's begins with void.
  static_assert(static_cast<int>(DataType::Int1) + 1 == static_cast<int>(frontend::ScalarKind::Int1) &&
                static_cast<int>(DataType::Float8E5) + 1 == static_cast<int>(frontend::ScalarKind::Float8E5) &&
                static_cast<int>(DataType::Float64) + 1 == static_cast<int>(frontend::ScalarKind::Float64));
  return frontend::Type::scalar(static_cast<frontend::ScalarKind>(static_cast<uint8_t>(type) + 1));
}

static LaunchArgument toLaunchArgument(const Argument &argument) {
  if (auto *value = std::get_if<bool>(&argument.content))
    return {*value};
  if (auto *value = std::get_if<int64_t>(&argument.content))
    return {*value};
  if (auto *value = std::get_if<uint64_t>(&argument.content))
    return {*value};
  if (auto *value = std::get_if<double>(&argument.content))
    return {*value};
  if (auto *value = std::get_if<std::string>(&argument.content))
    return {frontend::Value::string(*value)};
  if (auto *value = std::get_if<DataType>(&argument.content))
    return {frontend::Value::dtype(typeOf(*value))};
  if (auto *value = std::get_if<Argument::Pointer>(&argument.content))
    return {
        LaunchArgument::Pointer{typeOf(value->element), reinterpret_cast<uint64_t>(value->address), value->isConst}};
  if (auto *value = std::get_if<Argument::Descriptor>(&argument.content))
    return {LaunchArgument::Descriptor{typeOf(value->base.element), value->block}};
  return {std::monostate()};
}

/// The arguments in the order of the parameters: positions first, then names, then defaults. Null where a default is none of
/// C++'s arguments: it is a constant of the kernel.
static Expected<std::vector<const Argument *>> bindArguments(const Kernel::State &kernel,
                                                             const std::vector<Argument> &arguments) {
  const frontend::Function &function = *kernel.function;
  std::vector<const Argument *> bound(function.parameters.size(), nullptr);
  size_t position = 0;
  for (const Argument &argument : arguments) {
    size_t index = position;
    if (argument.name.empty()) {
      ++position;
    } else {
      auto parameter =
          llvm::find_if(function.parameters, [&](const auto &candidate) { return candidate.name == argument.name; });
      index = parameter - function.parameters.begin();
      if (parameter == function.parameters.end())
        return Error("KeyError", "'" + function.name + "' has no parameter '" + argument.name + "'");
    }
    if (index >= bound.size())
      return Error("TypeError", "'" + function.name + "' takes " + std::to_string(bound.size()) + " arguments, got " +
                                    std::to_string(arguments.size()));
    if (bound[index])
      return Error("TypeError",
                   "'" + function.name + "' got several values for '" + function.parameters[index].name + "'");
    bound[index] = &argument;
  }
  for (auto [argument, parameter, defaultArgument] : llvm::zip(bound, function.parameters, kernel.defaults)) {
    if (!argument && !parameter.defaultValue)
      return Error("TypeError", "'" + function.name + "' is missing argument '" + parameter.name + "'");
    if (!argument && defaultArgument)
      argument = &*defaultArgument;
  }
  return bound;
}

static Expected<std::vector<frontend::ArgumentSpec>> specialize(const frontend::Function &function,
                                                                llvm::ArrayRef<const Argument *> arguments) {
  std::vector<frontend::ArgumentSpec> specs;
  for (auto [argument, parameter] : llvm::zip(arguments, function.parameters)) {
    if (!argument) {
      specs.emplace_back();
      specs.back().kind = frontend::ArgumentSpec::Kind::Constant;
      specs.back().constant = *parameter.defaultValue;
      continue;
    }
    if (auto *descriptor = std::get_if<Argument::Descriptor>(&argument->content))
      if (std::optional<Error> error = checkDescriptor(*descriptor))
        return *error;
    auto spec = driver::specialize(parameter, toLaunchArgument(*argument));
    if (!spec)
      return errorOf(spec.takeError());
    specs.push_back(std::move(*spec));
  }
  return specs;
}

static driver::Options driverOptions(const Options &options) {
  return {.backend = options.target,
          .architecture = options.architecture,
          .numWarps = options.numWarps,
          .numCtas = options.numCtas,
          .numStages = options.numStages,
          .debug = options.debug,
          .checkAccesses = options.checkAccesses,
          .enableFpFusion = options.enableFpFusion,
          .maxRegisters = options.maxRegisters,
          .tensorMaps = options.target == "cuda",
          .waitAtEntry = options.overlapLaunches && !options.launchProgrammatic};
}

/// The options with the architecture that "native" means for the device they name.
static Expected<driver::Options> resolveOptions(const Options &options) {
  driver::Options resolved = driverOptions(options);
  if (options.target != "cuda" || options.architecture != "native")
    return resolved;
  Expected<std::string> architecture = cuda::tryArchitecture(options.device);
  if (!architecture)
    return architecture.error();
  resolved.architecture = *architecture;
  return resolved;
}

/// From the cache directory if it is there.
static Expected<std::shared_ptr<const artifact::Artifact>> compileOrLoad(const Kernel &kernel, const std::string &key,
                                                                         const driver::CompileRequest &request,
                                                                         const Options &options,
                                                                         Diagnostics &diagnostics) {
  if (options.cacheDirectory.empty())
    return driver::compile(request, diagnostics);
  auto storage = driver::openStorage(options.cacheDirectory, options.cacheSecretFile);
  if (!storage)
    return errorOf(storage.takeError());
  const std::string identity = kernel.state->function->name + ";" + key + ";" + kernel.state->module->host->sourceKey();
  return driver::compileOrLoad(request, identity, *storage, diagnostics);
}

static Expected<CompiledKernel> compileSpecialized(const Kernel &kernel, std::vector<frontend::ArgumentSpec> specs,
                                                   const Options &options) {
  driver::CompileRequest request;
  auto resolved = resolveOptions(options);
  if (!resolved)
    return resolved.error();
  request.options = *resolved;
  request.inspection.emitAssembly = options.keepAssembly;
  std::string key = request.options.key() + (options.keepAssembly ? ";asm;" : ";");
  for (const frontend::ArgumentSpec &spec : specs)
    driver::appendKey(spec, key);
  {
    std::lock_guard lock(kernel.state->mutex);
    if (auto found = kernel.state->compiled.find(key); found != kernel.state->compiled.end())
      return found->second;
  }
  request.kernel.function = kernel.state->function;
  request.kernel.arguments = std::move(specs);
  Diagnostics diagnostics;
  auto found = compileOrLoad(kernel, key, request, options, diagnostics);
  if (!found)
    return found.error();
  std::shared_ptr<const artifact::Artifact> artifact = std::move(*found);
  if (!artifact)
    return errorOf(diagnostics);
  auto state = std::make_shared<CompiledKernel::State>();
  if (options.target == "cpu" && options.architecture == "native") {
    auto code = runtime::KernelCode::load(*artifact->stage("obj"), artifact->name, artifact->arenaBytes);
    if (!code)
      return errorOf(code.takeError());
    state->code = std::move(*code);
  } else if (options.target == "cuda")
    state->cuda = std::make_unique<CudaKernel>(artifact);
  state->artifact = std::move(artifact);
  CompiledKernel result;
  result.state = std::move(state);
  std::lock_guard lock(kernel.state->mutex);
  return kernel.state->compiled.try_emplace(key, std::move(result)).first->second;
}

Expected<CompiledKernel> Kernel::tryCompile(const std::vector<Argument> &arguments, const Options &options) const {
  auto bound = bindArguments(*state, arguments);
  if (!bound)
    return bound.error();
  auto specs = specialize(*state->function, *bound);
  if (!specs)
    return specs.error();
  return compileSpecialized(*this, std::move(*specs), options);
}

Expected<CompiledKernel> Kernel::tryCompileSignature(std::string_view signature, const Options &options) const {
  auto specs = driver::parseSignature(*state->function, llvm::StringRef(signature.data(), signature.size()));
  if (!specs)
    return errorOf(specs.takeError());
  return compileSpecialized(*this, std::move(*specs), options);
}

/// What is wrong with memory that must not change, if the kernel may store to it.
static std::optional<Error> checkStores(const Argument::Pointer *pointer, const artifact::Argument &slot) {
  if (!pointer || !pointer->isReadOnly || !slot.isStored)
    return std::nullopt;
  llvm::StringRef name = slot.name;
  name.consume_back(".base"); // of a descriptor
  return Error("ValueError", "argument '" + name.str() + "' points to const, and the kernel stores to it");
}

/// All arguments of a launch.
static std::optional<Error> packAll(const LaunchPlan &plan, const std::vector<Argument> &arguments, char *block) {
  const artifact::Artifact &artifact = *plan.compiled.state->artifact;
  size_t slot = 0, map = 0;
  for (auto [source, given] : plan.sources) {
    const Argument &argument = given ? *given : arguments[source];
    auto *descriptor = std::get_if<Argument::Descriptor>(&argument.content);
    auto *pointer = descriptor ? &descriptor->base : std::get_if<Argument::Pointer>(&argument.content);
    if (std::optional<Error> error = checkStores(pointer, artifact.arguments[slot]))
      return error;
    if (!descriptor) {
      packArgument(argument, artifact.arguments[slot++], block);
      continue;
    }
    if (std::optional<Error> error = checkDescriptor(*descriptor))
      return error;
    if (llvm::Error error = packDescriptor(*descriptor, artifact, slot, map, block))
      return errorOf(std::move(error));
  }
  return std::nullopt;
}

static unsigned threadLimit(const Options &options) {
  if (options.threads)
    return options.threads;
  const char *text = std::getenv("TRITON_CPU_MAX_THREADS");
  return text ? static_cast<unsigned>(std::strtoul(text, nullptr, 10)) : 0;
}

static CudaLaunchOptions cudaOptions(const Options &options) {
  return {.device = options.device,
          .stream = static_cast<runtime::cuda::StreamHandle>(options.stream),
          .isCooperative = options.launchCooperative,
          .isProgrammatic = options.launchProgrammatic,
          .usesGraphs = options.launchGraphs};
}

/// Binds, specialises and compiles, and keeps the plan for launches like this one.
static Expected<std::shared_ptr<const LaunchPlan>>
makePlan(const Kernel &kernel, const LaunchKey &key, const std::vector<Argument> &arguments, const Options &options) {
  constexpr unsigned mostPlans = 4096; // named arguments that vary would fill the memory
  auto bound = bindArguments(*kernel.state, arguments);
  if (!bound)
    return bound.error();
  auto specs = specialize(*kernel.state->function, *bound);
  if (!specs)
    return specs.error();
  auto plan = std::make_shared<LaunchPlan>();
  for (auto [argument, spec] : llvm::zip(*bound, *specs)) {
    if (spec.kind != frontend::ArgumentSpec::Kind::Runtime)
      continue;
    bool isGiven = argument >= arguments.data() && argument < arguments.data() + arguments.size();
    plan->sources.emplace_back(isGiven ? int(argument - arguments.data()) : -1, isGiven ? nullptr : argument);
  }
  auto compiled = compileSpecialized(kernel, std::move(*specs), options);
  if (!compiled)
    return compiled.error();
  const CompiledKernel::State &code = *compiled->state;
  if (!code.code && !code.cuda)
    return Error("RuntimeError", "'" + code.artifact->name + "' was compiled for " + code.artifact->architecture +
                                     ", not for this machine, and cannot be launched here");
  if (code.artifact->argumentBytes > mostArgumentBytes)
    return Error("ValueError", "more than " + std::to_string(mostArgumentBytes) + " bytes of arguments");
  plan->compiled = std::move(*compiled);
  std::lock_guard lock(kernel.state->mutex);
  if (kernel.state->plans.size() >= mostPlans)
    kernel.state->plans.clear();
  kernel.state->plans[key] = plan;
  return std::shared_ptr<const LaunchPlan>(plan);
}

static std::shared_ptr<const LaunchPlan> findPlan(const Kernel &kernel, const LaunchKey &key) {
  std::lock_guard lock(kernel.state->mutex);
  return kernel.state->plans.lookup(key);
}

Expected<CompiledKernel> Kernel::tryLaunch(Grid grid, const std::vector<Argument> &arguments,
                                           const Options &options) const {
  LaunchKey key;
  appendLaunchKey(arguments, options, state->isConstexpr, key);
  std::shared_ptr<const LaunchPlan> plan = findPlan(*this, key);
  if (!plan) {
    auto made = makePlan(*this, key, arguments, options);
    if (!made)
      return made.error();
    plan = std::move(*made);
  }
  const CompiledKernel::State &kernel = *plan->compiled.state;
  for (int64_t extent : {grid.x, grid.y, grid.z})
    if (extent < 0 || extent > INT32_MAX)
      return Error("ValueError", "grid extent " + std::to_string(extent) + " is out of range");
  alignas(64) char block[mostArgumentBytes];             // tensor maps stand at multiples of 64 bytes
  std::memset(block, 0, kernel.artifact->argumentBytes); // also what lies between arguments: blocks are compared
  if (std::optional<Error> error = packAll(*plan, arguments, block))
    return *error;
  std::array<int32_t, 3> extents = {static_cast<int32_t>(grid.x), static_cast<int32_t>(grid.y),
                                    static_cast<int32_t>(grid.z)};
  llvm::Error error = kernel.cuda ? kernel.cuda->launch(block, extents, cudaOptions(options))
                                  : runtime::launch(*kernel.code, block, extents, {.maxThreads = threadLimit(options)});
  if (error)
    return errorOf(std::move(error));
  return plan->compiled;
}
