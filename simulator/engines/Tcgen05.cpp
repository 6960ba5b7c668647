// tcgen05: tensor memory, and products that one thread starts.
//
// Tensor memory is 128 lanes of 512 columns of 32 bits; an address is lane << 16 | column. Products and copies are done when they are issued, so waits and commits find everything
// complete. Where matrices lie:
//   D, 128 rows   row m in lane m, column n in column n (16-bit results too: the lower half of a column)
//   D, 64 rows    row m in lane m % 16 + m / 16 * 32
//   A             as D, with the elements along K packed into columns
//   scales        row r in lane r % 32, column r / 32; the bytes of a column are scales along K
#include "simulator/arithmetic/Floats.h"
#include "simulator/engines/Mbarrier.h"
#include "simulator/engines/SharedMatrix.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"
#include "simulator/watch/Groups.h"
#include "simulator/watch/Registers.h"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cstring>

namespace triton::simulator {

namespace {

constexpr unsigned tensorLanes = 128, tensorColumns = 512, columnsPerOwner = 32;

Step refuse(Warp &warp, const Instruction &instruction, LaneMask mask, Finding::Kind kind, std::string message) {
  warp.cta.grid().report(warp, instruction, mask, kind, std::move(message), /*isFatal=*/true);
  return Step::Blocked;
}

bool isWholeWarp(Warp &warp, const Instruction &instruction, LaneMask mask) {
  if (mask == allLanes)
    return true;
  refuse(warp, instruction, mask, Finding::Kind::Divergence, "tcgen05 is executed by some lanes of a warp only");
  return false;
}

/// A cell; null, with a finding, where there is none or nobody has allocated it.
uint32_t *cellAt(Warp &warp, const Instruction &instruction, unsigned lane, unsigned column) {
  Cta &cta = warp.cta;
  if (lane < tensorLanes && column < tensorColumns && cta.tensorOwners[column / columnsPerOwner])
    return &cta.tensor[size_t(lane) * tensorColumns + column];
  refuse(warp, instruction, warp.path().mask, Finding::Kind::IllegalAddress,
         "tensor memory at lane " + std::to_string(lane) + ", column " + std::to_string(column) + " is not allocated");
  return nullptr;
}

struct TensorAddress {
  unsigned lane, column;
};
TensorAddress split(uint32_t address) { return {address >> 16, address & 0xFFFF}; }

// Allocation. a: where in shared memory the address goes; b: columns.

Step allocate(Warp &warp, const Instruction &instruction, LaneMask mask) {
  if (!isWholeWarp(warp, instruction, mask))
    return Step::Blocked;
  Cta &cta = warp.cta;
  uint32_t columns = warp.in<uint32_t>(instruction.b)[0];
  if (columns < columnsPerOwner || columns > tensorColumns || !std::has_single_bit(columns))
    return refuse(warp, instruction, mask, Finding::Kind::IllegalInstruction,
                  "tcgen05.alloc takes 32, 64, 128, 256 or 512 columns, got " + std::to_string(columns));
  unsigned wanted = columns / columnsPerOwner;
  for (unsigned begin = 0; begin + wanted <= cta.tensorOwners.size(); begin += wanted) {
    auto first = cta.tensorOwners.begin() + begin;
    if (std::any_of(first, first + wanted, [](uint16_t owner) { return owner; }))
      continue;
    std::byte *place =
        locate(warp, instruction, ptx::Space::Shared, addressOf(warp, instruction, 0), 4, 0, Access::Write);
    if (!place)
      return Step::Blocked;
    cta.tensor.resize(size_t(tensorLanes) * tensorColumns);
    std::fill_n(first, wanted, uint16_t(columns));
    std::fill_n(cta.tensorOrigins.begin() + begin, wanted, &instruction);
    uint32_t address = begin * columnsPerOwner;
    std::memcpy(place, &address, 4);
    return Step::Next;
  }
  warp.path().why = "tcgen05.alloc waits for free columns of tensor memory";
  return Step::Blocked;
}

Step release(Warp &warp, const Instruction &instruction, LaneMask mask) {
  if (!isWholeWarp(warp, instruction, mask))
    return Step::Blocked;
  uint32_t address = warp.in<uint32_t>(instruction.a)[0], columns = warp.in<uint32_t>(instruction.b)[0];
  auto &owners = warp.cta.tensorOwners;
  unsigned begin = split(address).column / columnsPerOwner, count = columns / columnsPerOwner;
  bool isOne = address % columnsPerOwner == 0 && columns % columnsPerOwner == 0 && begin + count <= owners.size();
  for (unsigned i = begin; isOne && i < begin + count; ++i)
    isOne = owners[i] == columns;
  if (!isOne)
    return refuse(warp, instruction, mask, Finding::Kind::IllegalInstruction,
                  "tcgen05.dealloc of " + std::to_string(columns) + " columns at " + std::to_string(address) +
                      ", which is no allocation");
  std::fill_n(owners.begin() + begin, count, uint16_t(0));
  ++warp.cta.cluster.events;
  return Step::Next;
}

// ld and st.

/// What lane `lane` finds in word `word` of one repetition.
struct MoveShape {
  unsigned rows, words, columns; // rows of a warp's access; words of a lane, and columns, of one repetition
  TensorAddress (*place)(unsigned lane, unsigned word);
};
constexpr MoveShape shape32x32b{32, 1, 1, [](unsigned lane, unsigned) { return TensorAddress{lane, 0}; }};
constexpr MoveShape shape16x64b{
    16, 1, 2, [](unsigned lane, unsigned) { return TensorAddress{lane / 4 + lane % 2 * 8, lane / 2 % 2}; }};
constexpr MoveShape shape16x128b{
    16, 2, 4, [](unsigned lane, unsigned word) { return TensorAddress{lane / 4 + word * 8, lane % 4}; }};
constexpr MoveShape shape16x256b{16, 4, 8, [](unsigned lane, unsigned word) {
                                   return TensorAddress{lane / 4 + word / 2 * 8, lane % 4 * 2 + word % 2};
                                 }};
constexpr MoveShape shape16x32bx2{16, 1, 1, [](unsigned lane, unsigned) { return TensorAddress{lane % 16, 0}; }};

struct Move {
  const MoveShape *shape = nullptr;
  unsigned apart = 0;    // columns between the two blocks of 16x32bx2
  bool isPacked = false; // a register holds the lower halves of two columns
};

/// a + immediate: the address; list: registers.
template <bool isLoad> Step moveWords(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Move &move = *static_cast<const Move *>(instruction.details);
  if (!isWholeWarp(warp, instruction, mask))
    return Step::Blocked;
  TensorAddress base = split(uint32_t(addressOf(warp, instruction, 0)));
  unsigned own = warp.index % 4 * 32;
  if (base.lane < own || base.lane + move.shape->rows > own + 32)
    return refuse(warp, instruction, mask, Finding::Kind::IllegalAddress,
                  "warp " + std::to_string(warp.index) + " reaches lanes " + std::to_string(own) + " to " +
                      std::to_string(own + 31) + " of tensor memory, not " + std::to_string(base.lane));
  if (isLoad && warp.cta.grid().launch.watch.races) {
    if (!warp.inFlight)
      warp.inFlight = std::make_unique<RegisterWatch>();
    warp.inFlight->begin(instruction, {instruction.list, instruction.list + instruction.listSize}, {}, 0);
  }
  unsigned halves = move.isPacked ? 2 : 1;
  for (unsigned index = 0; index < instruction.listSize; ++index) {
    Slot slot = instruction.list[index];
    uint32_t *loaded = isLoad ? warp.out<uint32_t>(slot) : nullptr;
    const uint32_t *stored = isLoad ? nullptr : warp.in<uint32_t>(slot);
    unsigned repetition = index / move.shape->words;
    for (unsigned lane = 0; lane < laneCount; ++lane) {
      TensorAddress at = move.shape->place(lane, index % move.shape->words);
      unsigned column = base.column + (at.column + repetition * move.shape->columns) * halves + lane / 16 * move.apart;
      uint32_t word = isLoad ? 0 : stored[lane];
      for (unsigned half = 0; half < halves; ++half) {
        uint32_t *cell = cellAt(warp, instruction, base.lane + at.lane, column + half);
        if (!cell)
          return Step::Blocked;
        if (isLoad)
          word |= move.isPacked ? (*cell & 0xFFFF) << (16 * half) : *cell;
        else
          *cell = move.isPacked ? word >> (16 * half) & 0xFFFF : word;
      }
      if (isLoad)
        loaded[lane] = word;
    }
  }
  return Step::Next;
}

/// tcgen05.wait::ld.
Step waitForLoads(Warp &warp, const Instruction &, LaneMask) {
  if (warp.inFlight)
    warp.inFlight->complete(1);
  return Step::Next;
}

bool decodeMove(Decoder &decoder, bool isLoad) {
  Move move;
  static constexpr std::pair<std::string_view, const MoveShape *> shapes[] = {{"32x32b", &shape32x32b},
                                                                              {"16x64b", &shape16x64b},
                                                                              {"16x128b", &shape16x128b},
                                                                              {"16x256b", &shape16x256b},
                                                                              {"16x32bx2", &shape16x32bx2}};
  for (auto [name, shape] : shapes)
    if (decoder.has(name))
      move.shape = shape;
  if (!move.shape || decoder.has("red"))
    return decoder.unknown();
  bool isTwice = move.shape == &shape16x32bx2;
  if (isTwice)
    move.apart = unsigned(decoder.integer(decoder.operand(isLoad ? 2 : 1)));
  move.isPacked = decoder.has("pack::16b") || decoder.has("unpack::16b");
  Instruction address;
  ptx::Space space = ptx::Space::Tensor;
  decoder.address(decoder.operand(isLoad ? 1 : 0), address, space);
  std::vector<Slot> list = decoder.vector(decoder.operand(isLoad ? 0 : isTwice ? 2 : 1), 4, isLoad);
  Instruction &made = decoder.emit(isLoad ? moveWords<true> : moveWords<false>);
  made.a = address.a, made.immediate = address.immediate, made.small[3] = address.small[3];
  made.details = decoder.keepDetails(move);
  decoder.keep(std::move(list), made);
  return !decoder.failed();
}

// Products.

struct Product {
  enum class Kind : uint8_t { F16, Tf32, F8f6f4, I8, Mxf8f6f4, Mxf4, Mxf4nvf4 } kind = Kind::F16;
  unsigned scales = 0; // along K of an instruction; 0: none
  bool isLeftTensor = false;
  Slot d, a, b, descriptor, aScale, bScale;
  int64_t dOffset = 0, aOffset = 0, aScaleOffset = 0, bScaleOffset = 0;
};

/// The fields of the 32-bit word that says what is multiplied.
struct Fields {
  Element a = Element::F16, b = Element::F16, d = Element::F32;
  unsigned m, n, k;
  bool isANegated, isBNegated, isAAlongK, isBAlongK, saturates;
  unsigned aScaleByte = 0, bScaleByte = 0;
  bool isExponent = true;
};

std::optional<Element> formatOf(Product::Kind kind, unsigned code) {
  using enum Element;
  switch (kind) {
  case Product::Kind::F16:
    return code == 0 ? std::optional(F16) : code == 1 ? std::optional(BF16) : std::nullopt;
  case Product::Kind::Tf32:
    return code == 2 ? std::optional(TF32) : std::nullopt;
  case Product::Kind::I8:
    return code == 0 ? std::optional(U8) : code == 1 ? std::optional(S8) : std::nullopt;
  case Product::Kind::Mxf4:
  case Product::Kind::Mxf4nvf4:
    return code == 1 ? std::optional(E2M1) : std::nullopt;
  case Product::Kind::F8f6f4:
  case Product::Kind::Mxf8f6f4:
    switch (code) {
    case 0:
      return E4M3;
    case 1:
      return E5M2;
    case 3:
      return E2M3;
    case 4:
      return E3M2;
    case 5:
      return E2M1;
    }
  }
  return std::nullopt;
}

std::optional<Fields> readFields(const Product &product, uint32_t word) {
  Fields fields;
  auto a = formatOf(product.kind, word >> 7 & 7), b = formatOf(product.kind, word >> 10 & 7);
  if (!a || !b)
    return std::nullopt;
  fields.a = *a, fields.b = *b;
  fields.isANegated = word >> 13 & 1, fields.isBNegated = word >> 14 & 1;
  fields.isAAlongK = !(word >> 15 & 1), fields.isBAlongK = !(word >> 16 & 1);
  fields.n = (word >> 17 & 63) * 8, fields.m = (word >> 24 & 31) * 16;
  if (product.scales) {
    fields.bScaleByte = word >> 4 & 3, fields.aScaleByte = word >> 29 & 3;
    fields.isExponent = word >> 23 & 1;
    fields.saturates = false;
  } else {
    static constexpr Element results[] = {Element::F16, Element::F32, Element::S32, Element::F32};
    fields.d = results[word >> 4 & 3];
    fields.saturates = word >> 3 & 1;
  }
  bool isPacked = product.kind == Product::Kind::Mxf4 || product.kind == Product::Kind::Mxf4nvf4;
  fields.k = isPacked ? 64 : product.kind == Product::Kind::F16 ? 16 : product.kind == Product::Kind::Tf32 ? 8 : 32;
  if ((fields.m != 64 && fields.m != 128) || fields.n == 0 || fields.n > 256)
    return std::nullopt;
  return fields;
}

unsigned laneOfRow(unsigned row, unsigned rows) { return rows == 64 ? row % 16 + row / 16 * 32 : row; }

/// Elements of 4 bits that are not packed take the lower half of 16 bytes, 16 at a time.
bool isPadded(const Product &product, Element element) {
  return element == Element::E2M1 && (product.kind == Product::Kind::F8f6f4 || product.kind == Product::Kind::Mxf8f6f4);
}

/// Row by row; false with a finding.
bool readLeft(Warp &warp, const Instruction &instruction, const Product &product, const Fields &fields, unsigned lane,
              double *a) {
  if (!product.isLeftTensor) {
    auto matrix = decodeTcgen05Descriptor(warp.in<uint64_t>(product.a)[lane], fields.isAAlongK, fields.a);
    if (!matrix)
      return refuse(warp, instruction, 1u << lane, Finding::Kind::IllegalInstruction,
                    "a matrix descriptor with a swizzle that is not simulated"),
             false;
    matrix->isPadded = isPadded(product, fields.a);
    return matrix->read(warp, instruction, warp.cta, 0, fields.m, fields.k, a);
  }
  TensorAddress base = split(warp.in<uint32_t>(product.a)[lane] + uint32_t(product.aOffset));
  unsigned bits = isPadded(product, fields.a) ? 8 : bitsOf(fields.a), perCell = 32 / bits;
  for (unsigned row = 0; row < fields.m; ++row)
    for (unsigned k = 0; k < fields.k; ++k) {
      const uint32_t *cell = cellAt(warp, instruction, base.lane + laneOfRow(row, fields.m), base.column + k / perCell);
      if (!cell)
        return false;
      a[row * fields.k + k] = decodeElement(*cell >> (k % perCell * bits), fields.a);
    }
  return true;
}

/// Multiplies each number by the scale of its row and its place along K.
bool applyScales(Warp &warp, const Instruction &instruction, const Product &product, const Fields &fields,
                 uint32_t address, unsigned firstByte, unsigned rows, double *numbers) {
  TensorAddress base = split(address);
  unsigned block = fields.k / product.scales;
  for (unsigned row = 0; row < rows; ++row) {
    const uint32_t *cell = cellAt(warp, instruction, base.lane + row % 32, base.column + row / 32);
    if (!cell)
      return false;
    for (unsigned k = 0; k < fields.k; ++k) {
      uint32_t code = *cell >> (8 * ((firstByte + k / block) & 3)) & 0xFF;
      numbers[row * fields.k + k] *= decode(code, fields.isExponent ? formatScaleE8M0 : formatScaleE4M3);
    }
  }
  return true;
}

/// p: whether D counts.
Step multiplyAsync(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Product &product = *static_cast<const Product *>(instruction.details);
  static thread_local std::vector<double> a, b, transposed, d;
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Operation operation(warp, Proxy::Async);
    operation.joins(Group::Tensor);
    uint32_t word = warp.in<uint32_t>(product.descriptor)[lane];
    auto fields = readFields(product, word);
    if (!fields)
      return refuse(warp, instruction, 1u << lane, Finding::Kind::IllegalInstruction,
                    "tcgen05.mma with instruction descriptor " + std::to_string(word) +
                        ", which its kind does not have");
    a.resize(fields->m * fields->k);
    b.resize(fields->n * fields->k);
    transposed.resize(b.size());
    warp.cta.cluster.products += productsOf(fields->a, fields->m, fields->n, fields->k);
    d.assign(fields->m * fields->n, 0);
    auto right = decodeTcgen05Descriptor(warp.in<uint64_t>(product.b)[lane], fields->isBAlongK, fields->b);
    if (!right)
      return refuse(warp, instruction, 1u << lane, Finding::Kind::IllegalInstruction,
                    "a matrix descriptor with a swizzle that is not simulated");
    right->isPadded = isPadded(product, fields->b);
    if (!readLeft(warp, instruction, product, *fields, lane, a.data()) ||
        !right->read(warp, instruction, warp.cta, 0, fields->n, fields->k, b.data()))
      return Step::Blocked;
    if (product.scales) {
      uint32_t left = warp.in<uint32_t>(product.aScale)[lane] + uint32_t(product.aScaleOffset),
               other = warp.in<uint32_t>(product.bScale)[lane] + uint32_t(product.bScaleOffset);
      if (!applyScales(warp, instruction, product, *fields, left, fields->aScaleByte, fields->m, a.data()) ||
          !applyScales(warp, instruction, product, *fields, other, fields->bScaleByte, fields->n, b.data()))
        return Step::Blocked;
    }
    double sign = fields->isANegated != fields->isBNegated ? -1 : 1;
    for (unsigned column = 0; column < fields->n; ++column)
      for (unsigned k = 0; k < fields->k; ++k)
        transposed[k * fields->n + column] = sign * b[column * fields->k + k];
    TensorAddress base = split(warp.in<uint32_t>(product.d)[lane] + uint32_t(product.dOffset));
    bool accumulates = warp.predicate(instruction.p) >> lane & 1;
    for (bool isRead : {true, false}) {
      for (unsigned row = 0; row < fields->m; ++row)
        for (unsigned column = 0; column < fields->n; ++column) {
          uint32_t *cell = cellAt(warp, instruction, base.lane + laneOfRow(row, fields->m), base.column + column);
          if (!cell)
            return Step::Blocked;
          double &sum = d[row * fields->n + column];
          if (!isRead)
            *cell = encodeAccumulator(sum, fields->d, fields->saturates);
          else if (accumulates)
            sum = decodeElement(*cell, fields->d);
        }
      if (isRead)
        multiply(a.data(), transposed.data(), d.data(), fields->m, fields->n, fields->k);
    }
  }
  return Step::Next;
}

bool decodeProduct(Decoder &decoder) {
  using Kind = Product::Kind;
  static constexpr std::pair<std::string_view, Kind> kinds[] = {
      {"kind::f16", Kind::F16},           {"kind::tf32", Kind::Tf32},
      {"kind::f8f6f4", Kind::F8f6f4},     {"kind::i8", Kind::I8},
      {"kind::mxf8f6f4", Kind::Mxf8f6f4}, {"kind::mxf4", Kind::Mxf4},
      {"kind::mxf4nvf4", Kind::Mxf4nvf4}};
  Product product;
  bool hasKind = false;
  for (auto [name, kind] : kinds)
    if (decoder.has(name))
      product.kind = kind, hasKind = true;
  if (!hasKind || decoder.has("sp") || decoder.has("ws") || !decoder.has("cta_group::1"))
    return decoder.unknown();
  auto tensorAddress = [&](size_t index, Slot &slot, int64_t &offset) {
    Instruction address;
    ptx::Space space = ptx::Space::Tensor;
    decoder.address(decoder.operand(index), address, space);
    slot = address.a, offset = address.immediate;
  };
  tensorAddress(0, product.d, product.dOffset);
  product.isLeftTensor = decoder.operand(1).kind == ptx::Operand::Kind::Address;
  if (product.isLeftTensor)
    tensorAddress(1, product.a, product.aOffset);
  else
    product.a = decoder.bits(1, 8);
  product.b = decoder.bits(2, 8);
  product.descriptor = decoder.bits(3, 4);
  size_t next = 4;
  if (decoder.has("block_scale")) {
    for (unsigned count : {1, 2, 4})
      if (decoder.has("scale_vec::" + std::to_string(count) + "X"))
        product.scales = count;
    if (decoder.has("block16"))
      product.scales = 4;
    else if (decoder.has("block32"))
      product.scales = product.kind == Kind::Mxf8f6f4 ? 1 : 2;
    else if (!product.scales)
      product.scales = product.kind == Kind::Mxf8f6f4 ? 1 : product.kind == Kind::Mxf4 ? 2 : 4;
    tensorAddress(4, product.aScale, product.aScaleOffset);
    tensorAddress(5, product.bScale, product.bScaleOffset);
    next = 6;
  }
  if (decoder.operand(next).kind == ptx::Operand::Kind::Vector || decoder.operandCount() != next + 1)
    return decoder.unknown(); // lanes that are left out, and scales of D
  PredicateSlot accumulates = decoder.isPredicate(decoder.operand(next))
                                  ? decoder.predicate(next)
                                  : PredicateSlot{uint32_t(decoder.integer(decoder.operand(next)) != 0), false};
  Instruction &made = decoder.emit(multiplyAsync);
  made.p = accumulates;
  made.details = decoder.keepDetails(product);
  return !decoder.failed();
}

// Commits and copies.

/// a + immediate: the mbarrier; b: ranks of the cluster, if `small[0]`.
Step commit(Warp &warp, const Instruction &instruction, LaneMask mask) {
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    uint64_t address = addressOf(warp, instruction, lane);
    if (!instruction.small[0]) {
      if (!arriveAt(warp, instruction, address))
        return Step::Blocked;
      continue;
    }
    uint16_t ranks = warp.in<uint16_t>(instruction.b)[lane];
    for (unsigned rank = 0; rank < warp.cta.cluster.ctas.size(); ++rank)
      if (ranks >> rank & 1 &&
          !arriveAt(warp, instruction, (address & sharedOffsetMask) | uint64_t(rank + 1) << rankShift))
        return Step::Blocked;
  }
  return Step::Next;
}

