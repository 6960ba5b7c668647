// What kernels note of themselves while they run: which of their scopes a warp, or a thread of the CPU, was in, and when.
//   In:  `proton.record`, as code for a GPU writes it to a buffer, or as code for the CPU calls `triton_record`.
//   Out: the parts that each unit was in, in the order they began.
//
// The buffer of a GPU, which is all zeros before the launch, has one slice for each CTA:
//   0   the number `recordsPreamble`, if the CTA ran
//   4   the CTA's number, its multiprocessor, the bytes of the slice's records, 4 bytes each
//   16  nanoseconds of the GPU when it began, its cycles then, 8 bytes each; 8 bytes are free
//   40  for each unit, how many records it wrote, 4 bytes
//   …   at a multiple of 8: for each unit an equal part of the records, of 8 bytes, the newest in place of the oldest where there are too many
// A record's first word is the end's mark (bit 31), the scope's number (bits 23 to 30) and bits 32 to 42 of the cycles; its second word bits 0 to 31.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace triton::runtime::profiler {

constexpr uint32_t recordsPreamble = 0xDEADBEEF, recordsHeaderBytes = 40;

/// A scope of a kernel, as one unit was in it. Times are of the unit's program: ticks of its clock since it began.
struct KernelPart {
  uint32_t scope; // an index into the names
  uint64_t begin, ticks;
  std::vector<uint32_t> outer; // scopes that it began in, outermost first
};

struct KernelUnit {
  uint64_t program = 0;
  uint32_t core = 0, warp = 0;
  uint64_t begin = 0; // nanoseconds of the device's clock
  std::vector<KernelPart> parts;
};

struct KernelRecords {
  std::vector<std::string> scopes; // names
  double nanosecondsPerTick = 1;
  std::vector<KernelUnit> units;
};

/// How records lie in a buffer.
struct RecordsLayout {
  uint32_t sliceBytes = 0;     // of one CTA
  std::vector<uint32_t> units; // the warps that write, in the order of their parts
  bool is32Bit = false;        // only the lower half of the cycles is there
};
/// Slices of CTAs that never ran are left out.
llvm::Expected<KernelRecords> readRecords(llvm::ArrayRef<uint8_t> buffer, const RecordsLayout &layout,
                                          std::vector<std::string> scopes, double nanosecondsPerTick);

/// Collects what programs on the CPU note. Several threads call it.
class HostRecorder {
public:
  HostRecorder();
  void record(const char *scope, bool isStart, uint64_t program);
  KernelRecords take();

private:
  struct Note {
    uint32_t scope;
    bool isStart;
    uint64_t ticks;
  };
  struct Unit {
    uint32_t core;
    std::vector<Note> notes;
  };
  std::mutex mutex;
  std::map<std::string, uint32_t> numbers;
  std::vector<std::string> scopes;
  std::map<uint64_t, Unit> units; // by program
  const uint64_t beginTicks, beginNanoseconds;
};

} // namespace triton::runtime::profiler
