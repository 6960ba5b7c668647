// MFMA and WMMA: which element a lane's registers hold, and the product.
//
// Sums are made as tensor cores' are here (../engines/MatrixProduct.h): exact products, added in 64-bit floats, rounded once.
#include "simulator/amdgcn/Decoder.h"
#include "simulator/amdgcn/Elements.h"
#include "simulator/engines/MatrixProduct.h"

#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using SimInstruction = simulator::Instruction;

enum class Operand : uint8_t { F16, BF16, F32, XF32, F64, Byte, SignedByte, UnsignedByte };

/// How registers and lanes hold a matrix.
enum class Holding : uint8_t { Mfma, Wmma1, Wmma2 };

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
  case Operand::SignedByte:
    return int8_t(bytes[index]);
  case Operand::UnsignedByte:
    return uint8_t(bytes[index]);
  }
  return 0;
}

/// The row of an operand that a lane holds a part of, and which of K its elements are.
void readOperand(const Warp &warp, const Product &product, const Slot *slots, const std::vector<unsigned> &bytes,
                 Operand operand, SmallFloat small, unsigned rows, std::vector<double> &into) {
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
    for (unsigned index = 0; index < count; ++index)
      into[(size_t(block) * rows + row) * product.k + group * count + index] =
          numberOf(gathered, index, operand, small);
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

/// `list`: results, A, B, C.
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
  readOperand(warp, product, a, product.bytesA, product.a, product.smallA, product.m, left);
  readOperand(warp, product, b, product.bytesB, product.b, product.smallB, product.n, right);
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

} // namespace

/// By the name: mfma.f32.32x32x8f16, mfma.f32.16x16x32.fp8.bf8, wmma.f32.16x16x16.f16, …
bool decodeMatrixProduct(Decoder &decoder, const llvm::CallInst &call) {
  llvm::StringRef whole = call.getCalledFunction()->getName(), name = whole;
  name.consume_front("llvm.amdgcn.");
  const bool isMfma = name.consume_front("mfma.");
  if (!isMfma)
    name.consume_front("wmma.");
  auto unknown = [&] { return decoder.fail("'" + whole + "' is not simulated"); };
  auto [result, rest] = name.split('.');
  Product product{};
  product.blocks = 1;
  if (rest.consumeInteger(10, product.m) || !rest.consume_front("x") || rest.consumeInteger(10, product.n) ||
      !rest.consume_front("x") || rest.consumeInteger(10, product.k))
    return unknown();
  rest.consume_front(".");
  auto [first, behind] = rest.split('.');
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
  product.result = result == "i32"    ? Leaf::Kind::Integer
                   : result == "f64"  ? Leaf::Kind::Double
                   : result == "f16"  ? Leaf::Kind::Half
                   : result == "bf16" ? Leaf::Kind::Brain
                                      : Leaf::Kind::Float;
  unsigned a = 0, b = 1, c = 2;
  if (isMfma) {
    product.holding = Holding::Mfma;
    if (product.m == 4)
      product.blocks = 16;
    else if (product.m * product.n * product.k > 32 * 32 * 64 || (product.m != 16 && product.m != 32))
      return unknown();
    for (unsigned index = 3; index < 6; ++index)
      if (decoder.immediate(call.getArgOperand(index)) != 0)
        return decoder.fail("broadcasts of '" + whole + "' are not simulated");
  } else if (product.a == Operand::SignedByte) { // signs are operands
    a = 1, b = 3, c = 4;
    product.a = decoder.immediate(call.getArgOperand(0)) ? Operand::SignedByte : Operand::UnsignedByte;
    product.b = decoder.immediate(call.getArgOperand(2)) ? Operand::SignedByte : Operand::UnsignedByte;
    product.saturates = decoder.immediate(call.getArgOperand(5));
  }
  for (const Leaf &leaf : decoder.leavesOf(call.getArgOperand(a)->getType()))
    product.bytesA.push_back(leaf.bytes());
  for (const Leaf &leaf : decoder.leavesOf(call.getArgOperand(b)->getType()))
    product.bytesB.push_back(leaf.bytes());
  unsigned bytes = 0;
  for (unsigned each : product.bytesA)
    bytes += each;
  const unsigned held = bytes * 8 / bitsOf(product.a); // elements of A in a lane
  if (!isMfma) {
    if (product.m != 16 || product.n != 16 || product.k != 16 || decoder.program.lanes != 32)
      return unknown();
    product.holding = held == 16 ? Holding::Wmma1 : Holding::Wmma2;
    if (product.result == Leaf::Kind::Half || product.result == Leaf::Kind::Brain) {
      product.resultStride = product.holding == Holding::Wmma1 ? 2 : 1;
      product.resultFirst = product.holding == Holding::Wmma1 && decoder.immediate(call.getArgOperand(3)) ? 1 : 0;
    }
  } else if (held * decoder.program.lanes != product.m * product.k * product.blocks) {
    return unknown();
  }
  Slots left = decoder.use(call.getArgOperand(a)), right = decoder.use(call.getArgOperand(b)),
        addend = decoder.use(call.getArgOperand(c)), list = decoder.define(call);
  product.results = unsigned(list.size());
  list.append(left);
  list.append(right);
  list.append(addend);
  SimInstruction &made = decoder.emit(multiplyMatrices, Family::Tensor);
  decoder.keep(made, list);
  made.details = decoder.keepDetails(std::move(product));
  return true;
}

} // namespace triton::simulator::amdgcn
