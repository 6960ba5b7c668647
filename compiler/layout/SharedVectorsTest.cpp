// Stores, loads and copies are carried out for every thread, an access at a time, and compared with where the buffer's layout says that each
// element lies.
#include "compiler/layout/SharedVectors.h"

#include "compiler/layout/ElementNumber.h"
#include "compiler/layout/NamedLayouts.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"
#include "gtest/gtest.h"

#include <random>

using namespace triton::layout;

namespace {

using PaddingList = std::vector<std::pair<unsigned, unsigned>>;

/// The place in memory of an offset.
uint64_t padded(uint64_t offset, const PaddingList &paddings) {
  uint64_t place = offset;
  for (auto [interval, padding] : paddings)
    place += offset / interval * padding;
  return place;
}

/// Threads with a layout of registers and a buffer.
struct Setting {
  LinearLayout registers, buffer; // to elements; from offsets
  PaddingList paddings;
  LinearLayout access; // register, lane, warp -> offset

  Setting(const LinearLayout &registers, const LinearLayout &buffer, PaddingList paddings)
      : registers(registers), buffer(buffer), paddings(std::move(paddings)),
        access(*registers.invertAndCompose(buffer)) {}

  template <class Body> void forThreads(Body body) const {
    for (int64_t warp = 0; warp < registers.inputSize("warp"); ++warp)
      for (int64_t lane = 0; lane < registers.inputSize("lane"); ++lane)
        body(lane, warp);
  }
  uint64_t threadPart(int64_t lane, int64_t warp) const { return access.apply({{"lane", lane}, {"warp", warp}})[0]; }

  /// What memory must hold: by place, elements by number.
  std::map<uint64_t, uint64_t> definition() const {
    std::map<uint64_t, uint64_t> memory;
    for (int64_t offset = 0; offset < buffer.inputSize("offset"); ++offset)
      memory[padded(offset, paddings)] = elementNumber(buffer, {{"offset", offset}});
    return memory;
  }
};

void checkVectors(const Setting &setting, unsigned elementBits, std::map<unsigned, int> &widths) {
  SharedVectors plan = planSharedVectors(setting.access, elementBits, setting.paddings);
  uint64_t width = uint64_t(1) << plan.vectorBits;
  ++widths[width];
  ASSERT_LE(width * elementBits, 128u);
  // Stores: each access is aligned, and lands where its elements belong.
  std::map<uint64_t, uint64_t> memory;
  setting.forThreads([&](int64_t lane, int64_t warp) {
    for (auto [offset, reg] : plan.registerAt) {
      if (offset % width)
        continue;
      uint64_t begin = padded(setting.threadPart(lane, warp) ^ offset, setting.paddings);
      ASSERT_EQ(begin % width, 0u);
      for (uint64_t i = 0; i < width; ++i)
        memory[begin + i] = elementNumber(setting.registers, plan.registerAt.at(offset | i), lane, warp);
    }
  });
  ASSERT_EQ(memory, setting.definition()) << setting.registers.str() << setting.buffer.str();
  // Loads: every register gets its element.
  setting.forThreads([&](int64_t lane, int64_t warp) {
    std::map<uint64_t, uint64_t> loaded;
    for (auto [offset, reg] : plan.registerAt)
      if (offset % width == 0)
        for (uint64_t i = 0; i < width; ++i)
          loaded[offset | i] = memory.at(padded(setting.threadPart(lane, warp) ^ offset, setting.paddings) + i);
    for (auto [reg, offset] : llvm::enumerate(plan.offsets))
      ASSERT_EQ(loaded.at(offset), elementNumber(setting.registers, reg, lane, warp));
  });
}

void checkCopies(const Setting &setting, unsigned limit, std::map<unsigned, int> &widths) {
  unsigned width = planCopyWidth(setting.access, setting.paddings, limit);
  ++widths[width];
  ASSERT_LE(width, limit);
  std::map<uint64_t, uint64_t> memory;
  setting.forThreads([&](int64_t lane, int64_t warp) {
    for (int64_t reg = 0; reg < setting.registers.inputSize("register"); reg += width) {
      uint64_t own = setting.access.apply({{"register", reg}})[0];
      uint64_t begin = padded(setting.threadPart(lane, warp) ^ own, setting.paddings);
      ASSERT_EQ(begin % width, 0u);
      for (unsigned i = 0; i < width; ++i)
        memory[begin + i] = elementNumber(setting.registers, reg + i, lane, warp);
    }
  });
  ASSERT_EQ(memory, setting.definition()) << setting.registers.str() << setting.buffer.str();
}

TEST(SharedVectors, RandomLayouts) {
  std::mt19937 random(7);
  auto pick = [&](int64_t product) { // two powers of two with this product
    int64_t first = int64_t(1) << (random() % (llvm::Log2_64(product) + 1));
    return std::pair(first, product / first);
  };
  std::map<unsigned, int> vectors, copies;
  for (int round = 0; round < 400; ++round) {
    auto [r0, r1] = pick(int64_t(1) << random() % 5);
    auto [l0, l1] = pick(32);
    auto [w0, w1] = pick(4);
    llvm::SmallVector<unsigned, 4> rows{1, 0}, columns{0, 1}, order = random() % 4 ? rows : columns;
    std::vector<int64_t> shape{int64_t(8) << random() % 4, int64_t(8) << random() % 4};
    BlockedLayout blocked{{r0, r1}, {l0, l1}, {w0, w1}, order, {}};
    SwizzledSharedLayout shared{int64_t(1) << random() % 4,
                                int64_t(1) << random() % 2,
                                int64_t(1) << random() % 4,
                                random() % 4 ? rows : columns,
                                {}};
    PaddingList paddings;
    if (shared.maxPhase == 1 && random() % 2)
      paddings.push_back({16u << random() % 3, 1u << random() % 4});
    Setting setting(blocked.toLinear(shape), shared.toLinear(shape), paddings);
    checkVectors(setting, 8u << random() % 4, vectors);
    checkCopies(setting, 1u << random() % 5, copies);
    if (HasFatalFailure())
      return;
  }
  for (unsigned width : {1, 2, 4, 8})
    EXPECT_GT(vectors[width], 10) << width;
  for (unsigned width : {1, 2, 4, 8})
    EXPECT_GT(copies[width], 5) << width;
}

TEST(SharedVectors, RowsOfEightHalves) {
  LinearLayout rows = BlockedLayout{{1, 8}, {4, 8}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
  LinearLayout swizzled = SwizzledSharedLayout{8, 1, 8, {1, 0}, {}}.toLinear({64, 64});
  LinearLayout access = *rows.invertAndCompose(swizzled);
  EXPECT_EQ(planSharedVectors(access, 16, {}).vectorBits, 3u);
  EXPECT_EQ(planCopyWidth(access, {}, 8), 8u);
  // Rows that are swizzled within a copy go element by element, also where one thread holds several of them.
  LinearLayout two = BlockedLayout{{2, 8}, {4, 8}, {4, 1}, {1, 0}, {}}.toLinear({64, 64});
  LinearLayout finely = SwizzledSharedLayout{1, 1, 2, {1, 0}, {}}.toLinear({64, 64});
  EXPECT_EQ(planCopyWidth(*two.invertAndCompose(finely), {}, 8), 1u);
  EXPECT_EQ(planCopyWidth(*two.invertAndCompose(swizzled), {}, 8), 8u);
  // A gap after every four.
  EXPECT_EQ(planSharedVectors(access, 16, {{4, 4}}).vectorBits, 2u);
  EXPECT_EQ(planCopyWidth(access, {{4, 4}}, 8), 4u);
}

} // namespace
