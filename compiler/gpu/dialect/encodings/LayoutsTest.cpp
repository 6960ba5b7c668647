// Attributes stand for the maps of compiler/layout, and shape ops compose them: each named result is held against the map it must have.
#include "compiler/gpu/dialect/Views.h"
#include "compiler/gpu/dialect/encodings/LayoutInference.h"

#include "mlir/AsmParser/AsmParser.h"
#include "gtest/gtest.h"

#include <random>

using namespace mlir;
using namespace triton;
using namespace triton::gpu;
using layout::LinearLayout;

namespace {
struct LayoutsTest : testing::Test {
  LayoutsTest() {
    DialectRegistry registry;
    registerGpuDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }
  RankedTensorType tensor(ArrayRef<int64_t> shape, Attribute layout) {
    return RankedTensorType::get(shape, Float32Type::get(&context), layout);
  }
  template <typename TypeT> TypeT parse(StringRef text) { return dyn_cast_or_null<TypeT>(parseType(text, &context)); }

  /// A blocked layout of 4 warps of 32 threads, drawn at random.
  BlockedAttr drawBlocked(unsigned rank) {
    SmallVector<int64_t> registers(rank, 1), lanes(rank, 1), warps(rank, 1);
    auto dim = [&] { return random() % rank; };
    for (int bit = 0; bit < 3; ++bit)
      registers[dim()] *= 2;
    for (int bit = 0; bit < 5; ++bit)
      lanes[dim()] *= 2;
    for (int bit = 0; bit < 2; ++bit)
      warps[dim()] *= 2;
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    std::shuffle(order.begin(), order.end(), random);
    return BlockedAttr::get(&context, registers, lanes, warps, order);
  }
  SmallVector<int64_t> drawShape(unsigned rank) {
    SmallVector<int64_t> shape;
    for (unsigned dim = 0; dim < rank; ++dim)
      shape.push_back(int64_t(1) << random() % 7);
    return shape;
  }
  /// Any register layout of this rank.
  DistributedAttr draw(unsigned rank) {
    switch (random() % 4) {
    case 0:
      return SliceAttr::get(random() % (rank + 1), drawBlocked(rank + 1));
    case 1:
      if (rank == 2)
        return MmaAttr::get(&context, 2, 0, {2, 2}, {16, 8});
      return drawBlocked(rank);
    case 2:
      return LinearAttr::get(&context, drawBlocked(rank).toLinear(SmallVector<int64_t>(rank, 16)));
    default:
      return drawBlocked(rank);
    }
  }

  MLIRContext context;
  std::mt19937 random{7};
};
} // namespace

TEST_F(LayoutsTest, AttributesAreTheNamedLayouts) {
  auto blocked = BlockedAttr::get(&context, {2, 4}, {16, 2}, {2, 2}, {1, 0});
  EXPECT_EQ(toLinear(tensor({128, 128}, blocked)),
            (layout::BlockedLayout{{2, 4}, {16, 2}, {2, 2}, {1, 0}, {}}).toLinear({128, 128}));
  auto mma = MmaAttr::get(&context, 3, 0, {4, 2}, {16, 32, 16});
  layout::MmaLayout mmaLayout{3, {4, 2}, {16, 32, 16}, {}};
  EXPECT_EQ(toLinear(tensor({128, 64}, mma)), mmaLayout.toLinear({128, 64}));
  EXPECT_EQ(toLinear(tensor({128, 64}, DotOperandAttr::get(0, mma, 2))),
            (layout::DotOperandLayout{0, mmaLayout, 2}).toLinear({128, 64}));
  EXPECT_EQ(toLinear(tensor({16, 64}, DotOperandAttr::get(1, blocked))),
            layout::fmaOperandLayout(1, blocked.getLayout(), {16, 64}));
  EXPECT_EQ(toLinear(tensor({128}, SliceAttr::get(0, blocked))), layout::sliceLayout(blocked.toLinear({1, 128}), 0));
  EXPECT_EQ(
      toLinear(parse<MemDescType>("!ttg.memdesc<16x64xf16, #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, "
                                  "order = [1, 0]}>, #ttg.shared_memory>")),
      (layout::SwizzledSharedLayout{8, 1, 8, {1, 0}, {}}).toLinear({16, 64}));
  EXPECT_EQ(toLinear(parse<MemDescType>(
                "!ttg.memdesc<3x64x128xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = "
                "false, elementBitWidth = 16}>, #ttg.shared_memory, mutable>")),
            *(layout::NvmmaSharedLayout{.swizzleBytes = 128, .elementBits = 16}).toLinear({64, 128}));
  EXPECT_EQ(
      toLinear(parse<MemDescType>("!ttg.memdesc<64x128xf32, #ttng.tensor_memory_encoding<blockM = 64, blockN = 64, "
                                  "colStride = 1>, #ttng.tensor_memory, mutable>")),
      (layout::TensorMemoryLayout{64, 64, 1}).toLinear({64, 128}));
}

