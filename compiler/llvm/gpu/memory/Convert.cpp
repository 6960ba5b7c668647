// ttg.convert_layout, by its plan: renamed registers, shuffles between lanes, or shared memory (of the CTA or of the cluster) with a wait between the
// stores and the loads.
#include "compiler/llvm/gpu/memory/Convert.h"

#include "compiler/gpu/ExchangePlans.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include <map>

using namespace mlir;
using namespace triton;
using namespace triton::simt;
using layout::ConversionPlan;
using layout::LaneExchange;
using Kind = layout::ConversionPlan::Kind;

/// result[i] = values[i ^ (the XOR of `perLane` over the set bits of the lane)]: for each bit, registers change places in half of the lanes.
static Registers permute(Emitter &emitter, Registers values, llvm::ArrayRef<unsigned> perLane) {
  for (auto [bit, delta] : llvm::enumerate(perLane)) {
    if (!delta)
      continue;
    llvm::Value *isSet = emitter.builder.CreateICmpNE(
        emitter.builder.CreateAnd(emitter.laneId(), emitter.i32(1 << bit)), emitter.i32(0));
    Registers next;
    for (unsigned i = 0; i < values.size(); ++i)
      next.push_back(emitter.builder.CreateSelect(isSet, values[i ^ delta], values[i]));
    values = std::move(next);
  }
  return values;
}

/// Values of less than 32 bits side by side in words of 32, and back.
static llvm::Value *pack(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values) {
  llvm::IRBuilder<> &builder = emitter.builder;
  if (values.size() == 1)
    return values[0];
  unsigned bits = memoryBits(values[0]->getType());
  llvm::Value *vector = llvm::PoisonValue::get(llvm::FixedVectorType::get(builder.getIntNTy(bits), 32 / bits));
  for (unsigned i = 0; i < 32 / bits; ++i)
    vector = builder.CreateInsertElement(vector, toMemory(emitter, values[std::min<size_t>(i, values.size() - 1)]), i);
  return builder.CreateBitCast(vector, builder.getInt32Ty());
}

static llvm::Value *unpack(Emitter &emitter, llvm::Value *word, unsigned index, unsigned count, llvm::Type *type) {
  if (count == 1)
    return word;
  llvm::IRBuilder<> &builder = emitter.builder;
  unsigned bits = memoryBits(type);
  llvm::Value *vector = builder.CreateBitCast(word, llvm::FixedVectorType::get(builder.getIntNTy(bits), 32 / bits));
  return fromMemory(emitter, builder.CreateExtractElement(vector, index), type);
}

static Registers exchangeLanes(Emitter &emitter, const LaneExchange &exchange, llvm::ArrayRef<llvm::Value *> values) {
  // The choices of all rounds differ only in their base.
  const LaneExchange::Round &first = exchange.rounds[0];
  Registers offered = permute(emitter, Registers(values), first.offered.perLane);
  llvm::Type *type = values[0]->getType();
  unsigned perWord = std::max(1u, 32 / memoryBits(type));

  // What comes from one lane travels together, each register once.
  std::map<unsigned, llvm::SmallVector<unsigned>> byLane; // base of the source lane -> offered registers
  for (const LaneExchange::Round &round : exchange.rounds) {
    auto &registers = byLane[round.sourceLane.base];
    if (!llvm::is_contained(registers, round.offered.base))
      registers.push_back(round.offered.base);
  }
  std::map<std::pair<unsigned, unsigned>, llvm::Value *> taken; // by lane base and offered register
  layout::LinearLayout::Input lanes{"lane", {}};
  for (unsigned delta : first.sourceLane.perLane)
    lanes.bases.push_back({static_cast<int64_t>(delta)});
  bool isXor = llvm::all_of(llvm::enumerate(first.sourceLane.perLane),
                            [](auto each) { return each.value() == 1u << each.index(); });
  layout::LinearLayout laneMap({lanes}, {{"lane", int64_t(emitter.lanes())}});
  for (auto &[base, registers] : byLane) {
    llvm::Value *lane = nullptr;
    if (!isXor) {
      lane = emitter.applyThread(laneMap)[0];
      if (base)
        lane = emitter.builder.CreateXor(lane, emitter.i32(base));
    }
    for (size_t begin = 0; begin < registers.size(); begin += perWord) {
      auto group = llvm::ArrayRef(registers).slice(begin, std::min<size_t>(perWord, registers.size() - begin));
      llvm::SmallVector<llvm::Value *> parts;
      for (unsigned reg : group)
        parts.push_back(offered[reg]);
      llvm::Value *word = pack(emitter, parts);
      if (!isXor)
        word = emitter.shuffleIndex(word, lane);
      else if (base)
        word = emitter.shuffleXor(word, base);
      for (auto [index, reg] : llvm::enumerate(group))
        taken[{base, reg}] = unpack(emitter, word, index, group.size(), type);
    }
  }
  Registers result(exchange.rounds.size());
  for (const LaneExchange::Round &round : exchange.rounds)
    result[round.taken.base] = taken.at({round.sourceLane.base, round.offered.base});
  return permute(emitter, std::move(result), first.taken.perLane);
}

