// Registers that wgmma still reads or writes, or tcgen05.ld writes: nobody may touch them before the wait.
//
// A `mov` of such a register is another name for it: loops carry accumulators that way, and assemblers remove it. Other products may go on with the same accumulators.
#pragma once

#include "simulator/machine/Machine.h"

#include <unordered_map>

namespace triton::simulator {

class RegisterWatch {
public:
  /// A product of this group begins.
  void begin(const Instruction &instruction, const std::vector<Slot> &accumulators, const std::vector<Slot> &sources,
             uint64_t group);
  /// Groups before this one are complete.
  void complete(uint64_t group);
  /// Before an instruction is executed.
  void check(Warp &warp, const Instruction &instruction);

private:
  struct Use {
    uint64_t group;
    const Instruction *product;
    bool isWritten; // an accumulator
  };
  std::unordered_map<uint32_t, Use> uses; // by the register's offset
};

} // namespace triton::simulator