TEST_F(LayoutsTest, ClustersMultiplyTheTile) {
  auto type =
      parse<RankedTensorType>("tensor<64x128xf32, #ttg.blocked<{sizePerThread = [8, 1], threadsPerWarp = [8, 4], "
                              "warpsPerCTA = [1, 4], order = [0, 1], CGALayout = [[0, 1]]}>>");
  ASSERT_TRUE(type);
  EXPECT_EQ(toLinear(type).basis("block", 0), (layout::Coordinates{0, 64}));
  EXPECT_EQ(toLinear(type).inputSize("register"), 32);
}

TEST_F(LayoutsTest, LinearFitsOtherShapes) {
  auto linear = LinearAttr::get(&context, BlockedAttr::get(&context, {4}, {32}, {4}, {0}).toLinear({512}));
  EXPECT_EQ(toLinear(tensor({1024}, linear)).inputSize("register"), 8);
  // Registers that do not fit are left out, warps become copies.
  const LinearLayout &small = toLinear(tensor({2}, linear));
  EXPECT_EQ(small.inputSize("register"), 2);
  EXPECT_EQ(small.inputSize("warp"), 4);
  EXPECT_TRUE(small.isSurjective());
}

TEST_F(LayoutsTest, MapsAreKept) {
  RankedTensorType type = tensor({128, 128}, BlockedAttr::get(&context, {1, 4}, {8, 4}, {4, 1}, {1, 0}));
  EXPECT_EQ(&toLinear(type), &toLinear(type));
}

TEST_F(LayoutsTest, TransposesPermuteTheMap) {
  for (int round = 0; round < 200; ++round) {
    unsigned rank = 2 + random() % 2;
    RankedTensorType type = tensor(drawShape(rank), draw(rank));
    auto order = llvm::to_vector(llvm::seq<int32_t>(0, rank));
    std::shuffle(order.begin(), order.end(), random);
    SmallVector<int64_t> shape;
    for (int32_t dim : order)
      shape.push_back(type.getDimSize(dim));
    RankedTensorType result = tensor(shape, transLayout(type, order));
    ASSERT_EQ(toLinear(result), transposeDimensions(toLinear(type), order));
  }
}

TEST_F(LayoutsTest, ReshapesKeepTheRowMajorPlace) {
  unsigned named = 0;
  for (int round = 0; round < 200; ++round) {
    unsigned rank = 1 + random() % 3;
    RankedTensorType type = tensor(drawShape(rank), draw(rank));
    SmallVector<int64_t> shape = {1};
    for (int64_t rest = type.getNumElements(); rest > 1; rest /= 2) {
      if (random() % 4 == 0 && shape.size() < 4)
        shape.push_back(1);
      shape.back() *= 2;
    }
    RankedTensorType result = tensor(shape, reshapeLayout(type, shape));
    named += isa<BlockedAttr>(result.getEncoding());
    // Of each register of each thread: the row-major number of its element stays.
    const LinearLayout &before = toLinear(type), &after = toLinear(result);
    ASSERT_EQ(before.inputBits(), after.inputBits());
    auto number = [](const LinearLayout &map, uint64_t input) {
      uint64_t flat = map.apply(input), place = 0, step = 1;
      SmallVector<uint64_t> coordinates;
      for (const LinearLayout::Output &output : map.outputs()) {
        coordinates.push_back(flat % output.size);
        flat /= output.size;
      }
      for (size_t dim = coordinates.size(); dim-- > 0;) {
        place += coordinates[dim] * step;
        step *= map.outputs()[dim].size;
      }
      return place;
    };
    for (unsigned bit = 0; bit < before.inputBits(); ++bit)
      ASSERT_EQ(number(before, uint64_t(1) << bit), number(after, uint64_t(1) << bit));
  }
  EXPECT_GT(named, 20u);
}

TEST_F(LayoutsTest, BlockedReshapesToBlocked) {
  RankedTensorType type = tensor({256}, BlockedAttr::get(&context, {2}, {32}, {4}, {0}));
  EXPECT_EQ(reshapeLayout(type, {8, 4, 8}), BlockedAttr::get(&context, {1, 1, 2}, {2, 4, 4}, {4, 1, 1}, {2, 1, 0}));
}

