// Moves parts of blocks that are too long into functions of their own.
//
//   func.func @kernel(%p: !llvm.ptr, %n: i32) {
//     %a = arith.addi %n, %n : i32
//     %b = arith.muli %a, %a : i32
//     %c = arith.subi %b, %n : i32
//     %d = arith.xori %c, %n : i32
//     llvm.store %d, %p : i32, !llvm.ptr
//     return
//   }
// becomes, if two operations were as many as a part may have,
//   func.func @kernel(%p: !llvm.ptr, %n: i32) {
//     %b = call @kernel.part0(%n) : (i32) -> i32
//     %d = call @kernel.part1(%b, %n) : (i32, i32) -> i32
//     call @kernel.part2(%d, %p) : (i32, !llvm.ptr) -> ()
//     return
//   }
//   func.func private @kernel.part0(%n: i32) -> i32 { … }
//   …
//
// What LLVM does to a function takes more than twice as long for one twice as large, in register allocation above all, and parts of it recurse along chains
// of instructions. Of functions that are small it needs time in proportion. Runs last, when what a block comes to is known. What few kernels reach costs those
// that do a call for thousands of instructions; parts end where little has to be handed over, between loops rather than in what leads up to one. Leaves alone scratch memory, which must outlive a part, and repeats constants and places in it.
#include "compiler/cpu/passes/SplitLongBlocks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

#include <numeric>

using namespace mlir;

namespace triton::cpu {

static bool isConstant(Operation *op) {
  return op && (op->hasTrait<OpTrait::ConstantLike>() || isa<LLVM::ZeroOp, LLVM::AddressOfOp>(op));
}

/// Whether `op` costs nothing to repeat where its result is needed: a constant, or a fixed place in scratch memory. It needs no result of what may move.
static bool isRepeated(Operation *op) {
  auto place = dyn_cast_or_null<LLVM::GEPOp>(op);
  if (!place)
    return isConstant(op);
  Value base = place.getBase();
  return (isa<BlockArgument>(base) || base.getDefiningOp<LLVM::AllocaOp>()) &&
         llvm::all_of(place.getDynamicIndices(), [](Value index) { return isConstant(index.getDefiningOp()); });
}

/// Whether `op` must stay where it is, or may as well: memory of the function it is in, and what is repeated.
static bool mustStay(Operation *op) {
  return isRepeated(op) || op->hasTrait<OpTrait::IsTerminator>() || isa<LLVM::AllocaOp>(op);
}

namespace {

/// Operations that stand one after the other in one block, on their way into a function.
class Part {
public:
  explicit Part(Block &block) : block(&block) {}

  void add(Operation *op) { ops.insert(op); }

  /// Makes them a function of this name behind `parent`, and a call of it.
  void moveTo(StringRef name, func::FuncOp parent) {
    collect();
    Operation *last = ops.back();
    OpBuilder builder(parent->getContext());
    builder.setInsertionPointAfter(parent);
    auto type = builder.getFunctionType(ValueRange(taken.getArrayRef()).getTypes(), ValueRange(given).getTypes());
    auto function = func::FuncOp::create(builder, ops.front()->getLoc(), name, type);
    function.setPrivate();
    // Behind the last: all that it takes is there, and what it gives is needed only from there on.
    builder.setInsertionPointAfter(last);
    auto call = func::CallOp::create(builder, last->getLoc(), function, taken.getArrayRef());
    for (auto [value, result] : llvm::zip_equal(given, call.getResults()))
      value.replaceUsesWithIf(result, [&](OpOperand &use) { return !holds(use.getOwner()); });

    Block *body = function.addEntryBlock();
    IRMapping inside;
    for (auto [value, argument] : llvm::zip_equal(taken, body->getArguments()))
      inside.map(value, argument);
    builder.setInsertionPointToStart(body);
    for (Operation *constant : repeated)
      builder.clone(*constant, inside);
    for (Operation *op : ops)
      op->moveBefore(body, body->end());
    for (Operation *op : ops)
      op->walk([&](Operation *inner) {
        for (OpOperand &operand : inner->getOpOperands())
          operand.set(inside.lookupOrDefault(operand.get()));
      });
    builder.setInsertionPointToEnd(body);
    func::ReturnOp::create(builder, last->getLoc(), given);
  }

private:
  bool holds(Operation *op) const {
    Operation *ancestor = block->findAncestorOpInBlock(*op);
    return ancestor && ops.contains(ancestor);
  }
  bool holds(Value value) const {
    Operation *op = value.getDefiningOp();
    return holds(op ? op : value.getParentBlock()->getParentOp());
  }

  void take(Value value) {
    Operation *op = value.getDefiningOp();
    if (!isRepeated(op)) {
      taken.insert(value);
      return;
    }
    for (Value operand : op->getOperands()) // before it: in this order they are repeated
      take(operand);
    repeated.insert(op);
  }

