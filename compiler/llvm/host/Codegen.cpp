// The order of LLVM passes is at the top; the rest connects MLIR's translation, the pass manager and the X86 code
// generator.
#include "compiler/llvm/host/Codegen.h"

#include "compiler/llvm/LlvmTargets.h"
#include "compiler/llvm/host/BFloatMoves.h"
#include "compiler/tensor/Places.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"

#include "llvm/IR/DiagnosticInfo.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/Verifier.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"
#include "llvm/Transforms/Utils/Cloning.h"

namespace triton::host {

// The loops arrive vectorised, fused and unrolled as far as it pays, so what is left is to clean up after lowering and to hoist
// what does not vary. Measured against -O3: the same speed at a third of the time. Passes that ask how often loops run
// (indvars, loop-unroll) cost as much as all of these together and changed no kernel's speed.
static constexpr llvm::StringLiteral passes =
    "function(sroa,early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,loop-mssa(loop-rotate,licm),"
    "early-cse<memssa>,instcombine<no-verify-fixpoint>,simplifycfg)";

static llvm::Expected<std::unique_ptr<llvm::TargetMachine>> createTargetMachine(const HostTarget &target,
                                                                                const CodegenOptions &options) {
  llvm::Triple triple(target.triple);
  auto llvmTarget = findLlvmTarget(triple);
  if (!llvmTarget)
    return llvmTarget.takeError();
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = options.fuseMultiplyAdd ? llvm::FPOpFusion::Fast : llvm::FPOpFusion::Standard;
  // A JIT's default is the large code model, whose far calls and constants cost; code and constants lie together here.
  return std::unique_ptr<llvm::TargetMachine>(
      (*llvmTarget)
          ->createTargetMachine(triple, target.cpu, target.features, targetOptions, llvm::Reloc::PIC_,
                                llvm::CodeModel::Small, llvm::CodeGenOptLevel::Default));
}

/// A target machine is not thread safe and takes a millisecond to make: each thread keeps those it has used.
static llvm::Expected<llvm::TargetMachine *> targetMachine(const HostTarget &target, const CodegenOptions &options) {
  struct Entry {
    HostTarget target;
    bool fuseMultiplyAdd;
    std::unique_ptr<llvm::TargetMachine> machine;
  };
  thread_local std::vector<Entry> cache;
  for (Entry &entry : cache)
    if (entry.target == target && entry.fuseMultiplyAdd == options.fuseMultiplyAdd)
      return entry.machine.get();
  auto machine = createTargetMachine(target, options);
  if (!machine)
    return machine.takeError();
  cache.push_back({target, options.fuseMultiplyAdd, std::move(*machine)});
  return cache.back().machine.get();
}

void registerTranslations(mlir::DialectRegistry &registry) {
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
}

Code::Code(const HostTarget &target, CodegenOptions options) : target(target), options(options) {
  llvmModule.controls = options.controls;
  llvmModule.interruption = options.interruption;
}

static bool usesNull(const llvm::Function &function) {
  return llvm::any_of(llvm::instructions(function), [](const llvm::Instruction &instruction) {
    return llvm::any_of(instruction.operand_values(), [](const llvm::Value *operand) {
      auto *constant = llvm::dyn_cast<llvm::Constant>(operand);
      return constant && operand->getType()->isPtrOrPtrVectorTy() && constant->isNullValue();
    });
  });
}

/// The first constraint that asks for the x87 stack, as PTX's floats do: empty if none does.
static std::string stackConstraint(const llvm::InlineAsm &assembly) {
  for (const llvm::InlineAsm::ConstraintInfo &constraint : assembly.ParseConstraints())
    for (const std::string &code : constraint.Codes)
      if (constraint.Type != llvm::InlineAsm::isClobber &&
          (code == "f" || code == "t" || code == "u" || llvm::StringRef(code).starts_with("{st")))
        return code;
  return {};
}

/// LLVM ends the process where assembly does not leave the x87 stack as LLVM reckons.
static void reportStackAssembly(llvm::Function &function) {
  for (llvm::Instruction &instruction : llvm::instructions(function)) {
    auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
    auto *assembly = call ? llvm::dyn_cast<llvm::InlineAsm>(call->getCalledOperand()) : nullptr;
    if (std::string code = assembly ? stackConstraint(*assembly) : ""; !code.empty())
      function.getContext().diagnose(llvm::DiagnosticInfoInlineAsm(
          *call, "constraint '" + code + "' is the x87 stack here, which kernels cannot use: floats are in 'x'"));
  }
}

/// Gives every function what the code generator must know about it.
llvm::Error Code::prepare() {
  auto machine = targetMachine(target, options);
  if (!machine)
    return machine.takeError();
  llvmModule->setTargetTriple((*machine)->getTargetTriple());
  llvmModule->setDataLayout((*machine)->createDataLayout());
  llvmModule->setPICLevel(llvm::PICLevel::BigPIC);
  for (llvm::Function &function : *llvmModule) {
    if (function.isDeclaration())
      continue;
    function.addFnAttr("no-builtins");
    function.addFnAttr("target-cpu", target.cpu);
    if (!target.features.empty())
      function.addFnAttr("target-features", target.features);
    function.addFnAttr("prefer-vector-width", std::to_string(target.vectorBits));
    // Vectors of SVE have any length: told which, LLVM uses them for vectors of that many bits.
    if (const unsigned scale = target.vectorBits / 128; (*machine)->getTargetTriple().isAArch64() && scale > 1)
      function.addFnAttr(llvm::Attribute::getWithVScaleRangeArgs(function.getContext(), scale, scale));
    function.setDoesNotThrow();
    // Addresses that are computed as numbers are distances from null.
    if (usesNull(function))
      function.addFnAttr(llvm::Attribute::NullPointerIsValid);
    if (!target.avx512bf16)
      moveBFloatsAsIntegers(function);
    if ((*machine)->getTargetTriple().isX86())
      reportStackAssembly(function);
  }
  return llvmModule.reported();
}

/// Where each inline assembly was written.
static llvm::StringMap<PlaceChain> placesOfAssembly(mlir::ModuleOp module) {
  llvm::StringMap<PlaceChain> places;
  module.walk([&](mlir::LLVM::InlineAsmOp op) {
    if (PlaceChain chain = tensor::placesOf(op.getLoc()); !chain.empty())
      places.try_emplace(op.getAsmString(), std::move(chain));
  });
  return places;
}

llvm::Expected<Code> Code::translate(mlir::ModuleOp module, const HostTarget &target, CodegenOptions options) {
  Code code(target, options);
  auto watch = std::make_optional<Stopwatch>(code.spent.translate);
  auto translated = mlir::translateModuleToLLVMIR(module, code.llvmModule.context(),
                                                  module.getName().value_or("kernel"), /*disableVerification=*/true);
  if (!translated)
    return llvm::make_error<ReportedError>();
  code.llvmModule.set(std::move(translated));
  code.llvmModule.placeAssembly(placesOfAssembly(module));
  if (llvm::Error error = code.prepare())
    return error;
  watch.reset(); // before the move, which takes the time along
  return code;
}

llvm::Expected<Code> Code::parse(llvm::StringRef text, const HostTarget &target, CodegenOptions options) {
  Code code(target, options);
  auto watch = std::make_optional<Stopwatch>(code.spent.translate);
  if (llvm::Error error = code.llvmModule.parse(text))
    return error;
  if (llvm::Error error = code.prepare())
    return error;
  watch.reset(); // before the move, which takes the time along
  return code;
}

llvm::Error Code::optimise() {
  Stopwatch watch(spent.optimise);
  auto machine = targetMachine(target, options);
  if (!machine)
    return machine.takeError();
  return llvmModule.run(*machine, [&](llvm::PassBuilder &builder, llvm::ModulePassManager &manager) {
    return builder.parsePassPipeline(manager, passes);
  });
}

llvm::Error Code::emit(llvm::SmallVectorImpl<char> &bytes, bool asText) {
  Stopwatch watch(spent.emit);
  auto machine = targetMachine(target, options);
  if (!machine)
    return machine.takeError();
  auto kind = asText ? llvm::CodeGenFileType::AssemblyFile : llvm::CodeGenFileType::ObjectFile;
  return llvmModule.generate(**machine, kind, /*onCopy=*/true, bytes);
}

llvm::Expected<std::string> Code::assembly() {
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = emit(bytes, /*asText=*/true))
    return error;
  return std::string(bytes.begin(), bytes.end());
}

llvm::Expected<llvm::SmallVector<char, 0>> Code::object() {
  llvm::SmallVector<char, 0> bytes;
  if (llvm::Error error = emit(bytes, /*asText=*/false))
    return error;
  return bytes;
}

} // namespace triton::host
