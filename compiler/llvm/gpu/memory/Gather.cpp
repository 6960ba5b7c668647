// tt.gather, by shuffles within a warp or through shared memory, and tt.histogram, by atomic additions to shared memory.
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/Scratch.h"
#include "compiler/llvm/gpu/Families.h"
#include "compiler/llvm/gpu/memory/Convert.h"
#include "compiler/llvm/gpu/memory/SharedAccess.h"

#include <map>
#include <set>

using namespace mlir;
using namespace triton;
using namespace triton::simt;
using layout::LinearLayout;

static uint64_t outputBits(const LinearLayout &map, unsigned output) {
  uint64_t bits = 0;
  for (const LinearLayout::Input &input : map.inputs())
    if (input.name != "register")
      for (const layout::Coordinates &basis : input.bases)
        bits |= basis[output];
  return bits;
}

/// The outputs of `map` for a register of this thread and an index, without the register's own part.
static Indices withIndex(Emitter &emitter, const LinearLayout &map, llvm::Value *index) {
  llvm::SmallVector<llvm::StringRef> outputs, places;
  for (const LinearLayout::Output &output : map.outputs())
    outputs.push_back(output.name);
  for (const LinearLayout::Input &input : map.inputs())
    if (input.name != "register" && input.name != "index")
      places.push_back(input.name);
  Indices thread = emitter.applyThread(map.sublayout(places, outputs));
  Indices along = emitter.apply(map.sublayout({"index"}, outputs), {{"index", index}});
  for (auto [mine, other] : llvm::zip(thread, along))
    mine = emitter.builder.CreateXor(mine, other);
  return thread;
}

/// Bits beyond the dimension are ignored: an index out of range reads some element.
static llvm::Value *narrow(Emitter &emitter, llvm::Value *index) {
  return emitter.builder.CreateZExtOrTrunc(index, emitter.builder.getInt32Ty());
}

static llvm::Value *gatherInWarp(Emitter &emitter, const layout::GatherPlan &plan, unsigned reg, llvm::Value *index,
                                 llvm::ArrayRef<llvm::Value *> source) {
  llvm::IRBuilder<> &builder = emitter.builder;
  Indices place = withIndex(emitter, plan.place, index);
  layout::Coordinates own = plan.place.apply({{"register", reg}});
  llvm::Value *lane = builder.CreateXor(place[1], emitter.i32(own[1]));
  llvm::Value *result = nullptr;
  for (unsigned sum = 0; sum < 1u << plan.choices.size(); ++sum) {
    unsigned choice = 0;
    for (auto [bit, mask] : llvm::enumerate(plan.choices))
      if (sum >> bit & 1)
        choice ^= mask;
    llvm::Value *candidate = emitter.shuffleIndex(source[own[0] ^ choice], lane);
    result = result ? builder.CreateSelect(builder.CreateICmpEQ(place[0], emitter.i32(choice)), candidate, result)
                    : candidate;
  }
  return result;
}

/// How many elements that lie side by side one access brings: as many as registers want of them with the same index, where no index and no thread
/// tells them apart. Sorting asks for whole rows.
static unsigned elementsPerLoad(const LinearLayout &load, llvm::ArrayRef<llvm::Value *> indices, unsigned bits) {
  for (unsigned width = 128 / bits; width > 1; width /= 2) {
    std::set<std::pair<llvm::Value *, int64_t>> accesses;
    for (auto [reg, index] : llvm::enumerate(indices))
      accesses.emplace(index, load.apply({{"register", static_cast<int64_t>(reg)}})[0] / width);
    if (outputBits(load, 0) % width == 0 && accesses.size() * width == indices.size())
      return width;
  }
  return 1;
}

static Registers gatherThroughShared(Emitter &emitter, const layout::GatherPlan &plan, SharedPlace buffer,
                                     llvm::ArrayRef<llvm::Value *> source, llvm::ArrayRef<llvm::Value *> indices) {
  llvm::Type *type = source[0]->getType();
  const unsigned bits = memoryBits(type);
  storeRegisters(emitter, buffer, plan.store, source);
  emitter.sharedBarrier();
  llvm::IRBuilder<> &builder = emitter.builder;
  const unsigned width = elementsPerLoad(plan.load, indices, bits);
  llvm::Type *element = builder.getIntNTy(bits);
  llvm::Type *loadedType = width > 1 ? llvm::FixedVectorType::get(element, width) : element;
  std::map<std::pair<llvm::Value *, uint64_t>, llvm::Value *> loads;
  Registers result;
  for (auto [reg, index] : llvm::enumerate(indices)) {
    const uint64_t own = plan.load.apply({{"register", static_cast<int64_t>(reg)}})[0], at = own % width;
    llvm::Value *&loaded = loads[{index, own - at}];
    if (!loaded || width == 1) {
      llvm::Value *offset = withIndex(emitter, plan.load, narrow(emitter, index))[0];
      llvm::Value *address = elementAddress(emitter, buffer, offset, outputBits(plan.load, 0), own - at, bits);
      loaded = emitter.loadShared(loadedType, address, width * bits / 8);
    }
    result.push_back(fromMemory(emitter, width > 1 ? builder.CreateExtractElement(loaded, at) : loaded, type));
  }
  return result;
}

