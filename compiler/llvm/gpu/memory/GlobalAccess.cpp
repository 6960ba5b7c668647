#include "compiler/llvm/gpu/memory/GlobalAccess.h"

#include "compiler/gpu/AccessAnalysis.h"
#include "compiler/llvm/gpu/Packing.h"
#include "compiler/tensor/Tensor.h"

#include <map>

using namespace mlir;

namespace triton::simt {

llvm::Value *AccessGroup::address(Emitter &emitter) const {
  return offset ? emitter.builder.CreatePtrAdd(pointer, emitter.i64(offset)) : pointer;
}

/// The bits of an output that lanes, warps and CTAs set.
static int64_t threadBits(const layout::LinearLayout &map, unsigned output) {
  int64_t bits = 0;
  for (const layout::LinearLayout::Input &input : map.inputs())
    if (input.name != "register")
      for (const layout::Coordinates &basis : input.bases)
        bits |= basis[output];
  return bits;
}

AccessPlan planAccess(Emitter &emitter, Value pointers, Value mask, unsigned maxBytes) {
  Registers held(emitter.registers(pointers));
  auto type = dyn_cast<RankedTensorType>(pointers.getType());
  if (!type)
    return {1, {{0, 1, held[0], 0}}, {0}};
  auto pointee = cast<tensor::PointerType>(type.getElementType()).getPointeeType();
  unsigned bytes = storageBits(emitter.type(pointee)) / 8;
  unsigned width = std::min<unsigned>(emitter.access().vectorElements(pointers), held.size());
  width = std::min(width, std::max(maxBytes / bytes, 1u));
  if (mask)
    width = std::min(width, emitter.access().maskElements(mask));

  // The dimension along which most pointers count up: registers that differ only there, and only within a run, are a constant apart.
  // Runs of which a hint says so are not believed beyond one vector.
  const gpu::AccessFacts facts = emitter.provenAccess().of(pointers);
  unsigned along = 0;
  int64_t run = 1;
  for (unsigned dim = 0; dim < facts.rank(); ++dim)
    if (facts.dimensions[dim].contiguity > run)
      along = dim, run = facts.dimensions[dim].contiguity;
  const layout::LinearLayout &map = emitter.layout(type);
  int64_t movable = (run - 1) & ~threadBits(map, along);

  AccessPlan plan{width, {}, {}};
  std::map<std::vector<int64_t>, unsigned> holders;
  std::map<std::vector<int64_t>, std::pair<unsigned, int64_t>>
      leaders; // by place but for the movable bits: register, those bits
  for (unsigned reg = 0; reg < held.size(); ++reg) {
    layout::Coordinates place = map.apply({{"register", reg}});
    std::vector<int64_t> key(place.begin(), place.end());
    auto [holder, isNew] = holders.insert({key, reg});
    plan.holder.push_back(holder->second);
    if (!isNew || reg % width != 0)
      continue;
    int64_t moved = key[along] & movable;
    key[along] &= ~movable;
    auto [leader, isLeader] = leaders.insert({key, {reg, moved}});
    auto [leading, from] = leader->second;
    plan.groups.push_back({reg, width, held[leading], (moved - from) * int64_t(bytes)});
  }
  return plan;
}

llvm::Value *isWriter(Emitter &emitter, Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return emitter.writesElements(tensor);
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Value *isFirst = builder.CreateICmpEQ(emitter.threadId(), emitter.i32(0));
  if (emitter.numCtas() == 1)
    return isFirst;
  return builder.CreateAnd(isFirst, builder.CreateICmpEQ(emitter.ctaRank(), emitter.i32(0)));
}

llvm::Value *conjunction(Emitter &emitter, llvm::Value *a, llvm::Value *b) {
  if (!a || !b)
    return a ? a : b;
  return emitter.builder.CreateAnd(a, b);
}

} // namespace triton::simt
