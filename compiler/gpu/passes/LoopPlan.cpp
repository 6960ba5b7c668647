#include "compiler/gpu/passes/LoopPlan.h"

#include "compiler/gpu/CopyEngine.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/GlobalRoots.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;

namespace triton::gpu {

namespace {

struct Planner {
  scf::ForOp loop;
  AccessAnalysis &access;
  Block *body = loop.getBody();

  bool isInside(Operation *op) const { return op && op->getBlock() == body; }

  /// Whether a value of the loop reaches a product of the same iteration.
  bool reachesDot(Value value, llvm::DenseSet<Operation *> &seen) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      if (!isInside(user) || !seen.insert(user).second)
        return false;
      if (isa<tensor::DotOp, WarpGroupDotOp, TCGen5MMAOp, TCGen5MMAScaledOp>(user))
        return true;
      if (isa<tensor::LoadOp, tensor::StoreOp, tensor::DescriptorLoadOp, tensor::DescriptorStoreOp>(user))
        return false;
      return llvm::any_of(user->getResults(), [&](Value result) { return reachesDot(result, seen); });
    });
  }

  /// Adds to `slice` what computes `value` in the loop, also through values carried from the iteration before. False if something in it
  /// cannot run ahead of the iterations that it belongs to.
  bool collect(Value value, llvm::SetVector<Operation *> &slice) {
    if (auto argument = dyn_cast<BlockArgument>(value)) {
      if (argument.getOwner() != body || argument == loop.getInductionVar())
        return true;
      Value next = loop.getTiedLoopYieldedValue(argument)->get();
      Operation *definition = next.getDefiningOp();
      return next == value || (definition && slice.contains(definition)) || collect(next, slice);
    }
    Operation *definition = value.getDefiningOp();
    if (!isInside(definition) || slice.contains(definition))
      return true;
    bool isLoad = isa<tensor::LoadOp>(definition);
    if (definition->getNumRegions() != 0 || (!isLoad && !isMemoryEffectFree(definition)))
      return false;
    if (isa<tensor::DotOp, WarpGroupDotOp, WarpGroupDotWaitOp>(definition))
      return false;
    slice.insert(definition);
    return llvm::all_of(definition->getOperands(), [&](Value operand) { return collect(operand, slice); });
  }

  /// Whether reading ahead could read what an iteration in between writes: kernels that update a tensor in place use one argument for both.
  bool mayBeWritten(Value root) {
    WalkResult result = body->walk([&](Operation *op) {
      auto effects = dyn_cast<MemoryEffectOpInterface>(op);
      if (isa<CallOpInterface>(op) && !effects)
        return WalkResult::interrupt();
      SmallVector<MemoryEffects::EffectInstance> writes;
      if (effects)
        effects.getEffects(writes);
      for (const MemoryEffects::EffectInstance &effect : writes) {
        if (!isa<MemoryEffects::Write>(effect.getEffect()) || effect.getResource() != tensor::GlobalMemory::get())
          continue;
        Value written = writtenRoot(op);
        if (!root || !written || root == written)
          return WalkResult::interrupt();
      }
      return WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  /// Bytes that one asynchronous copy moves; at least 4, or it cannot be done.
  unsigned copyBytes(tensor::LoadOp load) {
    unsigned elements = access.vectorElements(load.getPtr());
    if (load.getMask())
      elements = std::min(elements, access.maskElements(load.getMask()));
    return elements * tensor::getElementBits(load.getType()) / 8;
  }

  static bool isZeroOrAbsent(Value other) {
    if (!other)
      return true;
    while (other.getDefiningOp() && isa<tensor::SplatOp, tensor::FpToFpOp, ConvertLayoutOp>(other.getDefiningOp()))
      other = other.getDefiningOp()->getOperand(0);
    return matchPattern(other, m_Zero()) || matchPattern(other, m_PosZeroFloat());
  }

  /// The dimension along which neighbouring elements of a load lie in one thread.
  static unsigned fastestDim(RankedTensorType type) {
    const layout::LinearLayout &map = toLinear(type);
    if (map.inputSize("register") > 1)
      for (auto [dim, component] : llvm::enumerate(map.basis("register", 0)))
        if (component == 1)
          return dim;
    return type.getRank() - 1;
  }

  /// Rows of at most 128 bytes in which the 16-byte columns are permuted by the row: reading eight rows of a column hits every bank once.
  static Attribute swizzledLayout(RankedTensorType type) {
    unsigned fastest = fastestDim(type);
    int64_t bytes = std::max(8u, type.getElementTypeBitWidth()) / 8, rowBytes = type.getDimSize(fastest) * bytes;
    int64_t vec = std::max<int64_t>(1, std::min<int64_t>(16, rowBytes) / bytes);
    int64_t perPhase = std::max<int64_t>(1, 128 / rowBytes);
    int64_t maxPhase = std::max<int64_t>(1, std::min<int64_t>(8 / perPhase, rowBytes / 16));
    SmallVector<unsigned> order = {fastest};
    for (unsigned dim = type.getRank(); dim-- > 0;)
      if (dim != fastest)
        order.push_back(dim);
    return SwizzledSharedAttr::get(type.getContext(), vec, std::min<int64_t>(perPhase, 8), maxPhase, order);
  }

  /// For reading what lies along one dimension and storing it along the other without hitting a bank twice: threads hold 16 bytes along one of
  /// them, `held`, whose rows are swizzled, and lanes are neighbours along the other.
  static Attribute transposingLayout(RankedTensorType type, unsigned held, int numWarps) {
    unsigned across = 1 - held;
    SmallVector<int64_t> perThread = {1, 1}, lanes = {1, 1}, warps = {1, 1};
    perThread[held] = std::min<int64_t>(type.getDimSize(held), 128 / type.getElementTypeBitWidth());
    lanes[across] = std::min<int64_t>(32, type.getDimSize(across));
    lanes[held] = 32 / lanes[across];
    warps[across] = std::min<int64_t>(numWarps, std::max<int64_t>(1, type.getDimSize(across) / 32));
    warps[held] = numWarps / warps[across];
    return BlockedAttr::get(type.getContext(), perThread, lanes, warps, {held, across});
  }

  /// For bytes, what ldmatrix can read transposed by pairs and stmatrix can store: a thread holds 4 bytes along `held` in each of two rows.
  static Attribute pairTransposingLayout(RankedTensorType type, unsigned held, int numWarps) {
    unsigned across = 1 - held;
    auto basis = [&](unsigned dim, int64_t value) {
      layout::Coordinates result(2, 0);
      result[dim] = value;
      return result;
    };
    // The second bit of `held` first: with the lanes it makes the rows of a piece, which then lie in different banks of the ring.
    layout::LinearLayout::Input registers{"register", {basis(held, 2), basis(held, 1), basis(across, 1)}},
        lanes{"lane", {basis(held, 4), basis(held, 8), basis(across, 2), basis(across, 4), basis(across, 8)}},
        warps{"warp", {}};
    SmallVector<layout::Coordinates> rest;
    for (unsigned dim : {across, held})
      for (int64_t value = 16; value < type.getDimSize(dim); value *= 2)
        rest.push_back(basis(dim, value));
    for (int count = 1; count < numWarps; count *= 2) {
      warps.bases.push_back(rest.empty() ? layout::Coordinates(2, 0) : rest.front());
      if (!rest.empty())
        rest.erase(rest.begin());
    }
    registers.bases.insert(registers.bases.end(), rest.begin(), rest.end());
    return LinearAttr::get(type.getContext(),
                           layout::LinearLayout::fromBases({registers, lanes, warps, {"block", {}}},
                                                           {layout::dimension(0), layout::dimension(1)}));
  }

  std::optional<RingCopy> planCopy(tensor::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    llvm::DenseSet<Operation *> seen;
    if (!type || load.getIsVolatile() || !isZeroOrAbsent(load.getOther()) || copyBytes(load) < 4 ||
        !reachesDot(load.getResult(), seen) || mayBeWritten(rootOf(load.getPtr())))
      return std::nullopt;
    RingCopy copy{.load = load};
    for (Value operand : load->getOperands())
      if (!collect(operand, copy.ahead))
        return std::nullopt;
    if (load->hasOneUse())
      copy.filled = dyn_cast<LocalAllocOp>(*load->user_begin());
    auto plain = copy.filled ? dyn_cast<SwizzledSharedAttr>(copy.filled.getType().getEncoding()) : SwizzledSharedAttr();
    if (plain && plain.getOrder()[0] != fastestDim(type)) {
      // Rows of the ring are swizzled, those of the buffer are not: wide reads, then stores side by side.
      copy.filled = {};
      copy.layout = swizzledLayout(type);
      copy.transposing = transposingLayout(type, /*held=*/fastestDim(type), getNumWarps(loop));
    } else if (plain) {
      copy.layout = plain;
    } else if (copy.filled) {
      copy.layout = copy.filled.getType().getEncoding();
      // Copies keep the order of elements in memory: another order takes registers.
      unsigned wanted = cast<NvmmaSharedAttr>(copy.layout).getTransposed() ? 0 : type.getRank() - 1;
      if (fastestDim(type) != wanted) {
        copy.filled = {};
        copy.layout = swizzledLayout(type);
        copy.transposing = transposingLayout(type, /*held=*/wanted, getNumWarps(loop));
        bool isBytes = type.getElementTypeBitWidth() == 8 && type.getRank() == 2;
        if (isBytes && type.getDimSize(wanted) >= 16 && type.getDimSize(1 - wanted) >= 128) {
          copy.layout = SwizzledSharedAttr::get(type.getContext(), /*vec=*/16, /*perPhase=*/2, /*maxPhase=*/8,
                                                {1 - wanted, wanted});
          copy.transposing = pairTransposingLayout(type, wanted, getNumWarps(loop));
        }
      }
    } else {
      copy.layout = swizzledLayout(type);
    }
    return copy;
  }

  std::optional<RingBlock> planBlock(tensor::DescriptorLoadOp load) {
    llvm::DenseSet<Operation *> seen;
    // A descriptor made anew in every iteration is in use until the copy is done.
    if (!loop.isDefinedOutsideOfLoop(load.getDesc()) || !reachesDot(load.getResult(), seen) ||
        mayBeWritten(rootOf(load.getDesc())))
      return std::nullopt;
    RingBlock block{.load = load};
    for (Value coordinate : load.getIndices())
      if (!collect(coordinate, block.ahead))
        return std::nullopt;
    if (load->hasOneUse())
      if (auto filled = dyn_cast<LocalAllocOp>(*load->user_begin());
          filled && filled.getType().getEncoding() == copyEngineLayout(load.getDesc().getType()))
        block.filled = filled;
    return block;
  }

  /// The last product, if its result only goes into the next iteration: there it is added to, or is first read behind another product.
  std::optional<ProductInFlight> planInFlight(const LoopPlan &plan) {
    SmallVector<WarpGroupDotOp> dots(body->getOps<WarpGroupDotOp>());
    if (dots.empty() || !readsOnlyRings(dots.back(), plan))
      return std::nullopt;
    WarpGroupDotOp last = dots.back();
    // A limit on imprecise sums means registers are added to in between.
    auto right = cast<MemDescType>(last.getB().getType());
    int64_t limit = last.getMaxNumImpreciseAcc();
    bool isExact = !tensor::isFloat8(right.getElementType()) || limit == 0 || limit > right.getShape()[0];
    if (!isExact || !last.getD().hasOneUse() || *last.getD().user_begin() != body->getTerminator())
      return std::nullopt;
    unsigned index = last.getD().use_begin()->getOperandNumber();
    BlockArgument carried = loop.getRegionIterArg(index);
    if (dots.size() == 1 && last.getC() == carried && carried.hasOneUse() && isa<MemDescType>(last.getA().getType()))
      return ProductInFlight{last, index, {}, {}};
    // The newest product before the first use.
    WarpGroupDotOp drain;
    for (WarpGroupDotOp dot : ArrayRef(dots).drop_back())
      if (llvm::all_of(carried.getUsers(),
                       [&](Operation *user) { return user->getBlock() == body && dot->isBeforeInBlock(user); }) &&
          dot.getC() != carried)
        drain = dot;
    if (!drain || !drain.getD().hasNUsesOrMore(1))
      return std::nullopt;
    return ProductInFlight{last, index, drain, planOverlap(last, drain, carried, plan)};
  }

  /// The first reduction of the drain's tile, before anything touches the carried sum: the row maximum of attention.
  tensor::ReduceOp planOverlap(WarpGroupDotOp last, WarpGroupDotOp drain, BlockArgument carried, const LoopPlan &plan) {
    auto filled = last.getB().getDefiningOp<LocalAllocOp>();
    bool isRing = llvm::any_of(plan.copies, [&](const RingCopy &copy) { return copy.filled == filled; }) ||
                  llvm::any_of(plan.blocks, [&](const RingBlock &block) { return block.filled == filled; });
    // What another product reads too is there an iteration earlier, and cannot be held for longer.
    if (!filled || !isRing || !isReadOnlyBy(filled, last) || !isa<RankedTensorType>(last.getA().getType()) ||
        !isInside(last.getA().getDefiningOp()))
      return {};
    for (tensor::ReduceOp reduce : body->getOps<tensor::ReduceOp>()) {
      if (!drain->isBeforeInBlock(reduce) || !comesFromDot(reduce->getOperand(0)))
        continue;
      bool isFirst = llvm::all_of(carried.getUsers(), [&](Operation *user) { return reduce->isBeforeInBlock(user); });
      bool isTile = tensor::getShape(reduce->getOperand(0).getType()) == drain.getD().getType().getShape();
      return isFirst && isTile && reduce->getNumOperands() == 1 ? reduce : tensor::ReduceOp();
    }
    return {};
  }

  /// The ring of the product that is done an iteration later. Where the copy engine fills all rings, and the two products alone read them, these
  /// can say which buffers are free; where threads copy, they can say so when both are done.
  void planRotation(LoopPlan &plan) {
    auto [last, carried, drain, overlapped] = *plan.inFlight;
    auto isDelayed = [&](auto &copy) { return copy.filled && copy.filled.getResult() == last.getB(); };
    for (RingCopy &copy : plan.copies)
      copy.isDelayed = isDelayed(copy);
    for (RingBlock &block : plan.blocks)
      block.isDelayed = isDelayed(block);
    plan.frees = plan.copies.empty() && llvm::all_of(plan.blocks, [&](RingBlock &block) {
                   return block.filled && isReadOnlyBy(block.filled, block.isDelayed ? last : drain);
                 });
    plan.splitsBarrier = plan.blocks.empty() && getNumWarps(loop) > 4 && llvm::all_of(plan.copies, [&](RingCopy &copy) {
                           return copy.filled && isReadOnlyBy(copy.filled, copy.isDelayed ? last : drain);
                         });
  }

  static bool isReadOnlyBy(Value buffer, WarpGroupDotOp dot) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      return user == dot || (isa<MemDescTransOp>(user) && isReadOnlyBy(user->getResult(0), dot));
    });
  }

  /// Buffers that the loop fills anew in every iteration must not be read any more when the next one begins.
  static bool readsOnlyRings(WarpGroupDotOp dot, const LoopPlan &plan) {
    return llvm::all_of(ValueRange{dot.getA(), dot.getB()}, [&](Value buffer) {
      if (isa<RankedTensorType>(buffer.getType()))
        return true;
      while (auto view = buffer.getDefiningOp<MemDescTransOp>())
        buffer = view.getSrc();
      auto filled = buffer.getDefiningOp<LocalAllocOp>();
      bool isRing = llvm::any_of(plan.copies,
                                 [&](RingCopy copy) {
                                   return copy.filled == filled || (copy.transposing && plan.transposedBuffers > 1 &&
                                                                    filled && filled.getSrc() == copy.load.getResult());
                                 }) ||
                    llvm::any_of(plan.blocks, [&](const RingBlock &block) { return block.filled == filled; });
      return filled && (filled->getBlock() != dot->getBlock() || isRing);
    });
  }

  static int64_t bytesOf(Type type) {
    return ShapedType::getNumElements(tensor::getShape(type)) * tensor::getElementBits(type) / 8;
  }

  /// Shared memory that the function then takes at most, with two buffers for what is transposed.
  int64_t sharedBytesWithTwo(LoopPlan &plan) {
    int64_t bytes = 0;
    for (RingCopy &copy : plan.copies)
      bytes += bytesOf(copy.load.getType()) * (plan.buffers + (copy.transposing ? 2 : 0));
    for (RingBlock &block : plan.blocks)
      bytes += bytesOf(block.load.getType()) * plan.buffers;
    loop->getParentOfType<FunctionOpInterface>()->walk([&](LocalAllocOp alloc) {
      if (alloc->getBlock() != body)
        bytes += alloc.getType().getNumElements() * alloc.getType().getElementBits() / 8;
    });
    return bytes;
  }

  int64_t sharedBytesOfTarget() {
    auto module = loop->getParentOfType<ModuleOp>();
    return Target{unsigned(getComputeCapability(module).value_or(90))}.sharedBytes();
  }

  LoopPlan run(unsigned numStages) {
    LoopPlan plan;
    if (numStages < 2)
      return plan;
    // Each carried value is computed in the loop or outside of it: the expander does not take values that are carried twice.
    for (Value carried : cast<scf::YieldOp>(body->getTerminator()).getOperands())
      if (auto argument = dyn_cast<BlockArgument>(carried); argument && argument.getOwner() == body)
        return plan;
    bool nests = false;
    body->walk([&](Operation *op) {
      nests |= op->getBlock() != body && isa<tensor::DotOp, WarpGroupDotOp, TCGen5MMAOp, TCGen5MMAScaledOp>(op);
    });
    if (nests)
      return plan;
    for (tensor::LoadOp load : body->getOps<tensor::LoadOp>())
      if (std::optional<RingCopy> copy = planCopy(load))
        plan.copies.push_back(*copy);
    // A load that another one's address needs runs ahead in registers.
    for (tensor::DescriptorLoadOp load : body->getOps<tensor::DescriptorLoadOp>())
      if (std::optional<RingBlock> block = planBlock(load))
        plan.blocks.push_back(*block);
    llvm::DenseSet<Operation *> ahead;
    for (RingCopy &copy : plan.copies)
      ahead.insert_range(copy.ahead);
    for (RingBlock &block : plan.blocks)
      ahead.insert_range(block.ahead);
    llvm::erase_if(plan.copies, [&](RingCopy &copy) { return ahead.contains(copy.load); });
    plan.buffers = numStages;
    plan.distance = numStages - 1;
    if (sharedBytesWithTwo(plan) <= sharedBytesOfTarget())
      plan.transposedBuffers = 2;
    plan.inFlight = planInFlight(plan);
    if (plan.isRotated())
      planRotation(plan);
    return plan;
  }
};

} // namespace

LoopPlan planLoop(scf::ForOp loop, int64_t numStages, AccessAnalysis &access) {
  return Planner{loop, access}.run(std::clamp<int64_t>(numStages, 1, mostStages));
}

} // namespace triton::gpu
