// Random small programs: shared memory is allocated and barriers are inserted, then the program is run step by step in every way its
// branches and loops allow, and no two accesses that conflict may happen without a barrier between them, nor may TMA access what
// threads have without a fence and a barrier between them, nor may anybody read a buffer that another has overwritten. Nor may a barrier or a
// fence be there for nothing: without it some run must go wrong.
#include "compiler/gpu/SharedAccesses.h"
#include "compiler/gpu/passes/Passes.h"
#include "compiler/gpu/passes/memory/RandomSharedProgram.h"

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <map>
#include <set>

using namespace mlir;
using namespace triton;
using namespace triton::gpu;

namespace {

/// One run: what a thread does, one thing after the other. An asynchronous access lasts from its beginning to its wait.
class Run {
public:
  Run(const BufferAliases &aliases, unsigned choices, Operation *without)
      : aliases(aliases), choices(choices), without(without) {}

  void block(Block &block) {
    for (Operation &op : block)
      step(&op);
  }

  /// Whether two threads may touch the same bytes at the same time, one of them writing, or TMA may miss what a thread did, or
  /// somebody read what was not there any more.
  bool hasHazard() const {
    for (const Event &a : events)
      for (const Event &b : events)
        if (&a < &b && a.access.conflictsWith(b.access) &&
            (!isOver(a, b) || (b.access.asyncProxy && !a.access.asyncProxy && !isFencedBetween(a, b))))
          return true;
    return isOverwritten;
  }

private:
  /// Epochs are counted by barriers: what ends in one epoch is over for all threads in the next.
  struct Event {
    SharedAccess access;
    unsigned begin, end;
    SharedEffects::Async until; // a wait of which kind; None: it is over
    /// For what ends at an mbarrier: how many events had begun when all threads had waited there.
    size_t waited = ~size_t(0);
  };
  struct Fence {
    size_t eventsBefore;
    unsigned epoch;
  };

  bool isOver(const Event &a, const Event &b) const {
    return a.access.isTracked ? a.waited <= size_t(&b - events.data()) : a.end < b.begin;
  }

  /// By every thread, with a barrier behind it, so that also the thread that starts the copy knows.
  bool isFencedBetween(const Event &a, const Event &b) const {
    size_t before = &a - events.data();
    return llvm::any_of(fences,
                        [&](const Fence &fence) { return before < fence.eventsBefore && fence.epoch < b.begin; });
  }

  unsigned choose(unsigned alternatives) {
    unsigned choice = choices % alternatives;
    choices /= alternatives;
    return choice;
  }

  void step(Operation *op) {
    if (op == without)
      return;
    if (auto loop = dyn_cast<scf::ForOp>(op)) {
      unsigned trips = choose(3);
      for (unsigned i = 0; i < trips; ++i)
        block(*loop.getBody());
      return;
    }
    if (auto branch = dyn_cast<scf::IfOp>(op)) {
      if (choose(2))
        block(*branch.thenBlock());
      else if (branch.elseBlock())
        block(*branch.elseBlock());
      return;
    }
    if (auto loop = dyn_cast<scf::WhileOp>(op)) {
      unsigned trips = choose(3);
      block(*loop.getBeforeBody());
      for (unsigned i = 0; i < trips; ++i) {
        block(*loop.getAfterBody());
        block(*loop.getBeforeBody());
      }
      return;
    }
    if (auto call = dyn_cast<CallOpInterface>(op))
      return block(cast<FunctionOpInterface>(call.resolveCallable()).getFunctionBody().front());
    SharedEffects effects = getSharedEffects(op, aliases);
    touch(op, effects);
    if (auto wait = dyn_cast<WaitBarrierOp>(op))
      for (Event &event : events)
        if (event.access.isTracked && llvm::is_contained(event.access.op->getOperands(), wait.getAlloc()))
          event.waited = std::min(event.waited, events.size());
    if (effects.isBarrier)
      ++epoch;
    if (effects.isFence)
      fences.push_back({events.size(), epoch});
    if (effects.waitsForAll)
      for (Event &event : events)
        if (event.until == effects.wait) {
          event.until = SharedEffects::Async::None;
          event.end = epoch;
        }
    for (const SharedAccess &access : effects.accesses)
      events.push_back({access, epoch, effects.begins.empty() ? epoch : ~0u, effects.begun});
    if (effects.waits)
      ++epoch;
    for (const SharedAccess &access : effects.after)
      events.push_back({access, epoch, epoch, SharedEffects::Async::None});
  }

