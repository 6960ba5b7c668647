// Warp-specialised loops, run step by step: the producer warp and the warps that multiply take turns at random, copies arrive at random. No warp
// may wait for ever, no buffer may be filled while it is read or before all have read it, and every warp must read what was copied, in order.
#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/passes/Passes.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"

#include "gtest/gtest.h"

#include <deque>
#include <random>

using namespace mlir;
using namespace triton;
using namespace triton::gpu;

namespace {

/// A buffer or a barrier: one of a row.
using Place = std::pair<Operation *, int64_t>;

/// What a group of warps does to shared memory. No branch depends on another group: what each does is known beforehand.
struct Event {
  enum Kind { Wait, Expect, Copy, Arrive, Read, WaitForReads } kind;
  std::vector<Place> places; // the barrier; the buffer, then its barrier; the buffers
  int64_t number = 0;        // parity, bytes, or what may be left in flight
  bool isAsync = false;
};

/// Writes down what a region does, for given numbers.
class Recorder {
public:
  llvm::DenseMap<Value, int64_t> numbers;
  llvm::DenseMap<Value, Place> buffers;
  std::vector<Event> events;
  std::map<Place, int64_t> arrivals; // of barriers, per phase
  std::vector<Place> cleared;
  WarpSpecializeOp specialized;

  void run(Block &block) {
    for (Operation &op : block)
      run(&op);
  }

private:
  int64_t number(Value value) {
    APInt constant;
    return matchPattern(value, m_ConstantInt(&constant)) ? constant.getSExtValue() : numbers.lookup(value);
  }
  Place place(Value buffer) { return buffers.lookup(buffer); }

  void run(scf::ForOp loop) {
    for (auto [argument, initial] : llvm::zip(loop.getRegionIterArgs(), loop.getInitArgs()))
      numbers[argument] = number(initial);
    for (int64_t i = number(loop.getLowerBound()); i < number(loop.getUpperBound()); i += number(loop.getStep())) {
      numbers[loop.getInductionVar()] = i;
      run(*loop.getBody());
      std::vector<int64_t> next;
      for (Value value : loop.getBody()->getTerminator()->getOperands())
        next.push_back(number(value));
      for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), next))
        numbers[argument] = value;
    }
    for (auto [result, argument] : llvm::zip(loop.getResults(), loop.getRegionIterArgs()))
      numbers[result] = numbers[argument];
  }

  void run(Operation *op) {
    if (auto loop = dyn_cast<scf::ForOp>(op))
      return run(loop);
    auto set = [&](int64_t value) { numbers[op->getResult(0)] = value; };
    auto operand = [&](unsigned index) { return number(op->getOperand(index)); };
    if (isa<arith::AddIOp>(op))
      set(operand(0) + operand(1));
    else if (isa<arith::MulIOp>(op))
      set(operand(0) * operand(1));
    else if (isa<arith::XOrIOp>(op))
      set(operand(0) ^ operand(1));
    else if (auto compare = dyn_cast<arith::CmpIOp>(op))
      set(compare.getPredicate() == arith::CmpIPredicate::eq ? operand(0) == operand(1) : 0);
    else if (isa<arith::SelectOp>(op))
      set(operand(0) ? operand(1) : operand(2));
    else if (isa<LocalAllocOp>(op))
      buffers[op->getResult(0)] = {op, 0};
    else if (auto index = dyn_cast<MemDescIndexOp>(op))
      buffers[index] = {place(index.getSrc()).first, number(index.getIndex())};
    else if (auto trans = dyn_cast<MemDescTransOp>(op))
      buffers[trans] = place(trans.getSrc());
    else if (auto init = dyn_cast<InitBarrierOp>(op))
      arrivals[place(init.getAlloc())] = init.getCount();
    else if (auto wait = dyn_cast<WaitBarrierOp>(op))
      events.push_back({Event::Wait, {place(wait.getAlloc())}, number(wait.getPhase())});
    else if (auto expect = dyn_cast<BarrierExpectOp>(op))
      events.push_back({Event::Expect, {place(expect.getAlloc())}, expect.getSize()});
    else if (auto copy = dyn_cast<AsyncTmaCopyGlobalToLocalOp>(op))
      events.push_back({Event::Copy,
                        {place(copy.getResult()), place(copy.getBarrier())},
                        getBufferBytes(cast<MemDescType>(copy.getResult().getType()))});
    else if (auto arrive = dyn_cast<ArriveBarrierOp>(op))
      events.push_back({Event::Arrive, {place(arrive.getAlloc())}, arrive.getCount()});
    else if (auto store = dyn_cast<LocalStoreOp>(op))
      cleared.push_back(place(store.getDst()));
    else if (auto load = dyn_cast<LocalLoadOp>(op))
      events.push_back({Event::Read, {place(load.getSrc())}});
    else if (auto wait = dyn_cast<WarpGroupDotWaitOp>(op))
      events.push_back({Event::WaitForReads, {}, wait.getPendings()});
    else if (auto dot = dyn_cast<WarpGroupDotOp>(op)) {
      Event read{Event::Read, {}, 0, dot.getIsAsync()};
      for (Value side : SmallVector<Value>{dot.getA(), dot.getB()})
        if (buffers.contains(side))
          read.places.push_back(place(side));
      events.push_back(read);
    } else if (auto found = dyn_cast<WarpSpecializeOp>(op)) {
      specialized = found;
    }
  }
};

