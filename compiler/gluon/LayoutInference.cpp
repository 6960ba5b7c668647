// Two passes, one engine: layouts that a kernel leaves open follow from those it names (`#gluon.auto_encoding`), or from the accesses to memory
// they serve (`#gluon.coalesced_encoding`).
//
//   %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #gluon.auto_encoding>
//   %s = gluon.set_auto_layout %r : tensor<128xi32, #gluon.auto_encoding> -> tensor<128xi32, #blocked>
// becomes
//   %r = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32, #blocked>
//
// What is known of one value is told to its users and to what it is made of, until nothing new is found: through elementwise ops, changes of
// shape, reductions, and what loops and branches carry. What comes out of a change of shape may vary: another layout found for the same value
// wins over it. Two layouts for one value otherwise are an error, and so is none.
#include "compiler/gpu/dialect/encodings/LayoutInference.h"
#include "compiler/gluon/Gluon.h"
#include "compiler/gpu/passes/layouts/LayoutAnchors.h"
#include "compiler/tensor/Stages.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;

namespace triton::gluon {

#define GEN_PASS_DEF_INFERCOALESCED
#define GEN_PASS_DEF_RESOLVEAUTO
#include "compiler/gluon/Passes.h.inc"

using gpu::DistributedAttr;

namespace {

struct Known {
  DistributedAttr layout;
  bool mayVary = false;
};

template <typename Placeholder> class Inference {
public:
  explicit Inference(ModuleOp module) : module(module) {}

  /// The layout of `value` is `layout`. Values whose layout is named already, or of another kind, are left alone.
  LogicalResult set(Value value, DistributedAttr layout, bool mayVary = false) {
    auto type = dyn_cast<RankedTensorType>(value.getType());
    if (!type || !layout || !isa_and_nonnull<Placeholder>(type.getEncoding()))
      return success();
    auto [entry, isNew] = known.try_emplace(value, Known{layout, mayVary});
    if (isNew) {
      worklist.push_back(value);
      return success();
    }
    Known &before = entry->second;
    if (before.layout == layout) {
      before.mayVary &= mayVary;
      return success();
    }
    if (mayVary)
      return success();
    if (!before.mayVary)
      return emitError(value.getLoc()) << "found conflicting encodings for value:\n  " << before.layout << "\nand\n  "
                                       << layout;
    before = {layout, false};
    worklist.push_back(value);
    return success();
  }

  LogicalResult propagate() {
    while (!worklist.empty()) {
      Value value = worklist.pop_back_val();
      Known now = known.lookup(value);
      for (OpOperand &use : value.getUses())
        if (failed(tellUser(use, now)))
          return failure();
      if (failed(tellSource(value, now)))
        return failure();
    }
    return success();
  }

  /// Gives all values found their types; fails where one was not found.
  LogicalResult apply() {
    for (auto &[value, found] : known)
      value.setType(gpu::withLayout(cast<RankedTensorType>(value.getType()), found.layout));
    WalkResult result = module.walk([](Operation *op) -> WalkResult {
      if (auto constant = dyn_cast<arith::ConstantOp>(op))
        if (auto elements = dyn_cast<DenseElementsAttr>(constant.getValue());
            elements && elements.getType() != constant.getType())
          constant.setValueAttr(elements.reshape(cast<ShapedType>(constant.getType())));
      for (Type type : op->getResultTypes())
        if (auto tensor = dyn_cast<RankedTensorType>(type);
            tensor && isa_and_nonnull<Placeholder>(tensor.getEncoding()))
          return op->emitError() << "Failed to infer return type: no layout follows for " << type
                                 << "; name one with set_auto_layout";
      return WalkResult::advance();
    });
    return failure(result.wasInterrupted());
  }

private:
  static RankedTensorType typed(Value value, const Known &now) {
    return gpu::withLayout(cast<RankedTensorType>(value.getType()), now.layout);
  }

  LogicalResult setAll(ValueRange values, const Known &now) {
    for (Value value : values)
      if (failed(set(value, now.layout, now.mayVary)))
        return failure();
    return success();
  }

  /// Ops whose tensors all lie alike.
  static bool keepsLayout(Operation *op) {
    return op->hasTrait<OpTrait::Elementwise>() ||
           isa<tensor::LoadOp, tensor::StoreOp, tensor::AtomicRMWOp, tensor::AtomicCASOp, tensor::AddPtrOp,
               tensor::BroadcastOp, tensor::ScanOp, tensor::MapElementwiseOp, tensor::ElementwiseInlineAsmOp,
               tensor::BitcastOp, tensor::FpToFpOp, tensor::IntToPtrOp, tensor::PtrToIntOp, tensor::ClampFOp,
               tensor::MulhiUIOp, tensor::ExternElementwiseOp, tensor::PrintOp, tensor::AssertOp>(op);
  }

  LogicalResult tellUser(OpOperand &use, const Known &now) {
    Operation *op = use.getOwner();
    if (keepsLayout(op))
      return failed(setAll(op->getOperands(), now)) ? failure() : setAll(op->getResults(), now);
    if (failed(tellCarried(use, now)))
      return failure();
    RankedTensorType type = typed(use.get(), now);
    if (auto expand = dyn_cast<tensor::ExpandDimsOp>(op)) {
      return set(expand.getResult(), gpu::expandDimsLayout(type, expand.getAxis()), now.mayVary);
    }
    if (auto reduce = dyn_cast<tensor::ReduceOp>(op)) {
      if (failed(setAll(reduce.getOperands(), now)))
        return failure();
      if (type.getRank() == 1)
        return success();
      return setAll(reduce.getResults(), {gpu::SliceAttr::get(reduce.getAxis(), now.layout), now.mayVary});
    }
    if (auto trans = dyn_cast<tensor::TransOp>(op))
      return set(trans.getResult(), gpu::transLayout(type, trans.getOrder()), /*mayVary=*/true);
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      return set(reshape.getResult(), gpu::reshapeLayout(type, reshape.getType().getShape()), /*mayVary=*/true);
    if (auto join = dyn_cast<tensor::JoinOp>(op))
      return failed(setAll(join->getOperands(), now)) ? failure()
                                                      : set(join.getResult(), gpu::joinLayout(type), /*mayVary=*/true);
    if (auto cat = dyn_cast<tensor::CatOp>(op))
      return failed(setAll(cat->getOperands(), now)) ? failure()
                                                     : set(cat.getResult(), gpu::catLayout(type), /*mayVary=*/true);
    if (auto split = dyn_cast<tensor::SplitOp>(op))
      return setAll(split->getResults(), {gpu::splitLayout(type), true});
    if (auto gather = dyn_cast<tensor::GatherOp>(op); gather && gather.getIndices() == use.get())
      return set(gather.getResult(), now.layout, now.mayVary);
    return success();
  }

  LogicalResult tellSource(Value value, const Known &now) {
    if (auto argument = dyn_cast<BlockArgument>(value))
      return tellEntering(argument, now);
    Operation *op = value.getDefiningOp();
    if (keepsLayout(op))
      return failed(setAll(op->getOperands(), now)) ? failure() : setAll(op->getResults(), now);
    if (failed(tellYielded(cast<OpResult>(value), now)))
      return failure();
    RankedTensorType type = typed(value, now);
    if (auto set = dyn_cast<SetAutoLayoutOp>(op))
      return this->set(set.getSrc(), now.layout, now.mayVary);
    if (auto expand = dyn_cast<tensor::ExpandDimsOp>(op))
      return set(expand.getSrc(), gpu::SliceAttr::get(expand.getAxis(), now.layout), now.mayVary);
    if (auto reduce = dyn_cast<tensor::ReduceOp>(op)) {
      if (failed(setAll(reduce.getResults(), now)))
        return failure();
      auto slice = dyn_cast<gpu::SliceAttr>(now.layout);
      if (slice && slice.getDim() == static_cast<unsigned>(reduce.getAxis()))
        return setAll(reduce.getOperands(), {slice.getParent(), now.mayVary});
      return success();
    }
    if (auto trans = dyn_cast<tensor::TransOp>(op)) {
      SmallVector<int32_t> inverse(trans.getOrder().size());
      for (auto [index, dim] : llvm::enumerate(trans.getOrder()))
        inverse[dim] = index;
      return set(trans.getSrc(), gpu::transLayout(type, inverse), now.mayVary);
    }
    if (auto reshape = dyn_cast<tensor::ReshapeOp>(op))
      return set(reshape.getSrc(),
                 gpu::reshapeLayout(type, cast<RankedTensorType>(reshape.getSrc().getType()).getShape()), now.mayVary);
    if (auto join = dyn_cast<tensor::JoinOp>(op))
      return setAll(join->getOperands(), {gpu::splitLayout(type), now.mayVary});
    if (auto split = dyn_cast<tensor::SplitOp>(op)) {
      if (failed(setAll(split->getResults(), now)))
        return failure();
      return setAll(split->getOperands(), {gpu::joinLayout(type), now.mayVary});
    }
    if (auto gather = dyn_cast<tensor::GatherOp>(op))
      return set(gather.getIndices(), now.layout, now.mayVary);
    return success();
  }

  // What loops and branches carry: a position is one layout, wherever it is seen.

  LogicalResult setPosition(scf::ForOp loop, unsigned index, const Known &now) {
    Value values[] = {loop.getInitArgs()[index], loop.getRegionIterArg(index), loop.getYieldedValues()[index],
                      loop.getResult(index)};
    return setAll(values, now);
  }
  LogicalResult setBefore(scf::WhileOp loop, unsigned index, const Known &now) {
    Value values[] = {loop.getInits()[index], loop.getBeforeArguments()[index], loop.getYieldOp().getOperand(index)};
    return setAll(values, now);
  }
  LogicalResult setAfter(scf::WhileOp loop, unsigned index, const Known &now) {
    Value values[] = {loop.getConditionOp().getArgs()[index], loop.getAfterArguments()[index], loop.getResult(index)};
    return setAll(values, now);
  }
  LogicalResult setPosition(scf::IfOp branch, unsigned index, const Known &now) {
    Value values[] = {branch.thenYield().getOperand(index), branch.elseYield().getOperand(index),
                      branch.getResult(index)};
    return setAll(values, now);
  }

  LogicalResult tellCarried(OpOperand &use, const Known &now) {
    Operation *op = use.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned index = use.getOperandNumber() - loop.getNumControlOperands();
      return setPosition(loop, index, now);
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return setBefore(loop, use.getOperandNumber(), now);
    if (isa<scf::ConditionOp>(op))
      return setAfter(cast<scf::WhileOp>(op->getParentOp()), use.getOperandNumber() - 1, now);
    if (!isa<scf::YieldOp>(op))
      return success();
    Operation *parent = op->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(parent))
      return setPosition(loop, use.getOperandNumber(), now);
    if (auto loop = dyn_cast<scf::WhileOp>(parent))
      return setBefore(loop, use.getOperandNumber(), now);
    if (auto branch = dyn_cast<scf::IfOp>(parent))
      return setPosition(branch, use.getOperandNumber(), now);
    return success();
  }

