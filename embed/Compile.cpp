// One compile for a host language: request in, artifact out.
#include "embed/Adapter.h"

#include "compiler/driver/Driver.h"
#include "compiler/driver/Target.h"

namespace triton::embed {

static frontend::ArgumentSpec toFrontend(Host &host, const Argument &argument, std::string &badType) {
  frontend::ArgumentSpec spec;
  switch (argument.kind) {
  case Argument::Kind::Constant:
    spec.kind = frontend::ArgumentSpec::Kind::Constant;
    spec.constant = toFrontend(argument.constant);
    break;
  case Argument::Kind::Tuple:
    spec.kind = frontend::ArgumentSpec::Kind::Tuple;
    for (const Argument &element : argument.elements)
      spec.elements.push_back(toFrontend(host, element, badType));
    spec.fields = argument.fields;
    if (argument.hostClass)
      spec.hostClass = {&host.adapter(), argument.hostClass};
    break;
  case Argument::Kind::Runtime:
    spec.attributes = argument.attributes;
    spec.constant = toFrontend(argument.constant);
    if (std::optional<frontend::Type> type = frontend::Type::parse(argument.type))
      spec.type = *type;
    else
      badType = argument.type;
  }
  return spec;
}

static driver::Options toDriver(const Options &options) {
  driver::Options out;
  out.backend = options.backend;
  out.architecture = options.architecture;
  out.numWarps = options.numWarps;
  out.numCtas = options.numCtas;
  out.numStages = options.numStages;
  out.warpSize = options.warpSize;
  out.debug = options.debug;
  out.sanitizeOverflow = options.sanitizeOverflow;
  out.checkAccesses = options.checkAccesses;
  out.enableFpFusion = options.enableFpFusion;
  out.allowNonConstexprGlobals = options.allowNonConstexprGlobals;
  out.defaultDotPrecision = options.defaultDotPrecision;
  out.maxRegisters = options.maxRegisters;
  out.ptxVersion = options.ptxVersion;
  out.flushDenormals = options.flushDenormals;
  out.tensorMaps = options.tensorMaps;
  out.lineInfo = options.lineInfo;
  out.variableInfo = options.variableInfo;
  out.waitAtEntry = options.waitAtEntry;
  out.optimiseAssembly = options.optimiseAssembly;
  out.assemblerPath = options.assemblerPath;
  out.linkerPath = options.linkerPath;
  out.assemblerOptions = options.assemblerOptions;
  out.codeArchitecture = options.codeArchitecture;
  out.libraries = options.libraries;
  out.useWgmma = options.useWgmma;
  out.useTcgen05 = options.useTcgen05;
  out.isGluon = options.isGluon;
  out.optimiseLlvm = options.optimiseLlvm;
  out.llvmFlags = options.llvmFlags;
  out.llvmPlugin = options.llvmPlugin;
  return out;
}

static driver::Inspection inspectionOf(const Options &options) {
  driver::Inspection inspection;
  inspection.emitAssembly = options.emitAssembly;
  inspection.replacements = options.replacements;
  inspection.keepLocations = options.keepLocations;
  inspection.printAroundAll = options.printAroundAll;
  inspection.reproducerPath = options.reproducerPath;
  inspection.timePasses = options.timePasses;
  inspection.locationStage = options.locationStage;
  inspection.locationFile = options.locationFile;
  inspection.showOperations = options.showOperations;
  inspection.showStackTraces = options.showStackTraces;
  inspection.showWarnings = options.showWarnings;
  inspection.showRemarks = options.showRemarks;
  inspection.printLlvmAfterAll = options.printLlvmAfterAll;
  inspection.timeLlvmPasses = options.timeLlvmPasses;
  inspection.machineIrFolder = options.machineIrFolder;
  inspection.isInterrupted = options.isInterrupted;
  inspection.assemblerSeconds = options.assemblerSeconds;
  inspection.keepSource = options.keepSource;
  inspection.printLocations = options.printLocations;
  return inspection;
}

static std::shared_ptr<const Artifact> fromDriver(const artifact::Artifact *artifact) {
  if (!artifact)
    return nullptr;
  auto out = std::make_shared<Artifact>();
  out->name = artifact->name;
  out->hash = artifact->hash;
  out->backend = artifact->backend;
  out->architecture = artifact->architecture;
  for (const artifact::StageOutput &stage : artifact->stages)
    out->stages.push_back({stage.name, stage.content, stage.microseconds});
  for (const artifact::Argument &argument : artifact->arguments)
    out->arguments.push_back({argument.name, argument.type, argument.offset, argument.size, argument.isStored});
  for (const artifact::TensorMap &map : artifact->tensorMaps)
    out->tensorMaps.push_back({map.swizzle, map.elementBytes, map.elementType, map.box});
  out->argumentBytes = artifact->argumentBytes;
  out->arenaBytes = artifact->arenaBytes;
  out->numWarps = artifact->numWarps;
  out->numCtas = artifact->numCtas;
  out->numStages = artifact->numStages;
  out->sharedBytes = artifact->sharedBytes;
  out->globalScratchBytes = artifact->globalScratchBytes;
  out->globalScratchAlignment = artifact->globalScratchAlignment;
  out->registers = artifact->registers;
  out->spillBytes = artifact->spillBytes;
  out->waitsAtEntry = artifact->waitsAtEntry;
  out->assemblerLog = artifact->assemblerLog;
  return out;
}

std::optional<driver::CompileRequest> toDriver(Host &host, const CompileRequest &request, Diagnostics &diagnostics) {
  driver::CompileRequest out;
  out.kernel.function = toFrontend(request.function);
  std::string badType;
  for (const Argument &argument : request.arguments)
    out.kernel.arguments.push_back(toFrontend(host, argument, badType));
  if (!badType.empty()) {
    Diagnostic diagnostic;
    diagnostic.exception = "ValueError";
    diagnostic.message = "unknown type '" + badType + "' in the signature";
    diagnostic.rendered = "error: " + diagnostic.message + "\n";
    diagnostics.push_back(std::move(diagnostic));
    return std::nullopt;
  }
  out.kernel.symbol = request.symbol.empty() ? out.kernel.function->name : request.symbol;
  out.options = toDriver(request.options);
  out.inspection = inspectionOf(request.options);
  out.lastStage = request.options.lastStage;
  return out;
}

std::shared_ptr<const Artifact> compile(Host &host, const CompileRequest &request, Diagnostics &diagnostics) {
  std::optional<driver::CompileRequest> out = toDriver(host, request, diagnostics);
  if (!out)
    return nullptr;
  triton::Diagnostics reported;
  std::shared_ptr<const artifact::Artifact> artifact = driver::compile(*out, reported);
  append(reported, diagnostics);
  return fromDriver(artifact.get());
}

std::shared_ptr<const Artifact> compileIr(const std::string &stage, std::string fileName, std::string text,
                                          const Options &options, Diagnostics &diagnostics) {
  driver::IrCompileRequest request;
  request.stage = stage;
  request.source = Source::create(std::move(fileName), std::move(text));
  request.options = toDriver(options);
  request.inspection = inspectionOf(options);
  request.lastStage = options.lastStage;
  triton::Diagnostics reported;
  std::shared_ptr<const artifact::Artifact> artifact = driver::compileIr(request, reported);
  append(reported, diagnostics);
  return fromDriver(artifact.get());
}

Result<KernelDescription> describeKernel(const std::string &stage, const std::string &text, const Options &options) {
  llvm::Expected<KernelFacts> facts = driver::describeKernel(stage, text, toDriver(options));
  if (!facts)
    return Error{"ValueError", llvm::toString(facts.takeError())};
  return KernelDescription{facts->name, facts->types};
}

std::shared_ptr<const Artifact> runStage(const std::string &stage, std::string input,
                                         const std::vector<PackedArgument> &arguments, const Options &options,
                                         Diagnostics &diagnostics) {
  driver::StageRequest request;
  request.stage = stage;
  request.input = Source::create("<input of " + stage + ">", std::move(input));
  for (const PackedArgument &argument : arguments)
    request.arguments.push_back({.name = argument.name, .type = argument.type, .isStored = argument.isStored});
  request.options = toDriver(options);
  request.inspection = inspectionOf(options);
  triton::Diagnostics reported;
  std::shared_ptr<const artifact::Artifact> artifact = driver::runStage(request, reported);
  append(reported, diagnostics);
  return fromDriver(artifact.get());
}

std::optional<Error> checkOptions(const Options &options) {
  if (std::optional<std::string> fault = toDriver(options).findFault())
    return Error{"ValueError", *fault};
  return std::nullopt;
}

Result<std::string> resolveArchitecture(const Options &options) {
  const driver::Target *target = driver::findTarget(options.backend);
  if (!target)
    return Error{"ValueError", "there is no target '" + options.backend + "'"};
  llvm::Expected<std::string> architecture = target->architecture(toDriver(options));
  if (!architecture)
    return Error{"ValueError", llvm::toString(architecture.takeError())};
  return *architecture;
}

} // namespace triton::embed
