#include "compiler/llvm/LlvmModule.h"

#include "compiler/llvm/FatalErrors.h"
#include "compiler/support/IrText.h"

#include "llvm/AsmParser/Parser.h"
#include "llvm/CodeGen/MachineModuleInfo.h"
#include "llvm/IR/DebugInfoMetadata.h"
#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/DiagnosticPrinter.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"
#include "llvm/IR/Verifier.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Plugins/PassPlugin.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/Path.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Target/TargetLoweringObjectFile.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace triton {

/// Which inline assembly this is about: the number in its `srcloc`, 0 if none.
static uint64_t cookieOf(const llvm::DiagnosticInfo &info) {
  if (const auto *source = llvm::dyn_cast<llvm::DiagnosticInfoSrcMgr>(&info))
    return source->getLocCookie();
  if (const auto *assembly = llvm::dyn_cast<llvm::DiagnosticInfoInlineAsm>(&info))
    return assembly->getLocCookie();
  return 0;
}

PlaceChain placesOf(const llvm::Instruction &instruction) {
  PlaceChain chain;
  for (const llvm::DILocation *at = instruction.getDebugLoc().get(); at; at = at->getInlinedAt()) {
    llvm::SmallString<128> path(at->getDirectory());
    llvm::sys::path::append(path, at->getFilename());
    chain.push_back({path.str().str(), at->getLine(), at->getColumn()});
  }
  return chain;
}

/// The line that the code at fault comes from, where the module has debug information.
static PlaceChain placeOf(const llvm::DiagnosticInfo &info) {
  const llvm::DiagnosticInfoWithLocationBase *located = llvm::dyn_cast<llvm::DiagnosticInfoUnsupported>(&info);
  if (!located)
    located = llvm::dyn_cast<llvm::DiagnosticInfoResourceLimit>(&info);
  if (!located || !located->isLocationAvailable())
    return {};
  const llvm::DiagnosticLocation location = located->getLocation();
  return {{location.getAbsolutePath(), location.getLine(), location.getColumn()}};
}

LlvmModule::LlvmModule() : reports(std::make_unique<Reports>()), llvmContext(std::make_unique<llvm::LLVMContext>()) {
  // Without a handler LLVM prints the error and ends the process.
  llvmContext->setDiagnosticHandlerCallBack(
      [](const llvm::DiagnosticInfo *info, void *data) {
        if (info->getSeverity() != llvm::DS_Error)
          return;
        Reports &reports = *static_cast<Reports *>(data);
        PlacedError::Note error{.chain = placeOf(*info)};
        llvm::raw_string_ostream stream(error.message);
        if (uint64_t cookie = cookieOf(*info); cookie && cookie <= reports.places.size()) {
          error.chain = reports.places[cookie - 1];
          stream << "in the inline assembly here: ";
        }
        llvm::DiagnosticPrinterRawOStream printer(stream);
        info->print(printer);
        error.message = llvm::StringRef(error.message).rtrim().str();
        reports.errors.push_back(std::move(error));
      },
      reports.get());
}

LlvmModule::LlvmModule(LlvmModule &&) = default;
LlvmModule &LlvmModule::operator=(LlvmModule &&) = default;

LlvmModule::~LlvmModule() {
  if (!isAbandoned)
    return;
  (void)module.release();
  (void)llvmContext.release();
  (void)reports.release();
}

void LlvmModule::set(std::unique_ptr<llvm::Module> made) { module = std::move(made); }

