// Kernels specialised by their arguments, compiled once, launched on the CPU's threads or on a GPU.
#include "api/Kernel.h"

#include "api/CallOptions.h"
#include "api/DescriptorArgument.h"
#include "compiler/driver/Driver.h"
#include "compiler/driver/Specialization.h"
#include "compiler/driver/StoredCompile.h"
#include "compiler/frontend/values/Folding.h"
#include "compiler/support/Suggestion.h"
#include "dispatch/launch/ThreadLimit.h"

#include <cstring>

using namespace triton;
using driver::LaunchArgument;

static constexpr size_t mostArgumentBytes = 4096;

/// The argument as a value of compile time.
static frontend::Value constantOf(const triton_argument &argument, const dispatch::Argument &facts) {
  using dispatch::ArgumentKind;
  if (isText(argument))
    return frontend::Value::string(textOf(argument).str());
  if (argument.kind == TRITON_ARGUMENT_TYPE)
    return frontend::Value::dtype(frontend::Type::scalar(scalarTypeOf(argument.type)));
  if (facts.kind == ArgumentKind::Boolean)
    return frontend::Value::boolean(facts.bits != 0);
  if (facts.kind == ArgumentKind::Integer)
    return frontend::Value::integer(
        frontend::fromBits(llvm::APInt(64, facts.bits), facts.type != dispatch::ScalarType::UInt64));
  if (facts.kind == ArgumentKind::Real)
    return frontend::Value::real(facts.real);
  return frontend::Value::none();
}

static LaunchArgument toLaunchArgument(const triton_argument &argument) {
  dispatch::Argument facts = factsOf(argument);
  std::string type = dispatch::typeOf(facts);
  if (argument.kind == TRITON_ARGUMENT_DESCRIPTOR)
    type = dispatch::descriptorType(facts.type, blockOf(*argument.value.descriptor));
  else if (isConst(argument))
    type.insert(1, "k");
  return {facts, std::move(type), constantOf(argument, facts)};
}

/// The arguments in the order of the parameters: positions first, then names, then defaults. Null where a default is no
/// argument that callers could give: it is a constant of the kernel.
static llvm::Expected<std::vector<const triton_argument *>> bindArguments(const triton_kernel &kernel,
                                                                          Arguments arguments) {
  const frontend::Function &function = *kernel.function;
  std::vector<const triton_argument *> bound(function.parameters.size(), nullptr);
  size_t position = 0;
  for (const triton_argument &argument : arguments) {
    size_t index = position;
    llvm::StringRef name = nameOf(argument);
    if (name.empty()) {
      ++position;
    } else {
      auto parameter =
          llvm::find_if(function.parameters, [&](const auto &candidate) { return candidate.name == name; });
      index = parameter - function.parameters.begin();
      if (parameter == function.parameters.end())
        return failure("KeyError", "'" + function.name + "' has no parameter '" + name.str() + "'" +
                                       didYouMean(name, llvm::map_range(function.parameters, [](const auto &each) {
                                                    return llvm::StringRef(each.name);
                                                  })));
    }
    if (index >= bound.size())
      return failure("TypeError", "'" + function.name + "' takes " + std::to_string(bound.size()) + " arguments, got " +
                                      std::to_string(arguments.size()));
    if (bound[index])
      return failure("TypeError",
                     "'" + function.name + "' got several values for '" + function.parameters[index].name + "'");
    bound[index] = &argument;
  }
  for (auto [argument, parameter, defaultArgument] : llvm::zip(bound, function.parameters, kernel.defaults)) {
    if (!argument && !parameter.defaultValue)
      return failure("TypeError", "'" + function.name + "' is missing argument '" + parameter.name + "'");
    if (!argument && defaultArgument)
      argument = &*defaultArgument;
  }
  return bound;
}

namespace {
/// The arguments of a launch, bound to the kernel's parameters, and what the compiler is told of each.
struct Specialization {
  std::vector<const triton_argument *> arguments;
  std::vector<frontend::ArgumentSpec> specs;
};
} // namespace