  LogicalResult tellYielded(OpResult result, const Known &now) {
    Operation *op = result.getOwner();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return setPosition(loop, result.getResultNumber(), now);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return setAfter(loop, result.getResultNumber(), now);
    if (auto branch = dyn_cast<scf::IfOp>(op))
      return setPosition(branch, result.getResultNumber(), now);
    return success();
  }

  LogicalResult tellEntering(BlockArgument argument, const Known &now) {
    Operation *op = argument.getOwner()->getParentOp();
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return setPosition(loop, argument.getArgNumber() - loop.getNumInductionVars(), now);
    if (auto loop = dyn_cast<scf::WhileOp>(op))
      return argument.getOwner() == loop.getBeforeBody() ? setBefore(loop, argument.getArgNumber(), now)
                                                         : setAfter(loop, argument.getArgNumber(), now);
    return success();
  }

  ModuleOp module;
  llvm::MapVector<Value, Known> known;
  SmallVector<Value> worklist;
};

/// Functions that are left are not inlined: what crosses them cannot be inferred.
LogicalResult checkInlined(ModuleOp module) {
  auto isAuto = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return tensor && isa_and_nonnull<AutoEncodingAttr>(tensor.getEncoding());
  };
  for (tensor::FuncOp function : module.getOps<tensor::FuncOp>()) {
    if (llvm::any_of(function.getArgumentTypes(), isAuto))
      return function.emitError() << "Functions taking auto encoding must be fully inlined";
    if (llvm::any_of(function.getResultTypes(), isAuto))
      return function.emitError() << "Functions returning auto encoding must be fully inlined";
  }
  return success();
}

