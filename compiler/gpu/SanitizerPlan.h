// What the concurrency sanitizer (instrumentation_mode "consan") tells apart, and where it keeps what it knows.
//   In:  GPU IR whose buffers have offsets and whose partitions have warps.
//   Out: attributes of the module, from which code is emitted; the CTA's slice of global scratch memory grows by the sanitizer's state.
// compiler/llvm/nvidia/ConcurrencySanitizer.h says what is checked.
#pragma once

#include "mlir/IR/BuiltinOps.h"

#include <optional>
#include <string>
#include <vector>

namespace triton::gpu {

/// Of modules whose copies by TMA are checked before they begin (instrumentation_mode "iisan").
inline constexpr llvm::StringLiteral instructionChecksName = "ttg.iisan";
/// Of modules whose accesses of global memory are watched (instrumentation_mode "gsan"): how many programs.
inline constexpr llvm::StringLiteral globalChecksName = "ttg.gsan";

struct SanitizerPlan {
  std::vector<int32_t>
      cuts; // ascending; between two of them lies a buffer, or nothing: bytes of shared memory, then columns of tensor memory
  std::vector<int32_t> barriers; // offsets of mbarriers in shared memory, ascending
  int32_t actors = 1;            // the kernel's own warps, and each partition of the op that has most of them
  int32_t offset = 0;            // of the state in the CTA's slice

  /// Where columns of tensor memory are counted from.
  static constexpr int32_t firstColumn = 1 << 20;

  /// Of a module as it is. With more than one CTA, or more barriers than a word has bits, there is none, and `why` says so.
  static std::optional<SanitizerPlan> make(mlir::ModuleOp module, std::string &why);
  /// What is left on a module; nullopt: it is not sanitized.
  static std::optional<SanitizerPlan> of(mlir::ModuleOp module);
  static bool isOn(mlir::ModuleOp module);
  /// Also makes room for the state.
  void attachTo(mlir::ModuleOp module);
  /// Takes away what `attachTo` makes, but the room.
  static void detachFrom(mlir::ModuleOp module);

  // The state, in words of 32 bits.
  static constexpr int32_t lockWord = 0, activeWord = 1, columnsWord = 2,
                           waitingWord = 3; // columns: where tensor memory begins, for partitions
  static constexpr int32_t wordsOfBarrier = 4, wordsOfEvent = 4;
  int32_t barriersWord() const { return waitingWord + actors; }
  int32_t eventsWord() const { return barriersWord() + wordsOfBarrier * int32_t(barriers.size()); }
  /// Of a buffer: its last write, and of each actor the last read by its threads, and by what works for it.
  int32_t eventsOfBuffer() const { return 1 + 2 * actors; }
  int32_t events() const { return eventsOfBuffer() * int32_t(cuts.size()); }
  int32_t words() const { return eventsWord() + wordsOfEvent * events(); }
};

} // namespace triton::gpu
