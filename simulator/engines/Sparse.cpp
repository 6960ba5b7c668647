#include "simulator/engines/Sparse.h"

#include <algorithm>

namespace triton::simulator {

std::optional<Sparsity> Sparsity::decode(Decoder &decoder, size_t index, unsigned elementBits, unsigned k) {
  Sparsity made;
  made.elementBits = elementBits;
  made.metadata = decoder.bits(index, 4);
  const int64_t selector = decoder.integer(decoder.operand(index + 1));
  const unsigned lanes = made.lanesOf(k);
  if (!decoder.failed() && (lanes == 0 || selector < 0 || selector > 3 || (selector + 1) * lanes > 4))
    decoder.fail("'" + decoder.opcodeText() + "' has no sparsity selector " + std::to_string(selector));
  made.selector = unsigned(selector);
  return decoder.failed() ? std::nullopt : std::optional(made);
}

void Sparsity::spread(const Warp &warp, const double *packed, unsigned k, double *numbers) const {
  const uint32_t *words = warp.in<uint32_t>(metadata);
  const unsigned width = chunk(), together = width / 4 ? width / 4 : 1; // elements that a place has
  std::fill_n(numbers, size_t(16) * k, 0.0);
  for (unsigned row = 0; row < 16; ++row)
    for (unsigned index = 0; index < k / width; ++index) {
      unsigned block = index / chunksOfWord(), within = index % chunksOfWord() * 4, lane = selector * lanesOf(k);
      lane += elementBits >= 16 ? block : block * 2 + row / 8;
      uint32_t code = words[row % 8 * 4 + lane] >> (within + (elementBits >= 16 ? row / 8 * 16 : 0)) & 15;
      const double *values = packed + size_t(row) * (k / 2) + index * width / 2;
      double *to = numbers + size_t(row) * k + index * width;
      if (elementBits == 32) {
        to[(code & 3) / 2] = values[0];
        continue;
      }
      for (unsigned place = 0; place < 2; ++place)
        for (unsigned e = 0; e < together; ++e)
          to[(code >> (2 * place) & 3) * together + e] = values[place * together + e];
    }
}

} // namespace triton::simulator
