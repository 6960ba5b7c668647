// Runs any pass of the compiler on an IR file: `triton-opt kernel.ttir --canonicalize`. What the IR tests are written
// with.
#include "bin/IrFile.h"
#include "compiler/cpu/Pipeline.h"
#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/passes/Pipeline.h"
#include "compiler/llvm/host/LowerToLlvm.h"
#include "compiler/tensor/passes/Pipeline.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/ToolOutputFile.h"

static llvm::LogicalResult run(int argc, char **argv, mlir::DialectRegistry &registry) {
  auto [input, output] = mlir::registerAndParseCLIOptions(argc, argv, "runs passes of triton.cpp on IR\n", registry);
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  if (config.shouldShowDialects() || config.shouldListPasses())
    return mlir::MlirOptMain(argc, argv, input, output, registry);
  std::unique_ptr<llvm::MemoryBuffer> text = triton::readIrFile(input);
  std::string error;
  std::unique_ptr<llvm::ToolOutputFile> file = text ? mlir::openOutputFile(output, &error) : nullptr;
  if (!error.empty())
    llvm::errs() << error << '\n';
  if (!file || failed(mlir::MlirOptMain(file->os(), std::move(text), registry, config)))
    return mlir::failure();
  file->keep();
  return mlir::success();
}

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();
  triton::tensor::registerTensorPipeline();
  triton::gpu::registerGpuPipeline();
  triton::gluon::registerGluonPipeline();
  triton::cpu::registerCpuPipeline();
  triton::host::registerLowerToLlvm();

  mlir::DialectRegistry registry;
  triton::tensor::registerTensorDialects(registry);
  triton::gpu::registerGpuDialects(registry);
  triton::gluon::registerGluonDialect(registry);
  registry.insert<mlir::func::FuncDialect, mlir::LLVM::LLVMDialect, mlir::vector::VectorDialect>();
  return mlir::asMainReturnCode(run(argc, argv, registry));
}
