#include "compiler/cpu/Plan.h"

#include "compiler/cpu/Mask.h"
#include "compiler/cpu/Scalar.h"
#include "compiler/cpu/evaluate/Elementwise.h"
#include "compiler/cpu/evaluate/Expression.h"
#include "compiler/tensor/Tensor.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;

namespace triton::cpu {

/// Recomputing costs more than a buffer from here on: about five simple operations, or one division.
static constexpr int dearCost = 6;

// Bounds on how much becomes one nest, since what emits and optimises it takes more than twice as long for twice as much. Far beyond what kernels
// written by hand reach; one more pass through a buffer is then little beside the work of the nest.
/// Operations from one buffer to the next along an expression, which is also how deep evaluating it recurses.
static constexpr int tallest = 128;
/// Reductions that share a nest, and buffers it fills on its way.
static constexpr size_t mostReductions = 32, mostFills = 16;

static bool isTensor(Value value) { return isa<RankedTensorType>(value.getType()); }
static int64_t sizeOf(ArrayRef<int64_t> shape) {
  int64_t size = 1;
  for (int64_t extent : shape)
    size *= extent;
  return size;
}

namespace {

/// Which operations may write memory, or hold some that may, and how many of those stand before each operation in its block.
class Writes {
public:
  explicit Writes(Operation *root) {
    root->walk([&](Operation *op) {
      if (mayWriteItself(op))
        for (Operation *holder = op; holder && writing.insert(holder).second && holder != root;)
          holder = holder->getParentOp();
    });
    root->walk([&](Block *block) {
      int count = 0;
      for (Operation &op : *block) {
        before[&op] = count;
        count += writing.contains(&op);
      }
    });
  }

  bool inside(Operation *op) const { return writing.contains(op); }
  /// Of one block; neither counts itself.
  bool between(Operation *first, Operation *second) const {
    return before.lookup(second) > before.lookup(first) + writing.contains(first);
  }

private:
  llvm::DenseSet<Operation *> writing;
  llvm::DenseMap<Operation *, int> before;
};

/// What a consumer that stores needs a tensor for.
struct Need {
  bool inAddress = false, inValue = false; // an address includes the mask
  void add(Need other) {
    inAddress |= other.inAddress;
    inValue |= other.inValue;
  }
};
using Consumers = llvm::MapVector<Operation *, Need>;

class Planner {
public:
  Planner(tensor::FuncOp function, tensor::AccessAnalysis &accesses)
      : function(function), accesses(accesses), writes(function) {}

