#include "api/DescriptorArgument.h"

#include "api/CudaKernel.h"
#include "runtime/cuda/TensorMap.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/MathExtras.h"

#include <cstring>

namespace triton {

/// Bits of an element in memory.
static unsigned bitsOf(int32_t type) {
  switch (type) {
  case TRITON_INT1:
  case TRITON_INT8:
  case TRITON_UINT8:
  case TRITON_FLOAT8E4NV:
  case TRITON_FLOAT8E5:
  case TRITON_FLOAT8E4B15:
  case TRITON_FLOAT8E4B8:
  case TRITON_FLOAT8E5B16:
    return 8;
  case TRITON_INT16:
  case TRITON_UINT16:
  case TRITON_FLOAT16:
  case TRITON_BFLOAT16:
    return 16;
  case TRITON_INT32:
  case TRITON_UINT32:
  case TRITON_FLOAT32:
    return 32;
  default:
    return 64;
  }
}

static bool isFloat(int32_t type) { return type >= TRITON_FLOAT8E5; }

llvm::Error checkDescriptor(const triton_descriptor &descriptor) {
  size_t rank = descriptor.rank;
  auto wrong = [](std::string text) { return failure("ValueError", "a tensor descriptor's " + std::move(text)); };
  if (rank < 1 || rank > 5)
    return wrong("tensor has 1 to 5 dimensions, not " + std::to_string(rank));
  if (descriptor.stride_count != rank || descriptor.block_count != rank)
    return wrong("shape, strides and block have one number for each dimension, got " + std::to_string(rank) + ", " +
                 std::to_string(descriptor.stride_count) + " and " + std::to_string(descriptor.block_count));
  if (reinterpret_cast<uintptr_t>(descriptor.address) % 16)
    return wrong("tensor must begin at a multiple of 16 bytes");
  for (int64_t size : blockOf(descriptor))
    if (size < 1 || !llvm::isPowerOf2_64(uint64_t(size)))
      return wrong("block sizes must be powers of two, got " + std::to_string(size));
  uint64_t bytes = bitsOf(elementOf(descriptor)) / 8;
  for (int64_t stride : stridesOf(descriptor).drop_back())
    if (uint64_t(stride) * bytes % 16)
      return wrong("strides but the last must be multiples of 16 bytes, got " +
                   std::to_string(int64_t(uint64_t(stride) * bytes)));
  if (stridesOf(descriptor).back() != 1)
    return wrong("last stride must be 1, got " + std::to_string(stridesOf(descriptor).back()));
  for (int64_t size : shapeOf(descriptor))
    if (size < 1 || size > INT32_MAX)
      return wrong("sizes must be positive and fit in 32 bits, got " + std::to_string(size));
  if (descriptor.pads_with_nan && !isFloat(elementOf(descriptor)))
    return wrong("loads pad with NaN only where elements are floating-point numbers");
  return llvm::Error::success();
}

static llvm::Error packMap(const triton_descriptor &descriptor, const artifact::TensorMap &format, char *place) {
  auto driver = cudaDriver();
  if (!driver)
    return driver.takeError();
  auto shape = llvm::to_vector_of<uint64_t>(shapeOf(descriptor)),
       strides = llvm::to_vector_of<uint64_t>(stridesOf(descriptor));
  llvm::SmallVector<uint32_t> box(format.box.begin(), format.box.end());
  return runtime::cuda::encodeOnce(driver->api(),
                                   {.address = reinterpret_cast<uint64_t>(descriptor.address),
                                    .swizzle = format.swizzle,
                                    .elementBytes = format.elementBytes,
                                    .elementType = runtime::cuda::driverElementType(format.elementType),
                                    .box = box,
                                    .shape = shape,
                                    .strides = strides,
                                    .fillWithNan = descriptor.pads_with_nan != 0},
                                   place);
}

llvm::Error packDescriptor(const triton_descriptor &descriptor, const artifact::Artifact &artifact, size_t &slot,
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
    write(reinterpret_cast<uint64_t>(descriptor.address));
    writeAll(shapeOf(descriptor));
    writeAll(stridesOf(descriptor));
    write(descriptor.pads_with_nan != 0);
  }
  ++map;
  writeAll(shapeOf(descriptor));
  writeAll(stridesOf(descriptor));
  return llvm::Error::success();
}

} // namespace triton
