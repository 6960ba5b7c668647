// ldmatrix, stmatrix and movmatrix: tiles of a matrix between shared memory and the fragments that mma takes.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"

#include <bit>
#include <cstring>

namespace triton::simulator {

namespace {

/// The 16-byte rows of a tile, row i of which is at the address of lane `count` * tile + i; false, with a finding, where one is not in shared memory.
template <size_t count>
bool locateRows(Warp &warp, const Instruction &instruction, unsigned tile, Access access, std::byte *(&rows)[count]) {
  for (unsigned row = 0; row < count; ++row) {
    unsigned lane = count * tile + row;
    rows[row] = locate(warp, instruction, ptx::Space::Shared, addressOf(warp, instruction, lane), 16, lane, access);
    if (!rows[row])
      return false;
  }
  return true;
}

/// m8n8 of 16 bits: lane 4r + c holds elements (r, 2c) and (r, 2c + 1) of each tile; transposed: (2c, r) and (2c + 1, r). Row i of tile j is at the address of lane 8j + i.
/// `small[0]`: transposed.
template <bool isLoad> Step tiles16(Warp &warp, const Instruction &instruction, LaneMask mask) {
  for (unsigned tile = 0; tile < instruction.listSize; ++tile) {
    std::byte *rows[8];
    if (!locateRows(warp, instruction, tile, isLoad ? Access::Read : Access::Write, rows))
      return Step::Blocked;
    auto *registers = isLoad ? warp.out<uint16_t>(instruction.list[tile])
                             : const_cast<uint16_t *>(warp.in<uint16_t>(instruction.list[tile]));
    eachLane(mask, [&](unsigned lane) {
      for (unsigned half = 0; half < 2; ++half) {
        unsigned row = lane / 4, column = lane % 4 * 2 + half;
        std::byte *at = instruction.small[0] ? rows[column] + 2 * row : rows[row] + 2 * column;
        if (isLoad)
          std::memcpy(&registers[2 * lane + half], at, 2);
        else
          std::memcpy(at, &registers[2 * lane + half], 2);
      }
    });
  }
  return Step::Next;
}

/// m16n16 of 8 bits, transposed: two registers a tile. Row i of tile j, 16 bytes, is at the address of lane 16j + i. Lane 4r + c holds in register q the elements
/// (4c + e, 8q + r), e from the lowest byte up.
Step loadBytesTransposed(Warp &warp, const Instruction &instruction, LaneMask mask) {
  for (unsigned tile = 0; tile < instruction.listSize / 2; ++tile) {
    std::byte *rows[16];
    if (!locateRows(warp, instruction, tile, Access::Read, rows))
      return Step::Blocked;
    for (unsigned half = 0; half < 2; ++half) {
      auto *registers = warp.out<std::byte>(instruction.list[2 * tile + half]);
      eachLane(mask, [&](unsigned lane) {
        for (unsigned byte = 0; byte < 4; ++byte)
          registers[4 * lane + byte] = rows[lane % 4 * 4 + byte][8 * half + lane / 4];
      });
    }
  }
  return Step::Next;
}

/// m16n8 of 8 bits, transposed: a register a tile. Column i of tile j, 16 bytes, is at the address of lane 8j + i. Lane 4r + c holds (4c + e, r).
Step storeBytesTransposed(Warp &warp, const Instruction &instruction, LaneMask mask) {
  for (unsigned tile = 0; tile < instruction.listSize; ++tile) {
    std::byte *columns[8];
    if (!locateRows(warp, instruction, tile, Access::Write, columns))
      return Step::Blocked;
    const auto *registers = warp.in<std::byte>(instruction.list[tile]);
    eachLane(mask, [&](unsigned lane) {
      for (unsigned byte = 0; byte < 4; ++byte)
        columns[lane / 4][lane % 4 * 4 + byte] = registers[4 * lane + byte];
    });
  }
  return Step::Next;
}

/// m8n16 of bytes made from fp4 or fp6 that lie packed in 16-byte rows: `small[0]` bits of an element. Lane 4r + c holds (r, 4c + e).
Step loadUnpacked(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned bits = instruction.small[0];
  for (unsigned tile = 0; tile < instruction.listSize; ++tile) {
    std::byte *rows[8];
    if (!locateRows(warp, instruction, tile, Access::Read, rows))
      return Step::Blocked;
    auto *registers = warp.out<uint8_t>(instruction.list[tile]);
    eachLane(mask, [&](unsigned lane) {
      for (unsigned byte = 0; byte < 4; ++byte) {
        unsigned bit = (lane % 4 * 4 + byte) * bits;
        uint32_t window = 0;
        for (unsigned part = 0; part < 2 && bit / 8 + part < 16; ++part)
          window |= uint32_t(rows[lane / 4][bit / 8 + part]) << (8 * part);
        registers[4 * lane + byte] = uint8_t(window >> bit % 8 & ((1u << bits) - 1));
      }
    });
  }
  return Step::Next;
}

bool decodeMatrix(Decoder &decoder, bool isLoad) {
  Instruction address;
  ptx::Space space = ptx::Space::Shared;
  decoder.address(decoder.operand(isLoad ? 1 : 0), address, space);
  std::vector<Slot> list = decoder.vector(decoder.operand(isLoad ? 0 : 1), 4, isLoad);
  bool isTransposed = decoder.has("trans");
  Handler handler = isLoad ? tiles16<true> : tiles16<false>;
  uint8_t detail = isTransposed;
  if (decoder.has("m16n16") && isLoad && isTransposed && decoder.has("b8"))
    handler = loadBytesTransposed;
  else if (decoder.has("m16n8") && !isLoad && isTransposed)
    handler = storeBytesTransposed;
  else if (decoder.has("m8n16") && isLoad)
    handler = loadUnpacked, detail = decoder.has("b4x16_p64") ? 4 : 6;
  else if (!decoder.has("m8n8"))
    return decoder.unknown();
  // Each lane names a row.
  const size_t most = 4, least = handler == loadBytesTransposed ? 2 : 1;
  if (list.size() < least || list.size() > most || !std::has_single_bit(list.size()))
    return decoder.fail("'" + decoder.opcodeText() + "' has no form with " + std::to_string(list.size()) +
                        " registers");
  Instruction &made = decoder.emit(handler);
  made.a = address.a;
  made.immediate = address.immediate;
  made.small[0] = detail;
  made.small[3] = address.small[3];
  decoder.keep(std::move(list), made);
  return true;
}
bool decodeLoadMatrix(Decoder &decoder) { return decodeMatrix(decoder, true); }
bool decodeStoreMatrix(Decoder &decoder) { return decodeMatrix(decoder, false); }

/// movmatrix: the transpose of an 8x8 tile of 16 bits.
Step transpose(Warp &warp, const Instruction &instruction, LaneMask mask) {
  uint16_t tile[8][8];
  const uint16_t *a = warp.in<uint16_t>(instruction.a);
  for (unsigned lane = 0; lane < laneCount; ++lane)
    for (unsigned half = 0; half < 2; ++half)
      tile[lane / 4][lane % 4 * 2 + half] = a[2 * lane + half];
  auto *d = warp.out<uint16_t>(instruction.d);
  eachLane(mask, [&](unsigned lane) {
    for (unsigned half = 0; half < 2; ++half)
      d[2 * lane + half] = tile[lane % 4 * 2 + half][lane / 4];
  });
  return Step::Next;
}
bool decodeTranspose(Decoder &decoder) {
  Slot d = decoder.destination(0, 4), a = decoder.bits(1, 4);
  Instruction &made = decoder.emit(transpose);
  made.d = d, made.a = a;
  return true;
}

} // namespace

void addMatrixMoves(DecodeTable &table) {
  table["ldmatrix"] = decodeLoadMatrix;
  table["stmatrix"] = decodeStoreMatrix;
  table["movmatrix"] = decodeTranspose;
}

} // namespace triton::simulator
