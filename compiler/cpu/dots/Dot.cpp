// Which instruction multiplies, and how large the block of accumulators in registers is.
#include "compiler/cpu/dots/Dot.h"

#include "llvm/Support/MathExtras.h"
#include "llvm/TargetParser/Triple.h"

using namespace mlir;

namespace triton::cpu {

/// Whole panels of the preferred width first, then ever narrower ones: 40 columns in panels of 16 are 16, 16, 8.
static SmallVector<DotPanels, 1> splitColumns(int64_t n, int64_t width) {
  SmallVector<DotPanels, 1> panels;
  for (int64_t column = 0; column < n; width /= 2)
    if (int64_t count = (n - column) / width) {
      panels.push_back({column, width, count});
      column += count * width;
    }
  return panels;
}

/// Rows of the register block, so that with two vectors across there are enough accumulators to hide the latency of a
/// multiply and no more than the registers hold beside two vectors of B and one of A.
static int64_t blockRows(const DotPlan &plan, const HostTarget &target) {
  if (target.avx512f)
    return 8;
  return target.fma && target.fmaLatency() > 4 ? 6 : 4;
}

DotPlan planDot(int64_t m, int64_t n, int64_t k, Type elementA, Type elementB, const HostTarget &target) {
  Builder builder(elementA.getContext());
  DotPlan plan;
  plan.m = m, plan.n = n, plan.k = k;
  plan.target = target;
  plan.kernel = DotKernel::MultiplyAdd;
  plan.group = 1;
  auto bits = [](Type type) { return type.getIntOrFloatBitWidth(); };
  // The instructions that multiply groups take whole registers only: at least four lanes in every panel.
  bool wide = n % 4 == 0;
  // Tiles are filled by whole rows of 64 bytes.
  auto fillsTiles = [&](int64_t bytes) {
    return m % DotPlan::tileRows == 0 && n % DotPlan::tileRows == 0 && k * bytes % DotPlan::tileBytes == 0;
  };
  if (isa<FloatType>(elementA)) {
    bool isDouble = bits(elementA) == 64 || bits(elementB) == 64;
    plan.operandType = plan.accumulatorType = isDouble ? builder.getF64Type() : builder.getF32Type();
    // 8-bit floats are exact in bf16 as well.
    auto fitsBFloat = [&](Type type) { return type.isBF16() || bits(type) == 8; };
    bool tiles = target.amxBf16 && fillsTiles(2);
    if ((tiles || target.avx512bf16) && wide && k % 2 == 0 && fitsBFloat(elementA) && fitsBFloat(elementB)) {
      plan.kernel = tiles ? DotKernel::BFloatTiles : DotKernel::BFloatPairs;
      plan.operandType = builder.getBF16Type();
      plan.group = 2;
    }
    plan.stagedType = plan.operandType;
  } else {
    plan.operandType = plan.stagedType = plan.accumulatorType = builder.getI32Type();
    const bool hasPairs = llvm::Triple(target.triple).isX86(); // products of bytes that are summed two by two
    if (bits(elementA) == 8 && bits(elementB) == 8 && wide && k % 2 == 0 && hasPairs) {
      plan.operandType = builder.getI8Type();
      bool tiles = target.amxInt8 && fillsTiles(1), quads = tiles || (target.avx512vnni && k % 4 == 0);
      plan.kernel = tiles ? DotKernel::ByteTiles : quads ? DotKernel::ByteQuads : DotKernel::ShortPairs;
      plan.stagedType = quads ? builder.getI8Type() : builder.getI16Type();
      plan.group = quads ? 4 : 2;
    }
  }
  plan.lanes = target.lanes(bits(plan.accumulatorType));
  plan.panels = splitColumns(n, 2 * plan.lanes);
  plan.rows = std::min(blockRows(plan, target), m);
  return plan;
}

} // namespace triton::cpu
