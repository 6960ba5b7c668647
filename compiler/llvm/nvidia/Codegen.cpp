// Emission, linking of bitcode libraries, LLVM's -O3, and the NVPTX code generator.
#include "compiler/llvm/nvidia/Codegen.h"

#include "compiler/llvm/BitcodeLibraries.h"
#include "compiler/llvm/LlvmTargets.h"
#include "compiler/llvm/nvidia/CopyAddresses.h"
#include "compiler/llvm/nvidia/LoadExtents.h"
#include "compiler/llvm/nvidia/NvidiaMachine.h"
#include "compiler/llvm/nvidia/SharedDivisors.h"

#include "mlir/IR/Diagnostics.h"

#include "llvm/IR/CallingConv.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Target/TargetOptions.h"

namespace triton::nvidia {

unsigned supportedPtxVersion(unsigned version) {
  static constexpr unsigned known[] = {90, 88, 87, 86, 85, 84, 83, 82, 81, 80, 78, 77, 76, 75, 74, 73, 72, 71, 70};
  for (unsigned candidate : known)
    if (!version || candidate <= version)
      return candidate;
  return known[0];
}

/// The oldest PTX that has the architecture and every instruction that is emitted for it: LLVM ends the process if asked for less.
static unsigned leastPtxVersion(const gpu::Target &target) {
  switch (target.capability) {
  case 103:
  case 121:
    return 88;
  case 110:
    return 90;
  case 120:
    return 87;
  default:
    return target.capability >= 100 ? 86 : target.capability >= 90 ? 80 : target.capability == 89 ? 81 : 74;
  }
}

/// A target machine is not thread safe and takes a millisecond to make: each thread keeps those it has used.
static llvm::Expected<llvm::TargetMachine *>
targetMachine(const gpu::Target &target, unsigned ptxVersion,
              llvm::CodeGenOptLevel level = llvm::CodeGenOptLevel::Default) {
  using Key = std::tuple<gpu::Target, unsigned, llvm::CodeGenOptLevel>;
  thread_local std::vector<std::pair<Key, std::unique_ptr<llvm::TargetMachine>>> cache;
  const Key wanted(target, ptxVersion, level);
  for (auto &[key, machine] : cache)
    if (key == wanted)
      return machine.get();
  llvm::Triple triple("nvptx64-nvidia-cuda");
  auto llvmTarget = findLlvmTarget(triple);
  if (!llvmTarget)
    return llvmTarget.takeError();
  // Multiplies and adds carry the `contract` flag where they may be fused.
  llvm::TargetOptions targetOptions;
  targetOptions.AllowFPOpFusion = llvm::FPOpFusion::Standard;
  std::unique_ptr<llvm::TargetMachine> machine(
      (*llvmTarget)
          ->createTargetMachine(triple, target.cpu(), "+ptx" + std::to_string(ptxVersion), targetOptions,
                                llvm::Reloc::PIC_, std::nullopt, level));
  cache.emplace_back(wanted, std::move(machine));
  return cache.back().second.get();
}

Code::Code(const CodegenOptions &options) : simt::Code(options), options(options) {
  this->options.ptxVersion = supportedPtxVersion(options.ptxVersion);
  this->options.emit.flushDenormals = options.flushDenormals;
}

llvm::Error Code::prepare() {
  if (unsigned least = leastPtxVersion(options.emit.target); options.ptxVersion < least)
    return llvm::createStringError(llvm::formatv("PTX {0}.{1} is too old for {2}, which needs {3}.{4} or newer",
                                                 options.ptxVersion / 10, options.ptxVersion % 10,
                                                 options.emit.target.cpu(), least / 10, least % 10));
  auto machine = targetMachine(options.emit.target, options.ptxVersion);
  if (!machine)
    return machine.takeError();
  setTarget(**machine);
  return llvm::Error::success();
}

llvm::Expected<Code> Code::emit(mlir::ModuleOp module, const CodegenOptions &options) {
  Code code(options);
  auto watch = std::make_optional<Stopwatch>(code.spent.emit);
  if (llvm::Error error = code.prepare())
    return error;
  if (llvm::Error error = code.write(module, code.options.emit, *createMachine(options.emit.target)))
    return error;
  watch.reset(); // before the move, which takes the time along
  return code;
}

llvm::Expected<Code> Code::parse(llvm::StringRef text, const CodegenOptions &options) {
  Code code(options);
  if (llvm::Error error = code.llvmModule.parse(text))
    return error;
  if (llvm::Error error = code.prepare())
    return error;
  return code;
}

/// What kernels need of LLVM's -O3, in a third of its time: emitted code has no calls, no memory in need of promotion and hardly any branches.
/// Modules with functions besides kernels (libdevice's, or those never inlined) take all of -O3.
static constexpr llvm::StringLiteral kernelPipeline =
    "function<eager-inv>("
    "sroa<modify-cfg>,early-cse<memssa>,instcombine<max-iterations=1;no-verify-fixpoint>,simplifycfg,"
    "loop-mssa(loop-instsimplify,loop-simplifycfg,licm<allowspeculation>,"
    "loop-rotate<header-duplication;no-prepare-for-lto>,licm<allowspeculation>),"
    "simplifycfg,instcombine<max-iterations=1;no-verify-fixpoint>,loop(indvars,loop-deletion,loop-unroll-full),"
    "gvn<>,sccp,bdce,instcombine<max-iterations=1;no-verify-fixpoint>,loop-mssa(licm<allowspeculation>),"
    "adce,simplifycfg,loop-unroll<O3>,instcombine<max-iterations=1;no-verify-fixpoint>)";

/// Whether an integer or address is a sum of very many values: such as the address of the last of many loads that each add to the next one's.
static bool hasLongSum(const llvm::Function &function) {
  constexpr unsigned most = 64;
  llvm::DenseMap<const llvm::Value *, unsigned> terms;
  auto termsOf = [&](const llvm::Value *value) {
    return llvm::isa<llvm::Constant>(value) ? 0 : std::max(1u, terms.lookup(value));
  };
  for (const llvm::BasicBlock &block : function)
    for (const llvm::Instruction &instruction : block) {
      const unsigned opcode = instruction.getOpcode();
      if (opcode != llvm::Instruction::Add && opcode != llvm::Instruction::GetElementPtr &&
          !llvm::isa<llvm::SExtInst, llvm::ZExtInst, llvm::TruncInst>(instruction))
        continue;
      unsigned &sum = terms[&instruction];
      sum = 0; // small counts: it is left at the first that is too long
      for (const llvm::Value *operand : instruction.operand_values())
        sum += termsOf(operand);
      if (sum > most)
        return true;
    }
  return false;
}

/// Whether very many values reach a block or leave a function together, such as the registers of a tensor that is far too large for them.
static bool hasWideValues(const llvm::Function &function) {
  constexpr size_t most = 2048;
  auto *results = llvm::dyn_cast<llvm::StructType>(function.getReturnType());
  return function.arg_size() > most || (results && results->getNumElements() > most) ||
         llvm::any_of(function, [](const llvm::BasicBlock &block) { return llvm::range_size(block.phis()) > most; });
}

/// Of functions with wide values. Combining compares each with all others that reach the block, and constants are propagated through each of the values
/// that a struct has while it is put together.
static constexpr llvm::StringLiteral widePipeline =
    "function<eager-inv>(early-cse<memssa>,instsimplify,simplifycfg,bdce,adce)";

/// Of kernels with very many branches, or with sums of very many values: what takes time that grows with the square of their number is left out. Combining
/// asks of every value what each of the branches on it says, and of every address what it would be if all its terms were wider; rotating and unrolling
/// a loop number the whole tree of dominators anew.
static constexpr llvm::StringLiteral longPipeline =
    "function<eager-inv>("
    "sroa<modify-cfg>,early-cse<memssa>,instsimplify,simplifycfg,loop-mssa(licm<allowspeculation>),"
    "gvn<>,sccp,bdce,adce,simplifycfg,instsimplify)";

/// Of kernels with very many branches first: turns those around a few instructions into selections.
static constexpr llvm::StringLiteral fewerBranchesPipeline =
    "function<eager-inv>(sroa<modify-cfg>,early-cse<memssa>,simplifycfg)";

static bool hasManyBranches(const llvm::Module &module) {
  constexpr ptrdiff_t mostBranches = 512;
  return llvm::any_of(module, [](const llvm::Function &function) {
    return llvm::count_if(function, [](const llvm::BasicBlock &block) {
             return block.getTerminator()->getNumSuccessors() > 1;
           }) > mostBranches;
  });
}

static bool hasOnlyKernels(const llvm::Module &module) {
  return llvm::all_of(module, [](const llvm::Function &function) {
    return function.isDeclaration() || function.getCallingConv() == llvm::CallingConv::PTX_Kernel;
  });
}

llvm::Error Code::optimise() {
  Stopwatch watch(spent.optimise);
  auto machine = targetMachine(options.emit.target, options.ptxVersion);
  if (!machine)
    return machine.takeError();
  if (llvm::Error error = linkLibraries(*llvmModule, options.libraries))
    return error;
  llvmModule->setModuleFlag(llvm::Module::Override, "nvvm-reflect-ftz", options.flushDenormals ? 1u : 0u);
  auto run = [&](llvm::StringRef pipeline) {
    return llvmModule.run(*machine, [&](llvm::PassBuilder &builder, llvm::ModulePassManager &passes) -> llvm::Error {
      if (!pipeline.empty())
        return builder.parsePassPipeline(passes, pipeline);
      passes = builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
      return llvm::Error::success();
    });
  };
  if (llvm::any_of(*llvmModule, hasWideValues))
    return run(widePipeline);
  if (!hasOnlyKernels(*llvmModule))
    return run("");
  if (hasManyBranches(*llvmModule))
    if (llvm::Error error = run(fewerBranchesPipeline))
      return error;
  const bool isLong = hasManyBranches(*llvmModule) || llvm::any_of(*llvmModule, hasLongSum);
  return run(isLong ? longPipeline : kernelPipeline);
}

/// Some of the code generator's passes take time that grows with the square of the code, or faster. Long kernels do without:
/// - the vectorizer of loads and stores compares the addresses of all accesses of a block, as sums of everything they are made from. The emitter
///   has made vectors already; the attribute is what that pass asks, and nothing else does on this target.
/// - strength reduction subtracts sums from each other, term by term.
/// - stores of a block are each compared with those before them, in case they could be one.
/// - with very many branches, moving code between blocks, and numbering the tree of dominators after each change.
/// - passes on machine code visit all uses of a register for each copy of it, and inline assembly copies every operand. ptxas does that work again.
static llvm::CodeGenOptLevel limitPasses(llvm::Module &module) {
  constexpr ptrdiff_t mostAccesses = 128, mostStores = 1024, mostAssembly = 4096;
  ptrdiff_t assembly = 0, stores = 0;
  for (llvm::Function &function : module) {
    for (llvm::BasicBlock &block : function) {
      if (llvm::count_if(block, llvm::IsaPred<llvm::LoadInst, llvm::StoreInst>) > mostAccesses)
        function.addFnAttr(llvm::Attribute::NoImplicitFloat);
      stores = std::max(stores, llvm::count_if(block, llvm::IsaPred<llvm::StoreInst>));
      assembly += llvm::count_if(block, [](llvm::Instruction &instruction) {
        auto *call = llvm::dyn_cast<llvm::CallInst>(&instruction);
        return call && call->isInlineAsm();
      });
    }
  }
  const bool isLong = stores > mostStores || assembly > mostAssembly || hasManyBranches(module) ||
                      llvm::any_of(module, hasLongSum) || llvm::any_of(module, hasWideValues);
  return isLong ? llvm::CodeGenOptLevel::None : llvm::CodeGenOptLevel::Default;
}

llvm::Expected<std::string> Code::ptx() {
  Stopwatch watch(spent.print);
  const gpu::Target device = options.device.value_or(options.emit.target);
  // What has been emitted may need the instructions of the newer of the two.
  const gpu::Target &newer = device.capability > options.emit.target.capability ? device : options.emit.target;
  auto machine = targetMachine(newer, std::max(options.ptxVersion, leastPtxVersion(newer)), limitPasses(*llvmModule));
  if (!machine)
    return machine.takeError();
  splitCopyAddresses(*llvmModule);
  shareDivisors(*llvmModule);
  limitLoadExtents(*llvmModule);
  llvm::Expected<std::string> text = printAssembly(**machine);
  if (text && !(device == newer))
    text = llvm::Regex("\\.target sm_[0-9]+[af]?").sub(".target " + device.cpu(), *text);
  return text;
}

} // namespace triton::nvidia
