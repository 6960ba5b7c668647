// How wide the accesses of one thread may be: what the analysis knows, seen through a layout.
#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/gpu/Gpu.h"

using namespace mlir;

namespace triton::gpu {

// Input bits of `layout`, those of the registers first.
static SmallVector<layout::Coordinates> basesOf(const layout::LinearLayout &layout) {
  SmallVector<layout::Coordinates> bases;
  for (StringRef name : {"register", "lane", "warp", "block"})
    for (const layout::LinearLayout::Input &input : layout.inputs())
      if (input.name == name)
        llvm::append_range(bases, input.bases);
  return bases;
}

// Whether `basis` moves by `distance` along `dimension`, and along nothing else.
static bool isStep(const layout::Coordinates &basis, unsigned dimension, int64_t distance) {
  for (auto [index, component] : llvm::enumerate(basis))
    if (component != (index == dimension ? distance : 0))
      return false;
  return true;
}

unsigned vectorElements(const AccessFacts &facts, const layout::LinearLayout &layout) {
  const SmallVector<layout::Coordinates> bases = basesOf(layout);
  const unsigned registerBits = llvm::Log2_64(layout.inputSize("register"));
  unsigned best = 1;
  for (unsigned d = 0; d < facts.rank(); ++d) {
    const int64_t run = facts.alignedRun(d);
    int64_t width = 1;
    // The next register bit is the next bit of the position along d, and nothing else touches those bits.
    for (unsigned bit = 0; bit < registerBits && width < run && isStep(bases[bit], d, width); ++bit)
      width *= 2;
    for (unsigned bit = llvm::Log2_64(width); bit < bases.size(); ++bit)
      while (bases[bit][d] % width != 0)
        width /= 2;
    best = std::max<unsigned>(best, width);
  }
  return best;
}

unsigned AccessAnalysis::vectorElements(Value pointers) {
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type || !type.getEncoding())
    return 1;
  return gpu::vectorElements(of(pointers), toLinear(type));
}

unsigned maskElements(const AccessFacts &facts, const layout::LinearLayout &layout) {
  unsigned equal = 1;
  for (int64_t bit = 0; (int64_t(1) << bit) < layout.inputSize("register"); ++bit, equal *= 2)
    // Within a box of equal elements a flipped bit changes nothing.
    for (auto [component, dimension] : llvm::zip_equal(layout.basis("register", bit), facts.dimensions))
      if (component >= dimension.constancy)
        return equal;
  return equal;
}

unsigned AccessAnalysis::maskElements(Value mask) {
  auto type = dyn_cast<RankedTensorType>(mask.getType());
  if (!type || !type.getEncoding())
    return AccessFacts::maxDivisibility;
  return gpu::maskElements(of(mask), toLinear(type));
}

} // namespace triton::gpu
