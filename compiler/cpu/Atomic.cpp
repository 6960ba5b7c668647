// Atomic accesses, one element after the other.
//   In:  `tt.atomic_rmw` and `tt.atomic_cas`, on scalars or tensors.
//   Out: LLVM's atomic instructions, which order accesses between all programs of a launch whatever scope was asked
//   for.
// Floats are compared and exchanged by their bits. Maximum and minimum of floats are those of their bits: signed for
// values without a sign bit, the opposite unsigned one for values with it, which orders -0.0 below +0.0.
#include "compiler/cpu/Lowering.h"
#include "compiler/cpu/Scalar.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;

namespace triton::cpu {

static LLVM::AtomicOrdering orderingOf(tensor::MemSemantic semantic) {
  switch (semantic) {
  case tensor::MemSemantic::Relaxed:
    return LLVM::AtomicOrdering::monotonic;
  case tensor::MemSemantic::Acquire:
    return LLVM::AtomicOrdering::acquire;
  case tensor::MemSemantic::Release:
    return LLVM::AtomicOrdering::release;
  case tensor::MemSemantic::AcquireRelease:
    break;
  }
  return LLVM::AtomicOrdering::acq_rel;
}

static Value emitUpdate(OpBuilder &builder, Location loc, tensor::RMWOp kind, Value pointer, Value value,
                        LLVM::AtomicOrdering ordering) {
  Scalar s{builder, loc};
  auto update = [&](LLVM::AtomicBinOp op, Value operand) -> Value {
    return LLVM::AtomicRMWOp::create(builder, loc, op, pointer, operand, ordering);
  };
  bool isFloat = isa<FloatType>(value.getType());
  bool isMax = kind == tensor::RMWOp::Max || kind == tensor::RMWOp::UMax;
  switch (kind) {
  case tensor::RMWOp::And:
    return update(LLVM::AtomicBinOp::_and, value);
  case tensor::RMWOp::Or:
    return update(LLVM::AtomicBinOp::_or, value);
  case tensor::RMWOp::Xor:
    return update(LLVM::AtomicBinOp::_xor, value);
  case tensor::RMWOp::Add:
    return update(isFloat ? LLVM::AtomicBinOp::fadd : LLVM::AtomicBinOp::add, value);
  case tensor::RMWOp::FAdd:
    return update(LLVM::AtomicBinOp::fadd, value);
  case tensor::RMWOp::Exchange:
    return update(LLVM::AtomicBinOp::xchg, value);
  case tensor::RMWOp::UMax:
  case tensor::RMWOp::UMin:
    if (!isFloat)
      return update(isMax ? LLVM::AtomicBinOp::umax : LLVM::AtomicBinOp::umin, value);
    break;
  case tensor::RMWOp::Max:
  case tensor::RMWOp::Min:
    if (!isFloat)
      return update(isMax ? LLVM::AtomicBinOp::max : LLVM::AtomicBinOp::min, value);
    break;
  }
  Type bits = builder.getIntegerType(value.getType().getIntOrFloatBitWidth());
  Value code = s.bitcast(value, bits);
  Value isPositive = s.compare(arith::CmpIPredicate::sge, code, s.integer(bits, 0));
  auto branch = scf::IfOp::create(builder, loc, TypeRange{bits}, isPositive, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, update(isMax ? LLVM::AtomicBinOp::max : LLVM::AtomicBinOp::min, code));
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, update(isMax ? LLVM::AtomicBinOp::umin : LLVM::AtomicBinOp::umax, code));
  builder.setInsertionPointAfter(branch);
  return s.bitcast(branch.getResult(0), value.getType());
}

/// `emit` where `mask` holds; zero elsewhere, since the result is unspecified there.
static Value emitWhere(OpBuilder &builder, Location loc, Value mask, Type type, llvm::function_ref<Value()> emit) {
  if (!mask)
    return emit();
  auto branch = scf::IfOp::create(builder, loc, TypeRange{type}, mask, /*withElseRegion=*/true);
  OpBuilder::InsertionGuard guard(builder);
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, emit());
  builder.setInsertionPointToEnd(branch.elseBlock());
  scf::YieldOp::create(builder, loc, Scalar{builder, loc}.zero(type));
  return branch.getResult(0);
}

LogicalResult Lowering::lowerAtomicUpdate(tensor::AtomicRMWOp atomic) {
  Location loc = atomic.getLoc();
  Type element = getRegisterType(getElementTypeOrSelf(atomic.getResult().getType()));
  LLVM::AtomicOrdering ordering = orderingOf(atomic.getSem());
  auto emit = [&](Value pointer, Value value, Value mask) {
    return emitWhere(builder, loc, mask, element,
                     [&] { return emitUpdate(builder, loc, atomic.getAtomicRmwOp(), pointer, value, ordering); });
  };
  auto type = dyn_cast<RankedTensorType>(atomic.getResult().getType());
  if (!type) {
    Value mask = atomic.getMask() ? scalars.lookup(atomic.getMask()) : Value();
    scalars.map(atomic.getResult(), emit(scalars.lookup(atomic.getPtr()), scalars.lookup(atomic.getVal()), mask));
    return success();
  }
  bool isUsed = !atomic.getResult().use_empty();
  forEachElement(type.getShape(), loc, [&](Coordinates &at) {
    Value mask = atomic.getMask() ? evaluator.uniform(atomic.getMask(), at) : Value();
    Value old = emit(evaluator.uniform(atomic.getPtr(), at), evaluator.uniform(atomic.getVal(), at), mask);
    if (isUsed)
      writeBuffer(bufferFor(atomic.getResult()), at, old);
  });
  return checked();
}

LogicalResult Lowering::lowerAtomicSwap(tensor::AtomicCASOp atomic) {
  Location loc = atomic.getLoc();
  Scalar s{builder, loc};
  Type element = getRegisterType(getElementTypeOrSelf(atomic.getResult().getType()));
  LLVM::AtomicOrdering success_ = orderingOf(atomic.getSem());
  LLVM::AtomicOrdering failure_ =
      success_ == LLVM::AtomicOrdering::monotonic || success_ == LLVM::AtomicOrdering::release
          ? LLVM::AtomicOrdering::monotonic
          : LLVM::AtomicOrdering::acquire;
  auto emit = [&](Value pointer, Value expected, Value value) -> Value {
    Type bits = builder.getIntegerType(element.getIntOrFloatBitWidth());
    Value pair = LLVM::AtomicCmpXchgOp::create(builder, loc, pointer, s.bitcast(expected, bits), s.bitcast(value, bits),
                                               success_, failure_);
    return s.bitcast(LLVM::ExtractValueOp::create(builder, loc, pair, 0), element);
  };
  auto type = dyn_cast<RankedTensorType>(atomic.getResult().getType());
  if (!type) {
    scalars.map(atomic.getResult(), emit(scalars.lookup(atomic.getPtr()), scalars.lookup(atomic.getCmp()),
                                         scalars.lookup(atomic.getVal())));
    return success();
  }
  bool isUsed = !atomic.getResult().use_empty();
  forEachElement(type.getShape(), loc, [&](Coordinates &at) {
    Value old = emit(evaluator.uniform(atomic.getPtr(), at), evaluator.uniform(atomic.getCmp(), at),
                     evaluator.uniform(atomic.getVal(), at));
    if (isUsed)
      writeBuffer(bufferFor(atomic.getResult()), at, old);
  });
  return checked();
}

} // namespace triton::cpu
