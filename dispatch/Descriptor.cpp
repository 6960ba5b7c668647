#include "dispatch/Descriptor.h"

#include <bit>

namespace triton::dispatch {

static Outcome wrong(std::string text) { return Problem{"ValueError", "a tensor descriptor's " + std::move(text)}; }

Outcome checkDescriptor(const void *address, ScalarType element, std::span<const int64_t> shape,
                        std::span<const int64_t> strides, std::span<const int64_t> block, bool padsWithNan) {
  const size_t rank = shape.size();
  if (rank < 1 || rank > Descriptor::mostDimensions)
    return wrong("tensor has 1 to 5 dimensions, not " + std::to_string(rank));
  if (strides.size() != rank || block.size() != rank)
    return wrong("shape, strides and block have one number for each dimension, got " + std::to_string(rank) + ", " +
                 std::to_string(strides.size()) + " and " + std::to_string(block.size()));
  if (reinterpret_cast<uintptr_t>(address) % 16)
    return wrong("tensor must begin at a multiple of 16 bytes");
  for (int64_t size : block)
    if (size < 1 || !std::has_single_bit(uint64_t(size)))
      return wrong("block sizes must be powers of two, got " + std::to_string(size));
  const uint64_t bytes = bytesOf(element);
  for (int64_t stride : strides.first(rank - 1))
    if (uint64_t(stride) * bytes % 16)
      return wrong("strides but the last must be multiples of 16 bytes, got " +
                   std::to_string(int64_t(uint64_t(stride) * bytes)));
  if (strides.back() != 1)
    return wrong("last stride must be 1, got " + std::to_string(strides.back()));
  for (int64_t size : shape)
    if (size < 1 || size > INT32_MAX)
      return wrong("sizes must be positive and fit in 32 bits, got " + std::to_string(size));
  if (padsWithNan && !isFloating(element))
    return wrong("loads pad with NaN only where elements are floating-point numbers");
  return std::nullopt;
}

static Outcome packMap(const Descriptor &descriptor, const TensorMapFormat &format, uint64_t address,
                       TensorMapEncoder encode, std::byte *destination) {
  uint64_t shape[Descriptor::mostDimensions], strides[Descriptor::mostDimensions];
  const unsigned rank = descriptor.rank;
  for (unsigned dim = 0; dim < rank; ++dim) {
    shape[dim] = uint64_t(descriptor.shape[dim]);
    strides[dim] = uint64_t(descriptor.strides[dim]);
  }
  if (format.hasTwoPerByte)
    shape[rank - 1] *= 2;
  if (auto error = encode(format, address, {shape, rank}, {strides, rank}, descriptor.padsWithNan, destination))
    return Problem{"RuntimeError", std::move(*error)};
  return std::nullopt;
}

Outcome packDescriptor(const Descriptor &descriptor, const DescriptorParts &parts, uint64_t address,
                       TensorMapEncoder encode, std::byte *block) {
  const unsigned rank = descriptor.rank;
  const uint32_t *offset = parts.offsets.data();
  auto write = [&](const void *value, size_t bytes) { std::memcpy(block + *offset++, value, bytes); };
  if (parts.map) {
    if (Outcome problem = packMap(descriptor, *parts.map, address, encode, block + *offset++))
      return problem;
  } else {
    write(&address, 8);
    for (unsigned dim = 0; dim < rank; ++dim)
      write(&descriptor.shape[dim], 8);
    for (unsigned dim = 0; dim < rank; ++dim)
      write(&descriptor.strides[dim], 8);
    write(&descriptor.padsWithNan, 1);
  }
  for (unsigned dim = 0; dim < rank; ++dim) {
    const int64_t size = descriptor.shape[dim];
    if (size < INT32_MIN || size > INT32_MAX)
      return Problem{"OverflowError",
                     "the extent " + std::to_string(size) + " of a tensor descriptor does not fit in 32 bits"};
    write(&descriptor.shape[dim], 4); // the low half: numbers are little-endian here and there
  }
  for (unsigned dim = 0; dim < rank; ++dim)
    write(&descriptor.strides[dim], 8);
  return std::nullopt;
}

} // namespace triton::dispatch
