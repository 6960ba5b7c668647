// The descriptor by which TMA knows a tensor in global memory.
#pragma once

#include "runtime/driver/DriverApi.h"

#include "llvm/ADT/ArrayRef.h"

namespace triton::runtime::cuda {

using gpu::DevicePointer, gpu::DriverApi, gpu::TensorMap;

struct TensorMapDescription {
  DevicePointer address = 0;
  int swizzle = 0; // the driver's number: 0 none, 1 32, 2 64, 3 128 bytes
  int elementBytes = 0;
  int elementType = 0;          // the driver's number
  llvm::ArrayRef<uint32_t> box; // outermost dimension first, as all of these
  llvm::ArrayRef<uint64_t> shape;
  llvm::ArrayRef<uint64_t> strides; // in elements; the innermost is 1 and not looked at
  bool fillWithNan = false;
};

/// Fails with all parameters in the message when the hardware cannot copy such a tensor.
llvm::Expected<TensorMap> encode(const DriverApi &api, const TensorMapDescription &description);
/// The same into 128 bytes at `destination`; the maps made last are remembered, so that a launch like one before asks no driver.
llvm::Error encodeOnce(const DriverApi &api, const TensorMapDescription &description, void *destination);

/// The driver's number of an element type that kernels, in instructions, call `deviceType`.
int driverElementType(int deviceType);

} // namespace triton::runtime::cuda
