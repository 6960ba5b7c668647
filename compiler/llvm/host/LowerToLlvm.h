// Brings loops over vectors to the LLVM dialect.
//   In:  a module of func, scf, cf, arith, math, vector (rank 1), index and ub operations, beside LLVM dialect
//   operations. Out: the LLVM dialect alone.
// One conversion with all patterns rather than a pass per dialect: a cold compile pays for every walk over the IR.
#pragma once

#include <memory>

namespace mlir {
class DialectRegistry;
class OpPassManager;
class Pass;
} // namespace mlir

namespace triton::host {

std::unique_ptr<mlir::Pass> createLowerToLlvm();

/// The whole way down: the conversion, and the clean-up LLVM would otherwise spend longer on.
void buildLowerToLlvm(mlir::OpPassManager &passManager);

/// Makes `--host-lower-to-llvm` known to triton-opt.
void registerLowerToLlvm();

} // namespace triton::host