/// Elements of which shared memory does not hold all bits at once take several rounds.
static Registers gatherInPieces(Emitter &emitter, const gpu::GatherPlan &plan, SharedPlace buffer,
                                llvm::ArrayRef<llvm::Value *> source, llvm::ArrayRef<llvm::Value *> indices) {
  return inPieces(emitter, source, plan.pieceBits, [&](llvm::ArrayRef<llvm::Value *> parts) {
    return gatherThroughShared(emitter, plan, buffer, parts, indices);
  });
}

static llvm::LogicalResult emitGatherOp(Emitter &emitter, tensor::GatherOp op) {
  llvm::IRBuilder<> &builder = emitter.builder;
  gpu::GatherPlan plan = gpu::getPlan(op);
  Registers source(emitter.registers(op.getSrc())), indices(emitter.registers(op.getIndices()));
  llvm::SmallVector<unsigned> scratch = gpu::scratchOffsets(op);
  if (plan.through) {
    auto sourceType = cast<RankedTensorType>(op.getSrc().getType());
    auto conversion = layout::planConversion(emitter.layout(sourceType), *plan.through,
                                             gpu::getMemoryBits(sourceType.getElementType()));
    source = convertRegisters(emitter, conversion, source,
                              [&] { return builder.CreatePtrAdd(emitter.sharedAddress(op), emitter.i32(scratch[1])); });
  }
  if (!plan.inWarp) {
    emitter.define(op, gatherInPieces(emitter, plan, {emitter.sharedAddress(op)}, source, indices));
    return success();
  }
  Registers result;
  for (auto [reg, index] : llvm::enumerate(indices))
    result.push_back(gatherInWarp(emitter, plan, reg, narrow(emitter, index), source));
  emitter.define(op, result);
  return success();
}

static llvm::LogicalResult emitHistogramOp(Emitter &emitter, tensor::HistogramOp op) {
  llvm::IRBuilder<> &builder = emitter.builder;
  auto source = cast<RankedTensorType>(op.getSrc().getType()), result = cast<RankedTensorType>(op.getType());
  const LinearLayout &counted = emitter.layout(source);
  bool isCut = llvm::any_of(counted.columns("block"), [](uint64_t column) { return column != 0; });
  if (isCut)
    return op.emitError() << "counting " << source << " would add up the counts of different CTAs: use num_ctas = 1";
  llvm::Value *base = emitter.sharedAddress(op);
  int64_t bins = result.getNumElements();
  unsigned threads = emitter.lanes() * emitter.numWarps();
  auto binAddress = [&](llvm::Value *bin) {
    return builder.CreatePtrAdd(base, builder.CreateMul(bin, emitter.i32(4)));
  };
  for (int64_t first = 0; first < bins; first += threads) {
    llvm::Value *bin = builder.CreateAdd(emitter.threadId(), emitter.i32(first));
    auto clear = [&] { emitter.storeShared(emitter.i32(0), binAddress(bin), 4); };
    if (first + threads <= bins)
      clear();
    else
      emitter.emitIf(builder.CreateICmpULT(bin, emitter.i32(bins)), clear);
  }
  emitter.sharedBarrier();
  llvm::ArrayRef<llvm::Value *> mask;
  if (op.getMask())
    mask = emitter.registers(op.getMask());
  // Each CTA counts all elements for itself, each once.
  llvm::Value *counts = nullptr;
  for (auto [input, index] : {std::pair("lane", emitter.laneId()), std::pair("warp", emitter.warpId())})
    if (uint64_t copies = counted.freeBits(input)) {
      llvm::Value *first = builder.CreateICmpEQ(builder.CreateAnd(index, emitter.i32(copies)), emitter.i32(0));
      counts = counts ? builder.CreateAnd(counts, first) : first;
    }
  for (auto [reg, value] : llvm::enumerate(emitter.registers(op.getSrc()))) {
    if (emitter.isCopy(source, reg))
      continue;
    llvm::Value *limit = llvm::ConstantInt::get(value->getType(), bins);
    bool alwaysFits = value->getType()->getIntegerBitWidth() < 63 &&
                      bins > (int64_t(1) << value->getType()->getIntegerBitWidth()) - 1;
    llvm::Value *active =
        alwaysFits ? static_cast<llvm::Value *>(emitter.i1(true)) : builder.CreateICmpULT(value, limit);
    if (counts)
      active = builder.CreateAnd(active, counts);
    if (!mask.empty())
      active = builder.CreateAnd(active, mask[reg]);
    llvm::Value *bin = builder.CreateZExtOrTrunc(value, builder.getInt32Ty());
    emitter.emitIf(active, [&] {
      builder.CreateAtomicRMW(llvm::AtomicRMWInst::Add, binAddress(bin), emitter.i32(1), llvm::MaybeAlign(4),
                              llvm::AtomicOrdering::Monotonic,
                              emitter.context().getOrInsertSyncScopeID(emitter.machine.ctaScope()));
    });
  }
  emitter.sharedBarrier();
  LinearLayout map = emitter.layout(result);
  Registers loaded =
      loadRegisters(emitter, {base}, map.renameOutput(map.outputs()[0].name, "offset"), builder.getInt32Ty());
  for (llvm::Value *&value : loaded)
    value = builder.CreateZExtOrTrunc(value, emitter.type(result));
  emitter.define(op, loaded);
  return success();
}

Emitted triton::simt::emitGather(Emitter &emitter, Operation *op) {
  if (auto gather = dyn_cast<tensor::GatherOp>(op))
    return emitGatherOp(emitter, gather);
  if (auto histogram = dyn_cast<tensor::HistogramOp>(op))
    return emitHistogramOp(emitter, histogram);
  return std::nullopt;
}
