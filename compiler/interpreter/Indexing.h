// Places in dense row-major arrays.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"

namespace triton::interpreter {

/// How far apart neighbours along each dimension are.
inline llvm::SmallVector<int64_t> rowMajorStrides(llvm::ArrayRef<int64_t> shape) {
  llvm::SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

inline int64_t linearize(llvm::ArrayRef<int64_t> index, llvm::ArrayRef<int64_t> strides) {
  int64_t place = 0;
  for (size_t dim = 0; dim < index.size(); ++dim)
    place += index[dim] * strides[dim];
  return place;
}

/// Calls `function` with every index of `shape`, the last dimension fastest.
template <typename FunctionT> void forEachIndex(llvm::ArrayRef<int64_t> shape, FunctionT function) {
  llvm::SmallVector<int64_t> index(shape.size(), 0);
  while (true) {
    function(llvm::ArrayRef<int64_t>(index));
    size_t dim = shape.size();
    while (dim > 0 && ++index[dim - 1] == shape[dim - 1])
      index[--dim] = 0;
    if (dim == 0)
      return;
  }
}

} // namespace triton::interpreter