static llvm::Expected<Specialization> specialize(const triton_kernel &kernel, Arguments given) {
  auto bound = bindArguments(kernel, given);
  if (!bound)
    return bound.takeError();
  std::vector<frontend::ArgumentSpec> specs;
  for (auto [argument, parameter] : llvm::zip(*bound, kernel.function->parameters)) {
    if (!argument) {
      specs.emplace_back();
      specs.back().kind = frontend::ArgumentSpec::Kind::Constant;
      specs.back().constant = *parameter.defaultValue;
      continue;
    }
    if (argument->kind == TRITON_ARGUMENT_DESCRIPTOR)
      if (llvm::Error error = checkDescriptor(*argument->value.descriptor))
        return error;
    auto spec = driver::specialize(parameter, toLaunchArgument(*argument));
    if (!spec)
      return spec.takeError();
    specs.push_back(std::move(*spec));
  }
  return Specialization{std::move(*bound), std::move(specs)};
}

static bool isOfGpus(llvm::StringRef backend) { return backend == "cuda" || backend == "hip"; }

/// The options with the architecture that "native" means for the device they name.
static llvm::Expected<driver::Settings> resolveOptions(const triton_options &options) {
  llvm::Expected<driver::Settings> resolved = driverOptions(options);
  if (!resolved || !isOfGpus(resolved->backend) || resolved->architecture != "native")
    return resolved;
  if (auto driver = dispatch::gpuDriver(resolved->backend); !driver)
    return driver.takeError();
  llvm::Expected<std::string> architecture = dispatch::gpuArchitecture(options.device);
  if (!architecture)
    return architecture.takeError();
  resolved->architecture = *architecture;
  return resolved;
}

/// From a bundle or the cache directory if it is there. Null after reporting errors of the kernel's.
static llvm::Expected<std::shared_ptr<const artifact::Artifact>> compileOrLoad(const triton_kernel &kernel,
                                                                               const driver::CompileRequest &request,
                                                                               const triton_options &options,
                                                                               Diagnostics &diagnostics) {
  if (!*options.cache_directory && !*options.bundles && !*options.record_directory)
    return driver::compile(request, diagnostics);
  auto storage = driver::openStorage(options.cache_directory, options.cache_secret_file, options.bundles,
                                     options.record_directory);
  if (!storage)
    return storage.takeError();
  return driver::compileOrLoad(request, kernel.module->host->sourceKey(), *storage, diagnostics);
}

static llvm::Expected<CompiledKernel>
compileSpecialized(triton_kernel &kernel, std::vector<frontend::ArgumentSpec> specs, const triton_options &options) {
  driver::CompileRequest request;
  auto resolved = resolveOptions(options);
  if (!resolved)
    return resolved.takeError();
  request.options = *resolved;
  request.inspection = *resolved;
  std::string key = request.options.key() + request.options.paths() + (request.inspection.emitAssembly ? ";asm;" : ";");
  for (const frontend::ArgumentSpec &spec : specs)
    driver::appendKey(spec, key);
  {
    std::lock_guard lock(kernel.mutex);
    if (auto found = kernel.compiled.find(key); found != kernel.compiled.end())
      return found->second;
  }
  request.kernel.function = kernel.function;
  request.kernel.arguments = std::move(specs);
  Diagnostics diagnostics;
  auto found = compileOrLoad(kernel, request, options, diagnostics);
  if (!found)
    return found.takeError();
  std::shared_ptr<const artifact::Artifact> artifact = std::move(*found);
  if (!artifact)
    return failure(diagnostics);
  auto result = llvm::makeIntrusiveRefCnt<triton_compiled>();
  if (resolved->backend == "cpu" && resolved->architecture == "native") {
    auto code = runtime::KernelCode::load(*artifact->stage("obj"), artifact->name, artifact->arenaBytes);
    if (!code)
      return code.takeError();
    result->code = std::move(*code);
  } else if (isOfGpus(resolved->backend))
    result->cuda = std::make_unique<dispatch::CudaKernel>(artifact);
  result->artifact = std::move(artifact);
  std::lock_guard lock(kernel.mutex);
  return kernel.compiled.try_emplace(key, std::move(result)).first->second;
}

