// The passes on tensor IR, one line each. What a pass does and why it runs where it runs is told in its own file.
#ifndef TRITON_TENSOR_PASSES
#define TRITON_TENSOR_PASSES

include "mlir/Pass/PassBase.td"

def StructureControlFlow : Pass<"tensor-structure-control-flow", "::mlir::ModuleOp"> {
  let summary = "turn branches between blocks into scf";
  let dependentDialects = ["::mlir::scf::SCFDialect", "::mlir::cf::ControlFlowDialect", "::mlir::ub::UBDialect"];
}

def RewriteTensorPointers : Pass<"tensor-rewrite-tensor-pointers", "::mlir::ModuleOp"> {
  let summary = "spell block pointers out as pointers and masks";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def RewriteDescriptors : Pass<"tensor-rewrite-descriptors", "::mlir::ModuleOp"> {
  let summary = "spell tensor descriptors out as pointers and masks";
  let dependentDialects = ["::mlir::arith::ArithDialect", "::mlir::scf::SCFDialect"];
}

def HoistInvariants : Pass<"tensor-hoist-invariants"> {
  let summary = "move what a loop computes again and again before the loop";
}

def UnrollLoops : Pass<"tensor-unroll-loops"> {
  let summary = "unroll the loops that ask for it";
}

#endif
