// Every plan is carried out for every thread and compared with what a conversion means: each destination register holds its tensor element.
#include "compiler/layout/Conversion.h"
#include "compiler/layout/ElementNumber.h"
#include "compiler/layout/MatrixAccess.h"
#include "compiler/layout/NamedLayouts.h"

#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <map>
#include <random>

using namespace triton::layout;
using Kind = ConversionPlan::Kind;

namespace {

void simulate(const LinearLayout &from, const LinearLayout &to, const ConversionPlan &plan) {
  int64_t registers = to.inputSize("register"), lanes = to.inputSize("lane"), warps = to.inputSize("warp");
  std::map<int64_t, uint64_t> memory;
  if (plan.kind == Kind::Shared)
    for (int64_t warp = 0; warp < from.inputSize("warp"); ++warp)
      for (int64_t lane = 0; lane < from.inputSize("lane"); ++lane)
        for (int64_t reg = 0; reg < from.inputSize("register"); ++reg)
          memory[plan.shared.store.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0]] =
              elementNumber(from, reg, lane, warp);
  for (int64_t warp = 0; warp < warps; ++warp) {
    std::vector<std::vector<uint64_t>> result(lanes, std::vector<uint64_t>(registers, ~uint64_t(0)));
    if (plan.kind == Kind::Lanes)
      for (const LaneExchange::Round &round : plan.exchange.rounds)
        for (int64_t lane = 0; lane < lanes; ++lane) {
          unsigned source = round.sourceLane.at(lane);
          result[lane][round.taken.at(lane)] = elementNumber(from, round.offered.at(source), source, warp);
        }
    for (int64_t lane = 0; lane < lanes; ++lane)
      for (int64_t reg = 0; reg < registers; ++reg) {
        if (plan.kind == Kind::Nothing)
          result[lane][reg] = elementNumber(from, reg, lane, warp);
        else if (plan.kind == Kind::Registers)
          result[lane][reg] = elementNumber(from, plan.renaming.sources[reg], lane, warp);
        else if (plan.kind == Kind::Shared)
          result[lane][reg] = memory.at(plan.shared.load.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0]);
        ASSERT_EQ(result[lane][reg], elementNumber(to, reg, lane, warp))
            << "register " << reg << " lane " << lane << " warp " << warp << "\n"
            << from.str() << "->\n"
            << to.str();
      }
  }
}

ConversionPlan check(const LinearLayout &from, const LinearLayout &to, unsigned elementBits = 32) {
  ConversionPlan plan = planConversion(from, to, elementBits);
  simulate(from, to, plan);
  return plan;
}

TEST(Conversion, SameLayoutNeedsNothing) {
  LinearLayout layout = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
  EXPECT_EQ(check(layout, layout).kind, Kind::Nothing);
}

TEST(Conversion, RegistersInAnotherOrderAreRenamed) {
  LinearLayout rows = BlockedLayout{{2, 4}, {8, 4}, {4, 1}, {1, 0}, {}}.toLinear({64, 16});
  LinearLayout columns = BlockedLayout{{2, 4}, {8, 4}, {4, 1}, {1, 0}, {}}.toLinear({64, 16});
  LinearLayout swapped = columns;
  std::vector<LinearLayout::Input> inputs(columns.inputs().begin(), columns.inputs().end());
  std::swap(inputs[0].bases[0], inputs[0].bases[2]);
  swapped = LinearLayout(inputs, std::vector<LinearLayout::Output>(columns.outputs().begin(), columns.outputs().end()));
  EXPECT_EQ(check(rows, swapped).kind, Kind::Registers);
}

TEST(Conversion, WithinAWarpLanesExchange) {
  LinearLayout a = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}}.toLinear({32, 16});
  LinearLayout b = BlockedLayout{{4, 1}, {2, 16}, {4, 1}, {1, 0}, {}}.toLinear({32, 16});
  EXPECT_EQ(check(a, b).kind, Kind::Lanes);
}

