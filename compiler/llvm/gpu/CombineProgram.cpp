#include "compiler/llvm/gpu/CombineProgram.h"

#include "compiler/llvm/gpu/memory/SharedAccess.h"

using namespace mlir;
using triton::layout::LaneSource;
using triton::layout::ThreadAddress;
using triton::layout::ThreadCondition;
using triton::layout::ThreadProgram;
using triton::layout::ThreadStep;
using Kind = ThreadStep::Kind;

namespace triton::simt {

namespace {

class ProgramEmitter {
public:
  ProgramEmitter(Emitter &emitter, const ThreadProgram &program, Region &region, llvm::ArrayRef<llvm::Value *> buffers)
      : emitter(emitter), builder(emitter.builder), program(program), region(region), buffers(buffers),
        values(program.values), combiner(singleCombiner()) {}

  std::vector<Registers> run(llvm::ArrayRef<Registers> operands);

private:
  Operation *singleCombiner();
  void emit(const ThreadStep &step);
  Registers combine(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b);
  Registers butterfly(const ThreadStep &step);
  /// Stores one behind the other with one condition.
  void store(llvm::ArrayRef<ThreadStep> steps);
  void load(const ThreadStep &step);
  llvm::Value *condition(const ThreadCondition &condition);
  llvm::Value *lane(const LaneSource &source);
  llvm::Value *address(const ThreadAddress &address, unsigned operand);
  Registers each(llvm::ArrayRef<llvm::Value *> tuple, llvm::function_ref<llvm::Value *(llvm::Value *)> body) {
    return Registers(llvm::map_range(tuple, body));
  }

