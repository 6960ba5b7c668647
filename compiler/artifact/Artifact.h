// What a compile yields: every stage's text or binary, and what a launch needs to know.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace triton::artifact {

/// One run-time argument in the packed argument block (constexprs are baked in and do not appear).
struct Argument {
  std::string name; // of the parameter; `t.0` for an element of a tuple, `d.extent0` for a further part of a descriptor
  std::string type; // signature text: `*fp32`, `i32`
  uint32_t offset = 0;  // in the packed block
  uint32_t size = 0;    // in bytes
  bool isStored = true; // of a pointer or a descriptor: the kernel may store to what it leads to
};

/// How a tensor descriptor argument is to be made into a map of the copy engine (cuda).
struct TensorMap {
  int swizzle = 0;      // 0: none, 1: 32 bytes, 2: 64, 3: 128
  int elementBytes = 0; //
  int elementType = 0;  // in the numbers of tensormap.replace
  std::vector<int64_t> box;
};

struct StageOutput {
  std::string name;        // "ttir", "llir", "asm", "obj", "ptx", "cubin"
  std::string content;     // text, or bytes
  double microseconds = 0; // what it took to make
};

/// The value of an option; monostate: none is given.
using OptionValue = std::variant<std::monostate, bool, int64_t, std::string, std::vector<std::string>>;
using OptionValues = std::vector<std::pair<std::string, OptionValue>>;

/// An outer name that the kernel read, and what it was (compiler/frontend/Reads.h).
struct Read {
  unsigned function = 0;
  std::string name, answer;
};

/// What a kernel notes of itself for the profiler, in a buffer that its launch brings (cuda; runtime/profiler/KernelRecords.h).
struct Records {
  uint32_t sliceBytes = 0; // for each CTA; 0: it notes nothing
  std::vector<std::string> scopes;
  std::vector<uint32_t> warps; // that write
  bool is32Bit = false;        // cycles are cut to 32 bits
};

struct Artifact {
  std::string name;         // symbol of the kernel
  std::string hash;         // key of everything that went in
  std::string bundleKey;    // what a bundle has it under; empty: it is in none
  std::string backend;      // "cpu"
  std::string architecture; // "znver3"
  std::string device;       // that the code is for: `architecture`, or the one that PTX is assembled for
  int warpSize = 1;
  OptionValues options, settings; // that it was compiled with: of the launch, and the others
  std::vector<Read> reads;
  bool isPortable = false; // whether any host can look at the reads and tell that the kernel is still right
  std::string files;       // the program's files, where those prove it (FileHost::sourceKey); empty: they do not
  std::vector<StageOutput> stages;
  std::vector<Argument> arguments;
  /// One for each descriptor argument, without elements for those that are passed in parts; empty if all are.
  std::vector<TensorMap> tensorMaps;
  uint32_t argumentBytes = 0;
  uint64_t arenaBytes = 0; // scratch per worker thread (cpu)
  int numWarps = 4, numCtas = 1, numStages = 3;
  uint32_t sharedBytes = 0;
  uint32_t globalScratchBytes = 0, globalScratchAlignment = 1; // memory that a launch needs for each CTA (cuda)
  Records records;
  uint32_t registers = 0, spillBytes = 0; // of a thread, as the assembler reports them (cuda)
  bool waitsAtEntry = false;              // for the grids before it, so that its launch may overlap them (cuda)
  bool writesMessages = false;            // to a buffer that a launch brings as the profiler's (hip)
  bool waitsForPrograms = false;          // programs may wait for what others write (cpu)
  bool polls = false;       // programs ask, in loops that may never end by themselves, whether to stop (cpu)
  std::string assemblerLog; // all that it printed (cuda)

  /// Null if there is no such stage.
  const std::string *stage(llvm::StringRef name) const;
};

} // namespace triton::artifact
