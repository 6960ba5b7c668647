// MFMA and WMMA: which element a lane's registers hold, and the product; and small dots of each lane.
//
// Sums are made as tensor cores' are here (../engines/MatrixProduct.h): exact products, added in 64-bit floats, rounded once.
#include "simulator/amdgcn/Decoder.h"
#include "simulator/amdgcn/Elements.h"
#include "simulator/engines/MatrixProduct.h"

#include "llvm/IR/Constants.h"
#include "llvm/IR/IntrinsicsAMDGPU.h"

#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using SimInstruction = simulator::Instruction;

enum class Operand : uint8_t { F16, BF16, F32, XF32, F64, Byte, Nibble, SignedByte, UnsignedByte };

/// How registers and lanes hold a matrix.
enum class Holding : uint8_t { Mfma, Wmma1, Wmma2 };

/// The scales of an operand: of MFMA one byte of each lane, for its row and group; of WMMA all bytes of the lanes in one half of the wave.
struct Scales {
  unsigned bytes = 0;    // of the register; 0: there are none
  unsigned selected = 0; // MFMA: which byte; WMMA: which half
  bool isE4M3 = false;   // else exponents
};

struct Product {
  Holding holding;
  unsigned m, n, k, blocks = 1; // blocks: independent products, of the smallest MFMA
  Operand a, b;
  SmallFloat smallA = SmallFloat::E4M3, smallB = SmallFloat::E4M3;
  Leaf::Kind result = Leaf::Kind::Float; // Integer: of 32 bits
  unsigned resultStride = 1;             // WMMA version 1 with results of 16 bits: every other register
  unsigned resultFirst = 0;
  std::vector<unsigned> bytesA, bytesB; // of the registers' scalars
  unsigned results = 0;
  bool saturates = false;
  unsigned runA = 0,
           runB = 0; // neighbours along K in a lane, before the next group of lanes goes on; 0: all that it has
  Scales scalesA, scalesB;
  unsigned group = 32; // elements of one scale
};

unsigned bitsOf(Operand operand) {
  switch (operand) {
  case Operand::F64:
    return 64;
  case Operand::F32:
  case Operand::XF32:
    return 32;
  case Operand::F16:
  case Operand::BF16:
    return 16;
  case Operand::Nibble:
    return 4;
  default:
    return 8;
  }
}

double numberOf(const std::byte *bytes, unsigned index, Operand operand, SmallFloat small) {
  switch (operand) {
  case Operand::F64: {
    double value;
    std::memcpy(&value, bytes + 8 * index, 8);
    return value;
  }
  case Operand::F32:
  case Operand::XF32: {
    uint32_t bits;
    std::memcpy(&bits, bytes + 4 * index, 4);
    return std::bit_cast<float>(operand == Operand::XF32 ? bits & 0xFFFFE000 : bits);
  }
  case Operand::F16:
  case Operand::BF16: {
    uint16_t bits;
    std::memcpy(&bits, bytes + 2 * index, 2);
    return operand == Operand::F16 ? halfToFloat(bits) : brainToFloat(bits);
  }
  case Operand::Byte:
    return decodeSmall(uint8_t(bytes[index]), small);
  case Operand::Nibble:
    return decode(uint8_t(bytes[index / 2]) >> (index % 2 * 4) & 15, formatE2M1);
  case Operand::SignedByte:
    return int8_t(bytes[index]);
  case Operand::UnsignedByte:
    return uint8_t(bytes[index]);
  }
  return 0;
}

/// The row of an operand that a lane holds a part of, and which of K its elements are.
void readOperand(const Warp &warp, const Product &product, const Slot *slots, const std::vector<unsigned> &bytes,
                 Operand operand, SmallFloat small, unsigned rows, unsigned run, std::vector<double> &into) {
  const unsigned groups = product.holding == Holding::Wmma1 ? 1 : warp.lanes / (rows * product.blocks);
  const unsigned count = product.k / groups;
  into.assign(size_t(product.blocks) * rows * product.k, 0);
  std::byte gathered[128];
  for (unsigned lane = 0; lane < warp.lanes; ++lane) {
    unsigned at = 0;
    for (size_t index = 0; index < bytes.size(); ++index) {
      std::memcpy(gathered + at, warp.in<std::byte>(slots[index]) + lane * bytes[index], bytes[index]);
      at += bytes[index];
    }
    const unsigned row = lane % rows, block = product.blocks > 1 ? lane / rows : 0,
                   group = product.blocks > 1 || groups == 1 ? 0 : lane / rows;
    const unsigned length = run ? run : count;
    for (unsigned index = 0; index < count; ++index) {
      const unsigned depth = index % length + length * (group + groups * (index / length));
      into[(size_t(block) * rows + row) * product.k + depth] = numberOf(gathered, index, operand, small);
    }
  }
}

