// What a language asks of layouts in which the kernel itself says which thread holds which element. The language without layouts has no
// policy: its blocks have none, and the compiler chooses. Everything else about values is the same function for both.
#pragma once

#include "compiler/frontend/emitter/Emitter.h"

namespace triton::frontend {

class LayoutPolicy {
public:
  virtual ~LayoutPolicy() = default;
  virtual void loadDialects(mlir::MLIRContext &context) const = 0;
  /// Says on the module what layouts are checked against.
  virtual void prepare(mlir::ModuleOp module, const LanguageOptions &options) const = 0;
  /// Says on a function that a partition of this many warps calls it.
  virtual void markPartition(mlir::Operation *function, int warps) const = 0;
  /// Of blocks for which the kernel names none.
  virtual mlir::Attribute defaultLayout(mlir::MLIRContext *context) const = 0;
  /// Whether a layout is to be inferred, so that it adopts any other it meets.
  virtual bool isPlaceholder(mlir::Attribute layout) const = 0;
  /// `block`, whose layout is a placeholder, in `layout`.
  virtual mlir::Value anchor(Emitter &emitter, mlir::Value block, mlir::Attribute layout) const = 0;
  /// Whether a dimension can be inserted there.
  virtual mlir::LogicalResult checkExpandDims(Emitter &emitter, mlir::RankedTensorType type, int64_t axis) const = 0;
  /// The type of a block that a change of `source`'s shape gives, its layout written as kernels are to see it.
  virtual mlir::RankedTensorType written(mlir::RankedTensorType source, mlir::RankedTensorType result,
                                         bool isReshape) const = 0;
  /// The type of a descriptor for whose blocks the host gives a layout.
  virtual mlir::FailureOr<Type> descriptorType(Emitter &emitter, const Type &type, const Value &layout) const = 0;
  /// What a type with a layout is called in the names of functions that are specialised for it; nothing for one without.
  virtual std::optional<std::string> mangle(Emitter &emitter, const Type &type) const = 0;
  /// What a constant is called there, if it is a layout.
  virtual std::optional<std::string> mangleLayout(const Value &constant) const = 0;
  /// The object that kernels know the type of a block or handle as: nothing where there is no class for it.
  virtual mlir::FailureOr<std::optional<Value>> typeObject(Emitter &emitter, const Type &type) const = 0;
  /// The object that kernels know a layout as, which messages print.
  virtual mlir::FailureOr<Value> layoutObject(Emitter &emitter, mlir::Attribute layout,
                                              llvm::ArrayRef<int64_t> shape) const = 0;
};

} // namespace triton::frontend
