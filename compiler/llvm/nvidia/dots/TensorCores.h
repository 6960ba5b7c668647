// Dots by tensor cores: what their lowerings share.
#pragma once

#include "compiler/llvm/gpu/dots/Dot.h"
#include "compiler/llvm/nvidia/Families.h"

namespace triton::nvidia {

/// As PTX names a multiplicand: "f16", "tf32", "e4m3", …; empty if tensor cores do not have it.
llvm::StringRef multiplicandName(mlir::Type element);

/// A call that all lanes of a warp make together, but that has no effect beyond its results.
llvm::Value *callTogether(Emitter &emitter, llvm::StringRef text, llvm::StringRef constraints, llvm::Type *result,
                          llvm::ArrayRef<llvm::Value *> arguments);

llvm::LogicalResult emitMmaDot(Emitter &emitter, tensor::DotOp dot);
llvm::LogicalResult emitWarpGroupDot(Emitter &emitter, gpu::WarpGroupDotOp dot);
llvm::LogicalResult emitWarpGroupDotWait(Emitter &emitter, gpu::WarpGroupDotWaitOp wait);

} // namespace triton::nvidia