/// Multiplies the rows of an operand by the scales of their groups.
void scaleRows(const Warp &warp, const Product &product, const Scales &scales, Slot slot, unsigned rows,
               std::vector<double> &into) {
  const auto *words = warp.in<std::byte>(slot);
  for (unsigned row = 0; row < rows; ++row)
    for (unsigned depth = 0; depth < product.k; ++depth) {
      const unsigned group = depth / product.group;
      const bool isMfma = product.holding == Holding::Mfma;
      const unsigned lane = isMfma ? row + rows * group : row + 16 * scales.selected;
      const auto code = uint8_t(words[lane * scales.bytes + (isMfma ? scales.selected : group)]);
      into[size_t(row) * product.k + depth] *= scales.isE4M3 ? decodeSmall(code, SmallFloat::E4M3)
                                               : code == 255 ? std::nan("")
                                                             : std::ldexp(1.0, int(code) - 127);
    }
}

/// The row of the result that a register of a lane holds.
unsigned rowOf(const Warp &, const Product &product, unsigned reg, unsigned lane) {
  switch (product.holding) {
  case Holding::Mfma:
    if (product.blocks > 1)
      return reg;
    if (product.m == 32)
      return 8 * (reg / 4) + 4 * (lane / 32) + reg % 4;
    return product.result == Leaf::Kind::Double ? 4 * reg + lane / 16 : 4 * (lane / 16) + reg;
  case Holding::Wmma1:
    return 2 * reg + lane / 16;
  case Holding::Wmma2:
    return 8 * (lane / 16) + reg;
  }
  return 0;
}

