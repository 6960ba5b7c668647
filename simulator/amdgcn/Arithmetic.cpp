// What lanes compute for themselves: integers, floats, comparisons, casts, addresses, taking values apart; and LLVM's intrinsics for integers.
#include "simulator/amdgcn/Decoder.h"
#include "simulator/machine/Addresses.h"

#include "llvm/IR/GetElementPtrTypeIterator.h"
#include "llvm/IR/IntrinsicInst.h"
#include "llvm/IR/Operator.h"

#include <cmath>
#include <cstring>

namespace triton::simulator::amdgcn {

namespace {

using llvm::cast;
using llvm::dyn_cast;
using SimInstruction = simulator::Instruction;

template <typename T> using Wide = std::common_type_t<T, unsigned>; // arithmetic that wraps
template <typename T> constexpr unsigned bitsOf = 8 * sizeof(T);

// Integers

template <typename T> T divideSigned(T a, T b, bool wantsRest) {
  auto x = Signed<T>(a), y = Signed<T>(b);
  if (y == 0)
    return 0;
  if (y == -1)
    return wantsRest ? 0 : T(Wide<T>(0) - a);
  return T(wantsRest ? x % y : x / y);
}

Handler integerHandler(unsigned opcode, unsigned bytes) {
  using I = llvm::Instruction;
  switch (opcode) {
  case I::Add:
    return binaryInteger<[]<typename T>(T a, T b) { return T(Wide<T>(a) + b); }>(bytes);
  case I::Sub:
    return binaryInteger<[]<typename T>(T a, T b) { return T(Wide<T>(a) - b); }>(bytes);
  case I::Mul:
    return binaryInteger<[]<typename T>(T a, T b) { return T(Wide<T>(a) * b); }>(bytes);
  case I::And:
    return binaryInteger<[](auto a, auto b) { return a & b; }>(bytes);
  case I::Or:
    return binaryInteger<[](auto a, auto b) { return a | b; }>(bytes);
  case I::Xor:
    return binaryInteger<[](auto a, auto b) { return a ^ b; }>(bytes);
  case I::Shl:
    return binaryInteger<[]<typename T>(T a, T b) { return b < bitsOf<T> ? T(Wide<T>(a) << b) : T(0); }>(bytes);
  case I::LShr:
    return binaryInteger<[]<typename T>(T a, T b) { return b < bitsOf<T> ? T(a >> b) : T(0); }>(bytes);
  case I::AShr:
    return binaryInteger<[]<typename T>(T a, T b) { return T(Signed<T>(a) >> std::min<T>(b, bitsOf<T> - 1)); }>(bytes);
  case I::UDiv:
    return binaryInteger<[]<typename T>(T a, T b) { return b ? T(a / b) : T(0); }>(bytes);
  case I::URem:
    return binaryInteger<[]<typename T>(T a, T b) { return b ? T(a % b) : T(0); }>(bytes);
  case I::SDiv:
    return binaryInteger<[]<typename T>(T a, T b) { return divideSigned(a, b, false); }>(bytes);
  case I::SRem:
    return binaryInteger<[]<typename T>(T a, T b) { return divideSigned(a, b, true); }>(bytes);
  default:
    return nullptr;
  }
}

Handler floatHandler(unsigned opcode, Leaf::Kind kind) {
  using I = llvm::Instruction;
  switch (opcode) {
  case I::FAdd:
    return binaryFloat<[](auto a, auto b) { return a + b; }>(kind);
  case I::FSub:
    return binaryFloat<[](auto a, auto b) { return a - b; }>(kind);
  case I::FMul:
    return binaryFloat<[](auto a, auto b) { return a * b; }>(kind);
  case I::FDiv:
    return binaryFloat<[](auto a, auto b) { return a / b; }>(kind);
  case I::FRem:
    return binaryFloat<[]<typename T>(T a, T b) {
      if constexpr (std::is_same_v<T, double>)
        return std::fmod(a, b);
      else
        return std::fmod(float(a), float(b));
    }>(kind);
  default:
    return nullptr;
  }
}

bool decodeBinary(Decoder &decoder, const llvm::BinaryOperator &operation) {
  const unsigned opcode = operation.getOpcode();
  const Leaf leaf = decoder.leafOf(operation.getType());
  Slots a = decoder.use(operation.getOperand(0)), b = decoder.use(operation.getOperand(1)),
        d = decoder.define(operation);
  const bool isSigned =
      opcode == llvm::Instruction::SDiv || opcode == llvm::Instruction::SRem || opcode == llvm::Instruction::AShr;
  for (size_t index = 0; index < d.size(); ++index) {
    if (leaf.kind != Leaf::Kind::Integer) {
      decoder.emit(floatHandler(opcode, leaf.kind), Family::Float, d[index], a[index], b[index]);
      continue;
    }
    Slot left = isSigned ? decoder.signExtended(a[index], leaf) : a[index];
    Slot right = isSigned && opcode != llvm::Instruction::AShr ? decoder.signExtended(b[index], leaf) : b[index];
    decoder.emit(integerHandler(opcode, leaf.bytes()), Family::Integer, d[index], left, right);
    decoder.clearUpper(d[index], leaf);
  }
  return true;
}

// Comparisons

Handler compareIntegers(llvm::CmpInst::Predicate predicate, unsigned bytes) {
  using P = llvm::CmpInst;
  switch (predicate) {
  case P::ICMP_EQ:
    return binaryInteger<[](auto a, auto b) { return a == b; }, uint8_t>(bytes);
  case P::ICMP_NE:
    return binaryInteger<[](auto a, auto b) { return a != b; }, uint8_t>(bytes);
  case P::ICMP_ULT:
    return binaryInteger<[](auto a, auto b) { return a < b; }, uint8_t>(bytes);
  case P::ICMP_ULE:
    return binaryInteger<[](auto a, auto b) { return a <= b; }, uint8_t>(bytes);
  case P::ICMP_SLT:
    return binaryInteger<[]<typename T>(T a, T b) { return Signed<T>(a) < Signed<T>(b); }, uint8_t>(bytes);
  default: // ICMP_SLE: the others change their sides
    return binaryInteger<[]<typename T>(T a, T b) { return Signed<T>(a) <= Signed<T>(b); }, uint8_t>(bytes);
  }
}

Handler compareFloats(llvm::CmpInst::Predicate predicate, Leaf::Kind kind) {
  using P = llvm::CmpInst;
  switch (predicate) {
  case P::FCMP_OEQ:
    return binaryFloat<[](auto a, auto b) { return a == b; }, uint8_t>(kind);
  case P::FCMP_OGT:
    return binaryFloat<[](auto a, auto b) { return a > b; }, uint8_t>(kind);
  case P::FCMP_OGE:
    return binaryFloat<[](auto a, auto b) { return a >= b; }, uint8_t>(kind);
  case P::FCMP_OLT:
    return binaryFloat<[](auto a, auto b) { return a < b; }, uint8_t>(kind);
  case P::FCMP_OLE:
    return binaryFloat<[](auto a, auto b) { return a <= b; }, uint8_t>(kind);
  case P::FCMP_ONE:
    return binaryFloat<[](auto a, auto b) { return a < b || a > b; }, uint8_t>(kind);
  case P::FCMP_ORD:
    return binaryFloat<[](auto a, auto b) { return a == a && b == b; }, uint8_t>(kind);
  case P::FCMP_UNO:
    return binaryFloat<[](auto a, auto b) { return a != a || b != b; }, uint8_t>(kind);
  case P::FCMP_UEQ:
    return binaryFloat<[](auto a, auto b) { return !(a < b || a > b); }, uint8_t>(kind);
  case P::FCMP_UGT:
    return binaryFloat<[](auto a, auto b) { return !(a <= b); }, uint8_t>(kind);
  case P::FCMP_UGE:
    return binaryFloat<[](auto a, auto b) { return !(a < b); }, uint8_t>(kind);
  case P::FCMP_ULT:
    return binaryFloat<[](auto a, auto b) { return !(a >= b); }, uint8_t>(kind);
  case P::FCMP_ULE:
    return binaryFloat<[](auto a, auto b) { return !(a > b); }, uint8_t>(kind);
  case P::FCMP_UNE:
    return binaryFloat<[](auto a, auto b) { return !(a == b); }, uint8_t>(kind);
  case P::FCMP_TRUE:
    return binaryFloat<[](auto, auto) { return 1; }, uint8_t>(kind);
  default:
    return binaryFloat<[](auto, auto) { return 0; }, uint8_t>(kind);
  }
}

bool decodeComparison(Decoder &decoder, const llvm::CmpInst &comparison) {
  using P = llvm::CmpInst;
  const Leaf leaf = decoder.leafOf(comparison.getOperand(0)->getType());
  Slots a = decoder.use(comparison.getOperand(0)), b = decoder.use(comparison.getOperand(1)),
        d = decoder.define(comparison);
  P::Predicate predicate = comparison.getPredicate();
  if (leaf.kind == Leaf::Kind::Integer &&
      (predicate == P::ICMP_UGT || predicate == P::ICMP_UGE || predicate == P::ICMP_SGT || predicate == P::ICMP_SGE)) {
    predicate = P::getSwappedPredicate(predicate);
    std::swap(a, b);
  }
  for (size_t index = 0; index < d.size(); ++index) {
    if (leaf.kind != Leaf::Kind::Integer) {
      decoder.emit(compareFloats(predicate, leaf.kind), Family::Float, d[index], a[index], b[index]);
      continue;
    }
    const bool isSigned = predicate == P::ICMP_SLT || predicate == P::ICMP_SLE;
    decoder.emit(compareIntegers(predicate, leaf.bytes()), Family::Integer, d[index],
                 isSigned ? decoder.signExtended(a[index], leaf) : a[index],
                 isSigned ? decoder.signExtended(b[index], leaf) : b[index]);
  }
  return true;
}

// Casts

template <typename S> Handler resize(unsigned to, bool isSigned) {
  auto pick = [&]<typename D>(D) -> Handler {
    if (isSigned)
      return map<[](S value) { return D(Signed<D>(Signed<S>(value))); }, D, S>;
    return map<[](S value) { return D(value); }, D, S>;
  };
  return to == 1   ? pick(uint8_t())
         : to == 2 ? pick(uint16_t())
         : to == 4 ? pick(uint32_t())
         : to == 8 ? pick(uint64_t())
                   : pick(Wide128());
}
Handler resize(unsigned from, unsigned to, bool isSigned) {
  return from == 1   ? resize<uint8_t>(to, isSigned)
         : from == 2 ? resize<uint16_t>(to, isSigned)
         : from == 4 ? resize<uint32_t>(to, isSigned)
         : from == 8 ? resize<uint64_t>(to, isSigned)
                     : resize<Wide128>(to, isSigned);
}

/// To the nearest integer that there is, and 0 for what is no number.
template <typename D, typename F> D toInteger(F given) {
  const double value = std::trunc(double(given));
  if (std::isnan(value))
    return 0;
  using Limits = std::numeric_limits<D>;
  const double above = std::ldexp(1.0, Limits::digits); // the first that is too large
  if (value >= above)
    return Limits::max();
  if (value < double(Limits::min()))
    return Limits::min();
  return D(value);
}
template <typename F> Handler floatToInteger(unsigned bytes, bool isSigned) {
  auto pick = [&]<typename D>(D) -> Handler {
    if (isSigned)
      return map<[](F value) { return D(toInteger<Signed<D>, F>(value)); }, D, F>;
    return map<[](F value) { return toInteger<D, F>(value); }, D, F>;
  };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
                      : pick(uint64_t());
}
Handler floatToInteger(Leaf::Kind kind, unsigned bytes, bool isSigned) {
  return kind == Leaf::Kind::Half    ? floatToInteger<Half>(bytes, isSigned)
         : kind == Leaf::Kind::Brain ? floatToInteger<Brain>(bytes, isSigned)
         : kind == Leaf::Kind::Float ? floatToInteger<float>(bytes, isSigned)
                                     : floatToInteger<double>(bytes, isSigned);
}

/// Rounded once, also to 16 bits: what has more bits than a double has goes through an odd last one.
template <typename F, typename I> F fromInteger(I value) {
  if constexpr (std::is_same_v<F, float> || std::is_same_v<F, double>) {
    return F(value);
  } else if constexpr (sizeof(I) < 8) {
    return F(double(value));
  } else {
    const bool isNegative = value < 0;
    uint64_t magnitude = isNegative ? 0 - uint64_t(value) : uint64_t(value);
    if (magnitude >> 53)
      magnitude = (magnitude & ~uint64_t(0xFFF)) | uint64_t((magnitude & 0xFFF) != 0) << 12;
    return F(isNegative ? -double(magnitude) : double(magnitude));
  }
}
template <typename F> Handler integerToFloat(unsigned bytes, bool isSigned) {
  auto pick = [&]<typename I>(I) -> Handler {
    if (isSigned)
      return map<[](I value) { return fromInteger<F>(Signed<I>(value)); }, F, I>;
    return map<[](I value) { return fromInteger<F>(value); }, F, I>;
  };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
                      : pick(uint64_t());
}
Handler integerToFloat(Leaf::Kind kind, unsigned bytes, bool isSigned) {
  return kind == Leaf::Kind::Half    ? integerToFloat<Half>(bytes, isSigned)
         : kind == Leaf::Kind::Brain ? integerToFloat<Brain>(bytes, isSigned)
         : kind == Leaf::Kind::Float ? integerToFloat<float>(bytes, isSigned)
                                     : integerToFloat<double>(bytes, isSigned);
}

template <typename F> Handler resizeFloat(Leaf::Kind to) {
  constexpr auto convert = [](F value) {
    if constexpr (std::is_same_v<F, double>)
      return value;
    else
      return float(value);
  };
  return to == Leaf::Kind::Half    ? Handler(map<convert, Half, F>)
         : to == Leaf::Kind::Brain ? Handler(map<convert, Brain, F>)
         : to == Leaf::Kind::Float ? Handler(map<convert, float, F>)
                                   : Handler(map<convert, double, F>);
}
Handler resizeFloat(Leaf::Kind from, Leaf::Kind to) {
  return from == Leaf::Kind::Half    ? resizeFloat<Half>(to)
         : from == Leaf::Kind::Brain ? resizeFloat<Brain>(to)
         : from == Leaf::Kind::Float ? resizeFloat<float>(to)
                                     : resizeFloat<double>(to);
}

/// The same bits in other scalars: `list` holds the results, then the sources.
struct Regrouping {
  std::vector<unsigned> toBits, fromBits;
};
Step regroup(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  auto &form = *static_cast<const Regrouping *>(instruction.details);
  const Slot *sources = instruction.list + form.toBits.size();
  auto slotBytes = [](unsigned bits) {
    return bits <= 8 ? 1u : bits <= 16 ? 2u : bits <= 32 ? 4u : bits <= 64 ? 8u : 16u;
  };
  eachLane(mask, [&](unsigned lane) {
    uint8_t bytes[256] = {};
    unsigned at = 0; // bits
    for (size_t index = 0; index < form.fromBits.size(); ++index) {
      const unsigned bits = form.fromBits[index], width = slotBytes(bits);
      Wide128 value = 0;
      std::memcpy(&value, warp.in<std::byte>(sources[index]) + lane * width, width);
      if (bits % 8 == 0 && at % 8 == 0)
        std::memcpy(bytes + at / 8, &value, bits / 8);
      else
        for (unsigned bit = 0; bit < bits; ++bit)
          bytes[(at + bit) / 8] |= uint8_t((value >> bit & 1) << (at + bit) % 8);
      at += bits;
    }
    at = 0;
    for (size_t index = 0; index < form.toBits.size(); ++index) {
      const unsigned bits = form.toBits[index], width = slotBytes(bits);
      Wide128 value = 0;
      if (bits % 8 == 0 && at % 8 == 0)
        std::memcpy(&value, bytes + at / 8, bits / 8);
      else
        for (unsigned bit = 0; bit < bits; ++bit)
          value |= Wide128(bytes[(at + bit) / 8] >> (at + bit) % 8 & 1) << bit;
      std::memcpy(warp.out<std::byte>(instruction.list[index]) + lane * width, &value, width);
      at += bits;
    }
  });
  return Step::Next;
}
bool decodeBitcast(Decoder &decoder, const llvm::CastInst &conversion) {
  Slots sources = decoder.use(conversion.getOperand(0));
  Leaves from = decoder.leavesOf(conversion.getSrcTy()), to = decoder.leavesOf(conversion.getDestTy());
  if (from.size() == to.size()) {
    decoder.alias(conversion, sources);
    return true;
  }
  Regrouping form;
  unsigned total = 0;
  for (const Leaf &leaf : to)
    form.toBits.push_back(leaf.bits);
  for (const Leaf &leaf : from) {
    form.fromBits.push_back(leaf.bits);
    total += leaf.bits;
  }
  if (total > 2048)
    return decoder.fail("a bitcast of " + llvm::Twine(total) + " bits is not simulated");
  Slots list = decoder.define(conversion);
  list.append(sources);
  SimInstruction &made = decoder.emit(regroup, Family::Move);
  decoder.keep(made, list);
  made.details = decoder.keepDetails(std::move(form));
  return true;
}

bool decodeCast(Decoder &decoder, const llvm::CastInst &conversion) {
  using I = llvm::Instruction;
  const unsigned opcode = conversion.getOpcode();
  if (opcode == I::BitCast)
    return decodeBitcast(decoder, conversion);
  const Leaf from = decoder.leafOf(conversion.getSrcTy()), to = decoder.leafOf(conversion.getDestTy());
  Slots sources = decoder.use(conversion.getOperand(0));
  if (opcode == I::AddrSpaceCast) {
    const unsigned source = conversion.getSrcTy()->getPointerAddressSpace(),
                   target = conversion.getDestTy()->getPointerAddressSpace();
    if (from.bits == to.bits) {
      decoder.alias(conversion, sources);
      return true;
    }
    Slots d = decoder.define(conversion);
    decoder.emit(resize(from.bytes(), to.bytes(), false), Family::Conversion, d[0], sources[0]);
    if (target == 0)
      decoder.emit(binaryInteger<[](auto a, auto b) { return a | b; }>(8), Family::Integer, d[0], d[0],
                   decoder.constant(source == 3 ? sharedTag : localTag, 8));
    return true;
  }
  Slots d = decoder.define(conversion);
  for (size_t index = 0; index < d.size(); ++index) {
    Slot source = sources[index];
    switch (opcode) {
    case I::Trunc:
    case I::ZExt:
    case I::PtrToInt:
    case I::PtrToAddr:
    case I::IntToPtr:
      decoder.emit(resize(from.bytes(), to.bytes(), false), Family::Conversion, d[index], source);
      decoder.clearUpper(d[index], to);
      break;
    case I::SExt:
      decoder.emit(resize(from.bytes(), to.bytes(), true), Family::Conversion, d[index],
                   decoder.signExtended(source, from));
      decoder.clearUpper(d[index], to);
      break;
    case I::FPTrunc:
    case I::FPExt:
      decoder.emit(resizeFloat(from.kind, to.kind), Family::Conversion, d[index], source);
      break;
    case I::FPToSI:
    case I::FPToUI:
      decoder.emit(floatToInteger(from.kind, to.bytes(), opcode == I::FPToSI), Family::Conversion, d[index], source);
      decoder.clearUpper(d[index], to);
      break;
    case I::SIToFP:
    case I::UIToFP:
      decoder.emit(integerToFloat(to.kind, from.bytes(), opcode == I::SIToFP), Family::Conversion, d[index],
                   opcode == I::SIToFP ? decoder.signExtended(source, from) : source);
      break;
    default:
      return decoder.fail("this conversion is not simulated");
    }
  }
  return true;
}

// Addresses

template <typename T> Step addScaled(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const T *a = warp.in<T>(instruction.a), *b = warp.in<T>(instruction.b);
  T *d = warp.out<T>(instruction.d), factor = T(instruction.immediate);
  eachLane(mask, [&](unsigned lane) { d[lane] = a[lane] + b[lane] * factor; });
  return Step::Next;
}

bool decodeAddress(Decoder &decoder, const llvm::GetElementPtrInst &address) {
  if (address.getType()->isVectorTy())
    return decoder.fail("vectors of addresses are not simulated");
  const unsigned bits = decoder.layout.getIndexTypeSizeInBits(address.getType()), bytes = bits / 8;
  llvm::SmallMapVector<llvm::Value *, llvm::APInt, 4> parts;
  llvm::APInt offset(bits, 0);
  if (!cast<llvm::GEPOperator>(address).collectOffset(decoder.layout, bits, parts, offset))
    return decoder.fail("this address is not simulated");
  Slots base = decoder.use(address.getPointerOperand());
  if (base.size() != 1)
    return decoder.fail("addresses into buffers are not simulated");
  Slot d = decoder.defineScalar(address);
  decoder.emit(bytes == 4 ? addScaled<uint32_t> : addScaled<uint64_t>, Family::Integer, d, base[0],
               decoder.constant(uint64_t(offset.getSExtValue()), bytes));
  decoder.program.code.back().immediate = 1;
  for (auto &[value, scale] : parts) {
    const Leaf leaf = decoder.leafOf(value->getType());
    Slot index = decoder.signExtended(decoder.scalar(value), leaf);
    if (leaf.bytes() != bytes) {
      Slot wide = decoder.temporary(bytes);
      decoder.emit(resize(leaf.bytes(), bytes, true), Family::Conversion, wide, index);
      index = wide;
    }
    decoder.emit(bytes == 4 ? addScaled<uint32_t> : addScaled<uint64_t>, Family::Integer, d, d, index);
    decoder.program.code.back().immediate = scale.getSExtValue();
  }
  return true;
}

// Taking values apart

Handler selectOf(unsigned bytes) {
  auto pick = []<typename T>(T) -> Handler {
    return map<[](uint8_t condition, T a, T b) { return condition ? a : b; }, T, uint8_t, T, T>;
  };
  return bytes == 1   ? pick(uint8_t())
         : bytes == 2 ? pick(uint16_t())
         : bytes == 4 ? pick(uint32_t())
         : bytes == 8 ? pick(uint64_t())
                      : pick(Wide128());
}

bool decodeSelect(Decoder &decoder, const llvm::SelectInst &select) {
  Leaves leaves = decoder.leavesOf(select.getType());
  Slots condition = decoder.use(select.getCondition()), a = decoder.use(select.getTrueValue()),
        b = decoder.use(select.getFalseValue()), d = decoder.define(select);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(selectOf(leaves[index].bytes()), Family::Move, d[index], condition[condition.size() > 1 ? index : 0],
                 a[index], b[index]);
  return true;
}

/// An element whose number only lanes know; `list`: the elements. a: its number, in 64 bits.
template <typename T> Step pickElement(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint64_t *indices = warp.in<uint64_t>(instruction.a);
  eachLane(mask, [&](unsigned lane) {
    if (indices[lane] < instruction.listSize)
      warp.out<T>(instruction.d)[lane] = warp.in<T>(instruction.list[indices[lane]])[lane];
  });
  return Step::Next;
}
/// Likewise changed; `list`: the results, then the elements; b: the new one.
template <typename T> Step putElement(Warp &warp, const SimInstruction &instruction, LaneMask mask) {
  const uint64_t *indices = warp.in<uint64_t>(instruction.a);
  const unsigned count = instruction.listSize / 2;
  eachLane(mask, [&](unsigned lane) {
    for (unsigned index = 0; index < count; ++index)
      warp.out<T>(instruction.list[index])[lane] =
          warp.in<T>(indices[lane] == index ? instruction.b : instruction.list[count + index])[lane];
  });
  return Step::Next;
}
template <template <typename> typename Of> Handler byBytes(unsigned bytes) {
  return bytes == 1   ? Of<uint8_t>::handler
         : bytes == 2 ? Of<uint16_t>::handler
         : bytes == 4 ? Of<uint32_t>::handler
                      : Of<uint64_t>::handler;
}
template <typename T> struct PickElement {
  static constexpr Handler handler = pickElement<T>;
};
template <typename T> struct PutElement {
  static constexpr Handler handler = putElement<T>;
};
Slot wideIndex(Decoder &decoder, const llvm::Value *value) {
  const Leaf leaf = decoder.leafOf(value->getType());
  Slot wide = decoder.temporary(8);
  decoder.emit(resize(leaf.bytes(), 8, false), Family::Conversion, wide, decoder.scalar(value));
  return wide;
}

bool decodeExtractElement(Decoder &decoder, const llvm::ExtractElementInst &extract) {
  Slots elements = decoder.use(extract.getVectorOperand());
  if (auto *number = dyn_cast<llvm::ConstantInt>(extract.getIndexOperand())) {
    if (number->getZExtValue() >= elements.size())
      return decoder.fail("an element that the vector lacks");
    decoder.alias(extract, {elements[number->getZExtValue()]});
    return true;
  }
  Slot index = wideIndex(decoder, extract.getIndexOperand()), d = decoder.defineScalar(extract);
  SimInstruction &made = decoder.emit(byBytes<PickElement>(decoder.leafOf(extract.getType()).bytes()), Family::Move);
  made.a = index, made.d = d;
  decoder.keep(made, elements);
  return true;
}
bool decodeInsertElement(Decoder &decoder, const llvm::InsertElementInst &insert) {
  Slots elements = decoder.use(insert.getOperand(0));
  Slot value = decoder.scalar(insert.getOperand(1));
  if (auto *number = dyn_cast<llvm::ConstantInt>(insert.getOperand(2))) {
    if (number->getZExtValue() >= elements.size())
      return decoder.fail("an element that the vector lacks");
    elements[number->getZExtValue()] = value;
    decoder.alias(insert, elements);
    return true;
  }
  Slot index = wideIndex(decoder, insert.getOperand(2));
  Slots list = decoder.define(insert);
  list.append(elements);
  SimInstruction &made = decoder.emit(byBytes<PutElement>(decoder.leafOf(insert.getType()).bytes()), Family::Move);
  made.a = index, made.b = value;
  decoder.keep(made, list);
  return true;
}
bool decodeShuffle(Decoder &decoder, const llvm::ShuffleVectorInst &shuffle) {
  Slots a = decoder.use(shuffle.getOperand(0)), b = decoder.use(shuffle.getOperand(1)), picked;
  for (int from : shuffle.getShuffleMask())
    picked.push_back(from < 0 ? decoder.constant(0xA5A5A5A5A5A5A5A5, decoder.leafOf(shuffle.getType()).bytes())
                     : size_t(from) < a.size() ? a[size_t(from)]
                                               : b[size_t(from) - a.size()]);
  decoder.alias(shuffle, picked);
  return true;
}

/// Scalars before a part of an aggregate, and in it.
std::pair<size_t, size_t> rangeOf(Decoder &decoder, llvm::Type *type, llvm::ArrayRef<unsigned> indices) {
  size_t begin = 0;
  for (unsigned index : indices) {
    for (unsigned before = 0; before < index; ++before)
      begin += decoder.leavesOf(llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t(before))).size();
    type = llvm::GetElementPtrInst::getTypeAtIndex(type, uint64_t(index));
  }
  return {begin, decoder.leavesOf(type).size()};
}
bool decodeExtractValue(Decoder &decoder, const llvm::ExtractValueInst &extract) {
  auto [begin, count] = rangeOf(decoder, extract.getAggregateOperand()->getType(), extract.getIndices());
  Slots all = decoder.use(extract.getAggregateOperand());
  decoder.alias(extract, Slots(all.begin() + begin, all.begin() + begin + count));
  return true;
}
bool decodeInsertValue(Decoder &decoder, const llvm::InsertValueInst &insert) {
  auto [begin, count] = rangeOf(decoder, insert.getType(), insert.getIndices());
  Slots all = decoder.use(insert.getAggregateOperand()), part = decoder.use(insert.getInsertedValueOperand());
  std::copy(part.begin(), part.end(), all.begin() + begin);
  decoder.alias(insert, all);
  return true;
}

// Intrinsics of integers

/// Each scalar by itself: the handler of its bytes, with operands extended where signs matter.
template <Handler (*handlerOf)(unsigned), unsigned operands, bool isSigned, bool clears>
bool decodeEach(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getArgOperand(0)->getType());
  Slots sources[3];
  for (unsigned operand = 0; operand < operands; ++operand)
    sources[operand] = decoder.use(call.getArgOperand(operand));
  Slots d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index) {
    Slot given[3] = {};
    for (unsigned operand = 0; operand < operands; ++operand)
      given[operand] = isSigned ? decoder.signExtended(sources[operand][index], leaf) : sources[operand][index];
    decoder.emit(handlerOf(leaf.bytes()), Family::Integer, d[index], given[0], given[1], given[2]);
    if (clears)
      decoder.clearUpper(d[index], leaf);
  }
  return true;
}

