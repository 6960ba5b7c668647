// Programs of reductions and scans are run for all threads at once on values that record what was combined, in order, and compared with
// what a reduction or a scan means.
#include "compiler/layout/ElementNumber.h"
#include "compiler/layout/Gather.h"
#include "compiler/layout/NamedLayouts.h"
#include "compiler/layout/Reduction.h"
#include "compiler/layout/Scan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace triton::layout;
using Kind = ThreadStep::Kind;

namespace {

/// The elements that went into a value, in the order of combination.
using Value = std::vector<uint64_t>;

struct Machine {
  unsigned lanes, warps;
  std::vector<std::vector<Value>> values; // by number, by thread
  std::map<unsigned, Value> written, visible;
  std::map<unsigned, unsigned> writer;

  Value &at(unsigned value, unsigned lane, unsigned warp) { return values[value][warp * lanes + lane]; }

  void run(const ThreadProgram &program, const LinearLayout &from) {
    lanes = from.inputSize("lane");
    warps = from.inputSize("warp");
    values.assign(program.values, std::vector<Value>(lanes * warps));
    for (unsigned reg = 0; reg < program.inputs; ++reg)
      forAll([&](unsigned lane, unsigned warp) { at(reg, lane, warp) = {elementNumber(from, reg, lane, warp)}; });
    for (const ThreadStep &step : program.steps)
      forAll([&](unsigned lane, unsigned warp) { run(step, lane, warp, program); });
  }

  template <class Body> void forAll(Body body) {
    for (unsigned warp = 0; warp < warps; ++warp)
      for (unsigned lane = 0; lane < lanes; ++lane)
        body(lane, warp);
  }

  static Value combined(Value a, const Value &b) {
    a.insert(a.end(), b.begin(), b.end());
    return a;
  }

  Value butterfly(const ThreadStep &step, unsigned lane, unsigned warp, size_t rounds) {
    if (!rounds)
      return at(step.a, lane, warp);
    unsigned mask = step.masks[rounds - 1], pivot = llvm::bit_floor(mask);
    Value own = butterfly(step, lane, warp, rounds - 1), other = butterfly(step, lane ^ mask, warp, rounds - 1);
    return lane & pivot ? combined(other, own) : combined(own, other);
  }

