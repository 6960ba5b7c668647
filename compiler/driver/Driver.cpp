#include "compiler/driver/Driver.h"
#include "compiler/driver/ContextPool.h"
#include "compiler/driver/IrModule.h"
#include "compiler/driver/Target.h"
#include "compiler/frontend/emitter/EmitLocated.h"
#include "compiler/support/DeepStack.h"
#include "compiler/support/Hash.h"
#include "compiler/tensor/Record.h"
#include "compiler/tensor/StoredPointers.h"
#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Passes.h"
#include "dispatch/CodeArguments.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <chrono>

using namespace triton;
using namespace triton::driver;
using ArtifactPointer = std::shared_ptr<const artifact::Artifact>;

static double microsecondsSince(std::chrono::steady_clock::time_point start) {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
}

static const Target *requireTarget(const Options &options, Diagnostics &diagnostics) {
  if (const Target *target = findTarget(options.backend))
    return target;
  diagnostics.report(
      {.message = "there is no target '" + options.backend + "'; this build has: " + llvm::join(targetNames(), ", "),
       .exception = "ValueError"});
  return nullptr;
}

static void addParts(const std::string &name, llvm::StringRef type, size_t rank, std::vector<artifact::Argument> &out) {
  for (size_t i = 0; i < rank; ++i)
    out.push_back({name + std::to_string(i), type.str()});
}

/// What tensor::RewriteDescriptors spells a descriptor of elements `element` out as.
static void describeParts(const std::string &name, const std::string &element, size_t rank,
                          std::vector<artifact::Argument> &out) {
  out.push_back({name, "*" + element});
  addParts(name + ".extent", "i64", rank, out);
  addParts(name + ".step", "i64", rank, out);
  out.push_back({name + ".pads_with_nan", "i1"});
  out.push_back({name + ".rounds_to_tf32", "i1"});
}

/// A descriptor without hardware for it: its parts, then what the language sees of it.
static void describeDescriptor(const frontend::Type &type, const std::string &name,
                               std::vector<artifact::Argument> &out) {
  size_t rank = type.descriptorBlock().shape().size();
  describeParts(name, type.descriptorBlock().element().signature(), rank, out);
  addParts(name + ".shape", "i32", rank, out);
  addParts(name + ".stride", "i64", rank, out);
}

/// The run-time arguments in order, under the names of their parameters.
static void describeArguments(llvm::ArrayRef<frontend::ArgumentSpec> specs, llvm::ArrayRef<std::string> names,
                              std::vector<artifact::Argument> &out) {
  for (auto [index, spec] : llvm::enumerate(specs)) {
    std::string name = index < names.size() && !names[index].empty() ? names[index] : std::to_string(index);
    bool isRuntime = spec.kind == frontend::ArgumentSpec::Kind::Runtime;
    if (isRuntime && spec.type.kind() == frontend::Type::Kind::Descriptor)
      describeDescriptor(spec.type, name, out);
    else if (isRuntime)
      out.push_back({name, spec.type.signature()});
    if (spec.kind != frontend::ArgumentSpec::Kind::Tuple)
      continue;
    std::vector<std::string> inner;
    for (auto [element, unused] : llvm::enumerate(spec.elements))
      inner.push_back(name + "." + (element < spec.fields.size() ? spec.fields[element] : std::to_string(element)));
    describeArguments(spec.elements, inner, out);
  }
}

/// Says of each argument whether the kernel may store to what it leads to. The module's arguments are those of the code by now.
static void describeStores(Compilation &compilation) {
  std::vector<artifact::Argument> &arguments = compilation.artifact.arguments;
  compilation.module->walk([&](tensor::FuncOp kernel) {
    if (!kernel.isPublic() || kernel.isExternal() || kernel.getNumArguments() != arguments.size())
      return;
    for (auto [argument, value] : llvm::zip_equal(arguments, kernel.getArguments()))
      argument.isStored =
          mlir::isa<tensor::PointerType, tensor::TensorDescType>(value.getType()) && tensor::mayStoreThrough(value);
  });
}

/// What LLVM and MLIR may need of stack. What was read as text below the module is no longer in it.
static size_t stackFor(Compilation &compilation) {
  constexpr size_t bytesPerOperation = 32;
  size_t operations = compilation.module ? countOperations(*compilation.module) : 0;
  if (!compilation.artifact.stages.empty())
    operations = std::max(operations, compilation.artifact.stages.back().content.size() / bytesPerOperation);
  return stackFor(operations);
}

