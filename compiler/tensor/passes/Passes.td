// The passes on tensor IR, one line each. What a pass does and why it runs where it runs is told in its own file.
#ifndef TRITON_TENSOR_PASSES
#define TRITON_TENSOR_PASSES

include "mlir/Pass/PassBase.td"

// Of any IR of kernels, as `checkKernelIr` lets through; `root` is what it runs on, any op where it does not say.
class KernelPass<string name, string root = "void">
    : PassBase<name, "::triton::tensor::CheckedPass<" # root # ", ::triton::tensor::checkKernelIr>">;
// The same while no tensor has a layout.
class TensorPass<string name, string root = "void">
    : PassBase<name, "::triton::tensor::CheckedPass<" # root # ", ::triton::tensor::checkTensorIr>">;

def FloatSanitizer : KernelPass<"tensor-float-sanitizer", "::mlir::ModuleOp"> {
  let summary = "compute with integers modulo a power of 2 in place of floats (fpsan)";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
  let options = [
    Option<"isOf38", "of-3.8", "bool", "false", "with the constants and casts of Triton 3.8">,
    Option<"hasHomomorphicCasts", "homomorphic-casts", "bool", "false", "narrowing drops bits, so that it commutes with sums">
  ];
}

def StructureControlFlow : KernelPass<"tensor-structure-control-flow", "::mlir::ModuleOp"> {
  let summary = "turn branches between blocks into scf";
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
}

def InlineCalls : KernelPass<"tensor-inline-calls", "::mlir::ModuleOp"> {
  let summary = "put the bodies of functions in the place of calls";
  let options = [
    Option<"inlinesBlocks", "inlines-blocks", "bool", "false", "also of functions marked noinline, if they take or return tensors">
  ];
}

def Simplify : KernelPass<"tensor-simplify"> {
  let summary = "canonicalise, with a care for loops";
}

def RewriteTensorPointers : KernelPass<"tensor-rewrite-tensor-pointers", "::mlir::ModuleOp"> {
  let summary = "spell block pointers out as pointers and masks";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RewriteDescriptors : KernelPass<"tensor-rewrite-descriptors", "::mlir::ModuleOp"> {
  let summary = "spell tensor descriptors out as pointers and masks";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def DecomposeScaledDots : KernelPass<"tensor-decompose-scaled-dots"> {
  let summary = "write products of microscaling formats as plain products";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HoistSplatMath : KernelPass<"tensor-hoist-splat-math"> {
  let summary = "do elementwise math before its operands are repeated, not after";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def CombineOps : KernelPass<"tensor-combine-ops"> {
  let summary = "put ops together that one op does";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def ScalarizeCarriedPointers : KernelPass<"tensor-scalarize-carried-pointers"> {
  let summary = "carry one number through a loop instead of pointers that all move alike";
  let dependentDialects = ["::mlir::arith::ArithDialect"];
}

def HoistInvariants : KernelPass<"tensor-hoist-invariants"> {
  let summary = "move what a loop computes again and again before the loop";
}

def UnrollLoops : KernelPass<"tensor-unroll-loops"> {
  let summary = "unroll the loops that ask for it";
}

#endif