  void run(const ThreadStep &step, unsigned lane, unsigned warp, const ThreadProgram &program) {
    switch (step.kind) {
    case Kind::Combine:
      at(step.result, lane, warp) = combined(at(step.a, lane, warp), at(step.b, lane, warp));
      break;
    case Kind::Butterfly:
      at(step.result, lane, warp) = butterfly(step, lane, warp, step.masks.size());
      break;
    case Kind::Exchange:
      at(step.result, lane, warp) = at(step.a, lane ^ step.masks[0], warp);
      break;
    case Kind::Shuffle:
      ASSERT_LT(step.source.at(lane), lanes);
      at(step.result, lane, warp) = at(step.a, step.source.at(lane), warp);
      break;
    case Kind::Select:
      at(step.result, lane, warp) = at(step.condition.holds(lane, warp) ? step.a : step.b, lane, warp);
      break;
    case Kind::Store: {
      if (!step.condition.holds(lane, warp))
        break;
      unsigned address = step.address.at(lane, warp);
      ASSERT_LT(address, program.slots);
      ASSERT_FALSE(written.count(address)) << "two threads write one place";
      written[address] = at(step.a, lane, warp);
      break;
    }
    case Kind::Barrier:
      visible = written;
      break;
    case Kind::Load:
      for (unsigned i = 0; i < step.count; ++i) {
        unsigned address = step.address.at(lane, warp);
        ASSERT_EQ(address % step.count, 0u);
        ASSERT_TRUE(visible.count(address + i)) << "read before it is written";
        at(step.result + i, lane, warp) = visible[address + i];
      }
      break;
    }
  }
};

ThreadProgram checkReduction(const LinearLayout &from, unsigned axis, const LinearLayout &to) {
  std::optional<ThreadProgram> program = planReduction(from, axis, to);
  EXPECT_EQ(reductionCtas(from, axis), 0u);
  Machine machine;
  machine.run(*program, from);
  int64_t size = from.outputs()[axis].size, inner = 1;
  for (unsigned dim = axis + 1; dim < from.outputs().size(); ++dim)
    inner *= from.outputs()[dim].size;
  EXPECT_EQ(program->results.size(), static_cast<size_t>(to.inputSize("register")));
  std::map<uint64_t, Value> orders; // every copy combines in the same order
  for (int64_t warp = 0; warp < from.inputSize("warp"); ++warp)
    for (int64_t lane = 0; lane < from.inputSize("lane"); ++lane)
      for (unsigned reg = 0; reg < program->results.size(); ++reg) {
        uint64_t at = elementNumber(to, reg, lane, warp);
        Value expected, found = machine.at(program->results[reg], lane, warp);
        for (int64_t i = 0; i < size; ++i)
          expected.push_back((at / inner * size + i) * inner + at % inner);
        EXPECT_EQ(orders.emplace(at, found).first->second, found);
        llvm::sort(found);
        EXPECT_EQ(found, expected) << from.str() << program->str();
        if (::testing::Test::HasFailure())
          return *program;
      }
  return *program;
}

void checkScan(const LinearLayout &layout, unsigned axis, bool reverse) {
  ThreadProgram program = planScan(layout, axis, reverse);
  Machine machine;
  machine.run(program, layout);
  int64_t size = layout.outputs()[axis].size, inner = 1;
  for (unsigned dim = axis + 1; dim < layout.outputs().size(); ++dim)
    inner *= layout.outputs()[dim].size;
  for (int64_t warp = 0; warp < layout.inputSize("warp"); ++warp)
    for (int64_t lane = 0; lane < layout.inputSize("lane"); ++lane)
      for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg) {
        int64_t at = elementNumber(layout, reg, lane, warp), along = at / inner % size;
        Value expected;
        for (int64_t i = reverse ? size - 1 : 0; i != (reverse ? along - 1 : along + 1); i += reverse ? -1 : 1)
          expected.push_back(at + (i - along) * inner);
        ASSERT_EQ(machine.at(program.results[reg], lane, warp), expected)
            << "register " << reg << " lane " << lane << " warp " << warp << "\n"
            << layout.str() << program.str();
      }
}

LinearLayout scalarOf(const LinearLayout &from) {
  return LinearLayout::zeros(from.inputSize("lane"), "lane", "none") *
         LinearLayout::zeros(from.inputSize("warp"), "warp", "none");
}

LinearLayout reduced(const LinearLayout &from, unsigned axis) {
  if (from.outputs().size() == 1)
    return scalarOf(from);
  return from.removeOutput(dimension(axis)).removeZeroBases("register");
}

TEST(Reduction, RowOfOneDimensionIsATreeFiveShufflesAndOneExchange) {
  LinearLayout from = BlockedLayout{{4}, {32}, {4}, {0}, {}}.toLinear({1024});
  ThreadProgram program = checkReduction(from, 0, scalarOf(from));
  EXPECT_EQ(program.countOf(Kind::Butterfly), 1u);
  EXPECT_EQ(program.countOf(Kind::Store), 1u);
  EXPECT_EQ(program.countOf(Kind::Barrier), 1u);
  EXPECT_EQ(program.countOf(Kind::Load), 1u);
  EXPECT_EQ(program.countOf(Kind::Combine), 7u + 3u);
  EXPECT_EQ(program.slots, 4u);
}

TEST(Reduction, RowsWithinAWarpNeedNoBuffer) {
  LinearLayout from = MmaLayout{3, {4, 1}, {16, 128, 16}, {}}.toLinear({64, 128});
  ThreadProgram program = checkReduction(from, 1, reduced(from, 1));
  EXPECT_FALSE(program.usesBuffer());
  EXPECT_EQ(program.countOf(Kind::Butterfly), 2u);
  EXPECT_EQ(program.results.size(), 2u);
}

TEST(Reduction, AxisHeldByOneThreadNeedsNoExchange) {
  LinearLayout from = BlockedLayout{{1, 8}, {32, 1}, {4, 1}, {1, 0}, {}}.toLinear({128, 8});
  ThreadProgram program = checkReduction(from, 1, reduced(from, 1));
  EXPECT_EQ(program.steps.size(), 7u);
}

