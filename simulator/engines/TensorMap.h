// The 128 bytes by which TMA knows a tensor, in a layout of our own: made by the host (encodeTensorMap) or by the device (tensormap.replace), read by TMA.
#pragma once

#include <cstdint>

namespace triton::simulator {

/// Dimension 0 is the innermost. Types and swizzles are numbered as kernels do (tensormap.replace).
struct TensorMapFields {
  uint64_t address;
  uint64_t strides[4]; // in bytes, of dimensions 1 to 4
  uint32_t shape[5];   // 0 stands for 2^32
  uint32_t box[5];
  uint8_t elementStrides[5];
  uint8_t rank; // 1 to 5, less one
  uint8_t type, interleave, swizzle, swizzleAtomicity, fill;
  uint8_t isIm2col;
  int16_t lowerCorner[3], upperCorner[3];
  uint8_t padding[2];
};
static_assert(sizeof(TensorMapFields) == 112, "it must fit in 128 bytes");

enum class TensorType : uint8_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F32Flushed,
  F64,
  BF16,
  TF32,
  TF32Flushed,
  U4Align8,
  U4Align16,
  U6Align16
};
/// Bytes of an element in shared memory, times two.
unsigned halfBytesOf(TensorType type);

/// As cuTensorMapEncodeTiled: false where TMA cannot copy such a tensor. `type` and `swizzle` are the driver's numbers.
bool encodeTensorMap(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *shape,
                     const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave,
                     int swizzle, int fill);

/// As cuTensorMapEncodeIm2col: `channels` of a pixel and `pixels` are what a copy moves; corners are of the dimensions between channels and images, the innermost first.
bool encodeIm2colTensorMap(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *shape,
                           const uint64_t *strides, const int *lowerCorner, const int *upperCorner, uint32_t channels,
                           uint32_t pixels, const uint32_t *elementStrides, int interleave, int swizzle, int fill);

} // namespace triton::simulator