Registers triton::simt::convertRegisters(Emitter &emitter, const ConversionPlan &plan,
                                         llvm::ArrayRef<llvm::Value *> values,
                                         llvm::function_ref<llvm::Value *()> buffer) {
  switch (plan.kind) {
  case Kind::Registers: {
    Registers result;
    for (unsigned source : plan.renaming.sources)
      result.push_back(values[source]);
    return result;
  }
  case Kind::Lanes:
    return exchangeLanes(emitter, plan.exchange, values);
  case Kind::Shared: {
    llvm::Value *base = buffer();
    storeRegisters(emitter, {base}, plan.shared.store, values);
    emitter.sharedBarrier();
    return loadRegisters(emitter, {base}, plan.shared.load, values[0]->getType());
  }
  case Kind::Cluster: {
    SharedPlace place{buffer()};
    storeRegisters(emitter, place, plan.shared.store, values);
    clusterBarrier(emitter);
    Registers result = loadFromCluster(emitter, place, plan.shared.load, plan.shared.sourceCta, values[0]->getType());
    // A CTA must not write its buffer again, or end, while others read it.
    clusterBarrier(emitter);
    return result;
  }
  case Kind::Nothing:
    break;
  }
  return Registers(values);
}

Registers triton::simt::inPieces(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, unsigned pieceBits,
                                 llvm::function_ref<Registers(llvm::ArrayRef<llvm::Value *>)> move) {
  llvm::IRBuilder<> &builder = emitter.builder;
  llvm::Type *type = values[0]->getType();
  const unsigned bits = memoryBits(type);
  if (pieceBits >= bits)
    return move(values);
  llvm::Type *whole = builder.getIntNTy(bits), *piece = builder.getIntNTy(pieceBits);
  Registers results;
  for (unsigned low = 0; low < bits; low += pieceBits) {
    Registers parts;
    for (llvm::Value *value : values)
      parts.push_back(builder.CreateTrunc(builder.CreateLShr(toMemory(emitter, value), low), piece));
    if (low != 0)
      emitter.barrier(); // the piece before may still be read
    Registers moved = move(parts);
    results.resize(moved.size(), llvm::ConstantInt::get(whole, 0));
    for (auto [result, part] : llvm::zip(results, moved))
      result = builder.CreateOr(result, builder.CreateShl(builder.CreateZExt(part, whole), low));
  }
  for (llvm::Value *&result : results)
    result = fromMemory(emitter, result, type);
  return results;
}

/// The part of a register's number that says which part of the elements it is in.
static unsigned partOf(unsigned reg, llvm::ArrayRef<layout::CommonRegisterBit> cuts,
                       unsigned layout::CommonRegisterBit::*side) {
  unsigned part = 0;
  for (auto [index, cut] : llvm::enumerate(cuts))
    part |= (reg >> cut.*side & 1) << index;
  return part;
}

/// Elements that shared memory holds a part of at a time.
static Registers convertInParts(const gpu::ConvertPlan &plan, Emitter &emitter, llvm::ArrayRef<llvm::Value *> values,
                                unsigned resultRegisters,
                                llvm::function_ref<Registers(llvm::ArrayRef<llvm::Value *>)> convert) {
  Registers results(resultRegisters);
  for (unsigned part = 0; part < 1u << plan.cuts.size(); ++part) {
    Registers own;
    for (auto [reg, value] : llvm::enumerate(values))
      if (partOf(reg, plan.cuts, &layout::CommonRegisterBit::from) == part)
        own.push_back(value);
    if (part != 0 && plan.usesBuffer())
      emitter.barrier(); // the part before may still be read
    Registers moved = convert(own);
    const auto *next = moved.begin();
    for (unsigned reg = 0; reg < resultRegisters; ++reg)
      if (partOf(reg, plan.cuts, &layout::CommonRegisterBit::to) == part)
        results[reg] = *next++;
  }
  return results;
}

static llvm::LogicalResult emitConversion(Emitter &emitter, gpu::ConvertLayoutOp op) {
  gpu::ConvertPlan plan = gpu::getPlan(op);
  if (plan.kind == Kind::Cluster && !emitter.target().hasClusters())
    return op.emitError() << "converting " << op.getSrc().getType() << " to " << op.getType()
                          << " moves elements between CTAs, which needs sm_90 or newer";
  auto buffer = [&] { return emitter.sharedAddress(op); };
  llvm::ArrayRef<llvm::Value *> source = emitter.registers(op.getSrc());
  auto convert = [&](llvm::ArrayRef<llvm::Value *> values) {
    return inPieces(emitter, values, plan.pieceBits, [&](llvm::ArrayRef<llvm::Value *> parts) {
      return convertRegisters(emitter, plan, parts, buffer);
    });
  };
  unsigned resultRegisters = gpu::toLinear(cast<RankedTensorType>(op.getType())).inputSize("register");
  emitter.define(op,
                 plan.cuts.empty() ? convert(source) : convertInParts(plan, emitter, source, resultRegisters, convert));
  return success();
}

Emitted triton::simt::emitConvert(Emitter &emitter, Operation *op) {
  if (auto conversion = dyn_cast<gpu::ConvertLayoutOp>(op))
    return emitConversion(emitter, conversion);
  return std::nullopt;
}