/// Counted from the top, or turned round, within the bits that there are: at the top of the slot first.
template <Handler (*handlerOf)(unsigned), bool isOfTop> bool decodeBits(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getArgOperand(0)->getType());
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  const unsigned spare = 8 * leaf.bytes() - leaf.bits;
  for (size_t index = 0; index < d.size(); ++index) {
    Slot source = sources[index];
    if (spare && isOfTop) {
      Slot shifted = decoder.temporary(leaf.bytes());
      decoder.emit(integerHandler(llvm::Instruction::Shl, leaf.bytes()), Family::Integer, shifted, source,
                   decoder.constant(spare, leaf.bytes()));
      source = shifted;
    }
    decoder.emit(handlerOf(leaf.bytes()), Family::Integer, d[index], source);
    if (spare) // of zero: as many as there are bits
      decoder.emit(binaryInteger<[](auto a, auto b) { return std::min(a, b); }>(leaf.bytes()), Family::Integer,
                   d[index], d[index], decoder.constant(leaf.bits, leaf.bytes()));
  }
  return true;
}
Handler leadingZeros(unsigned bytes) {
  return unaryInteger<[](auto value) { return std::countl_zero(value); }>(bytes);
}
Handler trailingZeros(unsigned bytes) {
  return unaryInteger<[](auto value) { return std::countr_zero(value); }>(bytes);
}
Handler population(unsigned bytes) {
  return unaryInteger<[](auto value) { return std::popcount(value); }>(bytes);
}
template <typename T> T reverse(T value) {
  T turned = 0;
  for (unsigned bit = 0; bit < bitsOf<T>; ++bit)
    turned |= T((value >> bit & 1) << (bitsOf<T> - 1 - bit));
  return turned;
}
bool decodeReverse(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index) {
    decoder.emit(unaryInteger<[](auto value) { return reverse(value); }>(leaf.bytes()), Family::Integer, d[index],
                 sources[index]);
    if (leaf.isOdd())
      decoder.emit(integerHandler(llvm::Instruction::LShr, leaf.bytes()), Family::Integer, d[index], d[index],
                   decoder.constant(8 * leaf.bytes() - leaf.bits, leaf.bytes()));
  }
  return true;
}
Handler swapBytes(unsigned bytes) {
  return unaryInteger<[]<typename T>(T value) {
    T turned = 0;
    for (unsigned byte = 0; byte < sizeof(T); ++byte)
      turned |= T(T(value >> 8 * byte & 0xFF) << 8 * (sizeof(T) - 1 - byte));
    return turned;
  }>(bytes);
}

