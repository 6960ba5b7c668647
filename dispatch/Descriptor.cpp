#include "dispatch/Descriptor.h"

#include <bit>

namespace triton::dispatch {

/// The words that programs match come first.
static Outcome wrong(const std::string &rule, const std::string &detail = "") {
  return Problem{"ValueError", rule + " in a tensor descriptor" + detail};
}

static std::string numbers(std::span<const int64_t> values) {
  std::string text;
  for (int64_t value : values)
    text += (text.empty() ? "" : ", ") + std::to_string(value);
  return "[" + text + "]";
}

Outcome checkDescriptor(uint64_t address, unsigned elementBytes, bool isFloating, std::span<const int64_t> shape,
                        std::span<const int64_t> strides, std::span<const int64_t> block, bool padsWithNan,
                        bool roundsToTf32) {
  const size_t rank = shape.size();
  if (strides.size() != rank || block.size() != rank)
    return wrong("rank mismatch",
                 ": shape " + numbers(shape) + ", strides " + numbers(strides) + ", block " + numbers(block));
  if (rank < 1 || rank > Descriptor::mostDimensions)
    return wrong("1 to 5 dimensions are possible", ", got shape " + numbers(shape));
  if (address % 16)
    return wrong("base must be 16-byte aligned");
  for (size_t dim = 0; dim < rank; ++dim)
    if (block[dim] < 1 || !std::has_single_bit(uint64_t(block[dim])))
      return wrong("Shape element " + std::to_string(dim) + " must be a power of 2", ", got block " + numbers(block));
  for (int64_t stride : strides.first(rank - 1))
    if (uint64_t(stride) * elementBytes % 16)
      return wrong("strides must be 16-byte aligned",
                   ", got " + numbers(strides) + " elements of " + std::to_string(elementBytes) + " bytes");
  if (strides.back() != 1)
    return wrong("Last dimension must be contiguous", ", got strides " + numbers(strides));
  for (int64_t size : shape)
    if (size < 1)
      return wrong("shape must be positive", ", got " + numbers(shape));
  if (padsWithNan && !isFloating)
    return wrong("Padding option `nan` is only supported for floating point tensors");
  if (roundsToTf32 && !(isFloating && elementBytes == 4))
    return wrong("round_f32_to_tf32 is only supported for float32 tensors");
  return std::nullopt;
}

int elementTypeOf(int elementType, bool roundsToTf32) {
  constexpr int float32 = 7, tf32 = 11;
  return roundsToTf32 && elementType == float32 ? tf32 : elementType;
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
  const TensorMapDescription description{.address = address,
                                         .swizzle = format.swizzle,
                                         .elementBytes = format.elementBytes,
                                         .elementType = elementTypeOf(format.elementType, descriptor.roundsToTf32),
                                         .box = format.box,
                                         .shape = {shape, rank},
                                         .strides = {strides, rank},
                                         .padsWithNan = descriptor.padsWithNan};
  if (auto error = encode(description, destination))
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
    write(&descriptor.roundsToTf32, 1);
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