llvm::Expected<CompiledKernel> triton::compile(triton_kernel &kernel, Arguments arguments,
                                               const triton_options &options) {
  auto specialized = specialize(kernel, arguments);
  if (!specialized)
    return specialized.takeError();
  return compileSpecialized(kernel, std::move(specialized->specs), options);
}

static llvm::Expected<CompiledKernel> compileSignature(triton_kernel &kernel, llvm::StringRef signature,
                                                       const triton_options &options) {
  auto specs = driver::parseSignature(*kernel.function, signature);
  if (!specs)
    return specs.takeError();
  return compileSpecialized(kernel, std::move(*specs), options);
}

static llvm::Error launchOnHost(const triton_compiled &compiled, const void *block, std::array<int32_t, 3> grid,
                                const triton_options &options) {
  llvm::Expected<unsigned> threads = dispatch::threadLimit(options.threads);
  if (!threads)
    return threads.takeError();
  return runtime::launch(
      *compiled.code, block, grid,
      {.maxThreads = *threads, .waits = compiled.artifact->waitsForPrograms, .polls = compiled.artifact->polls});
}

static llvm::Error launchOnCuda(const triton_compiled &compiled, std::byte *block, std::array<int32_t, 3> grid,
                                const triton_options &options) {
  return compiled.cuda->launch(block,
                               {.stream = reinterpret_cast<uint64_t>(options.stream),
                                .grid = {grid[0], grid[1], grid[2]},
                                .mayUseGraph = options.launch_graphs != 0},
                               options.device);
}

/// What a device lacks, with a look at the kernel as the compiler's own errors have it.
static llvm::Error atKernel(llvm::Error error, const frontend::Function &function) {
  return llvm::handleErrors(std::move(error), [&](const dispatch::OutOfResources &lacking) {
    Diagnostics diagnostics;
    diagnostics.report(
        {.range = function.definition->nameRange, .message = lacking.message(), .exception = "OutOfResources"});
    return failure(diagnostics);
  });
}

/// Binds, specialises and compiles, and keeps the plan for launches like this one.
static llvm::Expected<std::shared_ptr<const LaunchPlan>> makePlan(triton_kernel &kernel, const LaunchKey &key,
                                                                  Arguments arguments, const triton_options &options) {
  constexpr unsigned mostPlans = 4096; // named arguments that vary would fill the memory
  auto specialized = specialize(kernel, arguments);
  if (!specialized)
    return specialized.takeError();
  auto plan = std::make_shared<LaunchPlan>();
  std::vector<std::string> types;
  for (auto [argument, spec] : llvm::zip(specialized->arguments, specialized->specs)) {
    if (spec.kind != frontend::ArgumentSpec::Kind::Runtime)
      continue;
    bool isGiven = argument >= arguments.begin() && argument < arguments.end();
    plan->sources.emplace_back(isGiven ? int(argument - arguments.begin()) : -1, isGiven ? nullptr : argument);
    types.push_back(spec.type.signature());
  }
  auto compiled = compileSpecialized(kernel, std::move(specialized->specs), options);
  if (!compiled)
    return compiled.takeError();
  const triton_compiled &code = **compiled;
  if (!code.code && !code.cuda)
    return failure("RuntimeError", "'" + code.artifact->name + "' was compiled for " + code.artifact->architecture +
                                       ", not for this machine, and cannot be launched here");
  if (code.artifact->argumentBytes > mostArgumentBytes)
    return failure("ValueError", "more than " + std::to_string(mostArgumentBytes) + " bytes of arguments");
  auto layout = planLayout(*code.artifact, types);
  if (!layout)
    return layout.takeError();
  plan->layout = std::move(*layout);
  plan->compiled = std::move(*compiled);
  std::lock_guard lock(kernel.mutex);
  if (kernel.plans.size() >= mostPlans)
    kernel.plans.clear();
  kernel.plans[key] = plan;
  return std::shared_ptr<const LaunchPlan>(plan);
}

