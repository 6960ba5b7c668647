// PTX to machine code, by NVIDIA's assembler as a separate program.
//   In:  PTX text, an architecture.
//   Out: a cubin, and what the assembler says of it: registers, spills.
#pragma once

#include "compiler/gpu/Target.h"
#include "compiler/support/Interruption.h"
#include "compiler/support/SourceMap.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/Error.h"

#include <chrono>
#include <string>
#include <vector>

namespace triton::nvidia {

struct AssemblerOptions {
  gpu::Target target;
  std::string path; // of ptxas
  bool lineInfo = true;
  bool optimise = true; // without it, the code is for debuggers
  bool fuseMultiplyAdd = true;
  std::vector<std::string> extra; // further flags
  /// After which it is ended; 0: never. After a minute it says on standard error what is taking so long.
  std::chrono::seconds timeLimit{0};
  Interruption *interruption = nullptr; // ends it too
};

struct Assembled {
  std::string cubin;
  unsigned registers = 0, spillStores = 0, spillLoads = 0; // bytes of spills
  std::string log;                                         // all it printed
};

/// All that `path --version` prints, which names its build.
llvm::Expected<std::string> runForVersion(llvm::StringRef path);
/// "13.0" from that.
llvm::Expected<std::string> assemblerVersion(llvm::StringRef path, llvm::StringRef build);
/// The PTX version that an assembler of a CUDA release reads: 90 for 13.0, 88 for 12.9.
unsigned ptxVersionOf(llvm::StringRef cudaVersion);

/// The assembler's level of optimisation, 0 to 3: as the options wish; where they do not say 3, unless that would take minutes. What it takes grows
/// with the square, and faster, of what runs without a loop, most of all of accesses with a predicate. Such code is slow to fetch rather than to run, so that little is lost; loops that matter
/// are not that long.
unsigned optimisationLevel(llvm::StringRef ptx, const AssemblerOptions &options);

/// The failure of an assembler that says `message` and printed `log`: at the lines of the kernel that the lines of PTX come from which the log complains of.
llvm::Error assemblerError(std::string message, llvm::StringRef ptx, llvm::StringRef log);

/// What ptxas refuses is a PlacedError: its words, and a command that repeats it on a PTX file that was kept.
llvm::Expected<Assembled> assemble(llvm::StringRef ptx, const AssemblerOptions &options);

} // namespace triton::nvidia