struct Barrier {
  int64_t arrivals, pending, bytes = 0;
  bool phase = false;
  void check() {
    if (pending == 0 && bytes == 0) {
      pending = arrivals;
      phase = !phase;
    }
  }
};

struct Buffer {
  static constexpr int64_t nothing = -1, zeros = -2;
  int64_t content = nothing; // the number of the copy
  bool isFilling = false;
  unsigned readers = 0, reads = 0; // of this content: under way, and done
};

/// All groups at once.
class Machine {
public:
  Machine(const Recorder &before, unsigned seed) : random(seed) {
    for (auto [place, count] : before.arrivals)
      barriers[place] = {count, count};
    for (Place place : before.cleared)
      buffers[place].content = Buffer::zeros;
  }

  std::string run(const std::vector<Event> &copies, const std::vector<Event> &rest, unsigned groups) {
    consumers = groups;
    agents.assign(groups + 1, {});
    for (unsigned i = 0; i <= groups; ++i)
      agents[i].events = i == groups ? &copies : &rest;
    for (;;) {
      std::vector<unsigned> able;
      bool isOver = true;
      for (unsigned i = 0; i <= groups; ++i) {
        isOver &= agents[i].isDone();
        if (canStep(agents[i]))
          able.push_back(i);
      }
      if (isOver && underWay.empty())
        return end();
      if (able.empty() && underWay.empty())
        return "everybody waits";
      size_t choice = random() % (able.size() + underWay.size());
      std::string wrong = choice < able.size() ? step(agents[able[choice]]) : arrive(choice - able.size());
      if (!wrong.empty())
        return wrong;
    }
  }

private:
  struct Agent {
    const std::vector<Event> *events = nullptr;
    size_t next = 0;
    std::deque<std::vector<Place>> inFlight = {};
    std::map<Operation *, std::vector<int64_t>> seen = {};
    bool isDone() const { return next == events->size(); }
  };

  bool canStep(Agent &agent) {
    if (agent.isDone())
      return false;
    const Event &event = (*agent.events)[agent.next];
    return event.kind != Event::Wait || barriers.at(event.places[0]).phase != bool(event.number);
  }

  void endRead(const std::vector<Place> &places) {
    for (Place place : places) {
      --buffers[place].readers;
      ++buffers[place].reads;
    }
  }

  std::string step(Agent &agent) {
    const Event &event = (*agent.events)[agent.next++];
    switch (event.kind) {
    case Event::Wait:
      break;
    case Event::Expect:
      barriers.at(event.places[0]).bytes += event.number;
      return signal(event.places[0], 1);
    case Event::Arrive:
      return signal(event.places[0], event.number);
    case Event::Copy: {
      Buffer &buffer = buffers[event.places[0]];
      if (buffer.isFilling || buffer.readers || (buffer.content != Buffer::nothing && buffer.reads < consumers))
        return "a buffer is filled that is still needed";
      buffer = {static_cast<int64_t>(made[event.places[0].first].size()), true};
      made[event.places[0].first].push_back(buffer.content);
      underWay.push_back(event);
      break;
    }
    case Event::Read:
      for (Place place : event.places) {
        Buffer &buffer = buffers[place];
        if (buffer.isFilling)
          return "a buffer is read that is being filled";
        ++buffer.readers;
        if (buffer.content >= 0)
          agent.seen[place.first].push_back(buffer.content);
      }
      agent.inFlight.push_back(event.places);
      if (event.isAsync)
        break;
      [[fallthrough]];
    case Event::WaitForReads:
      while (agent.inFlight.size() > static_cast<size_t>(event.number)) {
        endRead(agent.inFlight.front());
        agent.inFlight.pop_front();
      }
    }
    return "";
  }

