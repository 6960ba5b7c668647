// Everything that steers a compile. Filled by the surfaces (Python, C++, command line), hashed whole into the key; nothing below
// reads the environment.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace triton::driver {

struct Options {
  std::string backend = "cpu";         // a registered target
  std::string architecture = "native"; // cpu: an LLVM CPU name, "native", "x86-64-v3"; cuda: "sm_90a"
  int numWarps = 4, numCtas = 1, numStages = 3, warpSize = 32;
  bool debug = false;           // device_assert and overflow checks
  bool sanitizeOverflow = true; // effective with `debug`
  bool checkAccesses = false;   // cpu: report memory accesses to the runtime (TRITON_SANITIZE)
  bool enableFpFusion = true;   // a*b+c may become one fma
  bool allowNonConstexprGlobals = false;
  std::string defaultDotPrecision; // empty: the target's
  int maxRegisters = 0;            // of a thread (cuda); 0: as many as the assembler likes
  int ptxVersion = 0;              // 86 for 8.6 (cuda); 0: what the assembler reads
  bool flushDenormals = true;      // in libdevice (cuda)
  bool tensorMaps =
      false; // descriptors may be left to the copy engine (cuda): the launcher makes its maps and brings scratch
  bool lineInfo = true;      // source lines in the code (cuda)
  bool variableInfo = false; // where the kernel's variables are, for debuggers (cuda)
  bool waitAtEntry = true;   // kernels wait for those before them, so that launches may overlap (cuda, from sm_90 on)
  bool optimiseAssembly = true; // by the assembler; without it, the code is for debuggers (cuda)
  std::string assemblerPath;    // of ptxas (cuda); empty: look for it
  std::string linkerPath;       // of libnvJitLink, which assembles where there is no ptxas (cuda); empty: look for it
  std::string codeArchitecture; // that PTX is assembled for, where it is not `architecture` (cuda)
  std::string assemblerOptions; // further flags for ptxas, separated by spaces (cuda)
  std::vector<std::string> libraries;      // LLVM bitcode files with functions that kernels call (cuda)
  bool useWgmma = true, useTcgen05 = true; // products where the architecture has them (cuda)
  bool isGluon = false;                    // the kernel is in the language that has layouts (cuda)
  bool optimiseLlvm = true;                // false: no LLVM passes before the code generator
  std::vector<std::string> llvmFlags;      // boolean options of LLVM that are switched on: "disable-lsr"
  std::string llvmPlugin;                  // a library whose LLVM passes join the others

  /// A text that is equal for equal options.
  std::string key() const;
  /// What no target can compile with, under the name that users give it: "num_ctas must be 1, 2, 4, 8 or 16, got 0". Nullopt if all is well.
  std::optional<std::string> findFault() const;
};

/// What to show on the way, what to put in its place, how long to wait; not part of any key.
struct Inspection {
  bool emitAssembly = false; // also keep the `asm` stage, which costs a second run of the code generator
  bool verifyEachPass = false;
  bool keepSource = false;     // the stage `source`: the IR before any pass
  bool printLocations = false; // IR with the lines of the source that it comes from
  bool keepLocations = false;  // both, and the code's debug information too
  std::string printAfterAll;   // file that receives the IR after every pass that changed it; "-" is standard error
  std::string printAroundAll;  // file that receives the IR before every pass; "-" is standard error
  bool timePasses = false;     // prints to standard error what each pass took
  bool printLlvmAfterAll = false, timeLlvmPasses = false; // the same for LLVM's passes
  std::string machineIrFolder;                            // receives `<kernel>.mir` after instruction selection
  bool showWarnings = false, showRemarks = false;         // of passes, on standard error
  bool showOperations = false, showStackTraces = false;   // messages about IR say which op, and where in the compiler
  bool (*isInterrupted)() = nullptr; // asked now and then on the compiling thread; a yes ends the compile
  unsigned assemblerSeconds = 0;     // after which ptxas is given up (cuda); 0: as TRITON_PTXAS_TIMEOUT says
  /// `<this>.make_<stage>.repro.mlir` receives the IR and the passes of each pipeline before it runs; "-" is standard error.
  std::string reproducerPath;
  /// From this stage on, debug information is about the lines of its own text, which will be in this file.
  std::string locationStage, locationFile;
  /// stage -> text or bytes to go on with instead of what that stage made. For experiments by hand: no key knows of it.
  std::vector<std::pair<std::string, std::string>> replacements;

  /// Null if the stage's own output stands.
  const std::string *replacement(std::string_view stage) const;
};

} // namespace triton::driver