/// What nothing uses needs no layout.
void eraseDead(ModuleOp module) {
  // Users before what they use, and what an op holds before the op.
  module.walk<WalkOrder::PostOrder, ReverseIterator>([](Operation *op) {
    if (isOpTriviallyDead(op))
      op->erase();
  });
}

/// Replaces each op of one kind by another that also takes a tensor and gives it in another layout.
template <typename From, typename To> void replaceAll(ArrayRef<Operation *> ops, SmallVectorImpl<Operation *> &made) {
  for (Operation *op : ops) {
    OpBuilder builder(op);
    made.push_back(To::create(builder, op->getLoc(), op->getResult(0).getType(), op->getOperand(0)));
    op->replaceAllUsesWith(made.back());
    op->erase();
  }
}

/// Finds the layouts that the accesses want. What the analysis of accesses knows of a tensor it knows in every layout, but only of conversions.
LogicalResult findLayouts(ModuleOp module, SmallVectorImpl<std::pair<Operation *, DistributedAttr>> &found) {
  SmallVector<Operation *> anchors, conversions, restored;
  module.walk([&](SetAutoLayoutOp op) { anchors.push_back(op); });
  replaceAll<SetAutoLayoutOp, gpu::ConvertLayoutOp>(anchors, conversions);
  gpu::AccessAnalysis access(module);
  WalkResult result = module.walk([&](Operation *op) -> WalkResult {
    Value pointers = gpu::accessedPointers(op);
    auto type = pointers ? dyn_cast<RankedTensorType>(pointers.getType()) : RankedTensorType();
    if (!type || !isa_and_nonnull<CoalescedEncodingAttr>(type.getEncoding()))
      return WalkResult::advance();
    if (gpu::getNumCtas(module) != 1)
      return op->emitError() << "CoalescedLayout is for one CTA, this kernel has " << gpu::getNumCtas(module);
    found.emplace_back(op, gpu::coalescedLayout(op, access, gpu::getThreads(op)));
    return WalkResult::advance();
  });
  replaceAll<gpu::ConvertLayoutOp, SetAutoLayoutOp>(conversions, restored);
  return failure(result.wasInterrupted());
}