TEST(Conversion, AcrossWarpsGoesThroughMemory) {
  LinearLayout a = BlockedLayout{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
  LinearLayout b = BlockedLayout{{4, 1}, {4, 8}, {1, 4}, {0, 1}, {}}.toLinear({64, 64});
  EXPECT_EQ(check(a, b).kind, Kind::Shared);
}

TEST(Conversion, AccumulatorToRowsHasNoBankConflicts) {
  LinearLayout accumulator = MmaLayout{2, {2, 2}, {16, 8}, {}}.toLinear({128, 128});
  LinearLayout rows = BlockedLayout{{1, 4}, {1, 32}, {4, 1}, {1, 0}, {}}.toLinear({128, 128});
  ConversionPlan plan = check(accumulator, rows);
  ASSERT_EQ(plan.kind, Kind::Shared);
  EXPECT_EQ(bankConflicts(plan.shared.store, plan.shared.storeVectorBits, 32), 1u);
  EXPECT_EQ(bankConflicts(plan.shared.load, plan.shared.loadVectorBits, 32), 1u);
}

TEST(Conversion, TransposeHasNoBankConflicts) {
  for (unsigned elementBits : {8, 16, 32, 64}) {
    LinearLayout rows = BlockedLayout{{1, 1}, {1, 32}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
    LinearLayout columns = BlockedLayout{{1, 1}, {32, 1}, {1, 4}, {0, 1}, {}}.toLinear({64, 64});
    ConversionPlan plan = check(rows, columns, elementBits);
    ASSERT_EQ(plan.kind, Kind::Shared);
    if (elementBits >= 32) {
      EXPECT_EQ(bankConflicts(plan.shared.store, plan.shared.storeVectorBits, elementBits), 1u) << elementBits;
      EXPECT_EQ(bankConflicts(plan.shared.load, plan.shared.loadVectorBits, elementBits), 1u) << elementBits;
    }
  }
}

TEST(Conversion, RandomBlockedLayoutsAllConvert) {
  std::mt19937 random(42);
  auto pick = [&](int64_t product) { // two powers of two with this product
    int64_t first = int64_t(1) << (random() % (llvm::Log2_64(product) + 1));
    return std::pair(first, product / first);
  };
  std::map<Kind, int> seen;
  for (int round = 0; round < 400; ++round) {
    auto make = [&] {
      auto [r0, r1] = pick(int64_t(1) << random() % 4);
      auto [l0, l1] = pick(32);
      auto [w0, w1] = pick(4);
      llvm::SmallVector<unsigned, 4> order =
          random() % 2 ? llvm::SmallVector<unsigned, 4>{1, 0} : llvm::SmallVector<unsigned, 4>{0, 1};
      return BlockedLayout{{r0, r1}, {l0, l1}, {w0, w1}, order, {}};
    };
    int64_t rows = int64_t(1) << random() % 8, columns = int64_t(1) << random() % 8;
    unsigned bits = 8u << random() % 4;
    ++seen[check(make().toLinear({rows, columns}), make().toLinear({rows, columns}), bits).kind];
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(seen[Kind::Lanes] + seen[Kind::Registers], 5);
  EXPECT_GT(seen[Kind::Shared], 100);
}

/// Parts that are converted one after the other: what is one element of a part on one side is the same element of the tensor on the other.
void checkParts(const LinearLayout &from, const LinearLayout &to, llvm::ArrayRef<CommonRegisterBit> cuts) {
  std::map<std::pair<unsigned, uint64_t>, uint64_t> elements; // by part and element of the part
  std::vector<LinearLayout> halves;
  for (unsigned CommonRegisterBit::*side : {&CommonRegisterBit::from, &CommonRegisterBit::to}) {
    const LinearLayout &whole = side == &CommonRegisterBit::from ? from : to;
    llvm::SmallVector<unsigned> bits;
    for (CommonRegisterBit cut : cuts)
      bits.push_back(cut.*side);
    llvm::sort(bits, std::greater<>());
    halves.push_back(withoutRegisterBits(whole, bits));
    std::map<unsigned, int64_t> next; // register of each part
    for (int64_t reg = 0; reg < whole.inputSize("register"); ++reg) {
      unsigned part = 0;
      for (unsigned index = 0; index < cuts.size(); ++index)
        part |= (reg >> cuts[index].*side & 1) << index;
      int64_t own = next[part]++;
      for (int64_t lane = 0; lane < 32; ++lane)
        for (int64_t warp = 0; warp < 4; ++warp) {
          uint64_t element = elementNumber(whole, reg, lane, warp);
          auto known = elements.try_emplace({part, elementNumber(halves.back(), own, lane, warp)}, element).first;
          ASSERT_EQ(known->second, element);
        }
    }
  }
  check(halves[0], halves[1]);
}

TEST(Conversion, PartsAreConvertedOnTheirOwn) {
  std::mt19937 random(7);
  int cut = 0;
  for (int round = 0; round < 60; ++round) {
    auto make = [&] {
      int64_t lanes = int64_t(1) << random() % 6, warps = int64_t(1) << random() % 3, held = int64_t(1) << random() % 4;
      llvm::SmallVector<unsigned, 4> order =
          random() % 2 ? llvm::SmallVector<unsigned, 4>{1, 0} : llvm::SmallVector<unsigned, 4>{0, 1};
      return BlockedLayout{{held, 2}, {lanes, 32 / lanes}, {warps, 4 / warps}, order, {}}.toLinear({64, 128});
    };
    LinearLayout from = make(), to = make();
    std::vector<CommonRegisterBit> common = commonRegisterBits(from, to);
    for (size_t count = 1; count <= common.size(); ++count, ++cut)
      checkParts(from, to, llvm::ArrayRef(common).take_front(count));
    if (HasFatalFailure())
      return;
  }
  EXPECT_GT(cut, 100);
}

TEST(Conversion, BitsThatOthersChangeAreNoParts) {
  LinearLayout plain({{"register", {{1}, {2}}}, {"lane", {{4}}}}, {{"dim0", 8}});
  LinearLayout twice({{"register", {{1}, {2}}}, {"lane", {{5}}}}, {{"dim0", 8}});
  LinearLayout copies({{"register", {{1}, {2}, {2}}}, {"lane", {{4}}}}, {{"dim0", 8}});
  EXPECT_EQ(commonRegisterBits(plain, plain).size(), 2u);
  EXPECT_EQ(commonRegisterBits(plain, twice).size(), 1u);
  EXPECT_EQ(commonRegisterBits(copies, plain).size(), 1u);
}

/// Every thread of every CTA finds its elements in the buffer of the CTA that the plan names.
void checkCluster(const LinearLayout &from, const LinearLayout &to) {
  ConversionPlan plan = planConversion(from, to, 32);
  ASSERT_EQ(plan.kind, Kind::Cluster);
  auto flat = [](const LinearLayout &layout, int64_t reg, int64_t lane, int64_t warp, int64_t block) {
    return elementNumber(layout, {{"register", reg}, {"lane", lane}, {"warp", warp}, {"block", block}});
  };
  std::map<std::pair<int64_t, int64_t>, uint64_t> memory;
  int64_t blocks = std::max(from.inputSize("block"), to.inputSize("block"));
  auto forAll = [&](const LinearLayout &layout, auto body) {
    for (int64_t block = 0; block < blocks; ++block)
      for (int64_t warp = 0; warp < layout.inputSize("warp"); ++warp)
        for (int64_t lane = 0; lane < layout.inputSize("lane"); ++lane)
          for (int64_t reg = 0; reg < layout.inputSize("register"); ++reg)
            body(reg, lane, warp, block);
  };
  forAll(from, [&](int64_t reg, int64_t lane, int64_t warp, int64_t block) {
    int64_t offset = plan.shared.store.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0];
    memory[{block, offset}] = flat(from, reg, lane, warp, from.hasInput("block") ? block : 0);
  });
  forAll(to, [&](int64_t reg, int64_t lane, int64_t warp, int64_t block) {
    std::vector<DimensionSize> at{{"register", reg}, {"lane", lane}, {"warp", warp}};
    std::vector<DimensionSize> withBlock = at;
    withBlock.push_back({"block", block});
    std::vector<DimensionSize> loadAt = plan.shared.load.hasInput("block") && to.hasInput("block") ? withBlock : at;
    auto found = memory.find({plan.shared.sourceCta.apply(withBlock)[0], plan.shared.load.apply(loadAt)[0]});
    ASSERT_NE(found, memory.end());
    ASSERT_EQ(found->second, flat(to, reg, lane, warp, to.hasInput("block") ? block : 0));
  });
}

TEST(Conversion, BetweenTheCtasOfACluster) {
  BlockedLayout rows{{1, 4}, {8, 4}, {4, 1}, {1, 0}, {{1, 0}}}, columns = rows, copies = rows;
  columns.cluster = {{0, 1}};
  copies.cluster = {{0, 0}};
  checkCluster(rows.toLinear({64, 64}), columns.toLinear({64, 64}));
  checkCluster(rows.toLinear({64, 64}), copies.toLinear({64, 64}));
  BlockedLayout four{{4, 1}, {4, 8}, {2, 2}, {0, 1}, {{1, 0}, {0, 1}}}, other = four;
  other.cluster = {{0, 0}, {1, 0}};
  checkCluster(four.toLinear({64, 32}), other.toLinear({64, 32}));
  checkCluster(other.toLinear({64, 32}), four.toLinear({64, 32}));
}

/// What each lane gets from ldmatrix as the plan uses it, against the elements its registers are to hold.
void checkMatrices(const LinearLayout &access, unsigned elementBits, const MatrixAccess &plan) {
  int64_t word = 32 / elementBits, registers = access.inputSize("register");
  for (int64_t warp = 0; warp < access.inputSize("warp"); ++warp)
    for (int64_t lane = 0; lane < 32; ++lane) {
      std::map<uint64_t, uint64_t> held; // the registers' part of the offset -> offset
      for (const MatrixAccess::Instruction &instruction : plan.instructions)
        for (unsigned piece = 0; piece < plan.pieces; ++piece)
          for (int64_t element = 0; element < word; ++element) {
            int64_t half = std::max<int64_t>(1, 16 / elementBits);
            int64_t row = plan.transposed ? element / half + 2 * (lane % 4) : lane / 4;
            int64_t column = plan.transposed ? lane / 4 * half + element % half : element + word * (lane % 4);
            uint64_t address = plan.address.apply({{"lane", 8 * piece + row}, {"warp", warp}})[0] ^ instruction.offset;
            EXPECT_EQ(address * elementBits % 128, 0u);
            held[instruction.elements[piece][element]] = address + column;
          }
      for (int64_t reg = 0; reg < registers; ++reg) {
        auto found = held.find(access.apply({{"register", reg}})[0]);
        ASSERT_NE(found, held.end());
        ASSERT_EQ(found->second,
                  static_cast<uint64_t>(access.apply({{"register", reg}, {"lane", lane}, {"warp", warp}})[0]));
      }
    }
}

TEST(MatrixAccess, OperandsOfTensorCores) {
  for (unsigned bits : {8u, 16u, 32u}) {
    MmaLayout mma{2, {2, 2}, {16, 8}, {}};
    int64_t k = 1024 / bits;
    LinearLayout a = DotOperandLayout{0, mma, 32 / bits}.toLinear({64, k});
    LinearLayout shared = SwizzledSharedLayout{128 / bits, 1, 8, {1, 0}, {}}.toLinear({64, k});
    auto plan = planMatrixAccess(*a.invertAndCompose(shared), bits);
    ASSERT_TRUE(plan.has_value()) << bits;
    EXPECT_EQ(plan->pieces, 4u);
    EXPECT_FALSE(plan->transposed);
    checkMatrices(*a.invertAndCompose(shared), bits, *plan);
  }
}

TEST(MatrixAccess, TransposedOperand) {
  MmaLayout mma{2, {2, 2}, {16, 8}, {}};
  LinearLayout b = DotOperandLayout{1, mma, 2}.toLinear({64, 64});
  LinearLayout shared = SwizzledSharedLayout{8, 1, 8, {1, 0}, {}}.toLinear({64, 64});
  auto plan = planMatrixAccess(*b.invertAndCompose(shared), 16);
  ASSERT_TRUE(plan.has_value());
  EXPECT_TRUE(plan->transposed);
  EXPECT_EQ(plan->pieces, 4u);
  checkMatrices(*b.invertAndCompose(shared), 16, *plan);
}

TEST(MatrixAccess, BytesAreTransposedInPairs) {
  // dim0 is contiguous in one buffer, dim1 in the other: ldmatrix.trans from the one, stmatrix to the other.
  LinearLayout layout({{"register", {{2, 0}, {1, 0}, {0, 1}, {16, 0}, {32, 0}, {64, 0}}},
                       {"lane", {{4, 0}, {8, 0}, {0, 2}, {0, 4}, {0, 8}}},
                       {"warp", {{0, 16}, {0, 32}, {0, 64}}}},
                      {{"dim0", 128}, {"dim1", 128}});
  LinearLayout from = *layout.invertAndCompose(SwizzledSharedLayout{16, 2, 8, {1, 0}, {}}.toLinear({128, 128}));
  LinearLayout to = *layout.invertAndCompose(*NvmmaSharedLayout{128, 8, true}.toLinear({128, 128}));
  auto load = planMatrixAccess(from, 8), store = planMatrixAccess(to, 8);
  ASSERT_TRUE(load && store);
  EXPECT_TRUE(load->transposed);
  EXPECT_FALSE(store->transposed);
  checkMatrices(from, 8, *load);
  checkMatrices(to, 8, *store);
  EXPECT_EQ(bankConflicts(load->address, 4, 8), 1u);
}

TEST(MatrixAccess, AccumulatorIsStored) {
  LinearLayout c = MmaLayout{3, {4, 1}, {16, 64, 16}, {}}.toLinear({64, 64});
  LinearLayout shared = *NvmmaSharedLayout{128, 16}.toLinear({64, 64});
  auto plan = planMatrixAccess(*c.invertAndCompose(shared), 16);
  ASSERT_TRUE(plan.has_value());
  checkMatrices(*c.invertAndCompose(shared), 16, *plan);
}

TEST(MatrixAccess, RowsAreNone) {
  LinearLayout rows = BlockedLayout{{1, 8}, {4, 8}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
  LinearLayout shared = SwizzledSharedLayout{8, 1, 8, {1, 0}, {}}.toLinear({64, 64});
  EXPECT_FALSE(planMatrixAccess(*rows.invertAndCompose(shared), 16).has_value());
}

} // namespace