Handler smaller(unsigned bytes) {
  return binaryInteger<[](auto a, auto b) { return std::min(a, b); }>(bytes);
}
Handler larger(unsigned bytes) {
  return binaryInteger<[](auto a, auto b) { return std::max(a, b); }>(bytes);
}
Handler smallerSigned(unsigned bytes) {
  return binaryInteger<[]<typename T>(T a, T b) { return Signed<T>(a) < Signed<T>(b) ? a : b; }>(bytes);
}
Handler largerSigned(unsigned bytes) {
  return binaryInteger<[]<typename T>(T a, T b) { return Signed<T>(a) < Signed<T>(b) ? b : a; }>(bytes);
}
Handler magnitude(unsigned bytes) {
  return unaryInteger<[]<typename T>(T a) { return Signed<T>(a) < 0 ? T(Wide<T>(0) - a) : a; }>(bytes);
}
template <typename T> T funnel(T high, T low, T shift, bool isLeft) {
  shift %= bitsOf<T>;
  if (shift == 0)
    return isLeft ? high : low;
  return isLeft ? T(T(high << shift) | T(low >> (bitsOf<T> - shift)))
                : T(T(high << (bitsOf<T> - shift)) | T(low >> shift));
}
Handler funnelLeft(unsigned bytes) {
  return ternaryInteger<[](auto a, auto b, auto c) { return funnel(a, b, c, true); }>(bytes);
}
Handler funnelRight(unsigned bytes) {
  return ternaryInteger<[](auto a, auto b, auto c) { return funnel(a, b, c, false); }>(bytes);
}
Handler addSaturated(unsigned bytes) {
  return binaryInteger<[]<typename T>(T a, T b) {
    T sum = T(Wide<T>(a) + b);
    return sum < a ? T(~T(0)) : sum;
  }>(bytes);
}
Handler subtractSaturated(unsigned bytes) {
  return binaryInteger<[]<typename T>(T a, T b) { return a > b ? T(a - b) : T(0); }>(bytes);
}
template <bool adds> Handler saturatedSigned(unsigned bytes) {
  return binaryInteger<[]<typename T>(T a, T b) {
    Signed<T> result;
    bool isTooLarge = adds ? __builtin_add_overflow(Signed<T>(a), Signed<T>(b), &result)
                           : __builtin_sub_overflow(Signed<T>(a), Signed<T>(b), &result);
    if (isTooLarge)
      result = Signed<T>(a) < 0 ? std::numeric_limits<Signed<T>>::min() : std::numeric_limits<Signed<T>>::max();
    return T(result);
  }>(bytes);
}
Handler compareThreeWay(unsigned bytes, bool isSigned) {
  return isSigned ? binaryInteger<[]<typename T>(T a, T b) {
    return uint8_t((Signed<T>(a) > Signed<T>(b)) - (Signed<T>(a) < Signed<T>(b)));
  },
                                  uint8_t>(bytes)
                  : binaryInteger<[]<typename T>(T a, T b) { return uint8_t((a > b) - (a < b)); }, uint8_t>(bytes);
}
template <bool isSigned> bool decodeThreeWay(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getArgOperand(0)->getType()), to = decoder.leafOf(call.getType());
  Slots a = decoder.use(call.getArgOperand(0)), b = decoder.use(call.getArgOperand(1)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index) {
    Slot narrow = decoder.temporary(1);
    decoder.emit(compareThreeWay(leaf.bytes(), isSigned), Family::Integer, narrow,
                 isSigned ? decoder.signExtended(a[index], leaf) : a[index],
                 isSigned ? decoder.signExtended(b[index], leaf) : b[index]);
    decoder.emit(resize(1, to.bytes(), true), Family::Integer, d[index], narrow);
    decoder.clearUpper(d[index], to);
  }
  return true;
}

