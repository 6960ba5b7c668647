// TMA: boxes of tensors, or plain stretches of bytes, between global and shared memory. Copies to shared memory land at once or, with a seed, some time later, in
// any order (Cluster::land); their bytes are then counted at the mbarrier. Copies out of it are over at once.
#include "simulator/engines/Combine.h"
#include "simulator/engines/Mbarrier.h"
#include "simulator/engines/TensorMap.h"
#include "simulator/machine/Lanes.h"
#include "simulator/watch/Groups.h"

#include <algorithm>
#include <array>
#include <cstring>

namespace triton::simulator {

namespace {

using ptx::Space;

Type typeOfElement(TensorType type) {
  using Kind = Type::Kind;
  switch (type) {
  case TensorType::U16:
    return {Kind::Unsigned, 16, false};
  case TensorType::S32:
    return {Kind::Signed, 32, false};
  case TensorType::U64:
    return {Kind::Unsigned, 64, false};
  case TensorType::S64:
    return {Kind::Signed, 64, false};
  case TensorType::F16:
    return {Kind::Float, 16, false};
  case TensorType::BF16:
    return {Kind::Brain, 16, false};
  case TensorType::F32:
  case TensorType::F32Flushed:
  case TensorType::TF32:
  case TensorType::TF32Flushed:
    return {Kind::Float, 32, false};
  case TensorType::F64:
    return {Kind::Float, 64, false};
  default:
    return {Kind::Unsigned, 32, false};
  }
}

enum class Direction : uint8_t { Load, Store, Reduce };

struct Copy {
  Direction direction = Direction::Load;
  unsigned rank = 1;
  bool isGather = false, isMulticast = false, isIm2col = false;
  Combination combination = Combination::Add;
  std::vector<Slot> offsets;                                // of im2col loads: of 16 bits
  Slot shared, map, barrier, mask;                          // addresses; `mask`: of CTAs, 16 bits
  unsigned sharedBytes = 4, mapBytes = 8, barrierBytes = 4; // of the registers
  int64_t sharedOffset = 0, mapOffset = 0, barrierOffset = 0;
  std::vector<Slot> coordinates;
};

bool fail(Warp &warp, const Instruction &instruction, unsigned lane, const std::string &message) {
  warp.cta.grid().report(warp, instruction, 1u << lane, Finding::Kind::IllegalInstruction, message, /*isFatal=*/true);
  return false;
}

uint32_t swizzled(uint32_t address, unsigned mode) {
  static constexpr uint32_t masks[] = {0, 0x10, 0x30, 0x70};
  return address ^ (address >> 3 & masks[mode & 3]);
}

/// A box in steps of rows along the innermost dimension.
struct Box {
  const TensorMapFields &map;
  int64_t start[5] = {};
  uint32_t extent[5];
  // Elements of less than a byte go in units: `unitElements` of them are `unitGlobal` bytes in global and `unitShared` bytes in shared memory.
  unsigned unitElements = 1, unitGlobal, unitShared;

