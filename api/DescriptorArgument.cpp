#include "api/DescriptorArgument.h"

#include "dispatch/launch/CudaKernel.h"
#include "runtime/cuda/TensorMap.h"

namespace triton {

llvm::Error checkDescriptor(const triton_descriptor &descriptor) {
  const dispatch::ScalarType element = scalarTypeOf(descriptor.type);
  return toError(dispatch::checkDescriptor(reinterpret_cast<uint64_t>(descriptor.address), dispatch::bytesOf(element),
                                           dispatch::isFloating(element), shapeOf(descriptor), stridesOf(descriptor),
                                           blockOf(descriptor), descriptor.pads_with_nan != 0,
                                           (descriptor.type & TRITON_ROUNDS_TO_TF32) != 0));
}

static std::optional<std::string> encode(const dispatch::TensorMapFormat &format, int elementType, uint64_t address,
                                         std::span<const uint64_t> shape, std::span<const uint64_t> strides,
                                         bool padsWithNan, void *destination) {
  auto driver = dispatch::gpuDriver();
  if (!driver)
    return llvm::toString(driver.takeError());
  llvm::Error error = runtime::cuda::encodeOnce(driver->api(),
                                                {.address = address,
                                                 .swizzle = format.swizzle,
                                                 .elementBytes = format.elementBytes,
                                                 .elementType = elementType,
                                                 .box = format.box,
                                                 .shape = {shape.data(), shape.size()},
                                                 .strides = {strides.data(), strides.size()},
                                                 .fillWithNan = padsWithNan},
                                                destination);
  return error ? std::optional(llvm::toString(std::move(error))) : std::nullopt;
}

llvm::Error packDescriptor(const triton_argument &argument, const dispatch::DescriptorParts &parts, std::byte *block) {
  const triton_descriptor &given = *argument.value.descriptor;
  if (llvm::Error error = checkDescriptor(given))
    return error;
  dispatch::Descriptor descriptor;
  descriptor.rank = unsigned(given.rank);
  llvm::copy(shapeOf(given), descriptor.shape);
  llvm::copy(stridesOf(given), descriptor.strides);
  descriptor.padsWithNan = given.pads_with_nan != 0;
  descriptor.roundsToTf32 = (given.type & TRITON_ROUNDS_TO_TF32) != 0;
  return toError(dispatch::packDescriptor(descriptor, parts, reinterpret_cast<uint64_t>(given.address), encode, block));
}

} // namespace triton
