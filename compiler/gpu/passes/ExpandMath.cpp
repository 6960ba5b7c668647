// Replaces elementary functions by arithmetic on targets without a math library: AMD's GPUs.
//
//   %s = math.sin %x : tensor<64xf32, #blocked>
// becomes
//   %w = arith.extf %x : tensor<64xf32, #blocked> to tensor<64xf64, #blocked>
//   … some thirty operations, and no call
//
// Functions of libdevice by name (`tt.extern_elementwise`) become the operations that they are first. f16 and bf16 are computed in f32. Leaves alone what is a few instructions of the
// GPU's in f32: exp, exp2, log, log2, log10, sqrt, rsqrt, and rounding in all types. Runs late, on GPU IR that has all its layouts, so that layouts and loops are decided by the
// functions and not by their arithmetic.
#include "compiler/gpu/Target.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/tensor/ElementaryMath.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_EXPANDMATH
#include "compiler/gpu/passes/Passes.h.inc"

/// Whether the GPU has the function in f32, or nearly.
static bool isNative(Operation *op) {
  return isa<math::ExpOp, math::Exp2Op, math::LogOp, math::Log2Op, math::Log10Op, math::RsqrtOp>(op);
}

/// The arithmetic that `op` stands for, on operands of f32 or f64. Null if it stays.
static Value expand(OpBuilder &builder, Operation *op, ValueRange operands) {
  tensor::ElementaryMath math(builder, op->getLoc(), /*hasFma=*/true);
  Value x = operands[0];
  if (getElementTypeOrSelf(x.getType()).isF32() && isNative(op))
    return Value();
  return llvm::TypeSwitch<Operation *, Value>(op)
      .Case([&](math::AcosOp) { return math.acos(x); })
      .Case([&](math::AcoshOp) { return math.acosh(x); })
      .Case([&](math::AsinOp) { return math.asin(x); })
      .Case([&](math::AsinhOp) { return math.asinh(x); })
      .Case([&](math::AtanOp) { return math.atan(x); })
      .Case([&](math::Atan2Op) { return math.atan2(x, operands[1]); })
      .Case([&](math::AtanhOp) { return math.atanh(x); })
      .Case([&](math::CbrtOp) { return math.cbrt(x); })
      .Case([&](math::CosOp) { return math.cos(x); })
      .Case([&](math::CoshOp) { return math.cosh(x); })
      .Case([&](math::ErfOp) { return math.erf(x); })
      .Case([&](math::ErfcOp) { return math.erfc(x); })
      .Case([&](math::ExpOp) { return math.exp(x); })
      .Case([&](math::Exp2Op) { return math.exp2(x); })
      .Case([&](math::ExpM1Op) { return math.expm1(x); })
      .Case([&](math::LogOp) { return math.log(x); })
      .Case([&](math::Log10Op) { return math.log10(x); })
      .Case([&](math::Log1pOp) { return math.log1p(x); })
      .Case([&](math::Log2Op) { return math.log2(x); })
      .Case([&](math::PowFOp) { return math.pow(x, operands[1]); })
      .Case([&](math::FPowIOp) {
        return math.pow(x, arith::SIToFPOp::create(builder, op->getLoc(), x.getType(), operands[1]));
      })
      .Case([&](math::RsqrtOp) { return math.rsqrt(x); })
      .Case([&](math::SinOp) { return math.sin(x); })
      .Case([&](math::SinhOp) { return math.sinh(x); })
      .Case([&](math::TanOp) { return math.tan(x); })
      .Case([&](math::TanhOp) { return math.tanh(x); })
      .Default(Value());
}

/// One function at its own type, or in f32 for narrower floats.
static Value lower(OpBuilder &builder, Operation *op) {
  Type type = op->getResult(0).getType(), element = getElementTypeOrSelf(type);
  SmallVector<Value> operands(op->getOperands());
  if (element.isF32() || element.isF64())
    return expand(builder, op, operands);
  if (isNative(op))
    return Value();
  auto shaped = dyn_cast<ShapedType>(type);
  Type wide = shaped ? Type(shaped.clone(builder.getF32Type())) : builder.getF32Type();
  for (Value &operand : operands)
    if (isa<FloatType>(getElementTypeOrSelf(operand.getType())))
      operand = arith::ExtFOp::create(builder, op->getLoc(), wide, operand);
  Value result = expand(builder, op, operands);
  return result ? arith::TruncFOp::create(builder, op->getLoc(), type, result).getResult() : Value();
}

/// The operation of `math` that a function of libdevice is; null if it is none of those.
static Operation *asMath(OpBuilder &builder, tensor::ExternElementwiseOp call) {
  StringRef name = tensor::mathOfLibdevice(call.getSymbol(), getElementTypeOrSelf(call.getType()));
  if (name.empty())
    return nullptr;
  OperationState state(call.getLoc(), ("math." + name).str(), call->getOperands(), {call.getType()});
  return builder.create(state);
}

namespace {
struct ExpandMath : impl::ExpandMathBase<ExpandMath> {
  using ExpandMathBase::ExpandMathBase;

  static void replace(Operation *op, ValueRange results) {
    op->replaceAllUsesWith(results);
    op->erase();
  }

  void run() override {
    auto target = getOperation()->getAttrOfType<StringAttr>(targetName);
    if (!target || !target.getValue().starts_with("hip:"))
      return;
    SmallVector<Operation *> functions;
    getOperation().walk([&](Operation *op) {
      if (auto call = dyn_cast<tensor::ExternElementwiseOp>(op)) {
        OpBuilder builder(op);
        if (Operation *made = asMath(builder, call)) {
          functions.push_back(made);
          replace(op, made->getResults());
        }
      } else if (isa<math::MathDialect>(op->getDialect()) &&
                 isa<FloatType>(getElementTypeOrSelf(op->getResult(0).getType())))
        functions.push_back(op);
    });
    for (Operation *op : functions) {
      OpBuilder builder(op);
      if (auto both = dyn_cast<math::SincosOp>(op)) {
        tensor::ElementaryMath math(builder, op->getLoc(), /*hasFma=*/true);
        replace(op, {math.sin(both.getOperand()), math.cos(both.getOperand())});
      } else if (Value result = lower(builder, op))
        replace(op, result);
    }
  }
};
} // namespace

} // namespace triton::gpu