/// {result, whether it is another number than the true one}
template <unsigned opcode, bool isSigned> bool decodeOverflow(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getArgOperand(0)->getType());
  if (call.getArgOperand(0)->getType()->isVectorTy() || leaf.isOdd())
    return decoder.fail("this arithmetic is not simulated");
  Slot a = decoder.scalar(call.getArgOperand(0)), b = decoder.scalar(call.getArgOperand(1));
  Slots d = decoder.define(call);
  decoder.emit(integerHandler(opcode, leaf.bytes()), Family::Integer, d[0], a, b);
  decoder.emit(binaryInteger<[]<typename T>(T x, T y) {
                 using N = std::conditional_t<isSigned, Signed<T>, T>;
                 N result;
                 return opcode == llvm::Instruction::Add   ? __builtin_add_overflow(N(x), N(y), &result)
                        : opcode == llvm::Instruction::Sub ? __builtin_sub_overflow(N(x), N(y), &result)
                                                           : __builtin_mul_overflow(N(x), N(y), &result);
               },
                             uint8_t>(leaf.bytes()),
               Family::Integer, d[1], a, b);
  return true;
}

template <unsigned opcode> Handler reduceHandler(const Leaf &leaf) {
  return leaf.kind == Leaf::Kind::Integer ? integerHandler(opcode, leaf.bytes()) : floatHandler(opcode, leaf.kind);
}
/// All elements of a vector as one, from the first on; those of floats begin with their first operand.
template <unsigned opcode, bool hasStart> bool decodeReduction(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots elements = decoder.use(call.getArgOperand(hasStart ? 1 : 0));
  Slot d = decoder.defineScalar(call), sum = hasStart ? decoder.scalar(call.getArgOperand(0)) : elements[0];
  for (size_t index = hasStart ? 0 : 1; index < elements.size(); ++index) {
    decoder.emit(reduceHandler<opcode>(leaf), Family::Integer, d, sum, elements[index]);
    decoder.clearUpper(d, leaf);
    sum = d;
  }
  return true;
}
template <Handler (*handlerOf)(unsigned), bool isSigned>
bool decodeExtreme(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf leaf = decoder.leafOf(call.getType());
  Slots elements = decoder.use(call.getArgOperand(0));
  Slot d = decoder.defineScalar(call), best = elements[0];
  if (isSigned && leaf.isOdd())
    return decoder.fail("this reduction is not simulated");
  for (size_t index = 1; index < elements.size(); ++index) {
    decoder.emit(handlerOf(leaf.bytes()), Family::Integer, d, best, elements[index]);
    best = d;
  }
  return true;
}

