// Registers that wgmma still reads or writes, or tcgen05.ld writes: nobody may touch them before the wait.
//
// wgmma sees what other instructions wrote to its registers only behind a wgmma.fence, and needs one before the first.
//
// A `mov` of such a register is another name for it: loops carry accumulators that way, and assemblers remove it. Other products may go on with the same accumulators.
#pragma once

#include "simulator/machine/Machine.h"

#include <unordered_map>
#include <unordered_set>

namespace triton::simulator {

class RegisterWatch {
public:
  /// A product of this group begins.
  void begin(const Instruction &instruction, const std::vector<Slot> &accumulators, const std::vector<Slot> &sources,
             uint64_t group);
  /// Groups before this one are complete.
  void complete(uint64_t group);
  /// wgmma.fence.
  void fence();
  /// Whether wgmma may take these registers as they are; else a finding.
  void checkFenced(Warp &warp, const Instruction &instruction, const std::vector<Slot> &accumulators,
                   const std::vector<Slot> &sources);
  /// Before an instruction is executed.
  void check(Warp &warp, const Instruction &instruction);

private:
  struct Use {
    uint64_t group;
    const Instruction *product;
    bool isWritten; // an accumulator
  };
  void noteChanges(const Program &program, const Instruction &instruction);

  std::unordered_map<uint32_t, Use> uses; // by the register's offset
  std::unordered_set<uint32_t> changed;   // since the last fence, by other instructions than products
  bool hasFenced = false;
};

} // namespace triton::simulator