TEST_F(LayoutsTest, BlockedReshapesAsItsOrderReads) {
  auto reshaped = [&](ArrayRef<int64_t> from, BlockedAttr layout, ArrayRef<int64_t> to) {
    return reshapeBlocked(tensor(from, layout), to);
  };
  BlockedAttr columns = BlockedAttr::get(&context, {1, 128}, {32, 1}, {4, 1}, {0, 1});
  EXPECT_EQ(reshaped({128, 128}, columns, {128, 2, 64}),
            BlockedAttr::get(&context, {1, 2, 64}, {32, 1, 1}, {4, 1, 1}, {0, 2, 1}));
  BlockedAttr row = BlockedAttr::get(&context, {1}, {32}, {4}, {0});
  EXPECT_EQ(reshaped({16}, row, {4, 4}), BlockedAttr::get(&context, {1, 1}, {8, 4}, {4, 1}, {1, 0})); // copies stay
  EXPECT_EQ(reshaped({128}, row, {128, 1}), BlockedAttr::get(&context, {1, 1}, {32, 1}, {4, 1}, {1, 0}));
  // A size of 1 belongs to the group beside it, in its order.
  BlockedAttr narrow = BlockedAttr::get(&context, {1, 1}, {32, 1}, {4, 1}, {1, 0});
  EXPECT_EQ(reshaped({128, 1}, narrow, {128}), row);
  EXPECT_FALSE(reshaped({128, 1}, BlockedAttr::get(&context, {1, 1}, {32, 1}, {4, 1}, {0, 1}), {128}));
  // The inner dimension is not full: its registers would come between those of the outer one.
  EXPECT_FALSE(reshaped({64, 64}, BlockedAttr::get(&context, {1, 4}, {4, 8}, {4, 1}, {1, 0}), {4096}));
}

TEST_F(LayoutsTest, JoinsAddAFastRegister) {
  for (int round = 0; round < 100; ++round) {
    unsigned rank = 1 + random() % 2;
    RankedTensorType type = tensor(drawShape(rank), draw(rank));
    SmallVector<int64_t> shape(type.getShape());
    shape.push_back(2);
    RankedTensorType joined = tensor(shape, joinLayout(type));
    DistributedAttr half = splitLayout(joined);
    ASSERT_TRUE(half);
    ASSERT_EQ(toLinear(tensor(type.getShape(), half)), toLinear(type));
    ASSERT_EQ(toLinear(joined).inputSize("lane"), 32);
    ASSERT_TRUE(toLinear(joined).isSurjective());
  }
}

TEST_F(LayoutsTest, CatsPutTheSecondBehindTheFirst) {
  for (int round = 0; round < 100; ++round) {
    RankedTensorType type = tensor(drawShape(2), draw(2));
    RankedTensorType both = tensor({2 * type.getDimSize(0), type.getDimSize(1)}, catLayout(type));
    const LinearLayout &one = toLinear(type), &two = toLinear(both);
    unsigned registers = one.inputs().front().bases.size();
    ASSERT_EQ(two.inputs().front().bases.size(), registers + 1);
    for (unsigned bit = 0; bit < registers; ++bit)
      ASSERT_EQ(two.basis("register", bit), one.basis("register", bit));
    ASSERT_EQ(two.basis("register", registers), (layout::Coordinates{type.getDimSize(0), 0}));
  }
}

TEST_F(LayoutsTest, SplitsNeedPairsInOneThread) {
  EXPECT_FALSE(splitLayout(tensor({64, 2}, BlockedAttr::get(&context, {1, 1}, {16, 2}, {4, 1}, {1, 0}))));
}

TEST_F(LayoutsTest, ViewsKeepTheirNames) {
  auto buffer =
      parse<MemDescType>("!ttg.memdesc<64x128xf16, #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, "
                         "elementBitWidth = 16}>, #ttg.shared_memory>");
  auto error = [&] { return emitError(UnknownLoc::get(&context)); };
  auto turned = inferTrans(buffer, {1, 0}, error);
  ASSERT_TRUE(succeeded(turned));
  EXPECT_EQ(turned->getEncoding(), NvmmaSharedAttr::get(&context, 128, true, 16));
  EXPECT_EQ(toLinear(*turned), transposeDimensions(toLinear(buffer), {1, 0}));
  auto reshaped = inferReshape(buffer, {2, 32, 128}, error);
  ASSERT_TRUE(succeeded(reshaped));
  EXPECT_EQ(toLinear(*reshaped), reshapeDimensions(toLinear(buffer), {2, 32, 128}));
}

TEST_F(LayoutsTest, DefaultBlockedUsesEveryThreadOnce) {
  for (int round = 0; round < 100; ++round) {
    unsigned rank = 1 + random() % 3;
    SmallVector<int64_t> shape = drawShape(rank);
    auto order = llvm::to_vector(llvm::seq<unsigned>(0, rank));
    std::shuffle(order.begin(), order.end(), random);
    BlockedAttr blocked = getBlockedLayout(&context, shape, 4, order, {4, 32});
    LinearLayout map = blocked.toLinear(shape);
    ASSERT_EQ(map.inputSize("lane"), 32);
    ASSERT_EQ(map.inputSize("warp"), 4);
    if (llvm::product_of(shape) >= 4 * 128)
      ASSERT_TRUE(map.isInjective()) << map.str();
  }
}
