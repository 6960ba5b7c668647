// Layouts of scales against those that AMD's instructions read, bit by bit.
#include "compiler/layout/AmdScales.h"

#include "compiler/layout/ExpectBases.h"

using namespace triton::layout;

namespace {

TEST(AmdScales, OfBothOperands) {
  MfmaLayout wide{4, {2, 2}, {32, 32, 64}, true, {1, 1}, 32, {}};
  LinearLayout a = scalesOf(wide, 0, {128, 8});
  expectBases(a, "register", {{0, 2}, {0, 4}, {64, 0}});
  expectBases(a, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}, {0, 1}});
  expectBases(a, "warp", {{0, 0}, {32, 0}});
  MfmaLayout tiled{4, {2, 2}, {16, 16, 128}, true, {2, 2}, 32, {}};
  LinearLayout b = scalesOf(tiled, 1, {128, 8});
  expectBases(b, "register", {{0, 4}, {16, 0}, {64, 0}});
  expectBases(b, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 1}, {0, 2}});
  expectBases(b, "warp", {{32, 0}, {0, 0}});
  // Copies where there is no next tile of the warp, else it is in the upper half of the wave.
  LinearLayout copied = scalesOf(WmmaLayout{3, 2, {}, warpBases({2, 2}), {16, 16, 128}, true, {}}, 0, {64, 8});
  expectBases(copied, "register", {{0, 1}, {0, 2}, {0, 4}, {32, 0}});
  expectBases(copied, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {0, 0}});
  expectBases(copied, "warp", {{0, 0}, {16, 0}});
  LinearLayout halves =
      scalesOf(WmmaLayout{3, 2, {{0, 1}, {1, 0}}, {{0, 2}, {2, 0}}, {16, 16, 128}, true, {}}, 0, {64, 4});
  expectBases(halves, "register", {{0, 1}, {0, 2}});
  expectBases(halves, "lane", {{1, 0}, {2, 0}, {4, 0}, {8, 0}, {16, 0}});
  expectBases(halves, "warp", {{0, 0}, {32, 0}});
}

} // namespace
