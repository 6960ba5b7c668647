#include "simulator/watch/Registers.h"

#include <algorithm>

namespace triton::simulator {

void RegisterWatch::begin(const Instruction &instruction, const std::vector<Slot> &accumulators,
                          const std::vector<Slot> &sources, uint64_t group) {
  for (Slot slot : accumulators)
    uses[slot.code] = {group, &instruction, true};
  for (Slot slot : sources)
    if (!slot.isConstant())
      uses.try_emplace(slot.code, Use{group, &instruction, false});
}

void RegisterWatch::complete(uint64_t group) {
  std::erase_if(uses, [&](const auto &use) { return use.second.group < group; });
}

void RegisterWatch::fence() {
  changed.clear();
  hasFenced = true;
}

void RegisterWatch::noteChanges(const Program &program, const Instruction &instruction) {
  auto [begin, end] = program.usesOf[size_t(&instruction - program.code.data())];
  bool isChange = instruction.family != Family::Move;
  for (uint32_t index = begin; !isChange && index < end; ++index)
    isChange = !program.registerUses[index].isWritten && changed.contains(program.registerUses[index].offset);
  for (uint32_t index = begin; index < end; ++index)
    if (const Program::RegisterUse &use = program.registerUses[index]; use.isWritten) {
      if (isChange)
        changed.insert(use.offset);
      else
        changed.erase(use.offset);
    }
}

void RegisterWatch::checkFenced(Warp &warp, const Instruction &instruction, const std::vector<Slot> &accumulators,
                                const std::vector<Slot> &sources) {
  const char *problem = hasFenced ? nullptr : "wgmma without a wgmma.fence before it";
  for (const std::vector<Slot> *list : {&accumulators, &sources})
    for (Slot slot : *list)
      if (hasFenced && changed.erase(slot.code))
        problem = "wgmma takes a register that was written since the last wgmma.fence";
  hasFenced = true;
  if (problem)
    warp.cta.grid().report(warp, instruction, warp.path().mask, Finding::Kind::Race, problem, /*isFatal=*/false);
}

void RegisterWatch::check(Warp &warp, const Instruction &instruction) {
  const Program &program = warp.cta.grid().program;
  if (program.hasWgmma() && instruction.family != Family::Tensor)
    noteChanges(program, instruction);
  if (uses.empty())
    return;
  auto [begin, end] = program.usesOf[size_t(&instruction - program.code.data())];
  if (instruction.family == Family::Move) {
    auto source = begin + 1 < end ? uses.find(program.registerUses[begin + 1].offset) : uses.end();
    uint32_t target = begin < end ? program.registerUses[begin].offset : 0;
    if (source != uses.end())
      uses[target] = Use(source->second);
    else
      uses.erase(target);
    return;
  }
  for (uint32_t index = begin; index < end; ++index) {
    const Program::RegisterUse &touch = program.registerUses[index];
    auto found = uses.find(touch.offset);
    if (found == uses.end())
      continue;
    const Use &use = found->second;
    // Products go on with the same accumulators.
    bool isProduct = instruction.family == Family::Tensor && instruction.execute == use.product->execute;
    if (use.isWritten ? isProduct : !touch.isWritten)
      continue;
    warp.cta.grid().report(warp, instruction, warp.path().mask, Finding::Kind::Race,
                           std::string(touch.isWritten ? "write" : "read") +
                               " of a register that an asynchronous instruction (" + program.describe(*use.product) +
                               ") " + (use.isWritten ? "writes" : "reads") + ", before the wait for it",
                           /*isFatal=*/false);
    uses.erase(found);
    return;
  }
}

} // namespace triton::simulator