  /// Notes which thread wrote which bytes last, and whether a read finds what it wrote.
  void touch(Operation *op, const SharedEffects &effects) {
    auto alloc = dyn_cast<LocalAllocOp>(op);
    if (alloc)
      for (auto &[at, owner] : written)
        if (owner == op)
          owner = nullptr; // a new buffer
    for (const SharedAccess &access : effects.accesses) {
      Operation *owner = ownerOf(op, access);
      for (int64_t at = access.bytes.begin; at < access.bytes.end; at += 16) {
        if (access.writes)
          written[at] = owner, initialized.insert({owner, at});
        else if (initialized.contains({owner, at}))
          isOverwritten |= written[at] != owner && written[at];
      }
    }
  }

  /// The buffer that an op accesses there, or the op itself.
  Operation *ownerOf(Operation *op, const SharedAccess &access) {
    for (Value operand : llvm::concat<Value>(op->getOperands(), op->getResults()))
      for (Operation *alloc : isa<MemDescType>(operand.getType()) ? aliases.of(operand) : ArrayRef<Operation *>()) {
        int64_t begin = alloc->getAttrOfType<IntegerAttr>(allocationOffsetName).getInt();
        if (begin <= access.bytes.begin && access.bytes.end <= begin + getAllocationBytes(getAllocatedType(alloc)))
          return alloc;
      }
    return op;
  }

  const BufferAliases &aliases;
  unsigned choices, epoch = 0;
  std::map<int64_t, Operation *> written;
  std::set<std::pair<Operation *, int64_t>> initialized;
  bool isOverwritten = false;
  Operation *without;
  std::vector<Event> events;
  std::vector<Fence> fences;
};

bool anyRunHasHazard(FunctionOpInterface function, const BufferAliases &aliases, Operation *without) {
  for (unsigned choices = 0; choices < (without ? 1458u : 162u); ++choices) {
    Run run(aliases, choices, without);
    run.block(function.getFunctionBody().front());
    if (run.hasHazard())
      return true;
  }
  return false;
}

TEST(InsertBarriers, RandomProgramsHaveNoHazardAndNothingForNothing) {
  DialectRegistry registry;
  registerGpuDialects(registry);
  registry.insert<arith::ArithDialect, scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  unsigned barriers = 0, fences = 0, unsafeBefore = 0;
  for (unsigned seed = 0; seed < 150; ++seed) {
    std::string text = RandomSharedProgram(seed).text();
    auto module = parseSourceString<ModuleOp>(text, &context);
    ASSERT_TRUE(module) << text;
    PassManager allocate(&context), insert(&context);
    allocate.addPass(createAllocateShared());
    insert.addPass(createInsertBarriers());
    ASSERT_TRUE(succeeded(allocate.run(*module)));
    auto function = cast<FunctionOpInterface>(module->lookupSymbol("f"));
    unsafeBefore += anyRunHasHazard(function, BufferAliases(function), nullptr);
    ASSERT_TRUE(succeeded(insert.run(*module)));
    BufferAliases aliases(function);
    std::string printed;
    llvm::raw_string_ostream(printed) << *module;
    ASSERT_FALSE(anyRunHasHazard(function, aliases, nullptr)) << seed << "\n" << printed;
    // A callee's own barriers are not counted on.
    bool calls = printed.find("tt.call") != std::string::npos;
    function->walk([&](Operation *op) {
      barriers += isa<BarrierOp>(op);
      fences += isa<FenceAsyncSharedOp>(op);
      if (!calls && seed < 50 && isa<BarrierOp, FenceAsyncSharedOp>(op))
        EXPECT_TRUE(anyRunHasHazard(function, aliases, op))
            << "a spare " << op->getName().getStringRef().str() << " in\n"
            << printed;
    });
  }
  EXPECT_GT(unsafeBefore, 100u);
  EXPECT_GT(barriers, 300u);
  EXPECT_GT(fences, 50u);
}

} // namespace
