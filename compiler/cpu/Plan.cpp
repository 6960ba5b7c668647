#include "compiler/cpu/Plan.h"

#include "compiler/cpu/Elementwise.h"
#include "compiler/cpu/Expression.h"
#include "compiler/cpu/Mask.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::cpu {

/// Recomputing costs more than a buffer from here on: about five simple operations, or one division.
static constexpr int dearCost = 6;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
static int64_t sizeOf(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

namespace {

class Planner {
public:
  Planner(tensor::FuncOp function, AccessAnalysis &accesses) : function(function), accesses(accesses) {}

  Plan run() {
    bufferWhatIsNotRecomputable();
    groupRoots();
    // Users first: whether they are recomputed decides where their operands are needed.
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : llvm::reverse(ops))
      if (isRecomputable(op))
        for (Value result : op->getResults())
          decide(result);
    for (Operation *op : llvm::reverse(ops)) // users first: a buffer is filled before the first place that needs it
      for (Value result : op->getResults())
        if (toPlace.contains(result))
          placeFill(result);
    return std::move(plan);
  }

private:
  void bufferWhatIsNotRecomputable();
  void groupRoots();
  void groupBlock(Block &block);
  void decide(Value tensor);
  void placeFill(Value tensor);
  llvm::SetVector<Operation *> consumersOf(Value tensor);
  int costOf(Value tensor);
  int ownCostOf(Value tensor);
  bool isWrittenBetween(Operation *load, Operation *consumer);
  bool mustKeepOrder(tensor::LoadOp load, const llvm::SetVector<Operation *> &consumers);

  /// The operation whose place a root is emitted at.
  Operation *leaderOf(Operation *root) { return leaders.lookup(root) ? leaders.lookup(root) : root; }

  tensor::FuncOp function;
  AccessAnalysis &accesses;
  Plan plan;
  llvm::DenseMap<Operation *, Operation *> leaders;
  llvm::DenseSet<Value> toPlace;
  llvm::DenseMap<Value, int> costs;
  llvm::DenseMap<Value, llvm::SetVector<Operation *>> consumers;
  llvm::DenseMap<Operation *, Operation *>
      filledAt; // for an operation with a buffer: whose place its nest is emitted at
};

} // namespace

void Planner::bufferWhatIsNotRecomputable() {
  function.walk([&](Operation *op) {
    if (op != function)
      for (Region &region : op->getRegions())
        if (!isa<tensor::ReduceOp, tensor::ScanOp, tensor::MapElementwiseOp>(op))
          for (Block &block : region)
            for (BlockArgument argument : block.getArguments())
              if (isTensor(argument))
                plan.buffered.insert(argument);
    if (op->getBlock() && op->getParentOp() == function)
      for (BlockArgument argument : op->getBlock()->getArguments())
        if (isTensor(argument))
          plan.buffered.insert(argument);
    if (auto gather = dyn_cast<tensor::GatherOp>(op)) {
      plan.buffered.insert(gather.getSrc());
      if (gather.getSrc().getDefiningOp() && isRecomputable(gather.getSrc().getDefiningOp()))
        toPlace.insert(gather.getSrc());
    }
    if (!isRecomputable(op))
      for (Value result : op->getResults())
        if (isTensor(result))
          plan.buffered.insert(result);
  });
}

void Planner::groupRoots() {
  function.walk<WalkOrder::PreOrder>([&](Operation *op) {
    for (Region &region : op->getRegions())
      for (Block &block : region)
        groupBlock(block);
  });
}

