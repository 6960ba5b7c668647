#include "simulator/engines/SharedMatrix.h"

#include "simulator/machine/Memory.h"

namespace triton::simulator {

SharedMatrix decodeWgmmaDescriptor(uint64_t bits, bool isAlongK, Element element) {
  SharedMatrix matrix;
  matrix.start = uint32_t(bits & 0x3FFF) << 4;
  matrix.leading = uint32_t(bits >> 16 & 0x3FFF) << 4;
  matrix.stride = uint32_t(bits >> 32 & 0x3FFF) << 4;
  static constexpr unsigned widths[] = {0, 128, 64, 32};
  matrix.width = widths[bits >> 62];
  matrix.isAlongK = isAlongK;
  matrix.element = element;
  return matrix;
}

std::optional<SharedMatrix> decodeTcgen05Descriptor(uint64_t bits, bool isAlongK, Element element) {
  SharedMatrix matrix = decodeWgmmaDescriptor(bits, isAlongK, element);
  switch (bits >> 61) {
  case 0:
    matrix.width = 0;
    return matrix;
  case 2:
    matrix.width = 128;
    return matrix;
  case 4:
    matrix.width = 64;
    return matrix;
  case 6:
    matrix.width = 32;
    return matrix;
  }
  return std::nullopt;
}

uint32_t SharedMatrix::address(unsigned r, unsigned k) const {
  unsigned piece = perPiece();
  uint32_t offset;
  if (isAlongK) {
    unsigned column = k / piece; // of 16 bytes
    offset = width ? r / 8 * stride + r % 8 * width + column * 16 : r / 8 * stride + column * leading + r % 8 * 16;
  } else {
    unsigned column = r / piece, columns = width / 16;
    offset = width ? column / columns * leading + k / 8 * stride + k % 8 * width + column % columns * 16
                   : column * stride + k / 8 * leading + k % 8 * 16;
  }
  uint32_t at = start + offset;
  uint32_t mask = width == 128 ? 0x70 : width == 64 ? 0x30 : width == 32 ? 0x10 : 0;
  return at ^ (at >> 3 & mask);
}

bool SharedMatrix::read(Warp &warp, const Instruction &instruction, Cta &cta, unsigned first, unsigned end,
                        unsigned depth, double *numbers) const {
  unsigned piece = perPiece(), bytesPerPiece = isPadded ? 8 : 16; // padding is not read
  uint32_t other = &cta == &warp.cta ? 0 : (cta.rank + 1) << rankShift;
  double decoded[32];
  for (unsigned r = first; r < end; r += isAlongK ? 1 : piece)
    for (unsigned k = 0; k < depth; k += isAlongK ? piece : 1) {
      const std::byte *bytes = locateShared(warp, instruction, address(r, k) | other, bytesPerPiece, 0, Access::Read);
      if (!bytes)
        return false;
      if (isAlongK) {
        decodeElements(bytes, piece, element, numbers + size_t(r - first) * depth + k);
        continue;
      }
      decodeElements(bytes, piece, element, decoded);
      for (unsigned i = 0; i < piece && r + i < end; ++i)
        numbers[size_t(r + i - first) * depth + k] = decoded[i];
    }
  return true;
}

} // namespace triton::simulator