  std::string signal(Place place, int64_t count) {
    Barrier &barrier = barriers.at(place);
    if (barrier.pending < count)
      return "too many arrive";
    barrier.pending -= count;
    barrier.check();
    return "";
  }

  std::string arrive(size_t index) {
    Event copy = underWay[index];
    underWay.erase(underWay.begin() + index);
    buffers[copy.places[0]].isFilling = false;
    Barrier &barrier = barriers.at(copy.places[1]);
    barrier.bytes -= copy.number;
    barrier.check();
    return "";
  }

  std::string end() {
    for (Agent &agent : agents) {
      if (!agent.inFlight.empty())
        return "a product was not waited for";
      if (&agent != &agents.back() && agent.seen != made)
        return "not everything was read, or not in order";
    }
    return "";
  }

  std::mt19937 random;
  std::map<Place, Barrier> barriers;
  std::map<Place, Buffer> buffers;
  std::vector<Event> underWay;
  std::vector<Agent> agents;
  std::map<Operation *, std::vector<int64_t>> made;
  unsigned consumers = 0;
};

constexpr const char *header = R"(
#blocked = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [8, 1], order = [1, 0]}>
#mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 64, 16]}>
#mma2 = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [8, 1], instrShape = [16, 8]}>
#left = #ttg.dot_op<{opIdx = 0, parent = #mma2, kWidth = 2}>
#right = #ttg.dot_op<{opIdx = 1, parent = #mma2, kWidth = 2}>
#p = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
#shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
#smem = #ttg.shared_memory
!desc = !tt.tensordesc<tensor<128x64xf16>>
!block = !tt.tensordesc<tensor<64x64xf16>>
!tall = !ttg.memdesc<128x64xf16, #shared, #smem>
!square = !ttg.memdesc<64x64xf16, #shared, #smem>
module attributes {"ttg.num-warps" = 8 : i32, ttg.target = "cuda:90"} {
  tt.func public @kernel(%da: !desc, %db: !block, %dc: !block, %q: !tall, %out: !tt.ptr<f32>, %n: i32, %tiles: i32) {
    %zero = arith.constant 0 : i32
    %one = arith.constant 1 : i32
)";

constexpr const char *product = R"(
      %a = tt.descriptor_load %da[%t, %i] : !desc -> tensor<128x64xf16, #blocked>
      %b = tt.descriptor_load %db[%i, %t] : !block -> tensor<64x64xf16, #blocked>
      %x = ttg.local_alloc %a : (tensor<128x64xf16, #blocked>) -> !tall
      ttng.fence_async_shared {bCluster = false}
      %y = ttg.local_alloc %b : (tensor<64x64xf16, #blocked>) -> !square
      ttng.fence_async_shared {bCluster = false}
      %d = ttng.warp_group_dot %x, %y, %acc : !tall * !square -> tensor<128x64xf32, #mma>
)";

constexpr const char *inRegisters = R"(
      %a = tt.descriptor_load %da[%t, %i] : !desc -> tensor<128x64xf16, #blocked>
      %b = tt.descriptor_load %db[%i, %t] : !block -> tensor<64x64xf16, #blocked>
      %x = ttg.convert_layout %a : tensor<128x64xf16, #blocked> -> tensor<128x64xf16, #left>
      %y = ttg.convert_layout %b : tensor<64x64xf16, #blocked> -> tensor<64x64xf16, #right>
      %d = tt.dot %x, %y, %acc : tensor<128x64xf16, #left> * tensor<64x64xf16, #right> -> tensor<128x64xf32, #mma2>
)";

constexpr const char *attention = R"(
      %k = tt.descriptor_load %db[%i, %t] : !block -> tensor<64x64xf16, #blocked>
      %w = ttg.local_alloc %k : (tensor<64x64xf16, #blocked>) -> !square
      ttng.fence_async_shared {bCluster = false}
      %s = ttng.warp_group_dot %q, %w, %c : !tall * !square -> tensor<128x64xf32, #mma>
      %m = "tt.reduce"(%s) <{axis = 1 : i32}> ({
      ^bb0(%f: f32, %g: f32):
        %h = arith.maxnumf %f, %g : f32
        tt.reduce.return %h : f32
      }) : (tensor<128x64xf32, #mma>) -> tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>>
      %me = tt.expand_dims %m {axis = 1 : i32} : tensor<128xf32, #ttg.slice<{dim = 1, parent = #mma}>> -> tensor<128x1xf32, #mma>
      %mb = tt.broadcast %me : tensor<128x1xf32, #mma> -> tensor<128x64xf32, #mma>
      %e = arith.subf %s, %mb : tensor<128x64xf32, #mma>
      %half = arith.truncf %e : tensor<128x64xf32, #mma> to tensor<128x64xf16, #mma>
      %p = ttg.convert_layout %half : tensor<128x64xf16, #mma> -> tensor<128x64xf16, #p>
      %scaled = arith.mulf %acc, %mb : tensor<128x64xf32, #mma>
      %v = tt.descriptor_load %dc[%i, %t] : !block -> tensor<64x64xf16, #blocked>
      %y = ttg.local_alloc %v : (tensor<64x64xf16, #blocked>) -> !square
      ttng.fence_async_shared {bCluster = false}
      %d = ttng.warp_group_dot %p, %y, %scaled : tensor<128x64xf16, #p> * !square -> tensor<128x64xf32, #mma>
)";

std::string kernel(const char *body, const std::string &layout, int stages, bool isNest) {
  std::string tile = "tensor<128x64xf32, " + layout + ">";
  std::string inner = "    %r = scf.for %i = %zero to %n step %one iter_args(%acc = %c) -> (" + tile + ") : i32 {" +
                      body + "      scf.yield %d : " + tile + "\n    }";
  std::string store = "    %ptr = tt.splat %out : !tt.ptr<f32> -> tensor<128x64x!tt.ptr<f32>, " + layout +
                      ">\n    tt.store %ptr, %r : tensor<128x64x!tt.ptr<f32>, " + layout + ">\n";
  std::string text = header + ("    %c = arith.constant dense<0.0> : " + tile + "\n");
  std::string number = "tt.num_stages = " + std::to_string(stages) + " : i32";
  if (isNest)
    text += "    scf.for %t = %zero to %tiles step %one : i32 {\n" + inner + " {" + number + "}\n" + store +
            "    } {tt.warp_specialize}\n";
  else
    text += "    %t = arith.addi %zero, %zero : i32\n" + inner + " {tt.warp_specialize, " + number + "}\n" + store;
  return text + "    tt.return\n  }\n}\n";
}

class LoopWarpSpecialization : public testing::TestWithParam<std::tuple<std::string, int>> {};

TEST_P(LoopWarpSpecialization, RunsInEveryOrder) {
  auto [name, stages] = GetParam();
  bool isNest = name == "tiles";
  std::string text = name == "attention"   ? kernel(attention, "#mma", stages, false)
                     : name == "registers" ? kernel(inRegisters, "#mma2", stages, false)
                                           : kernel(product, "#mma", stages, isNest);
  DialectRegistry registry;
  registerGpuDialects(registry);
  registry.insert<arith::ArithDialect, scf::SCFDialect>();
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  auto module = parseSourceString<ModuleOp>(text, &context);
  ASSERT_TRUE(module);
  PassManager passes(&context);
  passes.addPass(createPipelineLoops({3}));
  ASSERT_TRUE(succeeded(passes.run(*module)));
  auto function = *module->getOps<tensor::FuncOp>().begin();
  for (int64_t n = 0; n < 3 * stages; ++n)
    for (int64_t tiles = isNest ? 0 : 1; tiles < (isNest ? 4 : 2); ++tiles) {
      Recorder before;
      before.numbers[function.getArgument(5)] = n;
      before.numbers[function.getArgument(6)] = tiles;
      before.run(function.getBody().front());
      ASSERT_TRUE(before.specialized) << "the loop was not split";
      Recorder rest, copies;
      rest.numbers = before.numbers;
      rest.buffers = before.buffers;
      rest.run(before.specialized.getDefaultRegion().front());
      Block &partition = before.specialized.getPartitionRegions().front().front();
      for (auto [argument, capture] : llvm::zip(partition.getArguments(), before.specialized.getExplicitCaptures())) {
        copies.numbers[argument] = before.numbers.lookup(capture);
        copies.buffers[argument] = before.buffers.lookup(capture);
      }
      copies.run(partition);
      for (unsigned seed = 0; seed < 30; ++seed) {
        std::string wrong = Machine(before, seed).run(copies.events, rest.events, name == "registers" ? 8 : 2);
        EXPECT_EQ(wrong, "") << n << " iterations, " << tiles << " tiles, seed " << seed;
      }
    }
}

INSTANTIATE_TEST_SUITE_P(Loops, LoopWarpSpecialization,
                         testing::Combine(testing::Values("product", "tiles", "attention", "registers"),
                                          testing::Values(2, 3, 4)));

} // namespace
