// PTX to machine code inside this process, by NVIDIA's libnvJitLink: where there is no ptxas. It is opened when it is first needed.
//   In:  PTX text, an architecture.
//   Out: a cubin.
#pragma once

#include "compiler/llvm/nvidia/Ptxas.h"

namespace triton::nvidia {

class JitLink {
public:
  /// Opens the library at `path`, or by a name that the system's linker knows. Kept for the life of the process.
  static llvm::Expected<const JitLink *> open(llvm::StringRef path);

  /// The CUDA release it belongs to: "13.0".
  std::string version() const;
  /// An address in the library, by which its build can be told.
  const void *address() const;
  /// `options.path` plays no part; what it cannot assemble is a PlacedError.
  llvm::Expected<Assembled> assemble(llvm::StringRef ptx, const AssemblerOptions &options) const;

private:
  struct Functions;
  const Functions *functions = nullptr;
};

/// Whether NVIDIA's driver can be opened, which translates PTX when it loads it.
bool driverIsPresent();

} // namespace triton::nvidia
