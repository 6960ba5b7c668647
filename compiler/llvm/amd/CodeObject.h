// What AMD's loaders take: a shared object made of one kernel's object file.
//   In:  an object of the assembler: code, kernel descriptors, a note with metadata, and one kind of relocation, from a descriptor to its code.
//   Out: an ELF file of type DYN with the same sections at addresses, symbols for the dynamic loader, and no relocation left.
// This is all of a linker that kernels need: AMD's is lld, which is nothing but a program where it is installed.
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <string>

namespace triton::amd {

/// Fails for an object with relocations of another kind: it is no kernel of ours.
llvm::Expected<std::string> linkCodeObject(llvm::StringRef object);

/// What the metadata of a code object says of its kernel.
struct KernelResources {
  std::string name;
  unsigned vectorRegisters = 0, scalarRegisters = 0, accumulatorRegisters = 0;
  unsigned spilledRegisters = 0;              // vector registers
  unsigned sharedBytes = 0, privateBytes = 0; // fixed parts: LDS, and scratch of a lane
  unsigned argumentBytes = 0;
};
llvm::Expected<KernelResources> readResources(llvm::StringRef codeObject);

} // namespace triton::amd