  /// What the operations need of others, and others of them.
  void collect() {
    for (Operation *op : ops) {
      op->walk([&](Operation *inner) {
        for (Value operand : inner->getOperands())
          if (!holds(operand))
            take(operand);
      });
      for (Value result : op->getResults())
        if (llvm::any_of(result.getUsers(), [&](Operation *user) { return !holds(user); }))
          given.push_back(result);
    }
  }

  Block *block;
  llvm::SetVector<Operation *> ops;
  llvm::SetVector<Value> taken;
  llvm::SetVector<Operation *> repeated;
  SmallVector<Value> given;
};

/// An operation that may move into a part.
struct Candidate {
  Operation *op;
  int64_t size = 0; // operations, with those inside
  int64_t live = 0; // what parts that end behind it would have to hand over
};

} // namespace

static SmallVector<Candidate> describe(Block &block) {
  SmallVector<Candidate> candidates;
  llvm::DenseMap<Operation *, size_t> indices;
  for (Operation &op : block) {
    if (mustStay(&op))
      continue;
    indices[&op] = candidates.size();
    Candidate &candidate = candidates.emplace_back(Candidate{&op});
    op.walk([&](Operation *) { ++candidate.size; });
  }
  // Each value counts from behind its operation to its last use; one of another block or a terminator's lives on.
  SmallVector<int64_t> changes(candidates.size() + 1);
  for (auto [index, candidate] : llvm::enumerate(candidates))
    for (Value result : candidate.op->getResults()) {
      size_t last = index;
      for (Operation *user : result.getUsers()) {
        auto found = indices.find(block.findAncestorOpInBlock(*user));
        last = std::max(last, found == indices.end() ? candidates.size() : found->second);
      }
      const int64_t weight = isa<VectorType>(result.getType()) ? 8 : 1; // takes as many registers
      changes[index] += weight;
      changes[last] -= weight;
    }
  int64_t live = 0;
  for (auto [index, candidate] : llvm::enumerate(candidates))
    candidate.live = live += changes[index];
  return candidates;
}

namespace {

struct SplitLongBlocks : PassWrapper<SplitLongBlocks, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(SplitLongBlocks)

  SplitLongBlocks() = default;
  SplitLongBlocks(const SplitLongBlocks &other) : PassWrapper(other) {}

  StringRef getArgument() const override { return "cpu-split-long-blocks"; }
  StringRef getDescription() const override { return "Move parts of blocks that are too long into functions"; }
  void getDependentDialects(DialectRegistry &registry) const override { registry.insert<func::FuncDialect>(); }

  void runOnOperation() override {
    for (auto function : llvm::make_early_inc_range(getOperation().getOps<func::FuncOp>()))
      if (!function.isExternal())
        split(function);
  }

private:
  void split(func::FuncOp function) {
    int64_t size = 0;
    function.walk([&](Operation *) { ++size; });
    if (size <= longest)
      return;
    int parts = 0;
    // Inner blocks first: what is left of an operation with a long block inside is short.
    SmallVector<Block *> blocks;
    function.walk<WalkOrder::PostOrder>([&](Block *block) { blocks.push_back(block); });
    for (Block *block : blocks)
      split(*block, function, parts);
  }

  void split(Block &block, func::FuncOp function, int &parts) {
    SmallVector<Candidate> candidates = describe(block);
    const auto sizes = llvm::map_range(candidates, [](const Candidate &candidate) { return candidate.size; });
    if (std::accumulate(sizes.begin(), sizes.end(), int64_t(0)) <= longest)
      return;
    const int64_t limit = longest / 2;
    for (size_t begin = 0; begin < candidates.size();) {
      // As long as a part may be, but no longer than to where the least has to be handed over.
      size_t best = begin;
      int64_t size = 0;
      for (size_t i = begin; i < candidates.size() && (i == begin || size + candidates[i].size <= limit); ++i) {
        size += candidates[i].size;
        if (size <= limit / 4 || candidates[i].live <= candidates[best].live)
          best = i;
      }
      Part part(block);
      for (; begin <= best; ++begin)
        part.add(candidates[begin].op);
      part.moveTo((function.getName() + ".part" + Twine(parts++)).str(), function);
    }
  }

  Option<int64_t> longest{*this, "longest", llvm::cl::init(2048),
                          llvm::cl::desc("operations of a block that stays whole; parts have at most half as many")};
};
} // namespace

std::unique_ptr<Pass> createSplitLongBlocks() { return std::make_unique<SplitLongBlocks>(); }
void registerSplitLongBlocks() { PassRegistration<SplitLongBlocks>(); }

} // namespace triton::cpu
