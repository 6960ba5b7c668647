// Runs any pass of the compiler on an IR file: `triton-opt kernel.ttir --canonicalize`. What the IR tests are written with.
#include "compiler/tensor/Tensor.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/UB/IR/UBOps.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

int main(int argc, char **argv) {
  mlir::registerTransformsPasses();

  mlir::DialectRegistry registry;
  registry.insert<triton::tensor::TensorDialect, mlir::arith::ArithDialect, mlir::math::MathDialect, mlir::scf::SCFDialect,
                  mlir::cf::ControlFlowDialect, mlir::ub::UBDialect, mlir::func::FuncDialect, mlir::LLVM::LLVMDialect,
                  mlir::vector::VectorDialect>();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "runs passes of triton.cpp on IR\n", registry));
}
