// What LLVM is told about a loop.
#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

namespace triton::cpu {

/// Keeps LLVM from unrolling: for bodies that already hold as many vectors as pays, where copies only cost compile
/// time.
inline void keepRolled(mlir::scf::ForOp loop) {
  mlir::MLIRContext *context = loop.getContext();
  mlir::Builder builder(context);
  auto unroll = mlir::LLVM::LoopUnrollAttr::get(context, /*disable=*/builder.getBoolAttr(true), /*count=*/{},
                                                /*runtimeDisable=*/{}, /*full=*/{}, {}, {}, {});
  loop->setAttr("llvm.loop_annotation", mlir::LLVM::LoopAnnotationAttr::get(
                                            context, /*disableNonforced=*/{}, /*vectorize=*/{}, /*interleave=*/{},
                                            unroll, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}));
}

} // namespace triton::cpu