void Planner::groupBlock(Block &block) {
  llvm::DenseMap<Operation *, int> order;
  for (auto [i, op] : llvm::enumerate(block))
    order[&op] = int(i);
  // Whether computing `tensor` needs anything of this block from position `limit` on, other than by recomputing it.
  std::function<bool(Value, int)> needsLater = [&](Value root, int limit) {
    bool needs = false;
    walkExpression(
        root, getOwnDimensions(root), [&](Value tensor) { return plan.isBuffered(tensor); },
        [&](Value tensor, ArrayRef<int>) {
          Operation *op = tensor.getDefiningOp();
          if (!op)
            return;
          auto isLate = [&](Operation *definition) {
            auto found = definition ? order.find(definition) : order.end();
            return found != order.end() && found->second >= limit;
          };
          if (plan.isBuffered(tensor)) {
            needs |= isLate(op);
            return;
          }
          for (Value operand : op->getOperands())
            needs |= !isTensor(operand) && isLate(operand.getDefiningOp());
          // A gather reads its source at other coordinates: the walk above ends there.
          if (auto gather = dyn_cast<tensor::GatherOp>(op))
            needs |= needsLater(gather.getSrc(), limit);
        });
    return needs;
  };

  SmallVector<Operation *> stores;
  auto closeStores = [&] {
    if (stores.empty())
      return;
    Operation *last = stores.back();
    NestPlan &nest = plan.nests[last];
    nest.shape = llvm::to_vector(shapeOf(cast<tensor::StoreOp>(last).getValue()));
    nest.members = stores;
    for (Operation *store : stores) {
      leaders[store] = last;
      if (store != last)
        plan.absorbed.insert(store);
    }
    stores.clear();
  };
  tensor::ReduceOp first;
  for (Operation &op : block) {
    if (auto store = dyn_cast<tensor::StoreOp>(op); store && isTensor(store.getValue())) {
      // Each is compared with each other one when the kernel runs.
      if (stores.size() == 4)
        closeStores();
      if (!stores.empty() && shapeOf(cast<tensor::StoreOp>(stores.back()).getValue()) != shapeOf(store.getValue()))
        closeStores();
      stores.push_back(store);
      first = {};
      continue;
    }
    if (touchesMemory(&op))
      closeStores();
    if (mayWrite(&op))
      first = {};
    auto reduce = dyn_cast<tensor::ReduceOp>(op);
    if (!reduce)
      continue;
    auto joins = [&] {
      return first && first.getAxis() == reduce.getAxis() &&
             shapeOf(first.getSrcs()[0]) == shapeOf(reduce.getSrcs()[0]) &&
             isVectorisable(first.getCombineOp()) == isVectorisable(reduce.getCombineOp()) &&
             llvm::none_of(reduce.getSrcs(), [&](Value source) { return needsLater(source, order[first]); });
    };
    if (joins()) {
      plan.nests[first].members.push_back(reduce);
      plan.absorbed.insert(reduce);
      leaders[reduce] = first;
      continue;
    }
    first = reduce;
    leaders[reduce] = reduce;
    plan.nests[reduce] = {llvm::to_vector(shapeOf(reduce.getSrcs()[0])), int(reduce.getAxis()), {reduce}, {}};
  }
  closeStores();
}

llvm::SetVector<Operation *> Planner::consumersOf(Value tensor) {
  llvm::SetVector<Operation *> found;
  for (Operation *user : tensor.getUsers()) {
    if (!isRecomputable(user)) {
      found.insert(leaderOf(user));
      continue;
    }
    for (Value result : user->getResults()) {
      if (plan.isBuffered(result))
        found.insert(user); // needed where the user's buffer is filled
      else
        for (Operation *consumer : consumers[result])
          found.insert(consumer);
    }
  }
  return found;
}

/// Of computing one tensor from its operands.
int Planner::ownCostOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto load = dyn_cast<tensor::LoadOp>(op)) {
    bool isGather = !accesses.isUniform(load.getPtr()) &&
                    llvm::none_of(accesses.of(load.getPtr()), [](Step step) { return step.isOne(); });
    return isGather ? 16 : 1;
  }
  if (isa<tensor::GatherOp, tensor::MapElementwiseOp>(op))
    return 16;
  bool isIndex = isa<IntegerType>(getElementTypeOrSelf(tensor.getType())) && accesses.isAffine(tensor);
  return isElementwise(op) && !isIndex && !isa<arith::CmpIOp>(op) ? getElementwiseCost(op) : 0;
}

/// An upper bound: what two operands share counts twice. Saturates, since only a comparison with `dearCost` matters.
int Planner::costOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (!isTensor(tensor) || !op || !isRecomputable(op) || (plan.isBuffered(tensor) && !toPlace.contains(tensor)))
    return 0;
  auto found = costs.find(tensor);
  if (found != costs.end())
    return found->second;
  int cost = ownCostOf(tensor);
  for (Value operand : op->getOperands())
    if (cost < 4 * dearCost)
      cost += costOf(operand);
  return costs[tensor] = std::min(cost, 4 * dearCost);
}

bool Planner::isWrittenBetween(Operation *load, Operation *consumer) {
  Operation *ancestor = load->getBlock()->findAncestorOpInBlock(*consumer);
  if (!ancestor) // in another block of the control flow graph
    return mayWrite(function);
  if (ancestor != consumer && mayWrite(ancestor))
    return true;
  for (Operation *op = load->getNextNode(); op && op != ancestor; op = op->getNextNode())
    if (mayWrite(op))
      return true;
  return false;
}

bool Planner::mustKeepOrder(tensor::LoadOp load, const llvm::SetVector<Operation *> &consumers) {
  if (load.getIsVolatile())
    return true;
  for (Operation *consumer : consumers) {
    auto nest = plan.nests.find(consumer);
    bool stores =
        nest != plan.nests.end() && !nest->second.members.empty() && isa<tensor::StoreOp>(nest->second.members[0]);
    if (!stores) {
      if (isWrittenBetween(load, consumer))
        return true;
      continue;
    }
    // The stores of this nest come after all of its loads, which the emitted code ensures for loads it can compare with
    // them: those that only the stored values need, and whose addresses form a range.
    if (isWrittenBetween(load, nest->second.members[0]))
      return true;
    for (Operation *member : nest->second.members) {
      auto store = cast<tensor::StoreOp>(member);
      bool inAddress = false, needed = false;
      auto isLeaf = [&](Value tensor) { return plan.isBuffered(tensor); };
      for (Value operand : {store.getPtr(), store.getMask()})
        if (operand)
          walkExpression(operand, getOwnDimensions(operand), isLeaf,
                         [&](Value tensor, ArrayRef<int>) { inAddress |= tensor == load.getResult(); });
      walkExpression(store.getValue(), getOwnDimensions(store.getValue()), isLeaf,
                     [&](Value tensor, ArrayRef<int>) { needed |= tensor == load.getResult(); });
      if (inAddress || (needed && !accesses.isAffine(load.getPtr())))
        return true;
    }
    if (llvm::any_of(nest->second.members, [&](Operation *member) {
          auto store = cast<tensor::StoreOp>(member);
          return store.getPtr() != load.getPtr() && !accesses.isAffine(store.getPtr());
        }))
      return true;
  }
  return false;
}

