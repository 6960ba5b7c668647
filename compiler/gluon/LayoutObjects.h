// The layouts that kernels name, which are objects of the host, and the attributes of GPU IR that they stand for. One to one: what a class
// holds and what an attribute holds is the same.
#pragma once

#include "compiler/gluon/Gluon.h"

namespace triton::gluon {

inline constexpr llvm::StringLiteral coreModule = "triton.experimental.gluon.language._core";

/// The attribute that a layout object stands for; `what` names the argument in errors.
mlir::FailureOr<mlir::Attribute> readLayout(frontend::Emitter &emitter, const frontend::Value &value,
                                            llvm::StringRef what = "layout");
/// A layout of registers, or one that is inferred, for tensors of `shape`. None gives the layout that is inferred.
mlir::FailureOr<mlir::Attribute> readTensorLayout(frontend::Emitter &emitter, const frontend::Value &value,
                                                  llvm::ArrayRef<int64_t> shape);
/// The object of an attribute, for a tensor or buffer of `shape`.
mlir::FailureOr<frontend::Value> makeLayoutObject(frontend::Emitter &emitter, mlir::Attribute layout,
                                                  llvm::ArrayRef<int64_t> shape);

} // namespace triton::gluon
