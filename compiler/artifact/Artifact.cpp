#include "compiler/artifact/Artifact.h"

#include "llvm/Support/MathExtras.h"

using namespace triton::artifact;

const std::string *Artifact::stage(llvm::StringRef name) const {
  for (const StageOutput &output : stages)
    if (output.name == name)
      return &output.content;
  return nullptr;
}

/// Bytes that a value of a signature type takes in memory; its alignment is the same number, 64 at most.
static uint32_t sizeOf(llvm::StringRef type) {
  if (type.starts_with("*"))
    return 8;
  if (type == "nvTmaDesc")
    return 128;
  if (type == "i1" || type == "u1" || type == "B" || type.starts_with("fp8"))
    return 1;
  unsigned bits = 64;
  llvm::StringRef digits = type.drop_while([](char c) { return c < '0' || c > '9'; });
  digits.consumeInteger(10, bits);
  return bits / 8;
}

uint32_t triton::artifact::layOutArguments(std::vector<Argument> &arguments) {
  uint32_t end = 0;
  for (Argument &argument : arguments) {
    argument.size = sizeOf(argument.type);
    argument.offset = llvm::alignTo(end, std::min(argument.size, 64u));
    end = argument.offset + argument.size;
  }
  return end;
}
