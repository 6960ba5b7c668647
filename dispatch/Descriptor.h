// Tensor descriptors as arguments: what they must be, and the parts that code takes in their place.
#pragma once

#include "dispatch/ArgumentLayout.h"

namespace triton::dispatch {

/// What is known of one.
struct Descriptor {
  static constexpr unsigned mostDimensions = 5;
  Argument base; // the tensor
  unsigned rank = 0;
  int64_t shape[mostDimensions], strides[mostDimensions]; // in elements
  bool padsWithNan = false;                               // what loads give outside of the tensor: else zeros
  bool roundsToTf32 = false;                              // loads of float32 do
  std::span<const int64_t> sizes() const { return {shape, rank}; }
};

/// What is wrong with a descriptor, as every surface says it; a ValueError.
Outcome checkDescriptor(uint64_t address, unsigned elementBytes, bool isFloating, std::span<const int64_t> shape,
                        std::span<const int64_t> strides, std::span<const int64_t> block, bool padsWithNan,
                        bool roundsToTf32);

/// All that a tensor map is made of.
struct TensorMapDescription {
  uint64_t address = 0;
  int swizzle = 0, elementBytes = 0, elementType = 0; // the driver's numbers
  std::span<const uint32_t> box;                      // outermost dimension first, as all of these
  std::span<const uint64_t> shape, strides;           // strides in elements
  bool padsWithNan = false;
};
/// Makes a tensor map at `destination`; what goes wrong, as a sentence.
using TensorMapEncoder = std::optional<std::string> (*)(const TensorMapDescription &description, void *destination);
/// The driver's number for elements of a tensor map: `elementType` is that of its format.
int elementTypeOf(int elementType, bool roundsToTf32);
/// Writes the parts of a descriptor whose tensor is at `address` into the block.
Outcome packDescriptor(const Descriptor &descriptor, const DescriptorParts &parts, uint64_t address,
                       TensorMapEncoder encode, std::byte *block);

} // namespace triton::dispatch
