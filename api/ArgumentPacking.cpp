#include "api/ArgumentPacking.h"

#include "llvm/ADT/APFloat.h"

#include <cstring>

using namespace triton;

void triton::packArgument(const Argument &argument, const artifact::Argument &slot, char *block) {
  uint64_t bits = 0;
  if (auto *value = std::get_if<bool>(&argument.content))
    bits = *value;
  else if (auto *value = std::get_if<int64_t>(&argument.content))
    bits = static_cast<uint64_t>(*value);
  else if (auto *value = std::get_if<uint64_t>(&argument.content))
    bits = *value;
  else if (auto *value = std::get_if<Argument::Pointer>(&argument.content))
    bits = reinterpret_cast<uint64_t>(value->address);
  bool isFloat = slot.type.starts_with("fp") || slot.type.starts_with("bf");
  if (isFloat) {
    auto *real = std::get_if<double>(&argument.content);
    double number = real ? *real : static_cast<double>(static_cast<int64_t>(bits));
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