void Planner::decide(Value tensor) {
  llvm::SetVector<Operation *> found = consumersOf(tensor);
  consumers[tensor] = found;
  Operation *op = tensor.getDefiningOp();
  if (toPlace.contains(tensor) || found.empty())
    return;
  auto buffer = [&] {
    plan.buffered.insert(tensor);
    toPlace.insert(tensor);
  };
  if (auto load = dyn_cast<tensor::LoadOp>(op))
    if (mustKeepOrder(load, found))
      return buffer();
  if (isa<tensor::PointerType>(getElementTypeOrSelf(tensor.getType())) || costOf(tensor) < dearCost)
    return;
  // Views of a dear tensor are free once it has a buffer itself.
  if (mapThroughView(tensor, getOwnDimensions(tensor)))
    return;
  bool isNeededOften = found.size() > 1;
  for (Operation *consumer : found) {
    isNeededOften |= consumer->getBlock() != op->getBlock();
    auto nest = plan.nests.find(consumer);
    if (nest != plan.nests.end())
      isNeededOften |= sizeOf(nest->second.shape) > sizeOf(shapeOf(tensor));
    // Dot operands are staged, histograms and the like read once; all others that are no nests read element by element.
  }
  if (isNeededOften)
    buffer();
}

/// Whether computing `root` needs elements of `tensor` at other places than the one it computes.
static bool readsElsewhere(Value root, Value tensor, const Plan &plan) {
  bool elsewhere = false;
  SmallVector<int> own = getOwnDimensions(root);
  walkExpression(
      root, own, [&](Value inner) { return inner != root && plan.isBuffered(inner); },
      [&](Value inner, ArrayRef<int> dimensions) {
        bool isRead = inner == root || !plan.isBuffered(inner);
        auto gather = inner.getDefiningOp<tensor::GatherOp>();
        elsewhere |= isRead && gather && gather.getSrc() == tensor;
        elsewhere |= inner == tensor && inner != root && dimensions != ArrayRef<int>(own);
      });
  return elsewhere;
}

void Planner::placeFill(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  // The first place that needs the buffer. A nest there that visits the same elements fills the buffer on its way.
  Operation *first = nullptr;
  bool isDirect = false;
  for (Operation *consumer : consumers[tensor]) {
    Operation *place = filledAt.lookup(consumer) ? filledAt.lookup(consumer) : consumer;
    Operation *ancestor = op->getBlock()->findAncestorOpInBlock(*place);
    if (!ancestor) {
      first = nullptr;
      break;
    }
    if (!first || ancestor->isBeforeInBlock(first)) {
      first = ancestor;
      isDirect = ancestor == consumer;
    } else if (first == ancestor) {
      isDirect |= ancestor == consumer;
    }
  }
  Operation *place = first && first->isBeforeInBlock(op) ? first : op;
  filledAt[op] = place;
  auto nest = isDirect ? plan.nests.find(first) : plan.nests.end();
  bool fits = nest != plan.nests.end() && ArrayRef<int64_t>(nest->second.shape) == shapeOf(tensor);
  // Loads that must be complete before a store are not left to the store's own nest.
  fits = fits && isa<tensor::ReduceOp>(nest->second.members[0]);
  // Something filled at that place before its nest may need this tensor as well.
  for (Operation *consumer : consumers[tensor])
    fits = fits && !(filledAt.lookup(consumer) == first && consumer != first);
  if (auto load = dyn_cast<tensor::LoadOp>(op); load && fits)
    fits = !isWrittenBetween(load, first);
  // While the nest is on its way, only the elements it has come past are there.
  if (fits) {
    for (Value fill : nest->second.fills)
      fits = fits && !readsElsewhere(fill, tensor, plan);
    for (Operation *member : nest->second.members)
      for (Value source : member->getOperands())
        fits = fits && !readsElsewhere(source, tensor, plan);
  }
  if (fits) {
    nest->second.fills.insert(nest->second.fills.begin(), tensor);
    filledAt[op] = first;
    return;
  }
  auto &fills = plan.fills[place];
  fills.insert(fills.begin(), tensor);
}

Plan makePlan(tensor::FuncOp function, AccessAnalysis &accesses) { return Planner(function, accesses).run(); }

} // namespace triton::cpu