TEST(Reduction, ResultInAnotherLayoutGoesThroughTheBuffer) {
  LinearLayout from = BlockedLayout{{1, 8}, {32, 1}, {4, 1}, {1, 0}, {}}.toLinear({128, 8});
  LinearLayout to = BlockedLayout{{4}, {32}, {4}, {0}, {}}.toLinear({128});
  EXPECT_TRUE(checkReduction(from, 1, to).usesBuffer());
}

TEST(Reduction, MixedBases) {
  // A lane that moves along the axis and to another row: its partner is in another register.
  LinearLayout from({{"register", {{0, 1}, {1, 0}}}, {"lane", {{1, 2}, {0, 4}}}, {"warp", {{2, 0}, {2, 8}}}},
                    {{"dim0", 4}, {"dim1", 16}});
  checkReduction(from, 1,
                 LinearLayout({{"register", {{1}}}, {"lane", {{1}, {0}}}, {"warp", {{2}, {2}}}}, {{"dim0", 4}}));
}

TEST(Reduction, CtasThatHoldParts) {
  BlockedLayout blocked{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{1, 0}, {0, 1}}};
  LinearLayout from = blocked.toLinear({128, 64});
  EXPECT_EQ(reductionCtas(from, 0), 1u);
  EXPECT_EQ(reductionCtas(from, 1), 2u);
}

BlockedLayout randomBlocked(std::mt19937 &random, unsigned rank, int64_t lanes = 32) {
  BlockedLayout layout;
  auto spread = [&](int64_t product) {
    llvm::SmallVector<int64_t, 4> sizes(rank, 1);
    for (; product > 1; product /= 2)
      sizes[random() % rank] *= 2;
    return sizes;
  };
  layout.sizePerThread = spread(int64_t(1) << random() % 4);
  layout.threadsPerWarp = spread(lanes);
  layout.warpsPerCta = spread(int64_t(1) << random() % 4);
  for (unsigned dim = 0; dim < rank; ++dim)
    layout.order.push_back(dim);
  std::shuffle(layout.order.begin(), layout.order.end(), random);
  return layout;
}

LinearLayout randomLayout(std::mt19937 &random) {
  unsigned rank = 1 + random() % 3;
  llvm::SmallVector<int64_t> shape;
  for (unsigned dim = 0; dim < rank; ++dim)
    shape.push_back(int64_t(1) << random() % (rank == 1 ? 11 : rank == 2 ? 6 : 4));
  return randomBlocked(random, rank).toLinear(shape);
}

/// The same registers, lanes and warps, but bits swapped among them at random.
LinearLayout shuffled(const LinearLayout &layout, std::mt19937 &random) {
  std::vector<LinearLayout::Input> inputs(layout.inputs().begin(), layout.inputs().end());
  std::vector<Coordinates> bases;
  for (const LinearLayout::Input &input : inputs)
    if (input.name != "block")
      bases.insert(bases.end(), input.bases.begin(), input.bases.end());
  std::shuffle(bases.begin(), bases.end(), random);
  size_t next = 0;
  for (LinearLayout::Input &input : inputs)
    if (input.name != "block")
      for (Coordinates &basis : input.bases)
        basis = bases[next++];
  return LinearLayout(inputs, std::vector<LinearLayout::Output>(layout.outputs().begin(), layout.outputs().end()));
}

TEST(Reduction, RandomLayouts) {
  std::mt19937 random(7);
  for (int round = 0; round < 300 && !HasFailure(); ++round) {
    LinearLayout from = randomLayout(random);
    if (round % 2)
      from = shuffled(from, random);
    unsigned axis = random() % from.outputs().size();
    checkReduction(from, axis, reduced(from, axis));
  }
}

TEST(Scan, OneDimension) {
  LinearLayout layout = BlockedLayout{{4}, {32}, {4}, {0}, {}}.toLinear({1024});
  checkScan(layout, 0, false);
  checkScan(layout, 0, true);
}

TEST(Scan, RandomLayouts) {
  std::mt19937 random(11);
  int scanned = 0;
  for (int round = 0; round < 300 && !HasFatalFailure(); ++round) {
    LinearLayout layout = randomLayout(random);
    if (round % 2)
      layout = shuffled(layout, random);
    unsigned axis = random() % layout.outputs().size();
    scanned += canScan(layout, axis);
    if (canScan(layout, axis))
      checkScan(layout, axis, random() % 2);
  }
  EXPECT_GT(scanned, 100);
}

