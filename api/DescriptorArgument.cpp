#include "api/DescriptorArgument.h"

#include "dispatch/launch/CudaKernel.h"

namespace triton {

llvm::Error checkDescriptor(const triton_descriptor &descriptor) {
  const dispatch::ScalarType element = scalarTypeOf(descriptor.type);
  return toError(dispatch::checkDescriptor(reinterpret_cast<uint64_t>(descriptor.address), dispatch::bytesOf(element),
                                           dispatch::isFloating(element), shapeOf(descriptor), stridesOf(descriptor),
                                           blockOf(descriptor), descriptor.pads_with_nan != 0,
                                           (descriptor.type & TRITON_ROUNDS_TO_TF32) != 0));
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
  return toError(dispatch::packDescriptor(descriptor, parts, reinterpret_cast<uint64_t>(given.address),
                                          dispatch::encodeTensorMap, block));
}

} // namespace triton