struct InferCoalesced : impl::InferCoalescedBase<InferCoalesced> {
  void run() override {
    ModuleOp module = getOperation();
    eraseDead(module);
    SmallVector<std::pair<Operation *, DistributedAttr>> found; // by accesses: what gives their pointers is replaced
    if (failed(findLayouts(module, found)))
      return signalPassFailure();
    Inference<CoalescedEncodingAttr> inference(module);
    for (auto [access, layout] : found)
      if (failed(inference.set(gpu::accessedPointers(access), layout)))
        return signalPassFailure();
    if (failed(inference.propagate()) || failed(inference.apply()))
      signalPassFailure();
  }
};

struct ResolveAuto : impl::ResolveAutoBase<ResolveAuto> {
  void run() override {
    ModuleOp module = getOperation();
    if (failed(checkInlined(module)))
      return signalPassFailure();
    eraseDead(module);
    Inference<AutoEncodingAttr> inference(module);
    SmallVector<SetAutoLayoutOp> anchors;
    module.walk([&](SetAutoLayoutOp op) { anchors.push_back(op); });
    for (SetAutoLayoutOp op : anchors)
      if (failed(inference.set(op.getSrc(), dyn_cast<DistributedAttr>(op.getType().getEncoding()))))
        return signalPassFailure();
    if (failed(inference.propagate()) || failed(inference.apply()))
      return signalPassFailure();
    for (SetAutoLayoutOp op : anchors) {
      OpBuilder builder(op);
      Value source = op.getSrc();
      if (source.getType() != op.getType())
        source = gpu::ConvertLayoutOp::create(builder, op.getLoc(), op.getType(), source);
      op.replaceAllUsesWith(source);
      op.erase();
    }
  }
};

} // namespace

} // namespace triton::gluon
