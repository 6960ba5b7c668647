// Tensor maps: made by the host, changed by tensormap.replace, copied by tensormap.cp_fenceproxy.
#include "simulator/engines/TensorMap.h"

#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"

#include <algorithm>
#include <cstring>

namespace triton::simulator {

unsigned halfBytesOf(TensorType type) {
  switch (type) {
  case TensorType::U8:
  case TensorType::U4Align16: // a nibble a byte
  case TensorType::U6Align16:
    return 2;
  case TensorType::U4Align8:
    return 1;
  case TensorType::U16:
  case TensorType::F16:
  case TensorType::BF16:
    return 4;
  case TensorType::U64:
  case TensorType::S64:
  case TensorType::F64:
    return 16;
  default:
    return 8;
  }
}

bool encodeTensorMap(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *shape,
                     const uint64_t *strides, const uint32_t *box, const uint32_t *elementStrides, int interleave,
                     int swizzle, int fill) {
  // The driver's numbers of types, as kernels number them.
  static constexpr TensorType types[] = {
      TensorType::U8,          TensorType::U16,      TensorType::U32,        TensorType::S32,
      TensorType::U64,         TensorType::S64,      TensorType::F16,        TensorType::F32,
      TensorType::F64,         TensorType::BF16,     TensorType::F32Flushed, TensorType::TF32,
      TensorType::TF32Flushed, TensorType::U4Align8, TensorType::U4Align16,  TensorType::U6Align16};
  if (type < 0 || type > 15 || rank < 1 || rank > 5 || address % 16 || swizzle < 0 || swizzle > 6 || interleave < 0 ||
      interleave > 2)
    return false;
  TensorMapFields fields{};
  fields.address = address;
  fields.rank = uint8_t(rank - 1);
  fields.type = uint8_t(types[type]);
  fields.interleave = uint8_t(interleave);
  fields.swizzle = uint8_t(swizzle > 3 ? 3 : swizzle);
  fields.swizzleAtomicity = uint8_t(swizzle > 3 ? swizzle - 3 : 0);
  fields.fill = uint8_t(fill);
  unsigned halfBytes = halfBytesOf(types[type]);
  for (uint32_t axis = 0; axis < rank; ++axis) {
    if (shape[axis] == 0 || shape[axis] > uint64_t(1) << 32 || box[axis] == 0 || box[axis] > 256 ||
        elementStrides[axis] == 0 || elementStrides[axis] > 8)
      return false;
    if (axis > 0 && (strides[axis - 1] % 16 || strides[axis - 1] >= uint64_t(1) << 40))
      return false;
    fields.shape[axis] = uint32_t(shape[axis]);
    fields.box[axis] = box[axis];
    fields.elementStrides[axis] = uint8_t(elementStrides[axis]);
    if (axis > 0)
      fields.strides[axis - 1] = strides[axis - 1];
  }
  uint64_t innerBytes = uint64_t(box[0]) * halfBytes / 2;
  if (interleave == 0 && innerBytes % 16 && types[type] != TensorType::U4Align16 &&
      types[type] != TensorType::U6Align16)
    return false;
  if (interleave == 0 && swizzle && innerBytes > (swizzle > 3 ? 128u : 16u << swizzle))
    return false;
  std::memset(map, 0, 128);
  std::memcpy(map, &fields, sizeof(fields));
  return true;
}

bool encodeIm2colTensorMap(void *map, int type, uint32_t rank, uint64_t address, const uint64_t *shape,
                           const uint64_t *strides, const int *lowerCorner, const int *upperCorner, uint32_t channels,
                           uint32_t pixels, const uint32_t *elementStrides, int interleave, int swizzle, int fill) {
  const uint32_t box[5] = {channels, 1, 1, 1, 1};
  if (rank < 3 || rank > 5 || channels == 0 || channels > 256 || pixels == 0 || pixels > 1024 ||
      !encodeTensorMap(map, type, rank, address, shape, strides, box, elementStrides, interleave, swizzle, fill))
    return false;
  // Corners have 16 bits with one dimension between channels and images, 8 with two, 5 with three.
  const int limit = rank == 3 ? 1 << 15 : rank == 4 ? 1 << 7 : 1 << 4;
  TensorMapFields fields;
  std::memcpy(&fields, map, sizeof(fields));
  fields.isIm2col = 1;
  fields.box[1] = pixels;
  for (uint32_t axis = 0; axis + 2 < rank; ++axis) {
    if (std::max(lowerCorner[axis], upperCorner[axis]) >= limit ||
        std::min(lowerCorner[axis], upperCorner[axis]) < -limit)
      return false;
    fields.lowerCorner[axis] = int16_t(lowerCorner[axis]);
    fields.upperCorner[axis] = int16_t(upperCorner[axis]);
  }
  std::memcpy(map, &fields, sizeof(fields));
  return true;
}

namespace {

enum class Field : uint8_t {
  Address,
  Rank,
  Box,
  Shape,
  Stride,
  ElementStride,
  Type,
  Interleave,
  Swizzle,
  SwizzleAtomicity,
  Fill
};

/// a: the map (space in `small[0]`); b: the value, of `small[2]` bytes; `target`: the index.
Step replaceField(Warp &warp, const Instruction &instruction, LaneMask mask) {
  bool failed = false;
  eachLane(mask, [&](unsigned lane) {
    if (failed)
      return;
    std::byte *at = locate(warp, instruction, ptx::Space(instruction.small[0]), addressOf(warp, instruction, lane), 128,
                           lane, Access::Write);
    if (!at) {
      failed = true;
      return;
    }
    TensorMapFields fields;
    std::memcpy(&fields, at, sizeof(fields));
    uint64_t value = addressIn(warp, instruction.b, instruction.small[2], lane);
    unsigned index = instruction.target;
    switch (Field(instruction.small[1])) {
    case Field::Address:
      fields.address = value;
      break;
    case Field::Rank:
      fields.rank = uint8_t(value);
      break;
    case Field::Box:
      fields.box[index % 5] = uint32_t(value);
      break;
    case Field::Shape:
      fields.shape[index % 5] = uint32_t(value);
      break;
    case Field::Stride:
      fields.strides[index % 4] = value;
      break;
    case Field::ElementStride:
      fields.elementStrides[index % 5] = uint8_t(value);
      break;
    case Field::Type:
      fields.type = uint8_t(value);
      break;
    case Field::Interleave:
      fields.interleave = uint8_t(value);
      break;
    case Field::Swizzle:
      fields.swizzle = uint8_t(value);
      break;
    case Field::SwizzleAtomicity:
      fields.swizzleAtomicity = uint8_t(value);
      break;
    case Field::Fill:
      fields.fill = uint8_t(value);
      break;
    }
    std::memcpy(at, &fields, sizeof(fields));
  });
  return failed ? Step::Blocked : Step::Next;
}

/// tensormap.cp_fenceproxy [global], [shared], 128: once a warp.
Step copyMap(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned lane = unsigned(std::countr_zero(mask));
  std::byte *to =
      locate(warp, instruction, ptx::Space::Global, addressOf(warp, instruction, lane), 128, lane, Access::Write);
  uint64_t source =
      addressIn(warp, instruction.b, instruction.small[2], lane) + uint64_t(int64_t(int32_t(instruction.target)));
  std::byte *from = to ? locate(warp, instruction, ptx::Space::Shared, source, 128, lane, Access::Read) : nullptr;
  if (!from)
    return Step::Blocked;
  std::memcpy(to, from, 128);
  return Step::Next;
}

bool decodeTensorMap(Decoder &decoder) {
  Instruction address;
  ptx::Space space = ptx::Space::Generic;
  if (decoder.has("cp_fenceproxy")) {
    ptx::Space shared = ptx::Space::Shared;
    Instruction from;
    decoder.address(decoder.operand(0), address, space);
    decoder.address(decoder.operand(1), from, shared);
    Instruction &made = decoder.emit(copyMap);
    made.a = address.a, made.b = from.a;
    made.immediate = address.immediate;
    made.target = uint32_t(from.immediate);
    made.small[2] = from.small[3];
    made.small[3] = address.small[3];
    return true;
  }
  static const std::pair<std::string_view, Field> fields[] = {{"global_address", Field::Address},
                                                              {"rank", Field::Rank},
                                                              {"box_dim", Field::Box},
                                                              {"global_dim", Field::Shape},
                                                              {"global_stride", Field::Stride},
                                                              {"element_stride", Field::ElementStride},
                                                              {"elemtype", Field::Type},
                                                              {"interleave_layout", Field::Interleave},
                                                              {"swizzle_mode", Field::Swizzle},
                                                              {"swizzle_atomicity", Field::SwizzleAtomicity},
                                                              {"fill_mode", Field::Fill}};
  space = spaceOf(decoder);
  decoder.address(decoder.operand(0), address, space);
  bool hasIndex = decoder.operandCount() == 3;
  int64_t index = hasIndex ? decoder.integer(decoder.operand(1)) : 0;
  unsigned bytes = decoder.has("b64") ? 8 : 4;
  Slot value = decoder.bits(hasIndex ? 2 : 1, bytes);
  for (auto [name, field] : fields)
    if (decoder.has(name)) {
      Instruction &made = decoder.emit(replaceField);
      made.a = address.a, made.b = value;
      made.immediate = address.immediate;
      made.target = uint32_t(index);
      made.small[0] = uint8_t(space);
      made.small[1] = uint8_t(field);
      made.small[2] = uint8_t(bytes);
      made.small[3] = address.small[3];
      return true;
    }
  return decoder.unknown();
}

} // namespace

void addTensorMaps(DecodeTable &table) { table["tensormap"] = decodeTensorMap; }

} // namespace triton::simulator