bool decodeCommit(Decoder &decoder) {
  Instruction address;
  ptx::Space space = ptx::Space::Shared;
  decoder.address(decoder.operand(0), address, space);
  bool hasRanks = decoder.has("multicast::cluster");
  Slot ranks = hasRanks ? decoder.bits(1, 2) : Slot{};
  Instruction &made = decoder.emit(commit);
  made.a = address.a, made.b = ranks, made.immediate = address.immediate;
  made.small[0] = hasRanks, made.small[3] = address.small[3];
  return !decoder.failed();
}

struct Copy {
  unsigned rows, bytes, copies; // of shared memory; groups of lanes that get them
};

/// tcgen05.cp: a + immediate: where to; b: descriptor.
Step copyMatrix(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Copy &copy = *static_cast<const Copy *>(instruction.details);
  for (unsigned lane = 0; lane < laneCount; ++lane) {
    if (!(mask >> lane & 1))
      continue;
    Operation operation(warp, Proxy::Async);
    operation.joins(Group::Tensor);
    TensorAddress base = split(uint32_t(addressOf(warp, instruction, lane)));
    auto matrix = decodeTcgen05Descriptor(warp.in<uint64_t>(instruction.b)[lane], /*isAlongK=*/true, Element::U8);
    if (!matrix)
      return refuse(warp, instruction, 1u << lane, Finding::Kind::IllegalInstruction,
                    "a matrix descriptor with a swizzle that is not simulated");
    for (unsigned row = 0; row < copy.rows; ++row)
      for (unsigned byte = 0; byte < copy.bytes; byte += 16) {
        const std::byte *piece = locateShared(warp, instruction, matrix->address(row, byte), 16, lane, Access::Read);
        if (!piece)
          return Step::Blocked;
        for (unsigned group = 0; group < copy.copies; ++group)
          for (unsigned word = 0; word < 4; ++word) {
            uint32_t *cell =
                cellAt(warp, instruction, base.lane + row + group * copy.rows, base.column + byte / 4 + word);
            if (!cell)
              return Step::Blocked;
            std::memcpy(cell, piece + 4 * word, 4);
          }
      }
  }
  return Step::Next;
}

