// Conversions of which the parts can be done one after the other.
#include "compiler/layout/Conversion.h"

#include "llvm/Support/MathExtras.h"

namespace triton::layout {

/// The output and the bit in it that register bit `bit` alone changes.
static std::optional<std::pair<size_t, unsigned>> ownBit(const LinearLayout &layout, unsigned bit) {
  const Coordinates &basis = layout.basis("register", bit);
  std::optional<size_t> output;
  for (size_t index = 0; index < basis.size(); ++index) {
    if (basis[index] && output)
      return std::nullopt;
    if (basis[index])
      output = index;
  }
  if (!output || !llvm::isPowerOf2_64(basis[*output]))
    return std::nullopt;
  unsigned users = 0;
  for (const LinearLayout::Input &input : layout.inputs())
    for (const Coordinates &other : input.bases)
      users += (other[*output] & basis[*output]) != 0;
  return users == 1 ? std::optional(std::pair(*output, llvm::Log2_64(basis[*output]))) : std::nullopt;
}

static unsigned registerBits(const LinearLayout &layout) { return llvm::Log2_64(layout.inputSize("register")); }

std::vector<CommonRegisterBit> commonRegisterBits(const LinearLayout &from, const LinearLayout &to) {
  std::vector<CommonRegisterBit> common;
  for (unsigned bit = registerBits(from); bit-- > 0;)
    if (auto own = ownBit(from, bit))
      for (unsigned other = 0; other < registerBits(to); ++other)
        if (ownBit(to, other) == own)
          common.push_back({bit, other});
  return common;
}

LinearLayout withoutRegisterBits(LinearLayout layout, llvm::ArrayRef<unsigned> bits) {
  for (unsigned bit : bits) {
    auto own = ownBit(layout, bit);
    assert(own && "the bit stands for a bit of a coordinate");
    auto [output, position] = *own;
    std::vector<LinearLayout::Input> inputs(layout.inputs());
    std::vector<LinearLayout::Output> outputs(layout.outputs());
    outputs[output].size /= 2;
    for (LinearLayout::Input &input : inputs) {
      if (input.name == "register")
        input.bases.erase(input.bases.begin() + bit);
      for (Coordinates &basis : input.bases) {
        int64_t &component = basis[output], low = component & ((int64_t(1) << position) - 1);
        component = (component >> (position + 1)) << position | low;
      }
    }
    layout = LinearLayout(std::move(inputs), std::move(outputs));
  }
  return layout;
}

} // namespace triton::layout
