// mma: a warp multiplies 16 (or 8) rows of A by 8 columns of B, all in registers.
//
// Fragments, with E elements in a register: lane 4i + j holds in register r
//   A   row i, or i + 8 if r is odd, and elements 4E (r / 2) + jE + e along K   (of 8 rows: element 4Er + jE + e)
//   B   column i, elements 4Er + jE + e along K
//   C   row i, or i + 8 if r / 2 is odd, column 2j + r % 2
// Of a sparse A the registers hold the elements that are not zero, half as many along K; Sparse.h says where they belong.
#include "simulator/arithmetic/Floats.h"
#include "simulator/engines/MatrixProduct.h"
#include "simulator/engines/Sparse.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <optional>

namespace triton::simulator {

namespace {

struct Product {
  unsigned m = 0, n = 0, k = 0;
  Element a = Element::F16, b = Element::F16, d = Element::F32, c = Element::F32;
  bool saturates = false;
  bool isXor = false;     // of bits: counts those that differ
  bool isInBytes = false; // kind::f8f6f4: elements of 4 and 6 bits have a byte each, those of 4 in its middle
  std::vector<Slot> result, left, right, addend;
  std::optional<Sparsity> sparsity; // of A
  // Of block scales:
  unsigned scales = 0;    // along K; 0: none
  bool isExponent = true; // ue8m0, else ue4m3
  Slot leftScale, rightScale, leftByte, leftThread, rightByte, rightThread;
};

unsigned storageBits(const Product &product, Element element) { return product.isInBytes ? 8 : bitsOf(element); }

double numberAt(const Product &product, Element element, uint32_t word, unsigned e) {
  uint32_t code = word >> (e * storageBits(product, element));
  if (product.isInBytes && element == Element::E2M1)
    code = code >> 2 & 15;
  return decodeElement(code, element);
}

/// `outer`: rows of A or columns of B; numbers[outer][depth].
void readOperand(const Warp &warp, const Product &product, Element element, const std::vector<Slot> &slots,
                 unsigned outer, unsigned depth, double *numbers) {
  bool hasHalves = outer == 16;
  unsigned inRegister = element == Element::F64 ? 1 : 32 / storageBits(product, element);
  for (unsigned r = 0; r < slots.size(); ++r) {
    unsigned rowOffset = hasHalves ? r % 2 * 8 : 0, first = (hasHalves ? r / 2 : r) * 4 * inRegister;
    for (unsigned lane = 0; lane < laneCount; ++lane) {
      double *at = numbers + (lane / 4 + rowOffset) * depth + first + lane % 4 * inRegister;
      if (element == Element::F64) {
        *at = warp.in<double>(slots[r])[lane];
        continue;
      }
      uint32_t word = warp.in<uint32_t>(slots[r])[lane];
      for (unsigned e = 0; e < inRegister; ++e)
        at[e] = numberAt(product, element, word, e);
    }
  }
}

/// body(lane, register, bit within it, row, column) for each element of an accumulator.
template <typename Body> void eachAccumulator(const Product &product, Element element, Body body) {
  bool isHalf = element == Element::F16;
  for (unsigned number = 0; number < product.m / 4; ++number)
    for (unsigned lane = 0; lane < laneCount; ++lane)
      body(lane, isHalf ? number / 2 : number, isHalf ? number % 2 * 16 : 0, lane / 4 + number / 2 * 8,
           lane % 4 * 2 + number % 2);
}

double scaleOf(const Product &product, uint32_t word, unsigned byte) {
  uint32_t code = word >> (8 * byte) & 0xFF;
  return decode(code, product.isExponent ? formatScaleE8M0 : formatScaleE4M3);
}

/// Scales of rows come from two lanes of a quad, chosen by the thread selector; those of columns from one. A lane's word holds `scales` of them, from the selected byte on.
void applyScales(const Warp &warp, const Product &product, double *a, double *b) {
  const uint32_t *left = warp.in<uint32_t>(product.leftScale), *right = warp.in<uint32_t>(product.rightScale);
  unsigned leftByte = warp.in<uint16_t>(product.leftByte)[0], leftThread = warp.in<uint16_t>(product.leftThread)[0];
  unsigned rightByte = warp.in<uint16_t>(product.rightByte)[0], rightThread = warp.in<uint16_t>(product.rightThread)[0];
  unsigned block = product.k / product.scales;
  for (unsigned row = 0; row < product.m; ++row)
    for (unsigned k = 0; k < product.k; ++k)
      a[row * product.k + k] *=
          scaleOf(product, left[row % 8 * 4 + leftThread % 2 * 2 + row / 8], (leftByte + k / block) & 3);
  for (unsigned column = 0; column < product.n; ++column)
    for (unsigned k = 0; k < product.k; ++k)
      b[column * product.k + k] *= scaleOf(product, right[column * 4 + rightThread % 4], (rightByte + k / block) & 3);
}

Step multiplyInRegisters(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Product &product = *static_cast<const Product *>(instruction.details);
  if (mask != allLanes) {
    warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Divergence,
                           "mma is executed by some lanes of a warp only", true);
    return Step::Blocked;
  }
  warp.cta.cluster.products += productsOf(product.a, product.m, product.n, product.k / (product.sparsity ? 2 : 1));
  constexpr unsigned maxDepth = 256;
  double a[16 * maxDepth], b[8 * maxDepth], transposed[8 * maxDepth], d[16 * 8];
  if (product.sparsity) {
    double packed[16 * maxDepth / 2];
    readOperand(warp, product, product.a, product.left, product.m, product.k / 2, packed);
    product.sparsity->spread(warp, packed, product.k, a);
  } else {
    readOperand(warp, product, product.a, product.left, product.m, product.k, a);
  }
  readOperand(warp, product, product.b, product.right, product.n, product.k, b);
  if (product.scales)
    applyScales(warp, product, a, b);
  eachAccumulator(product, product.c, [&](unsigned lane, unsigned r, unsigned bit, unsigned row, unsigned column) {
    Slot slot = product.addend[r];
    d[row * product.n + column] = product.c == Element::F64
                                      ? warp.in<double>(slot)[lane]
                                      : decodeElement(warp.in<uint32_t>(slot)[lane] >> bit, product.c);
  });
  if (product.d == Element::F64) { // a chain of multiply-adds
    for (unsigned row = 0; row < product.m; ++row)
      for (unsigned column = 0; column < product.n; ++column)
        for (unsigned k = 0; k < product.k; ++k)
          d[row * product.n + column] =
              std::fma(a[row * product.k + k], b[column * product.k + k], d[row * product.n + column]);
  } else {
    for (unsigned column = 0; column < product.n; ++column)
      for (unsigned k = 0; k < product.k; ++k)
        transposed[k * product.n + column] = (product.isXor ? -2 : 1) * b[column * product.k + k];
    if (product.isXor) // a xor b is a + b - 2ab
      for (unsigned row = 0; row < product.m; ++row)
        for (unsigned column = 0; column < product.n; ++column)
          for (unsigned k = 0; k < product.k; ++k)
            d[row * product.n + column] += a[row * product.k + k] + b[column * product.k + k];
    multiply(a, transposed, d, product.m, product.n, product.k);
  }
  eachAccumulator(product, product.d, [&](unsigned lane, unsigned r, unsigned bit, unsigned row, unsigned column) {
    double sum = d[row * product.n + column];
    if (product.d == Element::F64) {
      warp.out<double>(product.result[r])[lane] = sum;
      return;
    }
    uint32_t bits = encodeAccumulator(sum, product.d, product.saturates);
    uint32_t &word = warp.out<uint32_t>(product.result[r])[lane];
    word = product.d == Element::F16 ? (word & ~(0xFFFFu << bit)) | bits << bit : bits;
  });
  return Step::Next;
}

/// m16n8k16 -> 16, 8, 16.
bool readShape(std::string_view text, unsigned &m, unsigned &n, unsigned &k) {
  const char *at = text.data(), *end = at + text.size();
  for (auto [letter, number] : {std::pair('m', &m), std::pair('n', &n), std::pair('k', &k)}) {
    if (at == end || *at != letter)
      return false;
    auto read = std::from_chars(at + 1, end, *number);
    if (read.ec != std::errc())
      return false;
    at = read.ptr;
  }
  return at == end;
}

bool decodeMma(Decoder &decoder) {
  const auto &parts = decoder.opcode(); // mma sync aligned shape row col … d a b c …
  Product product;
  if (parts.size() < 8 || !decoder.has("row") || !decoder.has("col"))
    return decoder.unknown();
  bool isSparse = decoder.has("sp") || decoder.has("sp::ordered_metadata");
  std::vector<Element> elements;
  bool hasShape = false;
  for (std::string_view part : parts) {
    if (auto element = elementOf(part))
      elements.push_back(*element);
    hasShape |= part[0] == 'm' && readShape(part, product.m, product.n, product.k);
  }
  if (!hasShape || product.n != 8 || (product.m != 8 && product.m != 16) || product.k > 256 || elements.size() != 4)
    return decoder.unknown();
  product.d = elements[0], product.a = elements[1], product.b = elements[2], product.c = elements[3];
  product.saturates = decoder.has("satfinite");
  product.isXor = decoder.has("xor");
  product.isInBytes = decoder.has("kind::f8f6f4") || decoder.has("kind::mxf8f6f4");
  unsigned accumulator = product.d == Element::F64 ? 8 : 4, operand = product.a == Element::F64 ? 8 : 4;
  product.result = decoder.vector(decoder.operand(0), accumulator, /*isDestination=*/true);
  product.left = decoder.vector(decoder.operand(1), operand, /*isDestination=*/false);
  product.right = decoder.vector(decoder.operand(2), operand, /*isDestination=*/false);
  product.addend = decoder.vector(decoder.operand(3), accumulator, /*isDestination=*/false);
  auto registers = [&](unsigned outer, unsigned depth, Element element) {         // of an operand
    unsigned bits = element == Element::F64 ? 32 : storageBits(product, element); // one register an element
    return size_t(outer * depth * bits / 1024);
  };
  auto accumulators = [&](Element element) { return size_t(product.m / 4 / (element == Element::F16 ? 2 : 1)); };
  if (product.left.size() != registers(product.m, product.k / (isSparse ? 2 : 1), product.a) ||
      product.right.size() != registers(8, product.k, product.b) || product.result.size() != accumulators(product.d) ||
      product.addend.size() != accumulators(product.c))
    return decoder.unknown(); // shapes with other fragments, such as m8n8k4 of f16
  size_t next = 4;
  if (isSparse) {
    product.sparsity = Sparsity::decode(decoder, next, storageBits(product, product.a), product.k);
    next += 2;
    if (!product.sparsity)
      return false;
  }
  if (decoder.has("block_scale")) {
    for (unsigned count : {1, 2, 4})
      if (decoder.has("scale_vec::" + std::to_string(count) + "X"))
        product.scales = count;
    if (!product.scales) // the only one there is
      product.scales = decoder.has("kind::mxf4") ? 2 : decoder.has("kind::mxf8f6f4") ? 1 : 4;
    product.isExponent = !decoder.has("ue4m3");
    auto selectors = [&](size_t index, Slot &byte, Slot &thread) {
      std::vector<Slot> pair = decoder.vector(decoder.operand(index), 2, /*isDestination=*/false);
      if (pair.size() != 2)
        return decoder.fail("a scale of mma takes {byte, thread}");
      byte = pair[0], thread = pair[1];
      return true;
    };
    auto scale = [&](size_t index) { // a register, in braces or not
      std::vector<Slot> one = decoder.vector(decoder.operand(index), 4, /*isDestination=*/false);
      return one.size() == 1 ? one[0] : Slot{};
    };
    product.leftScale = scale(next);
    product.rightScale = scale(next + 2);
    if (!selectors(next + 1, product.leftByte, product.leftThread) ||
        !selectors(next + 3, product.rightByte, product.rightThread))
      return false;
  }
  Instruction &made = decoder.emit(multiplyInRegisters);
  made.details = decoder.keepDetails(std::move(product));
  return !decoder.failed();
}

} // namespace

void addMma(DecodeTable &table) { table["mma"] = decodeMma; }

} // namespace triton::simulator