template <bool isSigned> bool decodeSaturatedConversion(Decoder &decoder, const llvm::CallInst &call) {
  const Leaf from = decoder.leafOf(call.getArgOperand(0)->getType()), to = decoder.leafOf(call.getType());
  if (to.isOdd())
    return decoder.fail("this conversion is not simulated");
  Slots sources = decoder.use(call.getArgOperand(0)), d = decoder.define(call);
  for (size_t index = 0; index < d.size(); ++index)
    decoder.emit(floatToInteger(from.kind, to.bytes(), isSigned), Family::Conversion, d[index], sources[index]);
  return true;
}

bool decodeNothing(Decoder &, const llvm::CallInst &) { return true; }

} // namespace

bool decodeArithmetic(Decoder &decoder, const llvm::Instruction &instruction) {
  if (auto *binary = dyn_cast<llvm::BinaryOperator>(&instruction))
    return decodeBinary(decoder, *binary);
  if (auto *comparison = dyn_cast<llvm::CmpInst>(&instruction))
    return decodeComparison(decoder, *comparison);
  if (auto *conversion = dyn_cast<llvm::CastInst>(&instruction))
    return decodeCast(decoder, *conversion);
  if (auto *address = dyn_cast<llvm::GetElementPtrInst>(&instruction))
    return decodeAddress(decoder, *address);
  if (auto *select = dyn_cast<llvm::SelectInst>(&instruction))
    return decodeSelect(decoder, *select);
  if (auto *extract = dyn_cast<llvm::ExtractElementInst>(&instruction))
    return decodeExtractElement(decoder, *extract);
  if (auto *insert = dyn_cast<llvm::InsertElementInst>(&instruction))
    return decodeInsertElement(decoder, *insert);
  if (auto *shuffle = dyn_cast<llvm::ShuffleVectorInst>(&instruction))
    return decodeShuffle(decoder, *shuffle);
  if (auto *extract = dyn_cast<llvm::ExtractValueInst>(&instruction))
    return decodeExtractValue(decoder, *extract);
  if (auto *insert = dyn_cast<llvm::InsertValueInst>(&instruction))
    return decodeInsertValue(decoder, *insert);
  if (auto *freeze = dyn_cast<llvm::FreezeInst>(&instruction)) {
    decoder.alias(*freeze, decoder.use(freeze->getOperand(0)));
    return true;
  }
  if (instruction.getOpcode() == llvm::Instruction::FNeg) {
    const Leaf leaf = decoder.leafOf(instruction.getType());
    Slots sources = decoder.use(instruction.getOperand(0)), d = decoder.define(instruction);
    for (size_t index = 0; index < d.size(); ++index)
      decoder.emit(unaryInteger<[]<typename T>(T a) { return T(a ^ T(1) << (bitsOf<T> - 1)); }>(leaf.bytes()),
                   Family::Float, d[index], sources[index]);
    return true;
  }
  return false;
}

