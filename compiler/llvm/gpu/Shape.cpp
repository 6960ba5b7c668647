// Ops that make tensors or say where their elements stand. A thread's registers of the result are registers of its operand, found by comparing
// the two layouts: nothing moves between threads.
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/Gpu.h"
#include "compiler/layout/BitMatrix.h"
#include "compiler/layout/Conversion.h"
#include "compiler/layout/NamedLayouts.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace triton::simt;
using namespace triton;
using layout::LinearLayout;

/// One output, row-major.
static LinearLayout flat(const LinearLayout &map) {
  llvm::SmallVector<llvm::StringRef> reversed;
  for (const LinearLayout::Output &output : llvm::reverse(map.outputs()))
    reversed.push_back(output.name);
  return map.transposeOutputs(reversed).reshapeOutputs({{"flat", map.totalOutputSize()}});
}

/// The register of `from` that holds what each register of `to` holds, in the same thread.
static std::optional<std::vector<unsigned>> sources(const LinearLayout &from, const LinearLayout &to) {
  layout::ConversionPlan plan = layout::planConversion(flat(from), flat(to), 32);
  using Kind = layout::ConversionPlan::Kind;
  if (plan.kind == Kind::Registers)
    return plan.renaming.sources;
  if (plan.kind != Kind::Nothing)
    return std::nullopt;
  std::vector<unsigned> same(to.inputSize("register"));
  for (unsigned reg = 0; reg < same.size(); ++reg)
    same[reg] = reg;
  return same;
}

static llvm::LogicalResult badLayouts(Operation *op) {
  return op->emitError() << "'" << op->getName() << "' cannot give " << op->getResult(0).getType() << " from "
                         << op->getOperand(0).getType() << ": the layouts put their elements into different threads";
}

static llvm::LogicalResult rename(Emitter &emitter, Operation *op, const LinearLayout &from, const LinearLayout &to) {
  auto found = sources(from, to);
  if (!found)
    return badLayouts(op);
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(op->getOperand(0));
  Registers result;
  for (unsigned source : *found)
    result.push_back(held[source]);
  emitter.define(op->getResult(0), result);
  return success();
}

static llvm::LogicalResult emitBroadcast(Emitter &emitter, tensor::BroadcastOp op) {
  LinearLayout to = emitter.layout(op.getResult());
  auto source = cast<RankedTensorType>(op.getSrc().getType());
  for (auto [dim, size] : llvm::enumerate(source.getShape()))
    to = to.withOutputSize(layout::dimension(dim), size);
  return rename(emitter, op, emitter.layout(source), to);
}

static llvm::LogicalResult emitTranspose(Emitter &emitter, tensor::TransOp op) {
  const LinearLayout &from = emitter.layout(op.getSrc());
  llvm::SmallVector<llvm::StringRef> order;
  for (int32_t dim : op.getOrder())
    order.push_back(from.outputs()[dim].name);
  return rename(emitter, op, from.transposeOutputs(order), emitter.layout(op.getResult()));
}

static llvm::LogicalResult emitJoin(Emitter &emitter, tensor::JoinOp op) {
  llvm::ArrayRef<llvm::Value *> lhs = emitter.registers(op.getLhs()), rhs = emitter.registers(op.getRhs());
  const LinearLayout &to = emitter.layout(op.getResult());
  std::string last = to.outputs().back().name;
  std::optional<std::vector<unsigned>> found = std::vector<unsigned>(to.inputSize("register"), 0); // of scalars
  if (isa<RankedTensorType>(op.getLhs().getType()))
    found = sources(emitter.layout(op.getLhs()), to.withOutputSize(last, 1));
  if (!found)
    return badLayouts(op);
  Registers result;
  for (auto [reg, source] : llvm::enumerate(*found)) {
    llvm::Value *second = emitter.apply(to, reg).back();
    if (auto *known = llvm::dyn_cast<llvm::ConstantInt>(second))
      result.push_back(known->isZero() ? lhs[source] : rhs[source]);
    else
      result.push_back(
          emitter.builder.CreateSelect(emitter.builder.CreateICmpEQ(second, emitter.i32(0)), lhs[source], rhs[source]));
  }
  emitter.define(op.getResult(), result);
  return success();
}

