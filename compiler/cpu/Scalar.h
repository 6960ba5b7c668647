// Short names for the arithmetic that lowering emits, on scalars and on vectors alike.
//   In:  values of integer or float type, or vectors of them.
//   Out: the same operations of `arith`, folded when their operands are constants.
// A `Scalar` holds a place in the IR like the builder it wraps; copies emit at the same place.
#pragma once

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Builders.h"

namespace triton::cpu {

/// `element` as `shape` is: a vector of as many elements, or `element` itself.
mlir::Type withShapeOf(mlir::Type shape, mlir::Type element);

/// How values of `type` are held in registers: pointers as `!llvm.ptr`, 8-bit floats as i8, everything else as it is.
mlir::Type getRegisterType(mlir::Type type);
/// How values of `type` lie in memory: i1 as a byte, everything else as in registers.
mlir::Type getStorageType(mlir::Type type);
/// Bytes of one element of `type` in memory.
int64_t getStorageBytes(mlir::Type type);

inline llvm::ArrayRef<int64_t> shapeOf(mlir::Value tensor) {
  return mlir::cast<mlir::RankedTensorType>(tensor.getType()).getShape();
}
/// Of a tensor or a vector; anything else is its own element.
inline mlir::Type elementOf(mlir::Value value) { return mlir::getElementTypeOrSelf(value.getType()); }

struct Scalar {
  mlir::OpBuilder &builder;
  mlir::Location loc;

  mlir::Value integer(mlir::Type type, int64_t value) const;
  mlir::Value floating(mlir::Type type, double value) const;
  mlir::Value zero(mlir::Type type) const;
  mlir::Value i64(int64_t value) const { return integer(builder.getI64Type(), value); }
  mlir::Value i1(bool value) const { return integer(builder.getI1Type(), value); }

  mlir::Value add(mlir::Value a, mlir::Value b) const;
  mlir::Value add(mlir::Value a, int64_t b) const { return b ? add(a, integer(a.getType(), b)) : a; }
  mlir::Value sub(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, mlir::Value b) const;
  mlir::Value mul(mlir::Value a, int64_t b) const { return b == 1 ? a : mul(a, integer(a.getType(), b)); }
  mlir::Value bitAnd(mlir::Value a, mlir::Value b) const;
  mlir::Value bitAnd(mlir::Value a, int64_t b) const { return bitAnd(a, integer(a.getType(), b)); }
  mlir::Value bitOr(mlir::Value a, mlir::Value b) const;
  mlir::Value shiftLeft(mlir::Value a, int64_t amount) const;
  mlir::Value shiftRight(mlir::Value a, int64_t amount) const; // zeros come in
  mlir::Value smin(mlir::Value a, mlir::Value b) const;
  mlir::Value smax(mlir::Value a, mlir::Value b) const;
  mlir::Value compare(mlir::arith::CmpIPredicate predicate, mlir::Value a, mlir::Value b) const;
  mlir::Value compare(mlir::arith::CmpFPredicate predicate, mlir::Value a, mlir::Value b) const;
  mlir::Value select(mlir::Value condition, mlir::Value a, mlir::Value b) const;
  /// To another width, by sign or by zeros; a narrower one drops high bits.
  mlir::Value resize(mlir::Value value, mlir::Type element, bool isSigned = true) const;
  mlir::Value bitcast(mlir::Value value, mlir::Type element) const;

  /// The constant that `value` is, if it is one.
  static std::optional<int64_t> constant(mlir::Value value);
};

} // namespace triton::cpu