  Plan run() {
    bufferWhatIsNotRecomputable();
    groupRoots();
    SmallVector<Operation *> ops;
    function.walk<WalkOrder::PreOrder>([&](Operation *op) { ops.push_back(op); });
    for (Operation *op : ops) // operands first
      if (isRecomputable(op))
        for (Value result : op->getResults())
          measure(result);
    // Users first: whether they are recomputed decides where their operands are needed.
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
  void measure(Value tensor);
  void decide(Value tensor);
  void placeFill(Value tensor);
  Consumers consumersOf(Value tensor);
  int ownCostOf(Value tensor);
  bool isWrittenBetween(Operation *load, Operation *consumer);
  bool mustKeepOrder(tensor::LoadOp load, const Consumers &consumers);

  /// The operation whose place a root is emitted at.
  Operation *leaderOf(Operation *root) { return leaders.lookup(root) ? leaders.lookup(root) : root; }

  tensor::FuncOp function;
  tensor::AccessAnalysis &accesses;
  Writes writes;
  Plan plan;
  llvm::DenseMap<Operation *, Operation *> leaders;
  llvm::DenseSet<Value> toPlace;
  llvm::DenseMap<Value, int> costs;   // of recomputing from what lies in buffers
  llvm::DenseMap<Value, int> heights; // operations on the longest way from there
  llvm::DenseMap<Value, Consumers> consumers;
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
    auto isLate = [&](Operation *definition) {
      auto found = definition ? order.find(definition) : order.end();
      return found != order.end() && found->second >= limit;
    };
    // What stands before that position needs nothing from there on.
    auto isLeaf = [&](Value tensor) { return needs || plan.isBuffered(tensor) || !isLate(tensor.getDefiningOp()); };
    walkExpression(root, getOwnDimensions(root), isLeaf, [&](Value tensor, ArrayRef<int>) {
      Operation *op = tensor.getDefiningOp();
      if (!op || !isLate(op))
        return;
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
      return first && plan.nests[first].members.size() < mostReductions && first.getAxis() == reduce.getAxis() &&
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

/// What using a tensor as this operand makes of it.
static Need needOf(OpOperand &use) {
  auto store = dyn_cast<tensor::StoreOp>(use.getOwner());
  if (!store)
    return {};
  const bool isValue = &use == &store.getValueMutable();
  return {.inAddress = !isValue, .inValue = isValue};
}

Consumers Planner::consumersOf(Value tensor) {
  Consumers found;
  for (OpOperand &use : tensor.getUses()) {
    Operation *user = use.getOwner();
    if (!isRecomputable(user)) {
      found[leaderOf(user)].add(needOf(use));
      continue;
    }
    for (Value result : user->getResults()) {
      if (plan.isBuffered(result))
        found.insert({user, {}}); // needed where the user's buffer is filled
      else
        for (auto [consumer, need] : consumers[result])
          found[consumer].add(need);
    }
  }
  return found;
}

/// Of computing one tensor from its operands.
int Planner::ownCostOf(Value tensor) {
  Operation *op = tensor.getDefiningOp();
  if (auto load = dyn_cast<tensor::LoadOp>(op)) {
    bool isGather = !accesses.isUniform(load.getPtr()) &&
                    llvm::none_of(accesses.steps(load.getPtr()), [](tensor::Step step) { return step.isOne(); });
    return isGather ? 16 : 1;
  }
  if (isa<tensor::GatherOp, tensor::MapElementwiseOp>(op))
    return 16;
  bool isIndex = isa<IntegerType>(getElementTypeOrSelf(tensor.getType())) && accesses.isAffine(tensor);
  return isElementwise(op) && !isIndex && !isa<arith::CmpIOp>(op) ? getElementwiseCost(op) : 0;
}

/// The cost is an upper bound: what two operands share counts twice. It saturates, since only a comparison with `dearCost` matters.
void Planner::measure(Value tensor) {
  if (plan.isBuffered(tensor) && !toPlace.contains(tensor))
    return;
  int cost = ownCostOf(tensor), height = 0;
  for (Value operand : tensor.getDefiningOp()->getOperands()) {
    cost = std::min(cost + costs.lookup(operand), 4 * dearCost);
    height = std::max(height, heights.lookup(operand));
  }
  // What is dear and broadcast lies in a buffer itself, which is smaller, and computed less often, than what is made of it.
  if (isa<tensor::BroadcastOp>(tensor.getDefiningOp()) && cost >= dearCost)
    cost = 1;
  costs[tensor] = cost;
  heights[tensor] = plan.isBuffered(tensor) || height == tallest ? 0 : height + 1;
}

bool Planner::isWrittenBetween(Operation *load, Operation *consumer) {
  Operation *ancestor = load->getBlock()->findAncestorOpInBlock(*consumer);
  if (!ancestor) // in another block of the control flow graph
    return writes.inside(function);
  return (ancestor != consumer && writes.inside(ancestor)) || writes.between(load, ancestor);
}

bool Planner::mustKeepOrder(tensor::LoadOp load, const Consumers &consumers) {
  if (load.getIsVolatile())
    return true;
  for (auto [consumer, need] : consumers) {
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
    if (need.inAddress || (need.inValue && !accesses.isAffine(load.getPtr())))
      return true;
    if (llvm::any_of(nest->second.members, [&](Operation *member) {
          auto store = cast<tensor::StoreOp>(member);
          return store.getPtr() != load.getPtr() && !accesses.isAffine(store.getPtr());
        }))
      return true;
  }
  return false;
}

void Planner::decide(Value tensor) {
  const Consumers &found = consumers[tensor] = consumersOf(tensor);
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
  if (heights.lookup(tensor) == 0)
    return buffer();
  if (isa<tensor::PointerType>(getElementTypeOrSelf(tensor.getType())) || costs.lookup(tensor) < dearCost)
    return;
  // Views of a dear tensor are free once it has a buffer itself.
  if (mapThroughView(tensor, getOwnDimensions(tensor)))
    return;
  bool isNeededOften = found.size() > 1;
  for (auto [consumer, need] : found) {
    isNeededOften |= consumer->getBlock() != op->getBlock();
    auto nest = plan.nests.find(consumer);
    if (nest != plan.nests.end()) {
      isNeededOften |= sizeOf(nest->second.shape) > sizeOf(shapeOf(tensor));
      continue;
    }
    // Dot operands are staged, histograms and the like read once; all others that are no nests read element by element.
    for (Value operand : consumer->getOperands())
      isNeededOften |= isTensor(operand) && sizeOf(shapeOf(operand)) > sizeOf(shapeOf(tensor));
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
  for (auto [consumer, need] : consumers[tensor]) {
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
  fits = fits && isa<tensor::ReduceOp>(nest->second.members[0]) && nest->second.fills.size() < mostFills;
  // Something filled at that place before its nest may need this tensor as well.
  for (auto [consumer, need] : consumers[tensor])
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

Plan makePlan(tensor::FuncOp function, tensor::AccessAnalysis &accesses) { return Planner(function, accesses).run(); }

} // namespace triton::cpu