static llvm::LogicalResult emitSplit(Emitter &emitter, tensor::SplitOp op) {
  llvm::ArrayRef<llvm::Value *> held = emitter.registers(op.getSrc());
  const LinearLayout &from = emitter.layout(op.getSrc());
  std::string last = from.outputs().back().name;
  std::vector<unsigned> found{0};
  if (isa<RankedTensorType>(op.getOutLHS().getType())) {
    auto renamed = sources(from.withOutputSize(last, 1), emitter.layout(op.getOutLHS()));
    if (!renamed)
      return badLayouts(op);
    found = *renamed;
  }
  // Both elements of a pair are in one thread: in registers that differ by this.
  layout::ColumnSpan pairs(from.removeOutput(last).columns("register"));
  unsigned other = 0;
  for (uint64_t mask : pairs.kernel())
    if (from.apply({{"register", static_cast<int64_t>(mask)}}).back() != 0)
      other = static_cast<unsigned>(mask);
  assert(other && "the type of the operand was checked");
  Registers lhs, rhs;
  for (unsigned source : found) {
    bool isSecond = from.apply({{"register", static_cast<int64_t>(source)}}).back() != 0;
    lhs.push_back(held[isSecond ? source ^ other : source]);
    rhs.push_back(held[isSecond ? source : source ^ other]);
  }
  emitter.define(op.getOutLHS(), lhs);
  emitter.define(op.getOutRHS(), rhs);
  return success();
}

/// The order is free, so each thread puts its registers side by side; where that is not the layout of the result (a tensor so small that
/// threads hold copies), the elements go through shared memory.
static llvm::LogicalResult emitCat(Emitter &emitter, tensor::CatOp op) {
  llvm::ArrayRef<llvm::Value *> lhs = emitter.registers(op.getLhs()), rhs = emitter.registers(op.getRhs());
  if (!gpu::needsBuffer(op)) {
    Registers result(lhs);
    result.append(rhs.begin(), rhs.end());
    emitter.define(op.getResult(), result);
    return success();
  }
  llvm::Value *base = emitter.sharedAddress(op);
  LinearLayout from = flat(emitter.layout(op.getLhs())).renameOutput("flat", "offset");
  unsigned bytes = memoryBits(lhs[0]->getType()) / 8;
  storeRegisters(emitter, {base}, from, lhs);
  storeRegisters(emitter, {emitter.builder.CreatePtrAdd(base, emitter.i32(from.totalOutputSize() * bytes))}, from, rhs);
  emitter.sharedBarrier();
  LinearLayout to = flat(emitter.layout(op.getResult())).renameOutput("flat", "offset");
  emitter.define(op.getResult(), loadRegisters(emitter, {base}, to, lhs[0]->getType()));
  return success();
}

static llvm::Constant *constant(Emitter &emitter, Type type, const APInt &bits) {
  llvm::Type *target = emitter.type(type);
  llvm::Constant *integer = llvm::ConstantInt::get(emitter.context(), bits);
  return target->isIntegerTy() ? integer : llvm::ConstantExpr::getBitCast(integer, target);
}

static APInt bitsOf(Attribute value) {
  if (auto number = dyn_cast<FloatAttr>(value))
    return number.getValue().bitcastToAPInt();
  return cast<IntegerAttr>(value).getValue();
}

