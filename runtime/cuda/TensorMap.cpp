#include "runtime/cuda/TensorMap.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"

namespace triton::runtime::cuda {

static constexpr int noInterleave = 0, promoteTo128Bytes = 2, fillZero = 0, fillNan = 1;

template <typename T> static std::string list(llvm::ArrayRef<T> values) {
  std::string text;
  llvm::raw_string_ostream stream(text);
  stream << "[";
  llvm::interleaveComma(values, stream);
  stream << "]";
  return text;
}

llvm::Expected<TensorMap> encode(const DriverApi &api, const TensorMapDescription &description) {
  size_t rank = description.shape.size();
  if (rank == 0 || rank > 5 || description.strides.size() != rank || description.box.size() != rank)
    return llvm::createStringError("a tensor descriptor needs one to five dimensions, got shape " +
                                   list(description.shape) + ", strides " + list(description.strides) + ", box " +
                                   list(description.box));
  if (!api.encodeTensorMap)
    return llvm::createStringError("this driver knows no tensor descriptors: CUDA 12 or newer is needed");
  // The driver counts dimensions from the innermost, and strides in bytes, without the innermost.
  llvm::SmallVector<uint64_t> shape(llvm::reverse(description.shape)), strides;
  llvm::SmallVector<uint32_t> box(llvm::reverse(description.box)), elementStrides(rank, 1);
  for (size_t dim = rank - 1; dim-- > 0;)
    strides.push_back(description.strides[dim] * uint64_t(description.elementBytes));
  TensorMap map{};
  int status =
      api.encodeTensorMap(&map, description.elementType, uint32_t(rank), reinterpret_cast<void *>(description.address),
                          shape.data(), strides.data(), box.data(), elementStrides.data(), noInterleave,
                          description.swizzle, promoteTo128Bytes, description.fillWithNan ? fillNan : fillZero);
  if (!status)
    return map;
  return failure(api, status,
                 "making a tensor descriptor: address 0x" + llvm::Twine::utohexstr(description.address) + ", type " +
                     llvm::Twine(description.elementType) + " of " + llvm::Twine(description.elementBytes) +
                     " bytes, shape " + list(description.shape) + ", strides " + list(description.strides) + ", box " +
                     list(description.box) + ", swizzle " + llvm::Twine(description.swizzle));
}

} // namespace triton::runtime::cuda
