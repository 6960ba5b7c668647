#include "dispatch/CodeArguments.h"

#include "dispatch/ScalarType.h"

#include "llvm/Support/MathExtras.h"

using namespace triton;

/// Bytes that a value of a signature type takes in memory; its alignment is the same number, 64 at most.
static uint32_t sizeOf(std::string_view type) {
  if (type == "nvTmaDesc")
    return 128;
  auto scalar = dispatch::scalarTypeByName(type);
  return scalar ? dispatch::bytesOf(*scalar) : 8; // an address
}

uint32_t dispatch::layOutArguments(std::vector<artifact::Argument> &arguments) {
  uint32_t end = 0;
  for (artifact::Argument &argument : arguments) {
    argument.size = sizeOf(argument.type);
    argument.offset = llvm::alignTo(end, std::min(argument.size, 64u));
    end = argument.offset + argument.size;
  }
  return end;
}