static llvm::LogicalResult emitConstant(Emitter &emitter, arith::ConstantOp op) {
  Attribute value = op.getValue();
  Type type = op.getType();
  auto tensorType = dyn_cast<RankedTensorType>(type);
  if (!tensorType) {
    if (type.isIndex()) {
      emitter.define(op, emitter.i32(cast<IntegerAttr>(value).getInt()));
      return success();
    }
    if (!isa<FloatAttr, IntegerAttr>(value))
      return op.emitError() << "the NVIDIA target has no constants of type " << type;
    emitter.define(op, constant(emitter, type, bitsOf(value)));
    return success();
  }
  auto elements = dyn_cast<DenseElementsAttr>(value);
  if (!elements)
    return op.emitError() << "the NVIDIA target takes only dense constants";
  Type element = tensorType.getElementType();
  unsigned registers = emitter.layout(tensorType).inputSize("register");
  auto bitsAt = [&](auto range) {
    llvm::SmallVector<llvm::Constant *> all;
    for (Attribute each : range)
      all.push_back(constant(emitter, element, bitsOf(each)));
    return all;
  };
  if (elements.isSplat()) {
    emitter.define(op, Registers(registers, constant(emitter, element, bitsOf(elements.getSplatValue<Attribute>()))));
    return success();
  }
  // A table in global memory, from which each thread takes its elements.
  llvm::Type *held = emitter.type(element), *stored = held->isIntegerTy(1) ? emitter.builder.getInt8Ty() : held;
  llvm::SmallVector<llvm::Constant *> all = bitsAt(elements.getValues<Attribute>());
  if (stored != held)
    for (llvm::Constant *&each : all)
      each = llvm::ConstantInt::get(stored, each->isNullValue() ? 0 : 1);
  auto *tableType = llvm::ArrayType::get(stored, all.size());
  auto *table = new llvm::GlobalVariable(emitter.module, tableType, /*isConstant=*/true,
                                         llvm::GlobalValue::InternalLinkage, llvm::ConstantArray::get(tableType, all),
                                         "table", nullptr, llvm::GlobalValue::NotThreadLocal, /*AddressSpace=*/1);
  LinearLayout map = flat(emitter.layout(tensorType));
  Registers result;
  for (unsigned reg = 0; reg < registers; ++reg) {
    llvm::Value *address = emitter.builder.CreateGEP(stored, table, emitter.apply(map, reg)[0]);
    llvm::Value *loaded = emitter.builder.CreateLoad(stored, address);
    result.push_back(stored != held ? emitter.builder.CreateTrunc(loaded, held) : loaded);
  }
  emitter.define(op, result);
  return success();
}

static llvm::LogicalResult emitRange(Emitter &emitter, tensor::MakeRangeOp op) {
  Registers result;
  llvm::Type *type = emitter.type(op.getType());
  for (const Indices &at : emitter.coordinates(cast<RankedTensorType>(op.getType()))) {
    llvm::Value *value = at[0];
    if (op.getStart())
      value = emitter.builder.CreateAdd(value, emitter.i32(op.getStart()));
    result.push_back(emitter.builder.CreateZExtOrTrunc(value, type));
  }
  emitter.define(op, result);
  return success();
}

Emitted triton::simt::emitShape(Emitter &emitter, Operation *op) {
  return llvm::TypeSwitch<Operation *, Emitted>(op)
      .Case([&](arith::ConstantOp op) { return emitConstant(emitter, op); })
      .Case([&](tensor::MakeRangeOp op) { return emitRange(emitter, op); })
      .Case([&](tensor::SplatOp op) {
        unsigned registers = emitter.layout(op.getResult()).inputSize("register");
        emitter.define(op, Registers(registers, emitter.scalar(op.getSrc())));
        return success();
      })
      .Case([&](tensor::UnsplatOp op) {
        emitter.define(op, emitter.registers(op.getSrc())[0]);
        return success();
      })
      .Case<tensor::ExpandDimsOp, tensor::ReshapeOp>([&](auto op) -> Emitted {
        return rename(emitter, op, emitter.layout(op.getSrc()), emitter.layout(op.getResult()));
      })
      .Case([&](tensor::BroadcastOp op) { return emitBroadcast(emitter, op); })
      .Case([&](tensor::TransOp op) { return emitTranspose(emitter, op); })
      .Case([&](tensor::JoinOp op) { return emitJoin(emitter, op); })
      .Case([&](tensor::SplitOp op) { return emitSplit(emitter, op); })
      .Case([&](tensor::CatOp op) { return emitCat(emitter, op); })
      .Default([](Operation *) -> Emitted { return std::nullopt; });
}
