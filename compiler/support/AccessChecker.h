// Watches the memory accesses of one launch and says which of them cannot be meant (TRITON_SANITIZE).
//   In:  the tensors the launch was given, then every access of every program, one program after the other.
//   Out: for an access that is wrong, a text for the user: the place, the program, the element, the tensor.
// Wrong are: an access outside of its tensor, one where there is no memory, one at an address that is no multiple of its
// size, a read of memory that was made by `poison` and that nobody has written since, and two programs on one element, one
// of them writing, with nothing that orders them. Programs are ordered by atomics on single elements, as their `sem` says.
#pragma once

#include "compiler/support/MappedMemory.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace triton {

/// A tensor that a launch was given.
struct CheckedTensor {
  std::string name; // of the kernel's parameter
  std::string type; // "float32[1000, 3]"
  uint64_t address; // of its element [0, 0, …]
  unsigned elementBytes;
  llvm::SmallVector<int64_t> shape, strides; // in elements
};

/// An access in the kernel's source.
struct AccessSite {
  std::string place;                // "kernel.py:12:9", empty if not known
  std::string variable;             // that holds the pointers, if they have a name
  std::string tensor;               // the parameter the pointers come from; empty if that is not known
  bool isTrusted = false;           // the pointers may come from memory: one into no tensor may be right
  llvm::SmallVector<int64_t> shape; // of the block; empty for a scalar
};

struct Access {
  enum class Kind : uint8_t { Read, Write, Atomic };
  const AccessSite *site;
  Kind kind;
  bool acquires = false, releases = false; // of atomics on single elements, and volatile reads
  unsigned bytes;
  uint64_t address;
  int64_t element = 0; // in the block, counted row by row
  std::array<int32_t, 3> program;
};

class AccessChecker {
public:
  struct Options {
    bool address = true; // places and contents
    bool race = true;    // order between programs
  };
  explicit AccessChecker(Options options);
  ~AccessChecker();

  void add(CheckedTensor tensor);

  /// What is wrong with an access, which is about to happen; nullopt if it is fine.
  std::optional<std::string> check(const Access &access);

  /// Fills memory so that `check` knows it as never written. What is there then depends on the address, so that a copy counts as
  /// written.
  static void poison(void *data, uint64_t bytes);
  /// Bytes that somebody has written since: also those count as written that are what `poison` put there.
  static void markWritten(const void *data, uint64_t bytes);

private:
  /// What happened to an element. Programs and sites are numbers + 1; 0: none.
  struct Cell {
    uint32_t writer = 0, writeClock = 0, writeSite = 0;
    uint32_t reader = 0, readClock = 0, readSite = 0;
    bool isAtomicWrite = false;
  };
  /// Memory of one or several tensors that overlap, with the history of its elements.
  struct Region;
  using Clocks = llvm::DenseMap<uint32_t, uint32_t>; // by program

  struct Extent {
    uint64_t begin, end;
    bool contains(uint64_t address, unsigned bytes) const;
  };
  static Extent extentOf(const CheckedTensor &tensor);
  const CheckedTensor *find(uint64_t address, unsigned bytes) const;
  /// Which of the eight bytes at `word` nobody has written since `poison`, a bit for each.
  uint8_t unwrittenBytes(const CheckedTensor &tensor, uint64_t word) const;
  bool isUnwritten(const CheckedTensor &tensor, uint64_t address, unsigned bytes) const;
  void noteWritten(const CheckedTensor &tensor, uint64_t address, unsigned bytes);
  /// An access to no tensor, through a pointer that may be right.
  std::optional<std::string> checkElsewhere(const Access &access);
  std::optional<std::string> checkAddress(const Access &access, const CheckedTensor *&tensor);
  std::optional<std::string> checkOrder(const Access &access, const CheckedTensor &tensor);
  void enterProgram(const std::array<int32_t, 3> &program);
  void buildRegions();
  /// Whether what `program` did at `clock` comes before what the current program does.
  bool isOrdered(uint32_t program, uint32_t clock) const;
  uint32_t numberOf(const AccessSite *site);

  static std::string describe(const Access &access, llvm::StringRef does, llvm::StringRef object);
  static std::string elementOf(const CheckedTensor &tensor, uint64_t address);

  Options options;
  std::vector<CheckedTensor> tensors;
  std::vector<std::unique_ptr<Region>> regions; // by address
  std::vector<std::array<int32_t, 3>> programs;
  std::vector<const AccessSite *> sites;
  llvm::DenseMap<const AccessSite *, uint32_t> siteNumbers;
  llvm::DenseMap<uint64_t, uint8_t>
      partlyWritten; // words that this launch wrote less than four bytes of: what is left of `unwrittenBytes`
  MappedMemory mapped;
  Clocks clocks;                            // of the current program
  llvm::DenseMap<uint64_t, Clocks> release; // by the address of an atomic
};

} // namespace triton