void addArithmetic(IntrinsicTable &table) {
  using namespace llvm::Intrinsic;
  using I = llvm::Instruction;
  table[smin] = decodeEach<smallerSigned, 2, true, true>;
  table[smax] = decodeEach<largerSigned, 2, true, true>;
  table[umin] = decodeEach<smaller, 2, false, false>;
  table[umax] = decodeEach<larger, 2, false, false>;
  table[llvm::Intrinsic::abs] = decodeEach<magnitude, 1, true, true>;
  table[fshl] = decodeEach<funnelLeft, 3, false, false>;
  table[fshr] = decodeEach<funnelRight, 3, false, false>;
  table[uadd_sat] = decodeEach<addSaturated, 2, false, false>;
  table[usub_sat] = decodeEach<subtractSaturated, 2, false, false>;
  table[sadd_sat] = decodeEach<saturatedSigned<true>, 2, false, false>;
  table[ssub_sat] = decodeEach<saturatedSigned<false>, 2, false, false>;
  table[scmp] = decodeThreeWay<true>;
  table[ucmp] = decodeThreeWay<false>;
  table[ctlz] = decodeBits<leadingZeros, true>;
  table[cttz] = decodeBits<trailingZeros, false>;
  table[ctpop] = decodeBits<population, false>;
  table[bitreverse] = decodeReverse;
  table[bswap] = decodeEach<swapBytes, 1, false, false>;
  table[uadd_with_overflow] = decodeOverflow<I::Add, false>;
  table[usub_with_overflow] = decodeOverflow<I::Sub, false>;
  table[umul_with_overflow] = decodeOverflow<I::Mul, false>;
  table[sadd_with_overflow] = decodeOverflow<I::Add, true>;
  table[ssub_with_overflow] = decodeOverflow<I::Sub, true>;
  table[smul_with_overflow] = decodeOverflow<I::Mul, true>;
  table[vector_reduce_add] = decodeReduction<I::Add, false>;
  table[vector_reduce_mul] = decodeReduction<I::Mul, false>;
  table[vector_reduce_and] = decodeReduction<I::And, false>;
  table[vector_reduce_or] = decodeReduction<I::Or, false>;
  table[vector_reduce_xor] = decodeReduction<I::Xor, false>;
  table[vector_reduce_fadd] = decodeReduction<I::FAdd, true>;
  table[vector_reduce_fmul] = decodeReduction<I::FMul, true>;
  table[vector_reduce_smin] = decodeExtreme<smallerSigned, true>;
  table[vector_reduce_smax] = decodeExtreme<largerSigned, true>;
  table[vector_reduce_umin] = decodeExtreme<smaller, false>;
  table[vector_reduce_umax] = decodeExtreme<larger, false>;
  table[fptosi_sat] = decodeSaturatedConversion<true>;
  table[fptoui_sat] = decodeSaturatedConversion<false>;
  for (ID id : {dbg_value, dbg_declare, dbg_label, lifetime_start, lifetime_end, assume, donothing,
                experimental_noalias_scope_decl, sideeffect})
    table[id] = decodeNothing;
}

} // namespace triton::simulator::amdgcn
