// A module ready to run: decoded code, constants, and where variables lie.
//   In:  PTX text.
//   Out: what launches need of each kernel. Never changes afterwards but for the module's global variables, which kernels write.
#pragma once

#include "simulator/machine/Instruction.h"

#include <deque>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

namespace triton::simulator {

/// Special registers that a warp holds as ordinary ones, filled when it begins.
enum class Special : uint8_t {
  ThreadX,
  ThreadY,
  ThreadZ,
  ThreadsX,
  ThreadsY,
  ThreadsZ,
  BlockX,
  BlockY,
  BlockZ,
  BlocksX,
  BlocksY,
  BlocksZ,
  Lane,
  Warp,
  Warps,
  MaskEqual,
  MaskLess,
  MaskLessEqual,
  MaskGreater,
  MaskGreaterEqual,
  Multiprocessor,
  Multiprocessors,
  ClusterX,
  ClusterY,
  ClusterZ,
  ClustersX,
  ClustersY,
  ClustersZ,
  ClusterBlockX,
  ClusterBlockY,
  ClusterBlockZ,
  ClusterBlocksX,
  ClusterBlocksY,
  ClusterBlocksZ,
  ClusterRank,
  ClusterRanks,
  GridNumber,
  SharedBytes,
  TotalSharedBytes,
  WarpSize,
  IsExplicitCluster,
  Count,
};

struct KernelParameter {
  uint32_t offset, bytes;
};

struct Kernel {
  std::string name;
  uint32_t entry = 0; // index into the code
  std::vector<KernelParameter> parameters;
  uint32_t parameterBytes = 0;
  uint32_t requiredThreads = 0, maxThreads = 0, clusterSize = 0, maxRegisters = 0;
  uint32_t registers32 = 0; // declared, in units of 32 bits
};

struct Program {
  std::unique_ptr<const ptx::Module> syntax; // names point into it
  unsigned capability = 0;                   // 90 for sm_90a
  unsigned lanes = laneCount;                // of a warp
  LaneMask allOf() const { return ~LaneMask(0) >> (64 - lanes); }
  std::vector<std::string> files; // of the kernel's source, by the numbers that places have
  std::vector<Instruction> code;
  std::vector<Kernel> kernels;
  // The first predicates of every warp: false, true, and the carry flag.
  static constexpr uint32_t carryPredicate = 2;
  uint32_t registerBytes = 0, predicateCount = 3; // of a warp
  uint32_t localBytes = 0;                        // of a thread
  uint32_t staticSharedBytes = 0;                 // dynamic shared memory begins here, aligned
  uint32_t dynamicSharedAlignment = 16;
  std::vector<std::pair<Special, Slot>> specials; // used by the code
  struct Memory {                                 // .global and .const
    std::unique_ptr<std::byte[]> storage;
    std::byte *begin;
    uint64_t bytes;
  };
  std::unordered_map<std::string_view, Memory> variables;
  const std::byte *constantBytes() const { return reinterpret_cast<const std::byte *>(constants.data()); }

  // Registers that each instruction names, its destinations first: only in programs with wgmma or tcgen05.
  struct RegisterUse {
    uint32_t offset;
    bool isWritten;
  };
  std::vector<RegisterUse> registerUses;
  std::vector<std::pair<uint32_t, uint32_t>> usesOf;                    // by instruction: begin, end
  bool hasWgmma() const { return capability == 90 && !usesOf.empty(); } // which no other architecture has

  // Pools that instructions point into.
  struct alignas(64) Line {
    uint8_t bytes[64];
  };
  std::vector<Line> constants;
  std::deque<std::vector<Slot>> lists;
  std::vector<std::shared_ptr<const void>> details;

  const Kernel *find(std::string_view name) const;
  /// "kernel.py:12" or, without line information, "line 40 of the code".
  std::string describe(const Instruction &instruction) const;
};

struct Loaded {
  std::unique_ptr<Program> program; // null where `problem` is not empty
  std::string problem;              // "line 12: …"
};

Loaded load(std::string text);

} // namespace triton::simulator
