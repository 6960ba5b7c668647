#include "api/DescriptorArgument.h"

#include "api/CudaKernel.h"
#include "runtime/cuda/TensorMap.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace triton {

/// Bits of an element in memory.
static unsigned bitsOf(DataType type) {
  switch (type) {
  case DataType::Int1:
  case DataType::Int8:
  case DataType::UInt8:
  case DataType::Float8E4NV:
  case DataType::Float8E5:
  case DataType::Float8E4B15:
  case DataType::Float8E4B8:
  case DataType::Float8E5B16:
    return 8;
  case DataType::Int16:
  case DataType::UInt16:
  case DataType::Float16:
  case DataType::BFloat16:
    return 16;
  case DataType::Int32:
  case DataType::UInt32:
  case DataType::Float32:
    return 32;
  default:
    return 64;
  }
}

static bool isFloat(DataType type) { return type >= DataType::Float8E5; }

std::optional<Error> checkDescriptor(const Argument::Descriptor &descriptor) {
  size_t rank = descriptor.shape.size();
  auto wrong = [](std::string text) { return Error("ValueError", "a tensor descriptor's " + std::move(text)); };
  if (rank < 1 || rank > 5)
    return wrong("tensor has 1 to 5 dimensions, not " + std::to_string(rank));
  if (descriptor.strides.size() != rank || descriptor.block.size() != rank)
    return wrong("shape, strides and block have one number for each dimension, got " + std::to_string(rank) + ", " +
                 std::to_string(descriptor.strides.size()) + " and " + std::to_string(descriptor.block.size()));
  if (reinterpret_cast<uintptr_t>(descriptor.base.address) % 16)
    return wrong("tensor must begin at a multiple of 16 bytes");
  for (int64_t size : descriptor.block)
    if (size < 1 || !llvm::isPowerOf2_64(uint64_t(size)))
      return wrong("block sizes must be powers of two, got " + std::to_string(size));
  int64_t bytes = bitsOf(descriptor.base.element) / 8;
  for (int64_t stride : llvm::ArrayRef(descriptor.strides).drop_back())
    if (stride * bytes % 16)
      return wrong("strides but the last must be multiples of 16 bytes, got " + std::to_string(stride * bytes));
  if (descriptor.strides.back() != 1)
    return wrong("last stride must be 1, got " + std::to_string(descriptor.strides.back()));
  for (int64_t size : descriptor.shape)
    if (size < 1 || size > INT32_MAX)
      return wrong("sizes must be positive and fit in 32 bits, got " + std::to_string(size));
  if (descriptor.padsWithNan && !isFloat(descriptor.base.element))
    return wrong("loads pad with NaN only where elements are floating-point numbers");
  return std::nullopt;
}

static llvm::Error packMap(const Argument::Descriptor &descriptor, const artifact::TensorMap &format, char *place) {
  auto driver = cudaDriver();
  if (!driver)
    return driver.takeError();
  llvm::SmallVector<uint64_t> shape(descriptor.shape.begin(), descriptor.shape.end()),
      strides(descriptor.strides.begin(), descriptor.strides.end());
  llvm::SmallVector<uint32_t> box(format.box.begin(), format.box.end());
  return runtime::cuda::encodeOnce(driver->api(),
                                   {.address = reinterpret_cast<uint64_t>(descriptor.base.address),
                                    .swizzle = format.swizzle,
                                    .elementBytes = format.elementBytes,
                                    .elementType = runtime::cuda::driverElementType(format.elementType),
                                    .box = box,
                                    .shape = shape,
                                    .strides = strides,
                                    .fillWithNan = descriptor.padsWithNan},
                                   place);
}

llvm::Error packDescriptor(const Argument::Descriptor &descriptor, const artifact::Artifact &artifact, size_t &slot,
                           size_t &map, char *block) {
  auto write = [&](uint64_t bits) {
    const artifact::Argument &argument = artifact.arguments[slot++];
    std::memcpy(block + argument.offset, &bits, argument.size); // little endian: the low bytes are the value
  };
  auto writeAll = [&](llvm::ArrayRef<int64_t> numbers) {
    for (int64_t number : numbers)
      write(uint64_t(number));
  };
  if (artifact.arguments[slot].type == "nvTmaDesc") {
    if (llvm::Error error = packMap(descriptor, artifact.tensorMaps[map], block + artifact.arguments[slot].offset))
      return error;
    ++slot;
  } else {
    write(reinterpret_cast<uint64_t>(descriptor.base.address));
    writeAll(descriptor.shape);
    writeAll(descriptor.strides);
    write(descriptor.padsWithNan);
  }
  ++map;
  writeAll(descriptor.shape);
  writeAll(descriptor.strides);
  return llvm::Error::success();
}

} // namespace triton