/// Runs a part of the compile that calls no host, where there is stack enough for it.
static llvm::LogicalResult runDeep(Compilation &compilation, llvm::function_ref<llvm::LogicalResult()> work) {
  llvm::LogicalResult result = mlir::failure();
  if (llvm::Error error = runOnDeepStack(stackFor(compilation), [&] { result = work(); }))
    return compilation.fail(llvm::toString(std::move(error)));
  return result;
}

/// What a stage makes, or what the user wants in its place; nullopt after reporting errors.
static std::optional<std::string> makeOutput(Compilation &compilation, const Target &target, const Stage &stage) {
  compilation.stage = stage.name;
  if (mlir::failed(compilation.checkInterruption()))
    return std::nullopt;
  mlir::FailureOr<std::string> output = mlir::failure();
  if (mlir::failed(runDeep(compilation, [&] { return llvm::LogicalResult(output = stage.run(compilation)); })))
    return std::nullopt;
  if (const std::string *replacement = compilation.inspection.replacement(stage.name)) {
    if (!stage.resume) {
      (void)compilation.fail("the output of stage '" + stage.name + "' of target '" + target.name() +
                             "' cannot be replaced");
      return std::nullopt;
    }
    if (mlir::failed(runDeep(compilation, [&] { return stage.resume(compilation, *replacement); })))
      return std::nullopt;
    output = *replacement;
  }
  // Layouts come later, and with them ops of which less is known; but for the language that has layouts.
  if (stage.name == (compilation.options.isGluon ? "ttgir" : "ttir"))
    describeStores(compilation);
  if (stage.name == compilation.inspection.locationStage && (stage.name == "ttir" || stage.name == "ttgir"))
    compilation.takeLocationsFromText(compilation.inspection.locationFile);
  return std::move(*output);
}

/// Runs `stages` in order, up to `lastStage`.
static ArtifactPointer runStages(Compilation &compilation, const Target &target, llvm::ArrayRef<Stage> stages,
                                 llvm::StringRef lastStage) {
  for (const Stage &stage : stages) {
    auto start = std::chrono::steady_clock::now();
    std::optional<std::string> output = makeOutput(compilation, target, stage);
    if (!output)
      return nullptr;
    compilation.artifact.stages.push_back({stage.name, std::move(*output), microsecondsSince(start)});
    if (stage.name == lastStage)
      break;
  }
  return std::make_shared<const artifact::Artifact>(std::move(compilation.artifact));
}

/// What every compile begins with.
static llvm::LogicalResult describeTarget(Compilation &compilation, const Target &target) {
  std::optional<std::string> fault = compilation.options.findFault();
  if (!fault)
    fault = target.findFault(compilation.options);
  if (fault) {
    compilation.diagnostics.report({.message = *fault, .exception = "ValueError"});
    return mlir::failure();
  }
  auto architecture = target.architecture(compilation.options);
  if (!architecture)
    return compilation.fail(architecture.takeError());
  artifact::Artifact &artifact = compilation.artifact;
  artifact.backend = target.name().str();
  artifact.architecture = *architecture;
  const Options &options = compilation.options;
  artifact.device = options.codeArchitecture.empty() ? *architecture : options.codeArchitecture;
  artifact.warpSize = options.warpSize.value_or(target.warpSize(options));
  Settings settings;
  static_cast<Options &>(settings) = options;
  for (const OptionEntry &entry : optionEntries())
    if (entry.isOfLaunch() && entry.isTakenBy(options.backend))
      artifact.options.emplace_back(entry.name, getOption(settings, entry));
    else if (entry.role == OptionEntry::Role::Setting && !entry.isDefault(settings))
      artifact.settings.emplace_back(entry.name, getOption(settings, entry));
  artifact.numWarps = compilation.options.numWarps;
  artifact.numCtas = compilation.options.numCtas;
  artifact.numStages = compilation.options.numStages;
  return mlir::success();
}