  Emitter &emitter;
  llvm::IRBuilder<> &builder;
  const ThreadProgram &program;
  Region &region;
  llvm::ArrayRef<llvm::Value *> buffers;
  std::vector<Registers> values; // of each value: one per operand
  llvm::SmallVector<llvm::Type *> types;
  Operation *combiner; // the whole region, if it is one commutative op
  bool failed = false;
};

} // namespace

Operation *ProgramEmitter::singleCombiner() {
  Block &block = region.front();
  if (block.getNumArguments() != 2 || !llvm::hasNItems(block, 2))
    return nullptr;
  Operation *op = &block.front();
  bool whole = op->getNumOperands() == 2 && op->getNumResults() == 1 &&
               block.getTerminator()->getOperand(0) == op->getResult(0) &&
               llvm::all_of(op->getOperands(), [](Value operand) { return isa<BlockArgument>(operand); }) &&
               op->getOperand(0) != op->getOperand(1);
  return whole && op->hasTrait<OpTrait::IsCommutative>() ? op : nullptr;
}

Registers ProgramEmitter::combine(llvm::ArrayRef<llvm::Value *> a, llvm::ArrayRef<llvm::Value *> b) {
  llvm::SmallVector<llvm::Value *> arguments(a);
  arguments.append(b.begin(), b.end());
  Registers result = emitter.emitScalarRegion(region, arguments);
  if (result.empty()) {
    failed = true;
    return Registers(a);
  }
  return result;
}

Registers ProgramEmitter::butterfly(const ThreadStep &step) {
  Registers held = values[step.a];
  if (combiner && 1u << step.masks.size() == emitter.lanes() && combiner->getResult(0).getType().isInteger(32))
    if (llvm::Value *reduced = emitter.machine.reduceWarp(emitter, combiner, held[0]))
      return {reduced};
  for (unsigned mask : step.masks) {
    Registers other = each(held, [&](llvm::Value *value) { return emitter.shuffleXor(value, mask); });
    if (combiner) {
      held = combine(held, other);
      continue;
    }
    // All lanes combine in one order, so that copies of the result are the same bit for bit.
    llvm::Value *isFirst = condition({.laneMask = llvm::bit_floor(mask)});
    Registers first, second;
    for (auto [own, others] : llvm::zip(held, other)) {
      first.push_back(builder.CreateSelect(isFirst, own, others));
      second.push_back(builder.CreateSelect(isFirst, others, own));
    }
    held = combine(first, second);
  }
  return held;
}

llvm::Value *ProgramEmitter::condition(const ThreadCondition &condition) {
  llvm::Value *result = nullptr;
  auto test = [&](llvm::Value *index, unsigned mask, unsigned value) {
    if (!mask)
      return;
    llvm::Value *holds = builder.CreateICmpEQ(builder.CreateAnd(index, emitter.i32(mask)), emitter.i32(value));
    result = result ? builder.CreateAnd(result, holds) : holds;
  };
  if (condition.laneMask)
    test(emitter.laneId(), condition.laneMask, condition.laneValue);
  if (condition.warpMask)
    test(emitter.warpId(), condition.warpMask, condition.warpValue);
  if (!result)
    result = emitter.i1(true);
  return condition.negated ? builder.CreateNot(result) : result;
}

llvm::Value *ProgramEmitter::lane(const LaneSource &source) {
  llvm::Value *lane = emitter.laneId();
  if (!source.count)
    return builder.CreateOr(builder.CreateAnd(lane, emitter.i32(source.keep)), emitter.i32(source.set));
  llvm::Value *stepped = source.up
                             ? builder.CreateAdd(builder.CreateOr(lane, emitter.i32(~source.count)), emitter.i32(1))
                             : builder.CreateSub(builder.CreateAnd(lane, emitter.i32(source.count)), emitter.i32(1));
  return builder.CreateOr(builder.CreateAnd(stepped, emitter.i32(source.count)),
                          builder.CreateAnd(lane, emitter.i32((emitter.lanes() - 1) & ~source.count)));
}

llvm::Value *ProgramEmitter::address(const ThreadAddress &address, unsigned operand) {
  layout::LinearLayout::Input lanes{"lane", {}}, warps{"warp", {}};
  uint64_t bits = 0;
  int64_t size = std::max(2u, llvm::bit_ceil(program.slots + 1));
  auto fill = [&](layout::LinearLayout::Input &input, llvm::ArrayRef<unsigned> columns) {
    for (unsigned column : columns) {
      input.bases.push_back({static_cast<int64_t>(column)});
      bits |= column;
    }
  };
  fill(lanes, address.perLane);
  fill(warps, address.perWarp);
  llvm::Value *thread =
      bits ? emitter.applyThread(layout::LinearLayout({lanes, warps}, {{"offset", size}}))[0] : nullptr;
  return elementAddress(emitter, {buffers[operand]}, thread, bits, address.base, memoryBits(types[operand]));
}

void ProgramEmitter::store(llvm::ArrayRef<ThreadStep> steps) {
  auto forEach = [&](llvm::function_ref<void(llvm::Value *, llvm::Value *, unsigned)> store) {
    for (const ThreadStep &step : steps)
      for (auto [operand, value] : llvm::enumerate(values[step.a]))
        store(toMemory(emitter, value), address(step.address, operand), memoryBits(types[operand]));
  };
  auto emitStores = [&] {
    forEach([&](llvm::Value *value, llvm::Value *address, unsigned bits) {
      emitter.storeShared(value, address, bits / 8);
    });
  };
  if (steps[0].condition.isAlways())
    return emitStores();
  llvm::Value *holds = condition(steps[0].condition);
  // What LLVM takes for branches that ask the same grows with the square of their number.
  constexpr unsigned manyBlocks = 1024;
  if (!llvm::hasNItemsOrMore(*emitter.function, manyBlocks))
    return emitter.emitIf(holds, emitStores);
  forEach([&](llvm::Value *value, llvm::Value *address, unsigned bits) {
    emitter.machine.storeSharedIf(emitter, holds, value, address, bits);
  });
}

void ProgramEmitter::load(const ThreadStep &step) {
  for (auto [operand, type] : llvm::enumerate(types)) {
    unsigned bits = memoryBits(type), width = std::min(step.count, 128 / bits);
    llvm::Type *element = builder.getIntNTy(bits);
    llvm::Type *loadedType = width > 1 ? llvm::FixedVectorType::get(element, width) : element;
    for (unsigned first = 0; first < step.count; first += width) {
      ThreadAddress at = step.address;
      at.base += first;
      llvm::Value *loaded = emitter.loadShared(loadedType, address(at, operand), width * bits / 8);
      for (unsigned i = 0; i < width; ++i)
        values[step.result + first + i].push_back(
            fromMemory(emitter, width > 1 ? builder.CreateExtractElement(loaded, i) : loaded, type));
    }
  }
}

void ProgramEmitter::emit(const ThreadStep &step) {
  switch (step.kind) {
  case Kind::Combine:
    values[step.result] = combine(values[step.a], values[step.b]);
    break;
  case Kind::Butterfly:
    values[step.result] = butterfly(step);
    break;
  case Kind::Exchange:
    values[step.result] =
        each(values[step.a], [&](llvm::Value *value) { return emitter.shuffleXor(value, step.masks[0]); });
    break;
  case Kind::Shuffle: {
    llvm::Value *source = lane(step.source);
    values[step.result] = each(values[step.a], [&](llvm::Value *value) { return emitter.shuffleIndex(value, source); });
    break;
  }
  case Kind::Select: {
    llvm::Value *holds = condition(step.condition);
    for (auto [a, b] : llvm::zip(values[step.a], values[step.b]))
      values[step.result].push_back(builder.CreateSelect(holds, a, b));
    break;
  }
  case Kind::Store:
    break; // by run, several at a time
  case Kind::Barrier:
    emitter.sharedBarrier();
    break;
  case Kind::Load:
    load(step);
    break;
  }
}

std::vector<Registers> ProgramEmitter::run(llvm::ArrayRef<Registers> operands) {
  for (const Registers &operand : operands)
    types.push_back(operand[0]->getType());
  for (unsigned reg = 0; reg < program.inputs; ++reg)
    for (const Registers &operand : operands)
      values[reg].push_back(operand[reg]);
  llvm::ArrayRef<ThreadStep> steps = program.steps;
  while (!steps.empty() && !failed) {
    llvm::ArrayRef<ThreadStep> stores = steps.take_while(
        [&](const ThreadStep &step) { return step.kind == Kind::Store && step.condition == steps[0].condition; });
    if (stores.empty())
      emit(steps[0]);
    else
      store(stores);
    steps = steps.drop_front(std::max<size_t>(1, stores.size()));
  }
  if (failed)
    return {};
  std::vector<Registers> results(operands.size());
  for (unsigned value : program.results)
    for (auto [operand, registers] : llvm::enumerate(results))
      registers.push_back(values[value][operand]);
  return results;
}

std::vector<Registers> emitThreadProgram(Emitter &emitter, const ThreadProgram &program, Region &combine,
                                         llvm::ArrayRef<Registers> operands, llvm::ArrayRef<llvm::Value *> buffers) {
  return ProgramEmitter(emitter, program, combine, buffers).run(operands);
}

} // namespace triton::simt
