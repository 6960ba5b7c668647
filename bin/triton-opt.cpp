#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Passes/PassBuilder.h"
int main(int argc, char **argv) {
  llvm::InitializeNativeTarget(); llvm::InitializeNativeTargetAsmPrinter();
  auto j = llvm::orc::LLJITBuilder().create(); if(!j) return 1;
  llvm::PassBuilder pb; llvm::ModulePassManager m = pb.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3);
  mlir::DialectRegistry registry;
  registry.insert<mlir::arith::ArithDialect, mlir::scf::SCFDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "triton-opt", registry));
}
