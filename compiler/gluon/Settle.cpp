// What the frontend shows to those who read its IR becomes what is left to do.
//
//   %n = arith.bitcast %arg0 : i32 to i32
//   gpu.barrier
//   ttng.arrive_barrier %bar, 1, %true : ...
//   %t = ttng.tc_gen5_mma %a, %b, %d[], %true, %true : ...
// becomes
//   ttg.barrier
//   ttng.arrive_barrier %bar, 1 : ...
//   ttng.tc_gen5_mma %a, %b, %d, %true, %true {is_async} : ...
//
// A product is waited for only where the kernel says so, whether it names a barrier or not. `ttg.fp4_to_fp` becomes arithmetic. Runs when all is in
// one function, before layouts are inferred: then there is nothing new to infer them for.
#include "compiler/gluon/Passes.h"
#include "compiler/gpu/dialect/Views.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/GPU/IR/GPUDialect.h"
#include "mlir/IR/Matchers.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gluon {

#define GEN_PASS_DEF_SETTLE
#include "compiler/gluon/Passes.h.inc"

static bool isTrue(Value value) { return value && matchPattern(value, m_One()); }

/// The four bits from `shift` on, as f16. Its exponent and mantissa go where an f16 has them, and the difference of the biases is added; what stands
/// below is one half or nothing. Integers alone: a kernel may flush small numbers to zero.
static Value unpackNumber(ImplicitLocOpBuilder &builder, Value words, int64_t shift) {
  auto type = cast<RankedTensorType>(words.getType());
  auto constant = [&](int64_t value) {
    return arith::ConstantOp::create(builder, DenseElementsAttr::get(type, builder.getI16IntegerAttr(value)));
  };
  auto bits = [&](int64_t mask) -> Value {
    Value low = shift ? arith::ShRUIOp::create(builder, words, constant(shift)) : words;
    return arith::AndIOp::create(builder, low, constant(mask));
  };
  Value number = bits(7), sign = arith::ShLIOp::create(builder, bits(8), constant(12));
  Value normal = arith::AddIOp::create(builder, arith::ShLIOp::create(builder, number, constant(9)), constant(0x3800));
  Value half = arith::MulIOp::create(builder, number, constant(0x3800));
  Value isSmall = arith::CmpIOp::create(builder, arith::CmpIPredicate::ult, number, constant(2));
  Value word = arith::OrIOp::create(builder, arith::SelectOp::create(builder, isSmall, half, normal), sign);
  return tensor::BitcastOp::create(builder, type.clone(builder.getF16Type()), word);
}

static void unpack(gpu::Fp4ToFpOp op) {
  ImplicitLocOpBuilder builder(op.getLoc(), op);
  auto result = cast<RankedTensorType>(op.getType()), bytes = cast<RankedTensorType>(op.getSrc().getType());
  Value words = arith::ExtUIOp::create(builder, bytes.clone(builder.getI16Type()), op.getSrc());
  Value low = unpackNumber(builder, words, 0), high = unpackNumber(builder, words, 4);
  Value pairs = tensor::JoinOp::create(builder, low, high);
  Value beside = tensor::TransOp::create(builder, pairs, gpu::besideAxis(bytes.getRank(), op.getAxis()));
  Value numbers = tensor::ReshapeOp::create(builder, result.clone(builder.getF16Type()), beside);
  if (result.getElementType().isBF16()) // every one of them fits
    numbers = arith::TruncFOp::create(builder, result,
                                      arith::ExtFOp::create(builder, result.clone(builder.getF32Type()), numbers));
  op.replaceAllUsesWith(numbers);
  op.erase();
}

/// The product as one that is not waited for, and that gives no token.
template <typename Product> static void runAhead(Product op) {
  if (!op->use_empty())
    return;
  OpBuilder builder(op);
  OperationState state(op.getLoc(), op->getName(), op->getOperands(), TypeRange(), op->getAttrs());
  state.propertiesAttr = op->getPropertiesAsAttribute();
  auto plain = cast<Product>(builder.create(state));
  plain.setIsAsync(true);
  op.erase();
}

namespace {
struct Settle : impl::SettleBase<Settle> {
  void run() override {
    getOperation()->walk([](Operation *op) {
      llvm::TypeSwitch<Operation *>(op)
          .Case([](arith::BitcastOp cast) {
            if (cast.getIn().getType() != cast.getType())
              return;
            cast.replaceAllUsesWith(cast.getIn());
            cast.erase();
          })
          .Case([](mlir::gpu::BarrierOp barrier) {
            OpBuilder builder(barrier);
            gpu::BarrierOp::create(builder, barrier.getLoc());
            barrier.erase();
          })
          .Case([](gpu::ArriveBarrierOp arrive) {
            if (isTrue(arrive.getPred()))
              arrive.getPredMutable().clear();
          })
          .Case([](gpu::WarpGroupDotOp dot) {
            if (isTrue(dot.getUseC()))
              dot.getUseCMutable().clear();
          })
          .Case([](tensor::AtomicRMWOp update) {
            if (isTrue(update.getMask()))
              update.getMaskMutable().clear();
          })
          .Case<gpu::TCGen5MMAOp, gpu::TCGen5MMAScaledOp>([](auto product) { runAhead(product); })
          .Case([](gpu::Fp4ToFpOp unpacked) { unpack(unpacked); });
    });
  }
};
} // namespace

} // namespace triton::gluon
