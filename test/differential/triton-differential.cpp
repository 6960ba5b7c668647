// Compares compiled code with the interpreter on random kernels: `triton-differential --count 1000 --seed 1`. Writes the IR of each
// kernel that differs, or that does not compile, to the output folder and prints why.
#include "test/differential/Differential.h"
#include "test/differential/Reduce.h"

#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/PrettyStackTrace.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton::differential;

namespace flag {
static llvm::cl::list<std::string> files(llvm::cl::Positional,
                                         llvm::cl::desc("<IR files to compare instead of random kernels>"));
static llvm::cl::opt<uint64_t> seed("seed", llvm::cl::init(1), llvm::cl::desc("The first seed"));
static llvm::cl::opt<int> programs("programs", llvm::cl::init(2),
                                   llvm::cl::desc("How many programs a kernel of a file has"));
static llvm::cl::opt<int> valid("valid", llvm::cl::init(500), llvm::cl::desc("How many valid elements it is told of"));
static llvm::cl::opt<unsigned> count("count", llvm::cl::init(100), llvm::cl::desc("How many kernels"));
static llvm::cl::opt<std::string> out("out", llvm::cl::desc("A folder for the IR of kernels that fail"));
static llvm::cl::opt<bool> reduce("reduce", llvm::cl::desc("Make kernels that fail smaller before they are written"));
static llvm::cl::opt<std::string> target("target", llvm::cl::init("cpu"),
                                         llvm::cl::desc("Where code runs: cpu, cuda, simulator"));
static llvm::cl::opt<std::string>
    architecture("arch", llvm::cl::init("native"),
                 llvm::cl::desc("An architecture, such as sm_90a: what the simulator is, or "
                                "what is only compiled for"));
static llvm::cl::opt<int> warps("warps", llvm::cl::init(4), llvm::cl::desc("Warps of a program (cuda)"));
static llvm::cl::opt<bool> print("print", llvm::cl::desc("Print the IR of each kernel"));
static llvm::cl::opt<bool> noShapes("no-shapes"), noReductions("no-reductions"), noControlFlow("no-control-flow"),
    noProducts("no-products"), noNarrowFloats("no-narrow-floats"), noWindows("no-windows"), noTruths("no-truths"),
    noAtomics("no-atomics");
} // namespace flag

/// A kernel of a file: pointers, each to a few thousand elements, and then perhaps an i32, the number of valid ones.
static RandomKernel readKernel(mlir::MLIRContext &context, llvm::StringRef path) {
  RandomKernel kernel{mlir::parseSourceFile<mlir::ModuleOp>(path, &context), {}, flag::programs, flag::valid};
  if (kernel.module)
    for (mlir::Type type : (*kernel.module->getOps<triton::tensor::FuncOp>().begin()).getArgumentTypes())
      if (auto pointer = mlir::dyn_cast<triton::tensor::PointerType>(type))
        kernel.parameters.push_back({pointer.getPointeeType(), 4096, false});
  return kernel;
}

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  llvm::cl::ParseCommandLineOptions(argc, argv, "compares compiled code with the interpreter on random kernels\n");
  mlir::DialectRegistry registry;
  triton::tensor::registerTensorDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  Vocabulary vocabulary{!flag::noShapes,       !flag::noReductions, !flag::noControlFlow, !flag::noProducts,
                        !flag::noNarrowFloats, !flag::noWindows,    !flag::noTruths,      !flag::noAtomics};
  unsigned outcomes[4] = {};
  if (!flag::files.empty())
    flag::count = flag::files.size();
  for (uint64_t seed = flag::seed; seed < flag::seed + flag::count; ++seed) {
    RandomKernel kernel = flag::files.empty() ? makeRandomKernel(context, seed, vocabulary)
                                              : readKernel(context, flag::files[seed - flag::seed]);
    if (!kernel.module)
      return 1;
    llvm::PrettyStackTraceFormat place("on the kernel of seed %llu", static_cast<unsigned long long>(seed));
    if (flag::print)
      kernel.module->print(llvm::outs());
    Place where{flag::target, flag::architecture, flag::warps};
    if (where.target == "simulator" && where.architecture == "native")
      where.architecture = "sm_90a";
    Outcome outcome = compare(kernel, seed, where);
    ++outcomes[outcome.kind];
    if (outcome.kind == Outcome::Same)
      continue;
    static constexpr const char *names[] = {"same", "different", "not compiled", "not interpreted"};
    llvm::outs() << "seed " << seed << ": " << names[outcome.kind] << ": " << llvm::StringRef(outcome.message).trim()
                 << "\n";
    llvm::outs().flush();
    if (flag::reduce)
      reduce(kernel, [&](RandomKernel &smaller) { return compare(smaller, seed, where).kind == outcome.kind; });
    if (!flag::out.empty()) {
      std::error_code error;
      llvm::raw_fd_ostream file(flag::out + "/seed-" + std::to_string(seed) + ".ttir", error);
      if (!error)
        kernel.module->print(file);
    }
  }
  llvm::outs() << outcomes[Outcome::Same] << " same, " << outcomes[Outcome::Different] << " different, "
               << outcomes[Outcome::NotCompiled] << " not compiled, " << outcomes[Outcome::NotInterpreted]
               << " not interpreted\n";
  return outcomes[Outcome::Same] == flag::count ? 0 : 1;
}