bool decodeCopy(Decoder &decoder) {
  Copy copy;
  if (decoder.has("128x256b"))
    copy = {128, 32, 1};
  else if (decoder.has("128x128b"))
    copy = {128, 16, 1};
  else if (decoder.has("32x128b") && decoder.has("warpx4"))
    copy = {32, 16, 4};
  else
    return decoder.unknown();
  if (!decoder.has("cta_group::1") || decoder.opcode().back().starts_with("b"))
    return decoder.unknown(); // pairs of CTAs, and formats that are unpacked on the way
  Instruction address;
  ptx::Space space = ptx::Space::Tensor;
  decoder.address(decoder.operand(0), address, space);
  Slot descriptor = decoder.bits(1, 8);
  Instruction &made = decoder.emit(copyMatrix);
  made.a = address.a, made.b = descriptor, made.immediate = address.immediate;
  made.small[3] = address.small[3];
  made.details = decoder.keepDetails(copy);
  return !decoder.failed();
}

Step nothing(Warp &, const Instruction &, LaneMask) { return Step::Next; }

bool decodeTcgen05(Decoder &decoder) {
  std::string_view operation = decoder.opcode().size() > 1 ? decoder.opcode()[1] : std::string_view();
  if (operation == "mma")
    return decodeProduct(decoder);
  if (operation == "ld" || operation == "st")
    return decodeMove(decoder, operation == "ld");
  if (operation == "commit")
    return decodeCommit(decoder);
  if (operation == "cp")
    return decodeCopy(decoder);
  if (operation == "alloc") {
    Instruction address;
    ptx::Space space = ptx::Space::Shared;
    decoder.address(decoder.operand(0), address, space);
    Slot columns = decoder.bits(1, 4);
    Instruction &made = decoder.emit(allocate);
    made.a = address.a, made.b = columns, made.immediate = address.immediate;
    made.small[3] = address.small[3];
    return !decoder.failed();
  }
  if (operation == "dealloc") {
    Slot address = decoder.bits(0, 4), columns = decoder.bits(1, 4);
    Instruction &made = decoder.emit(release);
    made.a = address, made.b = columns;
    return !decoder.failed();
  }
  if (operation == "wait::ld") {
    decoder.emit(waitForLoads);
    return true;
  }
  if (operation == "relinquish_alloc_permit" || operation.starts_with("wait::") || operation.starts_with("fence::")) {
    decoder.emit(nothing);
    return true;
  }
  return decoder.unknown();
}

} // namespace

void addTcgen05(DecodeTable &table) { table["tcgen05"] = decodeTcgen05; }

} // namespace triton::simulator
