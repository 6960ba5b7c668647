#include "compiler/llvm/nvidia/dots/InstructionDescriptor.h"

using namespace mlir;
using namespace triton;
using namespace triton::nvidia;
using tensor::ScaleDotElemType;

llvm::StringRef nvidia::name(MmaKind kind) {
  static constexpr llvm::StringLiteral names[] = {"f16", "tf32", "f8f6f4", "i8", "mxf8f6f4", "mxf4", "mxf4nvf4"};
  return names[unsigned(kind)];
}

unsigned InstructionDescriptor::k() const {
  switch (kind) {
  case MmaKind::F16:
    return 16;
  case MmaKind::Tf32:
    return 8;
  case MmaKind::F8f6f4:
  case MmaKind::I8:
  case MmaKind::Mxf8f6f4:
    return 32;
  case MmaKind::Mxf4:
  case MmaKind::Mxf4nvf4:
    return 64;
  }
  return 0;
}

uint32_t InstructionDescriptor::encode() const {
  uint32_t word = a << 7 | b << 10 | uint32_t(aTransposed) << 15 | uint32_t(bTransposed) << 16 | (n >> 3) << 17;
  if (!isScaled())
    return word | result << 4 | (m >> 4) << 24;
  return word | bScale << 4 | uint32_t(hasExponentScales) << 23 | (m >> 4) << 24 | aScale << 29;
}

/// e4m3 is 0, e5m2 is 1, e2m1 is 5, as bytes.
static std::optional<unsigned> byteFormat(Type type) {
  if (isa<Float8E4M3FNType>(type))
    return 0;
  if (isa<Float8E5M2Type>(type))
    return 1;
  return std::nullopt;
}

std::optional<InstructionDescriptor> nvidia::describeDot(Type a, Type b, Type result) {
  InstructionDescriptor descriptor;
  bool isHalf = result.isF16();
  descriptor.result = isHalf ? 0 : 1;
  if (result.isInteger(32) && a.isInteger(8) && b.isInteger(8)) {
    descriptor.kind = MmaKind::I8;
    descriptor.result = 2;
    descriptor.a = descriptor.b = 1; // signed
    return descriptor;
  }
  if (!isHalf && !result.isF32())
    return std::nullopt;
  auto halfFormat = [](Type type) -> std::optional<unsigned> {
    return type.isF16() ? std::optional(0u) : type.isBF16() ? std::optional(1u) : std::nullopt;
  };
  if (a == b && halfFormat(a) && (a.isF16() || !isHalf)) {
    descriptor.a = descriptor.b = *halfFormat(a);
    return descriptor;
  }
  if (a.isF32() && b.isF32() && !isHalf) {
    descriptor.kind = MmaKind::Tf32;
    descriptor.a = descriptor.b = 2;
    return descriptor;
  }
  if (byteFormat(a) && byteFormat(b)) {
    descriptor.kind = MmaKind::F8f6f4;
    descriptor.a = *byteFormat(a);
    descriptor.b = *byteFormat(b);
    return descriptor;
  }
  return std::nullopt;
}

std::optional<InstructionDescriptor> nvidia::describeScaledDot(ScaleDotElemType aType, ScaleDotElemType bType,
                                                               int64_t block, bool hasExponentScales) {
  InstructionDescriptor descriptor;
  descriptor.hasExponentScales = hasExponentScales;
  bool isFp4 = aType == ScaleDotElemType::E2M1 && bType == ScaleDotElemType::E2M1;
  if (isFp4 && (block == 32 ? hasExponentScales : block == 16)) {
    descriptor.kind = block == 32 ? MmaKind::Mxf4 : MmaKind::Mxf4nvf4;
    descriptor.a = descriptor.b = 1;
    return descriptor;
  }
  auto format = [](ScaleDotElemType type) -> std::optional<unsigned> {
    return type == ScaleDotElemType::E4M3   ? std::optional(0u)
           : type == ScaleDotElemType::E5M2 ? std::optional(1u)
           : type == ScaleDotElemType::E2M1 ? std::optional(5u)
                                            : std::nullopt;
  };
  if (block != 32 || !hasExponentScales || !format(aType) || !format(bType))
    return std::nullopt;
  descriptor.kind = MmaKind::Mxf8f6f4;
  descriptor.a = *format(aType);
  descriptor.b = *format(bType);
  return descriptor;
}
