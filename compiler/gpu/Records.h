// How the records of `proton.record` lie in the profiler's buffer: who writes them, how many fit. runtime/profiler/KernelRecords.h says what each byte is.
//   In:  a mode: "proton:buffer_size=4096:warps_per_unit=4:warps=0+4:clock32=1", in which all but the name may be missing.
//   Out: attributes of the module, from which code is emitted and launches allocate.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace triton::gpu {

struct RecordsPlan {
  unsigned warpsPerUnit = 1;  // that share the records of their first
  std::vector<int32_t> warps; // that write, ascending
  unsigned capacity = 0;      // records of each of them: a power of two; the newest take the place of the oldest
  bool is32Bit = false;       // only the lower half of the cycles is kept

  /// For a CTA of `numWarps`. Nullopt: the mode is none.
  static std::optional<RecordsPlan> parse(llvm::StringRef mode, unsigned numWarps);
  /// What is left on a module; nullopt: it has no records, or attributes that `attachTo` does not make.
  static std::optional<RecordsPlan> of(mlir::ModuleOp module);
  void attachTo(mlir::ModuleOp module) const;
  /// Takes away what `attachTo` makes, and the names of scopes.
  static void detachFrom(mlir::ModuleOp module);

  /// Where records begin in a CTA's slice: behind the header and the counts.
  unsigned recordsOffset() const { return (40 + 4 * unsigned(warps.size()) + 7) / 8 * 8; }
  unsigned recordBytes() const { return 8 * capacity * unsigned(warps.size()); }
  unsigned sliceBytes() const { return (recordsOffset() + recordBytes() + 127) / 128 * 128; }
};

inline constexpr llvm::StringLiteral profileScratchBytesName = "ttg.profile_scratch_memory_size";
inline constexpr llvm::StringLiteral profileScratchAlignmentName = "ttg.profile_scratch_memory_alignment";
/// On the module: the names of scopes. On a record: the index of its own.
inline constexpr llvm::StringLiteral recordScopesName = "proton.scopes", recordScopeName = "proton.scope";
/// More scopes have no numbers in a record.
inline constexpr unsigned maxRecordScopes = 256;

} // namespace triton::gpu