llvm::Error LlvmModule::parse(llvm::StringRef text) {
  auto source = Source::create("llir", text.str());
  Diagnostics refusals;
  if (!isReadable(*source, IrSyntax::Llvm, refusals)) {
    const Diagnostic &first = refusals.all().front();
    return llvm::createStringError("line " + llvm::Twine(source->locate(first.range.begin).line) +
                                   " of the LLVM IR: " + first.message);
  }
  llvm::SMDiagnostic diagnostic;
  module = llvm::parseAssembly(llvm::MemoryBufferRef(text, "llir"), diagnostic, *llvmContext);
  if (!module)
    return llvm::createStringError("line " + llvm::Twine(diagnostic.getLineNo()) +
                                   " of the LLVM IR: " + diagnostic.getMessage());
  // What the reader lets through, passes and code generators take for granted.
  std::string problem;
  llvm::raw_string_ostream stream(problem);
  if (llvm::verifyModule(*module, &stream))
    return llvm::createStringError("the LLVM IR is not valid: " + problem);
  return llvm::Error::success();
}

std::string LlvmModule::text() const {
  std::string text;
  llvm::raw_string_ostream stream(text);
  module->print(stream, nullptr);
  return text;
}

llvm::Error LlvmModule::run(llvm::TargetMachine *machine,
                            llvm::function_ref<llvm::Error(llvm::PassBuilder &, llvm::ModulePassManager &)> build) {
  if (!controls.optimise)
    return llvm::Error::success();
  LlvmControlScope scope;
  if (llvm::Error error = scope.enter(controls))
    return error;
  llvm::PassInstrumentationCallbacks callbacks;
  std::optional<llvm::StandardInstrumentations> instruments;
  if (controls.printAfterAll || controls.timePasses)
    instruments.emplace(*llvmContext, /*DebugLogging=*/false);
  auto isInterrupted = [&] { return interruption && interruption->ask(); };
  callbacks.registerShouldRunOptionalPassCallback([&](llvm::StringRef, llvm::Any) { return !isInterrupted(); });
  llvm::PassBuilder builder(machine, llvm::PipelineTuningOptions(), std::nullopt, &callbacks);
  llvm::LoopAnalysisManager loopAnalyses;
  llvm::FunctionAnalysisManager functionAnalyses;
  llvm::CGSCCAnalysisManager callGraphAnalyses;
  llvm::ModuleAnalysisManager moduleAnalyses;
  builder.registerModuleAnalyses(moduleAnalyses);
  builder.registerCGSCCAnalyses(callGraphAnalyses);
  builder.registerFunctionAnalyses(functionAnalyses);
  builder.registerLoopAnalyses(loopAnalyses);
  builder.crossRegisterProxies(loopAnalyses, functionAnalyses, callGraphAnalyses, moduleAnalyses);
  if (instruments)
    instruments->registerCallbacks(callbacks, &moduleAnalyses);
  llvm::ModulePassManager passes;
  if (!controls.passPlugin.empty()) {
    auto plugin = llvm::PassPlugin::Load(controls.passPlugin);
    if (!plugin)
      return plugin.takeError();
    plugin->registerPassBuilderCallbacks(builder);
    passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  } else if (llvm::Error error = build(builder, passes)) {
    return error;
  }
  passes.run(*module, moduleAnalyses);
  if (isInterrupted())
    return llvm::createStringError("the compile was interrupted");
  return reported();
}

/// Whether very many addresses are sums of one base and values that are only known when the code runs.
static bool hasManyAddressesOfOneBase(const llvm::Module &module) {
  constexpr unsigned most = 256;
  return llvm::any_of(module, [](const llvm::Function &function) {
    llvm::DenseMap<const llvm::Value *, unsigned> addresses;
    return llvm::any_of(llvm::instructions(function), [&](const llvm::Instruction &instruction) {
      auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction);
      return address && !address->hasAllConstantIndices() && ++addresses[address->getPointerOperand()] > most;
    });
  });
}

namespace {
/// All passes of a code generator, but for the one that subtracts each address from every other one of the same base, in case one is cheaper to have from
/// another: 1,024 of them took eleven seconds.
struct WithoutStrengthReduction final : llvm::OptPassGate {
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef) const override { return pass != "slsr"; }
  bool isEnabled() const override { return true; }
};
} // namespace

