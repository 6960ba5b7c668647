// LLVM modules for host languages: parsed, linked, optimised and compiled step by step.
#include <triton/llvm_ir.h>

#include "compiler/driver/Target.h"
#include "compiler/llvm/LlvmModule.h"
#include "compiler/llvm/LlvmTargets.h"
#include "embed/Result.h"

#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/IR/Module.h"
#include "llvm/MC/MCSubtargetInfo.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

namespace triton::ir {

using Native = triton::LlvmModule;
using embed::toError, embed::toOptional;

static Native &get(const LlvmModule &module) { return *static_cast<Native *>(module.state.get()); }

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createMachine(const LlvmTarget &target) {
  llvm::Triple triple(target.triple);
  auto found = findLlvmTarget(triple);
  if (!found)
    return found.takeError();
  llvm::TargetOptions options;
  options.AllowFPOpFusion = target.fuseMultiplyAdd ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine((*found)->createTargetMachine(triple, target.cpu, target.features,
                                                                             options, llvm::Reloc::PIC_, std::nullopt,
                                                                             llvm::CodeGenOptLevel::Aggressive));
  // LLVM ends the process when it generates code for a processor it does not know.
  if (!machine->getMCSubtargetInfo()->isCPUStringValid(target.cpu))
    return llvm::createStringError("LLVM knows no processor '" + target.cpu + "' for '" + target.triple + "'");
  return machine;
}

embed::Result<LlvmModule> LlvmModule::parse(std::string_view text) {
  auto native = std::make_shared<Native>();
  if (std::optional<embed::Error> error = toOptional(native->parse(text)))
    return *error;
  LlvmModule module;
  module.state = std::move(native);
  return module;
}

std::string LlvmModule::str() const { return get(*this).text(); }

std::vector<LlvmFunction> LlvmModule::functions() const {
  std::vector<LlvmFunction> found;
  for (const llvm::Function &function : *get(*this))
    found.push_back({function.getName().str(), function.isDeclaration()});
  return found;
}

std::optional<embed::Error> LlvmModule::attach(const LlvmTarget &target) const {
  auto machine = createMachine(target);
  if (!machine)
    return toError(machine.takeError());
  get(*this)->setTargetTriple((*machine)->getTargetTriple());
  get(*this)->setDataLayout((*machine)->createDataLayout());
  return std::nullopt;
}

std::optional<embed::Error> LlvmModule::link(const std::vector<std::string> &paths) const {
  const driver::Target *target = driver::findTarget("cuda");
  if (!target)
    return embed::Error{"RuntimeError", "this build has no target 'cuda', which libraries are for"};
  return toOptional(target->link(*get(*this), paths));
}

std::optional<embed::Error> LlvmModule::optimise(int level, const LlvmTarget &target) const {
  static const llvm::OptimizationLevel levels[] = {llvm::OptimizationLevel::O0, llvm::OptimizationLevel::O1,
                                                   llvm::OptimizationLevel::O2, llvm::OptimizationLevel::O3};
  if (level < 0 || level > 3)
    return embed::Error{"ValueError", "LLVM's levels are 0 to 3, got " + std::to_string(level)};
  std::unique_ptr<llvm::TargetMachine> machine;
  if (!target.cpu.empty()) {
    LlvmTarget complete = target;
    if (complete.triple.empty())
      complete.triple = get(*this)->getTargetTriple().str();
    auto made = createMachine(complete);
    if (!made)
      return toError(made.takeError());
    machine = std::move(*made);
  }
  auto build = [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) -> llvm::Error {
    passes =
        level == 0 ? builder.buildO0DefaultPipeline(levels[0]) : builder.buildPerModuleDefaultPipeline(levels[level]);
    return llvm::Error::success();
  };
  return toOptional(get(*this).run(machine.get(), build));
}

embed::Result<std::string> LlvmModule::write(const LlvmTarget &target, bool asObject) const {
  auto machine = createMachine(target);
  if (!machine)
    return toError(machine.takeError());
  Native &native = get(*this);
  const llvm::Triple triple = native->getTargetTriple();
  const llvm::DataLayout layout = native->getDataLayout();
  llvm::scope_exit restore([&] {
    native->setTargetTriple(triple);
    native->setDataLayout(layout);
  });
  native->setTargetTriple((*machine)->getTargetTriple());
  native->setDataLayout((*machine)->createDataLayout());
  llvm::SmallVector<char, 0> bytes;
  auto kind = asObject ? llvm::CodeGenFileType::ObjectFile : llvm::CodeGenFileType::AssemblyFile;
  if (std::optional<embed::Error> error = toOptional(native.generate(**machine, kind, /*onCopy=*/true, bytes)))
    return *error;
  return std::string(bytes.begin(), bytes.end());
}

bool showDebugOutput(const std::vector<std::string> &types) {
  auto &options = llvm::cl::getRegisteredOptions();
  auto debug = options.find("debug"), only = options.find("debug-only");
  if (debug == options.end() || only == options.end())
    return false;
  debug->second->addOccurrence(0, "debug", "true");
  if (!types.empty())
    only->second->addOccurrence(0, "debug-only", llvm::join(types, ","));
  return true;
}

} // namespace triton::ir