/// Puts integers in the place of floats, where fpsan is asked for: before anything is known of either.
static llvm::LogicalResult sanitizeFloats(Compilation &compilation) {
  const Options &options = compilation.options;
  if (!options.asksFor("fpsan"))
    return mlir::success();
  auto version = frontend::LanguageVersion::parse(options.languageVersion);
  tensor::FloatSanitizerOptions sanitizer;
  sanitizer.isOf38 = version && !version->has(frontend::LanguageRule::FoldedPayloads);
  sanitizer.hasHomomorphicCasts = options.fpsanHomomorphicCasts;
  return runDeep(compilation, [&] {
    return compilation.runPasses(
        [&](mlir::OpPassManager &manager) { manager.addPass(tensor::createFloatSanitizer(sanitizer)); });
  });
}

static void finishArguments(artifact::Artifact &artifact) {
  artifact.argumentBytes = dispatch::layOutArguments(artifact.arguments);
}

/// The file of `ir_override` as the replacement of the stage that its ending names.
static llvm::LogicalResult takeOverride(const Options &options, Inspection &inspection, Diagnostics &diagnostics) {
  if (options.irOverride.empty())
    return mlir::success();
  auto file = llvm::MemoryBuffer::getFile(options.irOverride);
  if (!file) {
    diagnostics.report(
        {.message = "ir_override: cannot read '" + options.irOverride + "': " + file.getError().message(),
         .exception = "ValueError"});
    return mlir::failure();
  }
  llvm::StringRef stage = llvm::sys::path::extension(options.irOverride);
  inspection.replacements.emplace_back(stage.drop_front(stage.empty() ? 0 : 1), (*file)->getBuffer());
  return mlir::success();
}

ArtifactPointer triton::driver::compile(const CompileRequest &given, Diagnostics &diagnostics) {
  const Target *target = requireTarget(given.options, diagnostics);
  if (!target)
    return nullptr;
  CompileRequest request = given;
  request.options = target->complete(given.options);
  request.options.isGluon |= given.kernel.function && given.kernel.function->saysLayouts;
  if (!checkLanguage(request, *target, diagnostics) ||
      mlir::failed(takeOverride(request.options, request.inspection, diagnostics)))
    return nullptr;
  ContextLease context;
  Compilation compilation(*context, request.options, request.inspection, diagnostics);
  if (mlir::failed(describeTarget(compilation, *target)))
    return nullptr;

  auto start = std::chrono::steady_clock::now();
  const frontend::KernelRequest kernel = kernelRequest(request, *target);
  compilation.kernel = kernel.function->definition->nameRange;
  frontend::Reads reads;
  compilation.module = frontend::emitKernel(*context, kernel, diagnostics, compilation.sources, reads);
  if (!compilation.module)
    return nullptr;
  if (!request.options.recordsScopes())
    record::eraseRecords(*compilation.module);
  compilation.artifact.isPortable = reads.isPortable;
  for (frontend::Reads::Read &read : reads.all)
    compilation.artifact.reads.push_back({read.function, std::move(read.name), std::move(read.answer)});
  const Inspection &inspection = request.inspection;
  std::string text;
  if (inspection.keepLocations || inspection.keepSource)
    text = compilation.text();
  else if (request.inspection.lastStage == "source")
    llvm::raw_string_ostream(text) << *compilation.module;
  compilation.artifact.stages.push_back({"source", text, microsecondsSince(start)});
  if (mlir::failed(sanitizeFloats(compilation)))
    return nullptr;

  compilation.artifact.name = kernel.symbol;
  std::vector<std::string> names;
  for (const frontend::Parameter &parameter : kernel.function->parameters)
    names.push_back(parameter.name);
  describeArguments(kernel.arguments, names, compilation.artifact.arguments);
  finishArguments(compilation.artifact);
  if (request.inspection.lastStage == "source")
    return std::make_shared<const artifact::Artifact>(std::move(compilation.artifact));
  return runStages(compilation, *target, target->stages(request.options, request.inspection),
                   request.inspection.lastStage);
}

/// The module's one public function.
static tensor::FuncOp findKernel(Compilation &compilation) {
  tensor::FuncOp kernel;
  unsigned count = 0;
  compilation.module->walk([&](tensor::FuncOp function) {
    if (function.isPublic()) {
      kernel = function;
      ++count;
    }
  });
  if (count == 1)
    return kernel;
  (void)compilation.fail("an IR file needs exactly one public tt.func, this one has " + llvm::Twine(count));
  return nullptr;
}