static std::shared_ptr<const LaunchPlan> findPlan(triton_kernel &kernel, const LaunchKey &key) {
  std::lock_guard lock(kernel.mutex);
  return kernel.plans.lookup(key);
}

llvm::Expected<CompiledKernel> triton::launch(triton_kernel &kernel, const triton_grid &grid, Arguments arguments,
                                              const triton_options &options) {
  LaunchKey key;
  appendLaunchKey(arguments, options, *kernel.function, key);
  std::shared_ptr<const LaunchPlan> plan = findPlan(kernel, key);
  if (!plan) {
    auto made = makePlan(kernel, key, arguments, options);
    if (!made)
      return made.takeError();
    plan = std::move(*made);
  }
  const triton_compiled &compiled = *plan->compiled;
  for (int64_t extent : {grid.x, grid.y, grid.z})
    if (extent < 0 || extent > INT32_MAX)
      return failure("ValueError", "grid extent " + std::to_string(extent) + " is out of range");
  alignas(64) std::byte block[mostArgumentBytes + 8];      // tensor maps stand at multiples of 64 bytes
  std::memset(block, 0, compiled.artifact->argumentBytes); // also what lies between arguments: blocks are compared
  if (llvm::Error error = plan->pack(arguments, block))
    return error;
  std::array<int32_t, 3> extents = {static_cast<int32_t>(grid.x), static_cast<int32_t>(grid.y),
                                    static_cast<int32_t>(grid.z)};
  llvm::Error error =
      compiled.cuda ? launchOnCuda(compiled, block, extents, options) : launchOnHost(compiled, block, extents, options);
  if (error)
    return atKernel(std::move(error), *kernel.function);
  return plan->compiled;
}

/// Launches with what a caller gave, unchecked yet.
static llvm::Expected<CompiledKernel> launchGiven(const triton_kernel *kernel, const triton_grid &grid,
                                                  const triton_argument *arguments, size_t argumentCount,
                                                  const triton_options *options) {
  return withChecked(arguments, argumentCount, options, [&](Arguments checked, const triton_options &complete) {
    return launch(const_cast<triton_kernel &>(*kernel), grid, checked, complete);
  });
}

static llvm::Expected<triton_compiled *> handOut(llvm::Expected<CompiledKernel> compiled) {
  if (!compiled)
    return compiled.takeError();
  return triton::handOut(std::move(*compiled));
}

extern "C" {

int triton_kernel_launch(const triton_kernel *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                         const triton_argument *arguments, size_t argument_count, const triton_options *options,
                         triton_error **error) {
  return attempt(error, {{"kernel", kernel}}, [&] {
    return launchGiven(kernel, {grid_x, grid_y, grid_z}, arguments, argument_count, options).takeError();
  });
}

triton_compiled *triton_kernel_run(const triton_kernel *kernel, int64_t grid_x, int64_t grid_y, int64_t grid_z,
                                   const triton_argument *arguments, size_t argument_count,
                                   const triton_options *options, triton_error **error) {
  return make(error, {{"kernel", kernel}}, [&] {
    return handOut(launchGiven(kernel, {grid_x, grid_y, grid_z}, arguments, argument_count, options));
  });
}

triton_compiled *triton_kernel_compile(const triton_kernel *kernel, const triton_argument *arguments,
                                       size_t argument_count, const triton_options *options, triton_error **error) {
  return make(error, {{"kernel", kernel}}, [&] {
    return withChecked(arguments, argument_count, options, [&](Arguments checked, const triton_options &complete) {
      return handOut(compile(const_cast<triton_kernel &>(*kernel), checked, complete));
    });
  });
}

triton_compiled *triton_kernel_compile_signature(const triton_kernel *kernel, const char *signature,
                                                 const triton_options *options, triton_error **error) {
  return make(error, {{"kernel", kernel}, {"signature", signature}}, [&]() -> llvm::Expected<triton_compiled *> {
    auto complete = completeOptions(options);
    if (!complete)
      return complete.takeError();
    return handOut(compileSignature(const_cast<triton_kernel &>(*kernel), signature, *complete));
  });
}

} // extern "C"
