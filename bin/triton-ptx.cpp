// GPU IR in, PTX out: `triton-ptx kernel.ttgir --arch sm_90a`. What the tests of the NVIDIA code generator are written with; `--llvm` stops at LLVM IR
// as emitted, `--assemble` runs ptxas too and prints what it says.
#include "bin/IrFile.h"
#include "compiler/driver/Toolkit.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/llvm/nvidia/Codegen.h"
#include "compiler/llvm/nvidia/Ptxas.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "mlir/Parser/Parser.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;

static llvm::cl::opt<std::string> inputFile(llvm::cl::Positional, llvm::cl::desc("<file>"), llvm::cl::init("-"));
static llvm::cl::opt<std::string> architecture("arch", llvm::cl::desc("sm_80, sm_90a, …"), llvm::cl::init("sm_90a"));
static llvm::cl::opt<unsigned> ptxVersion("ptx-version", llvm::cl::desc("86 for 8.6; 0: the newest"),
                                          llvm::cl::init(0));
static llvm::cl::opt<bool> onlyLlvm("llvm", llvm::cl::desc("print LLVM IR before optimisation"));
static llvm::cl::opt<bool> waits("wait-at-entry", llvm::cl::desc("kernels wait for those before them"));
static llvm::cl::opt<bool> assembles("assemble", llvm::cl::desc("also run ptxas and print its report"));

static int fail(llvm::Error error) {
  llvm::errs() << "triton-ptx: " << llvm::toString(std::move(error)) << '\n';
  return 1;
}

int main(int argc, char **argv) {
  llvm::cl::ParseCommandLineOptions(argc, argv, "prints the PTX of GPU IR\n");
  mlir::DialectRegistry registry;
  tensor::registerTensorDialects(registry);
  gpu::registerGpuDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::unique_ptr<llvm::MemoryBuffer> text = readIrFile(inputFile);
  if (!text)
    return 1;
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(std::move(text), llvm::SMLoc());
  mlir::SourceMgrDiagnosticHandler handler(sources, &context);
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(sources, &context);
  if (!module)
    return 1;
  auto target = gpu::Target::byName(architecture);
  if (!target)
    return fail(target.takeError());
  nvidia::CodegenOptions options;
  options.emit = {.target = *target, .waitAtEntry = waits};
  options.ptxVersion = ptxVersion;
  const driver::Toolkit toolkit = driver::Toolkit::find({.backend = "cuda"}, *target);
  if (!toolkit.problem.empty() && assembles)
    return fail(llvm::createStringError(toolkit.problem));
  if (!toolkit.libdevice.empty())
    options.libraries.push_back(toolkit.libdevice);
  auto code = nvidia::Code::emit(*module, options);
  if (!code)
    return fail(code.takeError());
  if (onlyLlvm) {
    llvm::outs() << code->llir();
    return 0;
  }
  if (llvm::Error error = code->optimise())
    return fail(std::move(error));
  auto ptx = code->ptx();
  if (!ptx)
    return fail(ptx.takeError());
  llvm::outs() << *ptx;
  if (!assembles)
    return 0;
  auto assembled = nvidia::assemble(*ptx, {.target = *target, .path = toolkit.ptxas});
  if (!assembled)
    return fail(assembled.takeError());
  llvm::outs() << assembled->log;
  return 0;
}