  /// The same box, of a copy of its map.
  Box(const Box &other, const TensorMapFields &map) : Box(map) { std::copy_n(other.start, 5, start); }
  explicit Box(const TensorMapFields &map) : map(map) {
    auto type = TensorType(map.type);
    for (unsigned axis = 0; axis < 5; ++axis)
      extent[axis] = axis <= map.rank ? std::max(map.box[axis], 1u) : 1;
    unitGlobal = unitShared = halfBytesOf(type) / 2;
    if (type == TensorType::U4Align8)
      unitElements = 2, unitGlobal = unitShared = 1;
    else if (type == TensorType::U4Align16)
      unitElements = 16, unitGlobal = 8, unitShared = 16;
    else if (type == TensorType::U6Align16)
      unitElements = 16, unitGlobal = 12, unitShared = 16;
  }
  uint64_t shapeOf(unsigned axis) const { return map.shape[axis] ? map.shape[axis] : uint64_t(1) << 32; }
  uint32_t rowBytes() const { return extent[0] / unitElements * unitShared; }
  uint64_t bytes() const { return uint64_t(rowBytes()) * extent[1] * extent[2] * extent[3] * extent[4]; }
};

/// Rounds numbers to the nearest that TF32 has, as loads do through maps of that type; NaN is kept as it is.
void roundToTf32(std::byte *row, uint64_t count) {
  for (uint64_t index = 0; index < count; ++index) {
    uint32_t bits;
    std::memcpy(&bits, row + index * sizeof(bits), sizeof(bits));
    if ((bits & 0x7FFFFFFF) > 0x7F800000)
      continue;
    bits = (bits + 0xFFF + (bits >> 13 & 1)) & ~uint32_t(0x1FFF);
    std::memcpy(row + index * sizeof(bits), &bits, sizeof(bits));
  }
}

/// Moves one row of a box between global memory and `row`. Elements outside of the tensor are filled, or left out.
bool moveRow(Warp &warp, const Instruction &instruction, unsigned lane, const Copy &copy, const Box &box,
             const int64_t *at, std::byte *row) {
  const TensorMapFields &map = box.map;
  bool isInside = true;
  uint64_t address = map.address;
  for (unsigned axis = 1; axis <= map.rank; ++axis) {
    isInside &= at[axis] >= 0 && uint64_t(at[axis]) < box.shapeOf(axis);
    address += uint64_t(at[axis]) * map.strides[axis - 1];
  }
  unsigned units = box.extent[0] / box.unitElements;
  if (copy.direction == Direction::Load)
    for (unsigned byte = 0; byte < units * box.unitShared; ++byte)
      row[byte] = map.fill ? std::byte(byte % 2 ? 0x7F : box.unitShared == 2 ? 0xF7 : 0xFF) : std::byte(0);
  if (!isInside)
    return true;
  unsigned step = std::max<unsigned>(map.elementStrides[0], 1);
  auto limit = int64_t(box.shapeOf(0));
  int64_t first = std::max<int64_t>(0, at[0] >= 0 ? 0 : (-at[0] + step - 1) / step);
  int64_t end = std::min<int64_t>(box.extent[0], (limit - at[0] + step - 1) / step);
  if (first >= end)
    return true;
  uint64_t begin = address + uint64_t((at[0] + first * step) / box.unitElements) * box.unitGlobal;
  uint64_t count = uint64_t(end - first + box.unitElements - 1) / box.unitElements;
  uint64_t span = ((count - 1) * step + 1) * box.unitGlobal;
  std::byte *global = locateGlobal(warp, instruction, begin, span, lane,
                                   copy.direction == Direction::Load    ? Access::Read
                                   : copy.direction == Direction::Store ? Access::Write
                                                                        : Access::Atomic);
  if (!global)
    return false;
  std::byte *local = row + uint64_t(first) / box.unitElements * box.unitShared;
  if (copy.direction == Direction::Reduce) {
    Type type = typeOfElement(TensorType(map.type));
    for (uint64_t index = 0; index < count; ++index) {
      uint64_t value = 0;
      std::memcpy(&value, local + index * box.unitShared, box.unitShared);
      combineAt(global + index * step * box.unitGlobal, copy.combination, type, value);
    }
    return true;
  }
  bool isPlain = step == 1 && box.unitGlobal == box.unitShared;
  for (uint64_t index = 0; index < (isPlain ? 1 : count); ++index) {
    std::byte *outer = global + index * step * box.unitGlobal, *inner = local + index * box.unitShared;
    size_t bytes = isPlain ? count * box.unitGlobal : box.unitGlobal;
    if (copy.direction == Direction::Load)
      std::memcpy(inner, outer, bytes);
    else
      std::memcpy(outer, inner, bytes);
  }
  if (auto type = TensorType(map.type); type == TensorType::TF32 || type == TensorType::TF32Flushed)
    if (copy.direction == Direction::Load)
      roundToTf32(local, count);
  return true;
}

/// Between global memory and the box at offset `base` of a CTA's shared memory, whose rows lie one behind the other, swizzled by their absolute address.
bool moveBox(Warp &warp, const Instruction &instruction, unsigned lane, const Copy &copy, const Box &box, uint32_t base,
             const std::vector<Cta *> &targets, const int64_t *rows) {
  std::vector<std::byte> row(box.rowBytes() + 16);
  uint32_t offset = base;
  unsigned rowCount = rows ? 4 : box.extent[1];
  for (uint32_t e = 0; e < box.extent[4]; ++e)
    for (uint32_t d = 0; d < box.extent[3]; ++d)
      for (uint32_t c = 0; c < box.extent[2]; ++c)
        for (uint32_t b = 0; b < rowCount; ++b) {
          const uint8_t *steps = box.map.elementStrides;
          int64_t at[5] = {box.start[0], rows ? rows[b] : box.start[1] + int64_t(b) * std::max<int>(steps[1], 1),
                           box.start[2] + int64_t(c) * std::max<int>(steps[2], 1),
                           box.start[3] + int64_t(d) * std::max<int>(steps[3], 1),
                           box.start[4] + int64_t(e) * std::max<int>(steps[4], 1)};
          auto pieces = [&](Cta &cta, bool toShared) {
            for (uint32_t byte = 0; byte < box.rowBytes(); byte += 16) {
              uint32_t count = std::min<uint32_t>(16, box.rowBytes() - byte);
              // A row may be shorter than a piece of the swizzle: move byte ranges that lie in one piece.
              for (uint32_t done = 0; done < count;) {
                uint32_t address = offset + byte + done, part = std::min(count - done, 16 - address % 16);
                std::byte *place = cta.shared.data() + swizzled(address, box.map.swizzle);
                if (toShared)
                  std::memcpy(place, row.data() + byte + done, part);
                else
                  std::memcpy(row.data() + byte + done, place, part);
                done += part;
              }
            }
          };
          if (copy.direction != Direction::Load)
            pieces(*targets[0], false);
          if (!moveRow(warp, instruction, lane, copy, box, at, row.data()))
            return false;
          if (copy.direction == Direction::Load)
            for (Cta *cta : targets)
              pieces(*cta, true);
          offset += box.rowBytes();
        }
  return true;
}

/// The pixels of an im2col copy, each a row of channels: they begin at the copy's coordinates and go through the bounding box, along the width first, in steps of the element strides. What
/// is loaded lies `offsets` beyond each.
bool movePixels(Warp &warp, const Instruction &instruction, unsigned lane, const Copy &copy, const Box &box,
                uint32_t base, const std::vector<Cta *> &targets, const std::array<int64_t, 3> &offsets) {
  const TensorMapFields &map = box.map;
  const unsigned spatial = map.rank - 1; // dimensions between channels and images
  std::vector<std::byte> row(box.rowBytes() + 16);
  std::array<int64_t, 5> place{};
  std::copy_n(box.start, 5, place.begin());
  for (uint32_t pixel = 0; pixel < box.extent[1]; ++pixel) {
    int64_t at[5] = {place[0], place[1], place[2], place[3], place[4]};
    for (unsigned axis = 0; axis < spatial; ++axis)
      at[1 + axis] += offsets[axis];
    auto pieces = [&](Cta &cta, bool toShared) {
      for (uint32_t byte = 0; byte < box.rowBytes();) {
        const uint32_t address = base + pixel * box.rowBytes() + byte;
        const uint32_t part = std::min(box.rowBytes() - byte, 16 - address % 16);
        std::byte *there = cta.shared.data() + swizzled(address, map.swizzle);
        std::memcpy(toShared ? there : row.data() + byte, toShared ? row.data() + byte : there, part);
        byte += part;
      }
    };
    if (copy.direction != Direction::Load)
      pieces(*targets[0], false);
    if (!moveRow(warp, instruction, lane, copy, box, at, row.data()))
      return false;
    if (copy.direction == Direction::Load)
      for (Cta *cta : targets)
        pieces(*cta, true);
    for (unsigned axis = 1; axis <= spatial + 1; ++axis) {
      place[axis] += axis > spatial ? 1 : std::max<int>(map.elementStrides[axis], 1);
      if (axis > spatial || place[axis] < int64_t(box.shapeOf(axis)) + map.upperCorner[axis - 1])
        break;
      place[axis] = map.lowerCorner[axis - 1];
    }
  }
  return true;
}

/// The CTA and offset that a shared address names.
Cta *ctaOf(Warp &warp, uint32_t address) {
  uint32_t rank = address >> rankShift;
  auto &ctas = warp.cta.cluster.ctas;
  return rank == 0 ? &warp.cta : rank <= ctas.size() ? ctas[rank - 1].get() : nullptr;
}

bool copyTensor(Warp &warp, const Instruction &instruction, const Copy &copy, unsigned lane) {
  uint64_t mapAddress = addressIn(warp, copy.map, copy.mapBytes, lane) + uint64_t(copy.mapOffset);
  const std::byte *bytes = locate(warp, instruction, Space::Generic, mapAddress, 128, 64, lane, Access::Read);
  if (!bytes)
    return false;
  TensorMapFields map;
  std::memcpy(&map, bytes, sizeof(map));
  if (map.rank > 4 || map.rank + 1u != (copy.isGather ? 2 : copy.rank) || map.type > uint8_t(TensorType::U6Align16) ||
      map.address == 0)
    return fail(warp, instruction, lane,
                "a tensor map of rank " + std::to_string(map.rank + 1) + " is used for " +
                    std::to_string(copy.isGather ? 2 : copy.rank) + " dimensions, or there is no tensor map");
  Box box(map);
  constexpr uint32_t mostOfBox = 256; // along a dimension
  if (*std::max_element(box.extent, box.extent + 5) > mostOfBox || box.bytes() == 0)
    return fail(warp, instruction, lane,
                "a tensor map whose box has no size, or more than 256 elements along a dimension");
  if (copy.direction == Direction::Reduce && box.unitShared < 2)
    return fail(warp, instruction, lane, "elements of less than 16 bits are not reduced");
  for (unsigned axis = 0; axis < (copy.isGather ? 1 : copy.rank); ++axis)
    box.start[axis] = warp.in<int32_t>(copy.coordinates[axis])[lane];
  std::array<int64_t, 4> rows{};
  if (copy.isGather)
    for (unsigned index = 0; index < 4; ++index)
      rows[index] = warp.in<int32_t>(copy.coordinates[index + 1])[lane];
  int64_t startHalfBytes = box.start[0] * int64_t(halfBytesOf(TensorType(map.type)));
  if (box.unitElements == 1 && startHalfBytes % 32)
    return fail(warp, instruction, lane,
                "the innermost coordinate " + std::to_string(box.start[0]) + " is no multiple of 16 bytes");
  if (map.interleave)
    return fail(warp, instruction, lane, "copies of interleaved tensors (NC/8HWC8) are not simulated");
  if (copy.isIm2col != bool(map.isIm2col))
    return fail(warp, instruction, lane,
                copy.isIm2col ? "a tensor map of tiles is used for im2col"
                              : "a tensor map of im2col is used for tiles");
  if (copy.isIm2col) // channels of a pixel, and pixels
    box.extent[2] = box.extent[3] = box.extent[4] = 1;
  std::array<int64_t, 3> offsets{};
  for (size_t axis = 0; axis < copy.offsets.size(); ++axis)
    offsets[axis] = warp.in<uint16_t>(copy.offsets[axis])[lane];
  auto shared = uint32_t(addressIn(warp, copy.shared, copy.sharedBytes, lane) + uint64_t(copy.sharedOffset));
  uint64_t total = copy.isGather ? uint64_t(box.rowBytes()) * 4 : box.bytes();
  if (shared % 128)
    return fail(warp, instruction, lane,
                "a box in shared memory at " + std::to_string(shared & sharedOffsetMask) +
                    ", which is no multiple of 128");
  std::vector<Cta *> targets;
  uint32_t offset = shared & sharedOffsetMask;
  if (copy.isMulticast) {
    uint32_t chosen = warp.in<uint16_t>(copy.mask)[lane];
    for (auto &cta : warp.cta.cluster.ctas)
      if (chosen >> cta->rank & 1)
        targets.push_back(cta.get());
  } else if (Cta *cta = ctaOf(warp, shared)) {
    targets.push_back(cta);
  }
  if (targets.empty())
    return fail(warp, instruction, lane, "a copy to no CTA of the cluster");
  Operation operation(warp, Proxy::Async);
  for (Cta *cta : targets)
    if (!locateShared(warp, instruction, offset | (cta->rank + 1) << rankShift, total, lane,
                      copy.direction == Direction::Load ? Access::Write : Access::Read))
      return false;
  // The swizzle stays within 1024 bytes, so a box that fits lies in memory.
  if (swizzled(offset + uint32_t(total) - 1, 3) >= targets[0]->shared.size() && map.swizzle &&
      (offset + total + 127) / 128 * 128 > targets[0]->shared.size())
    return fail(warp, instruction, lane, "a swizzled box ends outside of shared memory");
  const int64_t *gathered = copy.isGather ? rows.data() : nullptr;
  if (copy.direction != Direction::Load) {
    operation.joins(Group::Bulk);
    return copy.isIm2col ? movePixels(warp, instruction, lane, copy, box, offset, targets, offsets)
                         : moveBox(warp, instruction, lane, copy, box, offset, targets, gathered);
  }
  auto barrier = uint32_t(addressIn(warp, copy.barrier, copy.barrierBytes, lane) + uint64_t(copy.barrierOffset));
  std::vector<std::byte *> counters;
  for (Cta *cta : targets) {
    uint32_t place = copy.isMulticast ? (barrier & sharedOffsetMask) | (cta->rank + 1) << rankShift : barrier;
    counters.push_back(locateMbarrier(warp, instruction, place, lane));
    if (!counters.back())
      return false;
  }
  bool isFine = true;
  warp.cta.cluster.land([=, &warp, &instruction, &copy, started = operation.token(), isFine = &isFine,
                         isLate = warp.cta.grid().launch.seed != 0] {
    Box landing(box, map);
    const Resumed resumed(warp, started);
    std::copy_n(box.extent, 5, landing.extent);
    bool moved = copy.isIm2col ? movePixels(warp, instruction, lane, copy, landing, offset, targets, offsets)
                               : moveBox(warp, instruction, lane, copy, landing, offset, targets,
                                         copy.isGather ? rows.data() : nullptr);
    if (!isLate)
      *isFine = moved;
    for (std::byte *counter : counters) {
      if (!moved)
        return;
      started.completesAt(counter);
      expectBytes(warp, instruction, counter, -int64_t(total), lane);
    }
  });
  return isFine;
}

Step tensorCopy(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &copy = *static_cast<const Copy *>(instruction.details);
  for (unsigned lane = 0; lane < laneCount; ++lane)
    if (mask >> lane & 1 && !copyTensor(warp, instruction, copy, lane))
      return Step::Blocked;
  return Step::Next;
}

/// Plain bytes: `direction` Load: to shared memory, from global memory or (`isFromShared`) another CTA's copy of ours.
struct BulkCopy {
  Direction direction = Direction::Load;
  bool isFromShared = false, isMulticast = false;
  Combination combination = Combination::Add;
  Type type;
  Slot to, from, size, barrier, mask;
  unsigned toBytes = 8, fromBytes = 8, barrierBytes = 4;
  int64_t toOffset = 0, fromOffset = 0, barrierOffset = 0;
};

bool copyBulk(Warp &warp, const Instruction &instruction, const BulkCopy &copy, unsigned lane) {
  uint64_t to = addressIn(warp, copy.to, copy.toBytes, lane) + uint64_t(copy.toOffset),
           from = addressIn(warp, copy.from, copy.fromBytes, lane) + uint64_t(copy.fromOffset);
  uint32_t size = warp.in<uint32_t>(copy.size)[lane];
  if (size % 16 || to % 16 || from % 16)
    return fail(warp, instruction, lane,
                "a bulk copy of " + std::to_string(size) +
                    " bytes, of which size and addresses must be multiples of 16");
  bool isLoad = copy.direction == Direction::Load;
  Operation operation(warp, Proxy::Async);
  if (!isLoad)
    operation.joins(Group::Bulk);
  std::byte *source = isLoad && !copy.isFromShared ? locateGlobal(warp, instruction, from, size, lane, Access::Read)
                                                   : locateShared(warp, instruction, from, size, lane, Access::Read);
  if (!source)
    return false;
  if (!isLoad) {
    std::byte *target = locateGlobal(warp, instruction, to, size, lane,
                                     copy.direction == Direction::Store ? Access::Write : Access::Atomic);
    if (!target)
      return false;
    unsigned bytes = std::max(copy.type.bits / 8, 1u);
    if (copy.direction == Direction::Store)
      std::memcpy(target, source, size);
    else
      for (uint32_t place = 0; place < size; place += bytes) {
        uint64_t value = 0;
        std::memcpy(&value, source + place, bytes);
        combineAt(target + place, copy.combination, copy.type, value);
      }
    return true;
  }
  auto barrier = uint32_t(addressIn(warp, copy.barrier, copy.barrierBytes, lane) + uint64_t(copy.barrierOffset));
  uint32_t chosen = copy.isMulticast ? warp.in<uint16_t>(copy.mask)[lane] : 0;
  for (uint32_t rank = 0; rank < warp.cta.cluster.ctas.size(); ++rank) {
    if (copy.isMulticast ? !(chosen >> rank & 1) : rank > 0)
      continue;
    auto at = [&](uint64_t address) {
      return copy.isMulticast ? (uint32_t(address) & sharedOffsetMask) | (rank + 1) << rankShift : uint32_t(address);
    };
    std::byte *target = locateShared(warp, instruction, at(to), size, lane, Access::Write);
    std::byte *counter = target ? locateMbarrier(warp, instruction, at(barrier), lane) : nullptr;
    if (!counter)
      return false;
    warp.cta.cluster.land([=, &warp, &instruction, started = operation.token()] {
      std::memmove(target, source, size);
      started.completesAt(counter);
      expectBytes(warp, instruction, counter, -int64_t(size), lane);
    });
  }
  return true;
}

Step bulkCopy(Warp &warp, const Instruction &instruction, LaneMask mask) {
  auto &copy = *static_cast<const BulkCopy *>(instruction.details);
  for (unsigned lane = 0; lane < laneCount; ++lane)
    if (mask >> lane & 1 && !copyBulk(warp, instruction, copy, lane))
      return Step::Blocked;
  return Step::Next;
}

Step nothing(Warp &, const Instruction &, LaneMask) { return Step::Next; }

void takeAddress(Decoder &decoder, const ptx::Operand &operand, Slot &slot, unsigned &bytes, int64_t &offset) {
  Instruction address;
  Space space = Space::Generic;
  decoder.address(operand, address, space);
  slot = address.a;
  bytes = address.small[3];
  offset = address.immediate;
}

/// [map, {x, y}] and [shared], in either order; then [mbarrier] and a mask of CTAs.
bool decodeTensorCopy(Decoder &decoder, Direction direction) {
  Copy copy{.direction = direction};
  for (std::string_view part : decoder.opcode())
    if (part.size() == 2 && part[1] == 'd' && part[0] >= '1' && part[0] <= '5')
      copy.rank = unsigned(part[0] - '0');
  if (decoder.has("im2col::w") || decoder.has("im2col::w::128"))
    return decoder.unknown();
  copy.isIm2col = decoder.has("im2col") || decoder.has("im2col_no_offs");
  if (copy.isIm2col && copy.rank < 3)
    return decoder.fail("'" + decoder.opcodeText() + "' needs 3 to 5 dimensions");
  copy.isGather = decoder.has("tile::gather4") || decoder.has("tile::scatter4");
  copy.isMulticast = decoder.has("multicast::cluster");
  if (direction == Direction::Reduce) {
    auto combination = combinationOf(decoder);
    if (!combination)
      return decoder.unknown();
    copy.combination = *combination;
  }
  bool isLoad = direction == Direction::Load;
  const ptx::Operand &map = decoder.operand(isLoad ? 1 : 0), &shared = decoder.operand(isLoad ? 0 : 1);
  takeAddress(decoder, map, copy.map, copy.mapBytes, copy.mapOffset);
  takeAddress(decoder, shared, copy.shared, copy.sharedBytes, copy.sharedOffset);
  if (map.elements.size() != 2)
    return decoder.fail("'" + decoder.opcodeText() + "' needs a tensor map and coordinates");
  copy.coordinates = decoder.vector(map.elements[1], 4, false);
  if (copy.coordinates.size() != (copy.isGather ? 5 : copy.rank))
    return decoder.fail("'" + decoder.opcodeText() + "' has " + std::to_string(copy.coordinates.size()) +
                        " coordinates");
  if (isLoad) {
    takeAddress(decoder, decoder.operand(2), copy.barrier, copy.barrierBytes, copy.barrierOffset);
    size_t next = 3;
    if (copy.isIm2col) {
      copy.offsets = decoder.vector(decoder.operand(next++), 2, false);
      if (copy.offsets.size() != copy.rank - 2)
        return decoder.fail("'" + decoder.opcodeText() + "' has " + std::to_string(copy.offsets.size()) + " offsets");
    }
    if (copy.isMulticast)
      copy.mask = decoder.bits(next, 2);
  }
  if (decoder.failed())
    return false;
  decoder.emit(tensorCopy).details = decoder.keepDetails(std::move(copy));
  return true;
}

} // namespace

bool decodeBulkCopy(Decoder &decoder) {
  if (decodeGroup(decoder, commitGroup<Group::Bulk>, waitGroup<Group::Bulk>))
    return true;
  if (decoder.has("prefetch")) {
    decoder.emit(nothing);
    return true;
  }
  bool reduces = decoder.opcode()[1] == "reduce";
  // Whichever space is named first is the destination.
  std::string_view first;
  for (std::string_view part : decoder.opcode())
    if (first.empty() && (part == "global" || part.starts_with("shared")))
      first = part;
  Direction direction = reduces ? Direction::Reduce : first == "global" ? Direction::Store : Direction::Load;
  if (decoder.has("tensor"))
    return decodeTensorCopy(decoder, direction);
  if (reduces && first != "global")
    return decoder.unknown();
  BulkCopy copy{.direction = direction,
                .isFromShared = direction == Direction::Load && !decoder.has("global"),
                .isMulticast = decoder.has("multicast::cluster")};
  if (reduces) {
    auto combination = combinationOf(decoder);
    if (!combination)
      return decoder.unknown();
    copy.combination = *combination;
    copy.type = decoder.type(0);
    if (copy.type.bits != 16 && copy.type.bits != 32 && copy.type.bits != 64)
      return decoder.unknown();
  }
  takeAddress(decoder, decoder.operand(0), copy.to, copy.toBytes, copy.toOffset);
  takeAddress(decoder, decoder.operand(1), copy.from, copy.fromBytes, copy.fromOffset);
  copy.size = decoder.bits(2, 4);
  if (direction == Direction::Load) {
    takeAddress(decoder, decoder.operand(3), copy.barrier, copy.barrierBytes, copy.barrierOffset);
    if (copy.isMulticast)
      copy.mask = decoder.bits(4, 2);
  }
  if (decoder.failed())
    return false;
  decoder.emit(bulkCopy).details = decoder.keepDetails(std::move(copy));
  return true;
}

void addTensorCopies(DecodeTable &) {} // `cp` belongs to Copies.cpp, which hands on what is bulk

} // namespace triton::simulator