/// The type as signatures write it; empty for what no launch can pass.
static std::string signatureOf(mlir::Type type) {
  if (mlir::isa<tensor::TensorDescType>(type))
    return "nvTmaDesc";
  if (auto pointer = mlir::dyn_cast<tensor::PointerType>(type))
    return pointer.isBlockPointer() ? "" : "*" + signatureOf(pointer.getPointeeType());
  using frontend::ScalarKind;
  for (ScalarKind kind :
       {ScalarKind::Int1, ScalarKind::Int8, ScalarKind::Int16, ScalarKind::Int32, ScalarKind::Int64,
        ScalarKind::Float8E5, ScalarKind::Float8E5B16, ScalarKind::Float8E4NV, ScalarKind::Float8E4B8,
        ScalarKind::Float8E4B15, ScalarKind::Float16, ScalarKind::BFloat16, ScalarKind::Float32, ScalarKind::Float64})
    if (frontend::Type scalar = frontend::Type::scalar(kind); scalar.toIr(type.getContext()) == type)
      return kind == ScalarKind::Int1 ? "i1" : scalar.signature();
  return "";
}

/// That a launch knows how to pass arguments of a type that a text names.
static llvm::LogicalResult checkArgumentType(Compilation &compilation, const std::string &type) {
  if (type == "nvTmaDesc" || frontend::Type::parse(type))
    return mlir::success();
  return compilation.fail("no kernel takes an argument of type '" + type + "'");
}

/// The names of the stages that a file may hold.
static std::string readableStages(llvm::ArrayRef<Stage> stages) {
  std::vector<std::string> names;
  for (const Stage &stage : llvm::drop_end(stages))
    if (stage.resume)
      names.push_back("." + stage.name);
  return llvm::join(names, ", ");
}