/// `list`: results, A, B, C, scales of A and B if there are some.
Step multiplyMatrices(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto &product = *static_cast<const Product *>(instruction.details);
  if (mask != warp.full) {
    warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Divergence,
                           "a matrix instruction is reached by " + std::to_string(std::popcount(mask)) + " of " +
                               std::to_string(warp.lanes) + " lanes",
                           /*isFatal=*/true);
    return Step::Blocked;
  }
  const Slot *d = instruction.list, *a = d + product.results, *b = a + product.bytesA.size(),
             *c = b + product.bytesB.size();
  thread_local std::vector<double> left, right, turned, sums;
  readOperand(warp, product, a, product.bytesA, product.a, product.smallA, product.m, product.runA, left);
  readOperand(warp, product, b, product.bytesB, product.b, product.smallB, product.n, product.runB, right);
  if (product.scalesA.bytes) {
    const Slot *scales = c + product.results;
    scaleRows(warp, product, product.scalesA, scales[0], product.m, left);
    scaleRows(warp, product, product.scalesB, scales[1], product.n, right);
  }
  const unsigned m = product.m, n = product.n, k = product.k;
  const unsigned rows = product.results / product.resultStride;
  auto place = [&](unsigned reg, unsigned lane) {
    const unsigned block = product.blocks > 1 ? lane / n : 0;
    return (size_t(block) * m + rowOf(warp, product, reg, lane)) * n + lane % n;
  };
  sums.assign(size_t(product.blocks) * m * n, 0);
  for (unsigned reg = 0; reg < rows; ++reg) {
    const Slot slot = c[reg * product.resultStride + product.resultFirst];
    for (unsigned lane = 0; lane < warp.lanes; ++lane) {
      double &sum = sums[place(reg, lane)];
      switch (product.result) {
      case Leaf::Kind::Double:
        sum = warp.in<double>(slot)[lane];
        break;
      case Leaf::Kind::Float:
        sum = warp.in<float>(slot)[lane];
        break;
      case Leaf::Kind::Half:
        sum = halfToFloat(warp.in<uint16_t>(slot)[lane]);
        break;
      case Leaf::Kind::Brain:
        sum = brainToFloat(warp.in<uint16_t>(slot)[lane]);
        break;
      case Leaf::Kind::Integer:
        sum = int32_t(warp.in<uint32_t>(slot)[lane]);
        break;
      }
    }
  }
  turned.resize(size_t(n) * k);
  for (unsigned block = 0; block < product.blocks; ++block) {
    for (unsigned column = 0; column < n; ++column)
      for (unsigned depth = 0; depth < k; ++depth)
        turned[size_t(depth) * n + column] = right[(size_t(block) * n + column) * k + depth];
    multiply(left.data() + size_t(block) * m * k, turned.data(), sums.data() + size_t(block) * m * n, m, n, k);
  }
  for (unsigned reg = 0; reg < product.results; ++reg) {
    const bool isUsed = reg % product.resultStride == product.resultFirst;
    for (unsigned lane = 0; lane < warp.lanes; ++lane) {
      if (!isUsed) { // the half that the instruction leaves
        warp.out<uint16_t>(d[reg])[lane] = warp.in<uint16_t>(c[reg])[lane];
        continue;
      }
      const double sum = sums[place(reg / product.resultStride, lane)];
      switch (product.result) {
      case Leaf::Kind::Double:
        warp.out<double>(d[reg])[lane] = sum;
        break;
      case Leaf::Kind::Float:
        warp.out<float>(d[reg])[lane] = float(sum);
        break;
      case Leaf::Kind::Half:
        warp.out<Half>(d[reg])[lane] = Half(sum);
        break;
      case Leaf::Kind::Brain:
        warp.out<Brain>(d[reg])[lane] = Brain(sum);
        break;
      case Leaf::Kind::Integer:
        warp.out<uint32_t>(d[reg])[lane] = encodeAccumulator(sum, Element::S32, product.saturates);
        break;
      }
    }
  }
  return Step::Next;
}

/// f16, bf16, fp8, …, as names of intrinsics have it.
bool readType(llvm::StringRef name, Operand &operand, bool &isE5) {
  isE5 = name == "bf8";
  if (name == "f16")
    operand = Operand::F16;
  else if (name == "bf16")
    operand = Operand::BF16;
  else if (name == "f32")
    operand = Operand::F32;
  else if (name == "xf32")
    operand = Operand::XF32;
  else if (name == "f64")
    operand = Operand::F64;
  else if (name == "fp8" || name == "bf8")
    operand = Operand::Byte;
  else if (name == "i8" || name == "iu8")
    operand = Operand::SignedByte;
  else
    return false;
  return true;
}

/// A lane's own sum of two products: `list` is the result, pairs of A and B, and what is added.
template <double (*decode)(uint16_t)> Step dotOfPairs(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const Slot *d = instruction.list, *a = d + 1, *b = a + 2, *c = b + 2;
  eachLane(mask, [&](unsigned lane) {
    double sum = warp.in<float>(*c)[lane];
    for (unsigned each = 0; each < 2; ++each)
      sum += decode(warp.in<uint16_t>(a[each])[lane]) * decode(warp.in<uint16_t>(b[each])[lane]);
    warp.out<float>(*d)[lane] = float(sum);
  });
  return Step::Next;
}
double ofHalf(uint16_t bits) { return halfToFloat(bits); }
double ofBrain(uint16_t bits) { return brainToFloat(bits); }

/// Likewise of the four bytes with signs of a register.
Step dotOfBytes(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  eachLane(mask, [&](unsigned lane) {
    const uint32_t a = warp.in<uint32_t>(instruction.a)[lane], b = warp.in<uint32_t>(instruction.b)[lane];
    uint32_t sum = warp.in<uint32_t>(instruction.c)[lane];
    for (unsigned shift = 0; shift < 32; shift += 8)
      sum += uint32_t(int8_t(a >> shift) * int8_t(b >> shift));
    warp.out<uint32_t>(instruction.d)[lane] = sum;
  });
  return Step::Next;
}

