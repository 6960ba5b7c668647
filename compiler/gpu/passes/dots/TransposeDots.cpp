// Swaps the operands of tf32 dots whose right one lies along N: tensor cores read 32-bit operands from shared memory along K only, but
// operand A also from registers, which can be laid out in any way.
//
//   %d = tt.dot %a, %b, %c : tensor<128x32xf32> * tensor<32x256xf32> -> tensor<128x256xf32>      b = load, consecutive along N
// becomes
//   %t = tt.dot trans(%b), trans(%a), trans(%c) : tensor<256x32xf32> * tensor<32x128xf32> -> tensor<256x128xf32>
//   %d = trans(%t)
// with a note that operand A is wanted in registers. Transpositions of registers cost nothing. Without this each block of b would be read
// from shared memory and stored to it once more, transposed. An accumulator that a loop carries from dot to dot is carried transposed.
//
// Runs before layouts are assigned. Leaves alone dots whose left operand does not lie along K, or is computed from another dot.
#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/PrivateAttributes.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_TRANSPOSEDOTS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

/// Along which dimension neighbours in memory lie, of an operand that is loaded by `block` and then only computed with, element by element.
std::optional<unsigned> dimensionInMemory(Value value, Block *block, AccessAnalysis &access) {
  SmallVector<std::pair<Operation *, bool>> pending = {
      {value.getDefiningOp(), false}}; // and whether transposed on the way
  llvm::DenseSet<Operation *> seen;
  while (!pending.empty()) {
    auto [op, isTurned] = pending.pop_back_val();
    if (!op || op->getBlock() != block || !seen.insert(op).second)
      continue;
    if (auto load = dyn_cast<tensor::LoadOp>(op)) {
      const AccessFacts &facts = access.of(load.getPtr());
      const int64_t rows = facts.dimensions[0].contiguity, columns = facts.dimensions[1].contiguity;
      if (rows != columns)
        return (columns > rows) != isTurned;
    } else if (isa<tensor::DescriptorLoadOp>(op)) {
      return !isTurned;
    } else if (isa<tensor::TransOp>(op) || op->hasTrait<OpTrait::Elementwise>() || isa<tensor::BitcastOp>(op)) {
      for (Value operand : llvm::reverse(op->getOperands()))
        pending.emplace_back(operand.getDefiningOp(), isTurned != isa<tensor::TransOp>(op));
    }
  }
  return std::nullopt;
}

struct Transposing {
  tensor::DotOp dot;
  OpBuilder builder{dot};

  static RankedTensorType transposedType(Type type) {
    auto tensor = cast<RankedTensorType>(type);
    return RankedTensorType::get({tensor.getDimSize(1), tensor.getDimSize(0)}, tensor.getElementType());
  }

  Value transpose(Value value) {
    SplatElementsAttr splat;
    if (matchPattern(value, m_Constant(&splat)))
      return arith::ConstantOp::create(builder, value.getLoc(), splat.resizeSplat(transposedType(value.getType())));
    if (auto trans = value.getDefiningOp<tensor::TransOp>())
      return trans.getSrc();
    return tensor::TransOp::create(builder, value.getLoc(), transposedType(value.getType()), value,
                                   builder.getDenseI32ArrayAttr({1, 0}));
  }

  /// The place of `c` among what a loop carries, if the loop uses it for nothing but this accumulator.
  std::optional<unsigned> carriedAccumulator(scf::ForOp loop) {
    auto argument = dyn_cast<BlockArgument>(dot.getC());
    if (!loop || !argument || argument.getOwner() != loop.getBody() || argument.getArgNumber() == 0 ||
        !argument.hasOneUse() || !dot.getD().hasOneUse())
      return std::nullopt;
    OpOperand &use = *dot.getD().use_begin();
    const unsigned place = argument.getArgNumber() - 1;
    return use.getOwner() == loop.getBody()->getTerminator() && use.getOperandNumber() == place ? std::optional(place)
                                                                                                : std::nullopt;
  }

  void run() {
    auto loop = dyn_cast<scf::ForOp>(dot->getParentOp());
    std::optional<unsigned> place = carriedAccumulator(loop);
    Value left = transpose(dot.getB()), right = transpose(dot.getA()), accumulator = dot.getC();
    if (place) {
      builder.setInsertionPoint(loop);
      loop.getInitArgsMutable()[*place].set(transpose(loop.getInitArgs()[*place]));
      accumulator.setType(transposedType(accumulator.getType()));
      builder.setInsertionPointAfter(loop);
      Value result = loop.getResult(*place);
      RankedTensorType before = cast<RankedTensorType>(result.getType());
      result.setType(accumulator.getType());
      auto back = tensor::TransOp::create(builder, dot.getLoc(), before, result, builder.getDenseI32ArrayAttr({1, 0}));
      result.replaceAllUsesExcept(back.getResult(), back);
      builder.setInsertionPoint(dot);
    } else {
      accumulator = transpose(accumulator);
    }
    auto transposed = tensor::DotOp::create(builder, dot.getLoc(), accumulator.getType(), left, right, accumulator,
                                            dot.getInputPrecision(), dot.getMaxNumImpreciseAcc());
    transposed->setAttr(leftInRegistersName, builder.getUnitAttr());
    Value result = transposed.getD();
    if (!place)
      result = transpose(result);
    dot.getD().replaceAllUsesWith(result);
    dot.erase();
  }
};

struct TransposeDots : impl::TransposeDotsBase<TransposeDots> {
  void run() override {
    ModuleOp module = getOperation();
    const Target target = dotTarget(module);
    const unsigned numWarps = getNumWarps(module);
    SmallVector<tensor::DotOp> dots;
    module.walk([&](tensor::DotOp dot) {
      auto left = cast<RankedTensorType>(dot.getA().getType()), result = cast<RankedTensorType>(dot.getD().getType());
      if (left.getRank() == 2 && left.getElementType().isF32() && isa<scf::ForOp>(dot->getParentOp()) &&
          planDotKind(dot, target, numWarps) == DotPlan::Kind::Wgmma && !comesFromDot(dot.getA()) &&
          result.getDimSize(1) >= 16 * int64_t(numWarps))
        dots.push_back(dot);
    });
    if (dots.empty())
      return;
    AccessAnalysis access(module);
    llvm::erase_if(dots, [&](tensor::DotOp dot) {
      return dimensionInMemory(dot.getA(), dot->getBlock(), access) != 1u ||
             dimensionInMemory(dot.getB(), dot->getBlock(), access) != 1u;
    });
    for (tensor::DotOp dot : dots)
      Transposing{dot}.run();
  }
};

} // namespace

} // namespace triton::gpu