/// Name and arguments of the kernel in a module that was read.
static llvm::LogicalResult describeModule(Compilation &compilation, llvm::StringRef stage) {
  tensor::FuncOp kernel = findKernel(compilation);
  if (!kernel)
    return mlir::failure();
  artifact::Artifact &artifact = compilation.artifact;
  artifact.name = kernel.getName().str();
  for (auto [index, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    std::string name = "arg" + std::to_string(index);
    auto descriptor = mlir::dyn_cast<tensor::TensorDescType>(type);
    if (signatureOf(type).empty()) {
      auto handler = compilation.collectDiagnostics();
      return kernel.emitOpError() << "is launched, so that argument " << index
                                  << " is a number, a pointer or a descriptor, not " << type;
    }
    if (descriptor && stage == "ttir")
      describeParts(name, signatureOf(descriptor.getSignlessBlockType().getElementType()),
                    descriptor.getBlockType().getRank(), artifact.arguments);
    else
      artifact.arguments.push_back({name, signatureOf(type)});
  }
  finishArguments(artifact);
  return mlir::success();
}

/// The same for text below the module, which `stage` reads.
static llvm::LogicalResult describeCode(Compilation &compilation, const Target &target, const Stage &stage,
                                        const std::string &text) {
  auto facts = target.describe(stage.name, text);
  if (!facts)
    return compilation.fail(facts.takeError());
  artifact::Artifact &artifact = compilation.artifact;
  artifact.name = facts->name;
  artifact.numWarps = facts->numWarps;
  artifact.waitsForPrograms = facts->waitsForPrograms;
  artifact.polls = facts->polls;
  if (artifact.backend == "cpu")
    artifact.arenaBytes = facts->scratchBytes;
  else
    artifact.sharedBytes = facts->scratchBytes;
  for (auto [index, type] : llvm::enumerate(facts->types)) {
    if (mlir::failed(checkArgumentType(compilation, type)))
      return mlir::failure();
    artifact.arguments.push_back({"arg" + std::to_string(index), type});
  }
  finishArguments(artifact);
  return runDeep(compilation, [&] { return stage.resume(compilation, text); });
}

ArtifactPointer triton::driver::compileIr(const IrCompileRequest &given, Diagnostics &diagnostics) {
  const Target *target = requireTarget(given.options, diagnostics);
  if (!target)
    return nullptr;
  IrCompileRequest request = given;
  request.options = target->complete(given.options);
  if (mlir::failed(takeOverride(request.options, request.inspection, diagnostics)))
    return nullptr;
  ContextLease context;
  Compilation compilation(*context, request.options, request.inspection, diagnostics);
  if (mlir::failed(describeTarget(compilation, *target)))
    return nullptr;
  const std::vector<Stage> stages = target->stages(request.options, request.inspection);
  auto begin = llvm::find_if(stages, [&](const Stage &stage) { return stage.name == request.stage; });
  if (begin == stages.end() || !begin->resume || begin + 1 == stages.end()) {
    (void)compilation.fail("the " + target->name() + " target reads " + readableStages(stages) + " files, not ." +
                           request.stage);
    return nullptr;
  }
  const bool isModule = request.stage == "ttir" || request.stage == "ttgir";
  compilation.sources.add(request.source);
  std::string text = request.source->text().str();
  if (isModule) {
    compilation.module = parseIr(*context, request.source, diagnostics);
    if (!compilation.module || mlir::failed(describeModule(compilation, request.stage)))
      return nullptr;
    text = compilation.text();
  } else if (mlir::failed(describeCode(compilation, *target, *begin, text))) {
    return nullptr;
  }
  const bool isWanted = request.inspection.lastStage == request.stage;
  // What a user writes as tensor IR is not yet what that stage leaves: it runs, though the file stands for its output.
  if (request.stage == "ttir") {
    std::optional<std::string> simplified = makeOutput(compilation, *target, *begin);
    if (!simplified)
      return nullptr;
    if (isWanted)
      text = std::move(*simplified);
  }
  compilation.artifact.stages.push_back({request.stage, std::move(text), 0});
  if (isWanted)
    return std::make_shared<const artifact::Artifact>(std::move(compilation.artifact));
  return runStages(compilation, *target, llvm::ArrayRef(stages).drop_front(begin - stages.begin() + 1),
                   request.inspection.lastStage);
}

llvm::Expected<KernelFacts> triton::driver::describeKernel(llvm::StringRef stage, llvm::StringRef text,
                                                           const Options &options) {
  if (const Target *target = findTarget(options.backend))
    return target->describe(stage, text);
  return llvm::createStringError("there is no target '" + options.backend + "'");
}

/// Makes `compilation` what it is before `stages[index]` runs.
static llvm::LogicalResult takeInput(Compilation &compilation, const Target &target, llvm::ArrayRef<Stage> stages,
                                     size_t index, const StageRequest &request) {
  const std::string text = request.input->text().str();
  const Stage *previous = index ? &stages[index - 1] : nullptr;
  if (previous && !previous->resume)
    return compilation.fail("stage '" + request.stage + "' cannot start from the output of '" + previous->name + "'");
  const bool isModule = !previous || previous->name == "ttir" || previous->name == "ttgir";
  if (!isModule) {
    if (mlir::failed(describeCode(compilation, target, *previous, text)))
      return mlir::failure();
  } else if (!previous) {
    compilation.module = parseIr(compilation.context, request.input, compilation.diagnostics);
    if (!compilation.module)
      return mlir::failure();
  } else if (mlir::failed(runDeep(compilation, [&] { return previous->resume(compilation, text); }))) {
    return mlir::failure();
  }
  // The first stage spells descriptors out.
  if (isModule && mlir::failed(describeModule(compilation, previous ? "ttgir" : "ttir")))
    return mlir::failure();
  for (const artifact::Argument &argument : request.arguments)
    if (mlir::failed(checkArgumentType(compilation, argument.type)))
      return mlir::failure();
  if (!request.arguments.empty())
    compilation.artifact.arguments = request.arguments;
  finishArguments(compilation.artifact);
  return mlir::success();
}

ArtifactPointer triton::driver::runStage(const StageRequest &given, Diagnostics &diagnostics) {
  const Target *target = requireTarget(given.options, diagnostics);
  if (!target)
    return nullptr;
  StageRequest request = given;
  request.options = target->complete(given.options);
  ContextLease context;
  Compilation compilation(*context, request.options, request.inspection, diagnostics);
  if (mlir::failed(describeTarget(compilation, *target)))
    return nullptr;
  const std::vector<Stage> stages = target->stages(request.options, request.inspection);
  auto stage = llvm::find_if(stages, [&](const Stage &stage) { return stage.name == request.stage; });
  if (stage == stages.end()) {
    (void)compilation.fail("the " + target->name() + " target has no stage '" + request.stage + "'");
    return nullptr;
  }
  if (mlir::failed(takeInput(compilation, *target, stages, stage - stages.begin(), request)))
    return nullptr;
  return runStages(compilation, *target, *stage, request.stage);
}