template <Handler handler> bool decodePackedDot(Decoder &decoder, const llvm::CallInst &call) {
  if (decoder.immediate(call.getArgOperand(3)) != 0)
    return decoder.fail("'" + call.getCalledFunction()->getName() + "' that saturates is not simulated");
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)),
        c = decoder.use(call.getArgOperand(2)), list = decoder.define(call);
  SimInstruction &made = decoder.emit(handler, Family::Tensor);
  if (a.size() == 1) {
    made.d = list[0], made.a = a[0], made.b = b[0], made.c = c[0];
    return true;
  }
  list.append(a);
  list.append(b);
  list.append(c);
  decoder.keep(made, list);
  return true;
}

/// What instructions that take several formats call them; false if it is not simulated.
bool readFormat(int64_t format, Operand &operand, SmallFloat &small) {
  operand = format == 4 ? Operand::Nibble : Operand::Byte;
  small = format == 1 ? SmallFloat::E5M2 : SmallFloat::E4M3;
  return format == 0 || format == 1 || format == 4;
}

} // namespace

/// By the name: mfma.f32.32x32x8f16, mfma.f32.16x16x32.fp8.bf8, wmma.f32.16x16x16.f16, wmma.scale.f32.16x16x128.f8f6f4, …
bool decodeMatrixProduct(Decoder &decoder, const llvm::CallInst &call) {
  llvm::StringRef whole = call.getCalledFunction()->getName(), name = whole;
  name.consume_front("llvm.amdgcn.");
  const bool isMfma = name.consume_front("mfma.");
  if (!isMfma)
    name.consume_front("wmma.");
  auto unknown = [&] { return decoder.fail("'" + whole + "' is not simulated"); };
  const bool hasHalfGroups = name.consume_front("scale16."), hasScales = name.consume_front("scale.") || hasHalfGroups;
  auto [result, rest] = name.split('.');
  Product product{};
  product.blocks = 1;
  if (rest.consumeInteger(10, product.m) || !rest.consume_front("x") || rest.consumeInteger(10, product.n) ||
      !rest.consume_front("x") || rest.consumeInteger(10, product.k))
    return unknown();
  rest.consume_front(".");
  auto [first, behind] = rest.split('.');
  auto number = [&](unsigned index) { return decoder.immediate(call.getArgOperand(index)); };
  const bool isWide = !isMfma && product.k != 16; // WMMA of version 3
  unsigned a = 0, b = 1, c = 2;
  Slots scales;
  if (hasScales) {
    if (first != "f8f6f4" || product.m != product.n)
      return unknown();
    const unsigned formatA = isMfma ? 3 : 0, formatB = isMfma ? 4 : 2;
    if (!readFormat(number(formatA), product.a, product.smallA) ||
        !readFormat(number(formatB), product.b, product.smallB))
      return unknown();
    if (!isMfma)
      a = 1, b = 3, c = 5;
    // A lane holds 16 bytes at a time.
    product.runA = product.a == Operand::Nibble ? 32 : 16, product.runB = product.b == Operand::Nibble ? 32 : 16;
    product.group = hasHalfGroups ? 16 : 32;
    const llvm::Value *ofA = call.getArgOperand(isMfma ? 6 : 8), *ofB = call.getArgOperand(isMfma ? 8 : 11);
    auto isZero = [](const llvm::Value *value) {
      auto *constant = llvm::dyn_cast<llvm::ConstantInt>(value);
      return constant && constant->isZero();
    };
    // LLVM takes the instruction without scales where both of an MFMA are the constant 0.
    if (!isMfma || !isZero(ofA) || !isZero(ofB)) {
      const unsigned bytes = hasHalfGroups ? 8 : 4;
      product.scalesA = {bytes, unsigned(number(isMfma ? 5 : 6)), !isMfma && number(7) == 2};
      product.scalesB = {bytes, unsigned(number(isMfma ? 7 : 9)), !isMfma && number(10) == 2};
      if (!isMfma && (number(7) == 1 || number(10) == 1))
        return decoder.fail("scales of '" + whole + "' in e5m3 are not simulated");
      scales = decoder.use(ofA);
      scales.append(decoder.use(ofB));
    }
  } else {
    bool isE5 = false, isOtherE5 = false;
    if (!readType(first, product.a, isE5))
      return unknown();
    product.b = product.a;
    isOtherE5 = isE5;
    if (Operand other; product.a == Operand::Byte) {
      if (!readType(behind.split('.').first, other, isOtherE5))
        return unknown();
    }
    const bool isFnuz = decoder.architecture.isFnuz;
    product.smallA = smallFloat(isE5, isFnuz), product.smallB = smallFloat(isOtherE5, isFnuz);
    if (product.a == Operand::SignedByte && !isMfma) { // signs are operands
      a = 1, b = 3, c = 4;
      product.a = number(0) ? Operand::SignedByte : Operand::UnsignedByte;
      product.b = number(2) ? Operand::SignedByte : Operand::UnsignedByte;
      product.saturates = number(isWide ? 7 : 5);
    } else if (isWide) { // negations of matrices, of which bytes have that of C alone
      const bool areBytes = product.a == Operand::Byte;
      if (!areBytes)
        a = 1, b = 3, c = 5;
      else
        c = 3;
      if (number(areBytes ? 2 : 4) != 0 || (!areBytes && (number(0) != 0 || number(2) != 0)))
        return decoder.fail("negations of '" + whole + "' are not simulated");
    }
    if (isWide)
      product.runA = product.runB = product.a == Operand::F32 ? 2 : 8;
  }
  product.result = result == "i32"    ? Leaf::Kind::Integer
                   : result == "f64"  ? Leaf::Kind::Double
                   : result == "f16"  ? Leaf::Kind::Half
                   : result == "bf16" ? Leaf::Kind::Brain
                                      : Leaf::Kind::Float;
  if (isMfma) {
    product.holding = Holding::Mfma;
    if (product.m == 4)
      product.blocks = 16;
    else if (product.m * product.n * product.k > 32 * 32 * 64 || (product.m != 16 && product.m != 32))
      return unknown();
    for (unsigned index = 3; index < 6 && !hasScales; ++index)
      if (number(index) != 0)
        return decoder.fail("broadcasts of '" + whole + "' are not simulated");
  }
  auto elementsOf = [&](unsigned operand, Operand kind, std::vector<unsigned> &bytes) {
    unsigned sum = 0;
    for (const Leaf &leaf : decoder.leavesOf(call.getArgOperand(operand)->getType())) {
      bytes.push_back(leaf.bytes());
      sum += leaf.bytes();
    }
    return sum * 8 / bitsOf(kind);
  };
  const unsigned held = elementsOf(a, product.a, product.bytesA), heldB = elementsOf(b, product.b, product.bytesB);
  if (!isMfma) {
    if (product.m != 16 || product.n != 16 || decoder.program.lanes != 32)
      return unknown();
    product.holding = held == product.k ? Holding::Wmma1 : Holding::Wmma2;
    if (product.result == Leaf::Kind::Half || product.result == Leaf::Kind::Brain) {
      product.resultStride = product.holding == Holding::Wmma1 ? 2 : 1;
      product.resultFirst = product.holding == Holding::Wmma1 && number(3) ? 1 : 0;
    }
  }
  const unsigned copies = product.holding == Holding::Wmma1 ? 2 : 1;
  if (held * decoder.program.lanes != product.m * product.k * product.blocks * copies || heldB != held)
    return unknown();
  Slots left = decoder.use(call.getArgOperand(a)), right = decoder.use(call.getArgOperand(b)),
        addend = decoder.use(call.getArgOperand(c)), list = decoder.define(call);
  product.results = unsigned(list.size());
  list.append(left);
  list.append(right);
  list.append(addend);
  list.append(scales);
  SimInstruction &made = decoder.emit(multiplyMatrices, Family::Tensor);
  decoder.keep(made, list);
  made.details = decoder.keepDetails(std::move(product));
  return true;
}

void addPackedDots(IntrinsicTable &table) {
  namespace I = llvm::Intrinsic;
  table[I::amdgcn_fdot2] = decodePackedDot<dotOfPairs<ofHalf>>;
  table[I::amdgcn_fdot2_f32_bf16] = decodePackedDot<dotOfPairs<ofBrain>>;
  table[I::amdgcn_sdot4] = decodePackedDot<dotOfBytes>;
}

} // namespace triton::simulator::amdgcn
