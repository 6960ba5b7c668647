#include "compiler/cpu/Scalar.h"

#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::cpu {

Type withShapeOf(Type shape, Type element) {
  if (auto vector = dyn_cast<VectorType>(shape))
    return VectorType::get(vector.getShape(), element);
  return element;
}

Type getRegisterType(Type type) {
  if (isa<tensor::PointerType>(type))
    return LLVM::LLVMPointerType::get(type.getContext());
  if (tensor::isFloat8(type))
    return IntegerType::get(type.getContext(), 8);
  return type;
}

Type getStorageType(Type type) {
  if (type.isInteger(1))
    return IntegerType::get(type.getContext(), 8);
  return getRegisterType(type);
}

int64_t getStorageBytes(Type type) {
  if (isa<tensor::PointerType, LLVM::LLVMPointerType>(type))
    return 8;
  return (type.getIntOrFloatBitWidth() + 7) / 8;
}

Value Scalar::integer(Type type, int64_t value) const {
  Type element = getElementTypeOrSelf(type);
  APInt bits = APInt(64, value, true).sextOrTrunc(element.getIntOrFloatBitWidth());
  auto attribute = IntegerAttr::get(element, bits);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vector, Attribute(attribute)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value Scalar::floating(Type type, double value) const {
  auto attribute = FloatAttr::get(getElementTypeOrSelf(type), value);
  if (auto vector = dyn_cast<VectorType>(type))
    return arith::ConstantOp::create(builder, loc, DenseElementsAttr::get(vector, Attribute(attribute)));
  return arith::ConstantOp::create(builder, loc, attribute);
}

Value Scalar::zero(Type type) const {
  if (isa<LLVM::LLVMPointerType>(type))
    return LLVM::ZeroOp::create(builder, loc, type);
  return arith::ConstantOp::create(builder, loc, builder.getZeroAttr(type));
}

Value Scalar::add(Value a, Value b) const { return builder.createOrFold<arith::AddIOp>(loc, a, b); }
Value Scalar::sub(Value a, Value b) const { return builder.createOrFold<arith::SubIOp>(loc, a, b); }
Value Scalar::mul(Value a, Value b) const { return builder.createOrFold<arith::MulIOp>(loc, a, b); }
Value Scalar::bitAnd(Value a, Value b) const { return builder.createOrFold<arith::AndIOp>(loc, a, b); }
Value Scalar::bitOr(Value a, Value b) const { return builder.createOrFold<arith::OrIOp>(loc, a, b); }
Value Scalar::smin(Value a, Value b) const { return builder.createOrFold<arith::MinSIOp>(loc, a, b); }
Value Scalar::smax(Value a, Value b) const { return builder.createOrFold<arith::MaxSIOp>(loc, a, b); }

Value Scalar::shiftLeft(Value a, int64_t amount) const {
  return amount ? builder.createOrFold<arith::ShLIOp>(loc, a, integer(a.getType(), amount)) : a;
}

Value Scalar::shiftRight(Value a, int64_t amount) const {
  return amount ? builder.createOrFold<arith::ShRUIOp>(loc, a, integer(a.getType(), amount)) : a;
}

Value Scalar::compare(arith::CmpIPredicate predicate, Value a, Value b) const {
  return builder.createOrFold<arith::CmpIOp>(loc, predicate, a, b);
}

Value Scalar::compare(arith::CmpFPredicate predicate, Value a, Value b) const {
  return builder.createOrFold<arith::CmpFOp>(loc, predicate, a, b);
}

Value Scalar::select(Value condition, Value a, Value b) const {
  return builder.createOrFold<arith::SelectOp>(loc, condition, a, b);
}

Value Scalar::resize(Value value, Type element, bool isSigned) const {
  unsigned from = getElementTypeOrSelf(value).getIntOrFloatBitWidth(), to = element.getIntOrFloatBitWidth();
  if (from == to)
    return value;
  Type type = withShapeOf(value.getType(), element);
  if (from > to)
    return builder.createOrFold<arith::TruncIOp>(loc, type, value);
  if (isSigned)
    return builder.createOrFold<arith::ExtSIOp>(loc, type, value);
  return builder.createOrFold<arith::ExtUIOp>(loc, type, value);
}

Value Scalar::bitcast(Value value, Type element) const {
  if (getElementTypeOrSelf(value) == element)
    return value;
  return builder.createOrFold<arith::BitcastOp>(loc, withShapeOf(value.getType(), element), value);
}

std::optional<int64_t> Scalar::constant(Value value) {
  APInt bits;
  if (value && matchPattern(value, m_ConstantInt(&bits)) && bits.getBitWidth() <= 64)
    return bits.getSExtValue();
  return std::nullopt;
}

} // namespace triton::cpu