llvm::Error LlvmModule::generate(llvm::TargetMachine &machine, llvm::CodeGenFileType kind, bool onCopy,
                                 llvm::SmallVectorImpl<char> &bytes) {
  if (!controls.machineIrFolder.empty())
    if (llvm::Error error = writeMachineIr(machine))
      return error;
  LlvmControlScope scope;
  if (llvm::Error error = scope.enter(controls))
    return error;
  llvm::raw_svector_ostream stream(bytes);
  auto manager = std::make_unique<llvm::legacy::PassManager>();
  if (machine.addPassesToEmitFile(*manager, stream, nullptr, kind, /*DisableVerify=*/true))
    return llvm::createStringError("the code generator cannot write this kind of file");
  static WithoutStrengthReduction withoutStrengthReduction;
  if (hasManyAddressesOfOneBase(*module))
    context().setOptPassGate(withoutStrengthReduction);
  std::unique_ptr<llvm::Module> copy = onCopy ? llvm::CloneModule(*module) : nullptr;
  llvm::Error fatal = survive([&] { manager->run(copy ? *copy : *module); });
  if (!fatal)
    return reported();
  // Half done, and full of handles that point at each other.
  (void)manager.release();
  (void)copy.release();
  isAbandoned = true;
  return fatal;
}

/// The name of the module's first definition that others can call.
static llvm::StringRef kernelName(const llvm::Module &module) {
  for (const llvm::Function &function : module)
    if (!function.isDeclaration() && !function.hasLocalLinkage())
      return function.getName();
  return "kernel";
}

llvm::Error LlvmModule::writeMachineIr(llvm::TargetMachine &machine) {
  LlvmControlScope scope;
  if (llvm::Error error = scope.enter({.machineIrFolder = controls.machineIrFolder}))
    return error;
  if (llvm::Error error = scope.set("stop-after", "finalize-isel"))
    return error;
  std::unique_ptr<llvm::Module> copy = llvm::CloneModule(*module);
  llvm::SmallVector<char, 0> bytes;
  llvm::raw_svector_ostream text(bytes);
  llvm::legacy::PassManager manager;
  // Targets make symbols in a context that the printer of assembly gives them. It does not run here.
  auto *information = new llvm::MachineModuleInfoWrapperPass(&machine);
  machine.getObjFileLowering()->Initialize(information->getMMI().getContext(), machine);
  if (machine.addPassesToEmitFile(manager, text, nullptr, llvm::CodeGenFileType::AssemblyFile, /*DisableVerify=*/true,
                                  information))
    return llvm::createStringError("the code generator cannot write machine IR");
  manager.run(*copy);
  llvm::sys::fs::create_directories(controls.machineIrFolder);
  llvm::SmallString<128> path(controls.machineIrFolder);
  // In a file of IR a kernel may have any name.
  std::string name = (kernelName(*module) + ".mir").str();
  std::replace(name.begin(), name.end(), '/', '_');
  llvm::sys::path::append(path, name);
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  if (error)
    return llvm::createStringError("cannot write '" + path + "': " + error.message());
  file << text.str();
  return llvm::Error::success();
}

llvm::Error LlvmModule::reported() const {
  if (reports->errors.empty())
    return llvm::Error::success();
  auto error = std::make_unique<PlacedError>(reports->errors.front().message, reports->errors.front().chain);
  error->notes.assign(reports->errors.begin() + 1, reports->errors.end());
  return llvm::Error(std::move(error));
}

void LlvmModule::placeAssembly(const llvm::StringMap<PlaceChain> &places) {
  for (llvm::Function &function : *module)
    for (llvm::Instruction &instruction : llvm::instructions(function)) {
      auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
      auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
      auto place = assembly ? places.find(assembly->getAsmString()) : places.end();
      if (place == places.end())
        continue;
      reports->places.push_back(place->second);
      auto *number = llvm::ConstantInt::get(llvm::Type::getInt64Ty(*llvmContext), reports->places.size());
      call->setMetadata("srcloc", llvm::MDNode::get(*llvmContext, llvm::ConstantAsMetadata::get(number)));
    }
}

} // namespace triton
