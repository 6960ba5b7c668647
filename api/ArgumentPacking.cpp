#include "api/ArgumentPacking.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace triton;

/// The bits of what is no floating-point number.
static uint64_t bitsOf(const triton_argument &argument) {
  switch (argument.kind) {
  case TRITON_ARGUMENT_BOOLEAN:
    return argument.value.integer != 0;
  case TRITON_ARGUMENT_INTEGER:
    return static_cast<uint64_t>(argument.value.integer);
  case TRITON_ARGUMENT_UNSIGNED:
    return argument.value.natural;
  case TRITON_ARGUMENT_POINTER:
    return reinterpret_cast<uint64_t>(argument.value.pointer);
  default:
    return 0;
  }
}

void triton::packArgument(const triton_argument &argument, const artifact::Argument &slot, char *block) {
  uint64_t bits = bitsOf(argument);
  bool isFloat = slot.type.starts_with("fp") || slot.type.starts_with("bf");
  if (isFloat) {
    double number =
        argument.kind == TRITON_ARGUMENT_REAL ? argument.value.real : static_cast<double>(static_cast<int64_t>(bits));
    llvm::APFloat converted(number);
    bool losesInfo = false;
    const llvm::fltSemantics &semantics = slot.type == "fp64"   ? llvm::APFloat::IEEEdouble()
                                          : slot.type == "fp16" ? llvm::APFloat::IEEEhalf()
                                          : slot.type == "bf16" ? llvm::APFloat::BFloat()
                                                                : llvm::APFloat::IEEEsingle();
    converted.convert(semantics, llvm::APFloat::rmNearestTiesToEven, &losesInfo);
    bits = converted.bitcastToAPInt().getZExtValue();
  }
  std::memcpy(block + slot.offset, &bits, slot.size); // little endian: the low bytes are the value
}
