// NVIDIA's tools that code for its GPUs is made with besides the compiler: the assembler (ptxas, else libnvJitLink, else the driver when it loads PTX) and libdevice.
//   In:  options that may name them, and folders to look in; the environment, which nothing below the driver reads.
//   Out: where they are, the PTX they read, and which builds they are: a part of every key.
// All surfaces find their tools here.
#pragma once

#include "compiler/driver/Options.h"
#include "compiler/gpu/Target.h"
#include "compiler/llvm/nvidia/JitLink.h"

namespace triton::driver {

/// As the path of an assembler: none, as the simulator reads PTX. Meant too where `TRITON_SIMULATE` is set and no path is given.
inline constexpr llvm::StringLiteral simulatorName = "simulator";
/// Whether TRITON_SIMULATE names an architecture of a vendor ("sm", "gfx"): its kernels run in the process.
bool isSimulated(llvm::StringRef vendor);

struct Toolkit {
  std::string ptxas;                        // its path; empty: `jitLink`, else the driver
  const nvidia::JitLink *jitLink = nullptr; //
  unsigned ptxVersion = 86;                 // what the driver of a recent release reads
  std::string libdevice;                    // its path; empty: there is none, and most kernels do without
  std::string build;                        // of the assembler
  std::string problem; // why nothing can assemble PTX, and where it was looked for; empty: something can

  /// For code of `device`.
  static Toolkit find(const Options &options, const gpu::Target &device);
  /// Which builds they are. The driver's does not matter: what it is given is PTX.
  llvm::Expected<std::string> key() const;
};

/// A program of a CUDA toolkit ("cuobjdump"), in `folders`, in an installed toolkit, or on the PATH; empty if it is nowhere.
std::string findTool(llvm::StringRef name, llvm::ArrayRef<std::string> folders);

/// All that `path --version` prints, which names its build. Kept in the folder `records` for the next process, as starting a tool takes longer than a warm start
/// should; without such a folder, for this one.
llvm::Expected<std::string> toolBuild(const std::string &path, const std::string &records);

/// `TRITON_PTXAS_TIMEOUT`; 0 if it is not set.
llvm::Expected<unsigned> assemblerSecondsOfEnvironment();

} // namespace triton::driver