TEST(Scan, EveryLayoutHasAScannableOne) {
  std::mt19937 random(13);
  for (int round = 0; round < 100 && !HasFatalFailure(); ++round) {
    LinearLayout layout = randomLayout(random);
    unsigned axis = random() % layout.outputs().size();
    LinearLayout other = scannableLayout(layout, axis);
    ASSERT_TRUE(canScan(other, axis)) << other.str();
    EXPECT_EQ(other.inputSize("lane"), layout.inputSize("lane"));
    EXPECT_EQ(other.inputSize("warp"), layout.inputSize("warp"));
    checkScan(other, axis, false);
  }
}

/// Every result register of every thread finds the element its index names, for indices that differ from thread to thread.
GatherPlan checkGather(const LinearLayout &source, const LinearLayout &result, unsigned axis, std::mt19937 &random) {
  GatherPlan plan = planGather(source, result, axis, 32);
  std::map<int64_t, uint64_t> memory;
  if (!plan.inWarp)
    for (int64_t warp = 0; warp < source.inputSize("warp"); ++warp)
      for (int64_t lane = 0; lane < source.inputSize("lane"); ++lane)
        for (int64_t reg = 0; reg < source.inputSize("register"); ++reg)
          memory[plan.store.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0]] =
              elementNumber(source, reg, lane, warp);
  for (int64_t warp = 0; warp < result.inputSize("warp"); ++warp)
    for (int64_t lane = 0; lane < result.inputSize("lane"); ++lane)
      for (int64_t reg = 0; reg < result.inputSize("register"); ++reg) {
        int64_t index = random() % source.outputs()[axis].size;
        std::vector<DimensionSize> input{{"register", reg}, {"lane", lane}, {"warp", warp}, {"index", index}};
        Coordinates at = result.apply({{"register", reg}, {"lane", lane}, {"warp", warp}});
        at[axis] = index;
        uint64_t expected = 0, found;
        for (auto [value, output] : llvm::zip(at, source.outputs()))
          expected = expected * output.size + value;
        if (plan.inWarp) {
          Coordinates place = plan.place.apply(input);
          found = elementNumber(source, place[0], place[1], warp);
          // The register is one of those that are shuffled.
          uint64_t choice = place[0] ^ plan.place.apply({{"register", reg}})[0];
          bool offered = false;
          for (unsigned sum = 0; sum < 1u << plan.choices.size(); ++sum) {
            unsigned delta = 0;
            for (auto [bit, mask] : llvm::enumerate(plan.choices))
              if (sum >> bit & 1)
                delta ^= mask;
            offered |= delta == choice;
          }
          EXPECT_TRUE(offered);
        } else {
          found = memory.at(plan.load.apply(input)[0]);
        }
        EXPECT_EQ(found, expected);
      }
  return plan;
}

TEST(Gather, InAWarpByShuffles) {
  std::mt19937 random(3);
  LinearLayout layout = BlockedLayout{{1, 1}, {1, 32}, {4, 1}, {1, 0}, {}}.toLinear({4, 32});
  EXPECT_TRUE(checkGather(layout, layout, 1, random).inWarp);
}

TEST(Gather, RandomLayouts) {
  std::mt19937 random(5);
  for (int round = 0; round < 200 && !HasFailure(); ++round) {
    unsigned rank = 1 + random() % 2, axis = random() % rank;
    llvm::SmallVector<int64_t> shape, indices;
    for (unsigned dim = 0; dim < rank; ++dim)
      shape.push_back(int64_t(1) << random() % (rank == 1 ? 9 : 6));
    indices = shape;
    indices[axis] = int64_t(1) << random() % 6;
    BlockedLayout a = randomBlocked(random, rank), b = randomBlocked(random, rank);
    b.warpsPerCta = a.warpsPerCta;
    checkGather(a.toLinear(shape), b.toLinear(indices), axis, random);
  }
}

TEST(Scan, MixedBasesAreRefused) {
  LinearLayout mixed({{"register", {{3}, {2}}}}, {{"dim0", 4}});
  EXPECT_FALSE(canScan(mixed, 0));
}

} // namespace
