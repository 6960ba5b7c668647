#include "compiler/gpu/passes/loops/LoopPlan.h"

#include "compiler/gpu/Buffers.h"
#include "compiler/gpu/DirectCopies.h"
#include "compiler/gpu/DotPlan.h"
#include "compiler/gpu/ExchangePlans.h"
#include "compiler/gpu/GlobalRoots.h"
#include "compiler/gpu/Tma.h"
#include "compiler/gpu/passes/loops/SwizzledLayouts.h"

#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;

namespace triton::gpu {

namespace {

struct Planner {
  scf::ForOp loop;
  AccessAnalysis &access;
  bool takesAll; // also loads that no dot needs
  Block *body = loop.getBody();
  Target target = dotTarget(loop->getParentOfType<ModuleOp>());

  bool isInside(Operation *op) const { return op && op->getBlock() == body; }

  /// The ops of the loop's body that are dots, or whose results one of the same iteration is computed from.
  llvm::DenseSet<Operation *> findTowardsDots() {
    llvm::DenseSet<Operation *> found;
    for (Operation &op : llvm::reverse(*body)) {
      bool isAccess = isa<tensor::LoadOp, tensor::StoreOp, tensor::DescriptorLoadOp, tensor::DescriptorStoreOp>(op);
      if (isa<tensor::DotOp, WarpGroupDotOp, TCGen5MMAOp, TCGen5MMAScaledOp>(op) ||
          (!isAccess && llvm::any_of(op.getUsers(), [&](Operation *user) { return found.contains(user); })))
        found.insert(&op);
    }
    return found;
  }
  llvm::DenseSet<Operation *> towardsDots = findTowardsDots();

  /// Whether a value of the loop reaches a dot of the same iteration.
  bool reachesDot(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) { return towardsDots.contains(user); });
  }

  /// Whether an iteration waits for what other programs write: it must not have been read before.
  bool waitsForOthers() {
    auto acquires = [](auto op) {
      using tensor::MemSemantic;
      return !op->use_empty() && (op.getSem() == MemSemantic::Acquire || op.getSem() == MemSemantic::AcquireRelease);
    };
    WalkResult result = body->walk([&](Operation *op) {
      bool waits = llvm::TypeSwitch<Operation *, bool>(op)
                       .Case<tensor::AtomicRMWOp, tensor::AtomicCASOp>(acquires)
                       .Case([](tensor::LoadOp load) { return load.getIsVolatile(); })
                       .Default(false);
      return waits ? WalkResult::interrupt() : WalkResult::advance();
    });
    return result.wasInterrupted();
  }

  /// Adds to `slice` what computes `value` in the loop, also through values carried from the iteration before. False if something in it
  /// cannot run ahead of the iterations that it belongs to.
  bool collect(Value value, llvm::SetVector<Operation *> &slice) {
    SmallVector<Value> pending = {value};
    llvm::DenseSet<Value> carried; // already followed: loops may hand values round in circles
    while (!pending.empty()) {
      Value next = pending.pop_back_val();
      if (auto argument = dyn_cast<BlockArgument>(next)) {
        if (argument.getOwner() == body && argument != loop.getInductionVar() && carried.insert(next).second)
          pending.push_back(loop.getTiedLoopYieldedValue(argument)->get());
        continue;
      }
      Operation *definition = next.getDefiningOp();
      if (!isInside(definition) || slice.contains(definition))
        continue;
      auto load = dyn_cast<tensor::LoadOp>(definition);
      if (definition->getNumRegions() != 0 ||
          (load ? mayWrite(body, rootOf(load.getPtr())) : !isMemoryEffectFree(definition)) ||
          isa<tensor::DotOp, WarpGroupDotOp, WarpGroupDotWaitOp>(definition))
        return false;
      slice.insert(definition);
      for (Value operand : llvm::reverse(definition->getOperands()))
        pending.push_back(operand);
    }
    return true;
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

  bool isWanted(Value loaded) { return takesAll || reachesDot(loaded); }

  /// Its swizzle, and how to read what goes on into a buffer with another order of elements.
  LoopBuffer planCopyLayout(tensor::LoadOp load) {
    auto type = cast<RankedTensorType>(load.getType());
    LoopBuffer buffer{.load = load, .producer = LoopBuffer::Producer::AsyncCopy};
    Attribute layout;
    if (load->hasOneUse())
      buffer.filled = dyn_cast<LocalAllocOp>(*load->user_begin());
    auto plain =
        buffer.filled ? dyn_cast<SwizzledSharedAttr>(buffer.filled.getType().getEncoding()) : SwizzledSharedAttr();
    if (plain && plain.getOrder()[0] != fastestDim(type)) {
      // Rows of the copies are swizzled, those of the buffer are not: wide reads, then stores side by side.
      buffer.filled = {};
      layout = swizzledLayout(type);
      buffer.transposing = transposingLayout(type, /*held=*/fastestDim(type), getNumWarps(loop));
    } else if (plain) {
      layout = plain;
    } else if (buffer.filled) {
      layout = buffer.filled.getType().getEncoding();
      // Copies keep the order of elements in memory: another order takes registers.
      unsigned wanted = cast<NvmmaSharedAttr>(layout).getTransposed() ? 0 : type.getRank() - 1;
      if (fastestDim(type) != wanted) {
        buffer.filled = {};
        layout = swizzledLayout(type);
        buffer.transposing = transposingLayout(type, /*held=*/wanted, getNumWarps(loop));
        bool isBytes = type.getElementTypeBitWidth() == 8 && type.getRank() == 2;
        if (isBytes && type.getDimSize(wanted) >= 16 && type.getDimSize(1 - wanted) >= 128) {
          layout = SwizzledSharedAttr::get(type.getContext(), /*vec=*/16, /*perPhase=*/2, /*maxPhase=*/8,
                                           {1 - wanted, wanted});
          buffer.transposing = pairTransposingLayout(type, wanted, getNumWarps(loop));
        }
      }
    } else {
      SmallVector<RankedTensorType> read;
      for (Operation *user : load->getUsers())
        read.push_back(isa<ConvertLayoutOp>(user) ? cast<RankedTensorType>(user->getResult(0).getType()) : type);
      layout = swizzledLayout(type, read);
    }
    buffer.type =
        MemDescType::get(type.getShape(), type.getElementType(), layout, SharedMemoryAttr::get(type.getContext()));
    return buffer;
  }

  std::optional<LoopBuffer> planCopy(tensor::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!target.isAmpereOrNewer() || !type || !type.getElementType().isIntOrFloat() || load.getIsVolatile() ||
        !isZeroOrAbsent(load.getOther()) || copyBytes(load) < 4 || !isWanted(load.getResult()) ||
        mayWrite(body, rootOf(load.getPtr())))
      return std::nullopt;
    llvm::SetVector<Operation *> ahead;
    for (Value operand : load->getOperands())
      if (!collect(operand, ahead))
        return std::nullopt;
    LoopBuffer buffer = planCopyLayout(load);
    buffer.ahead = std::move(ahead);
    return buffer;
  }

  /// A copy that AMD's GPUs make without registers. Only of small arguments: there a mask is an offset, so that every wave makes every copy, and waits can count them.
  std::optional<LoopBuffer> planDirectCopy(tensor::LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (!type || !type.getElementType().isIntOrFloat() || type.getElementTypeBitWidth() < 8 || readsAnew(load) ||
        !isZeroOrAbsent(load.getOther()) || !smallArgument(load.getPtr()) || mayWrite(body, rootOf(load.getPtr())))
      return std::nullopt;
    LoopBuffer buffer{.load = load, .producer = LoopBuffer::Producer::AsyncCopy};
    for (Value operand : load->getOperands())
      if (!collect(operand, buffer.ahead))
        return std::nullopt;
    buffer.pieceBytes = directPiece(loop->getParentOfType<ModuleOp>(), *target.amd, copyBytes(load));
    Attribute layout =
        buffer.pieceBytes ? directBuffer(type, fastestDim(type), buffer.pieceBytes, target.lanes()) : Attribute();
    if (!layout)
      return std::nullopt;
    buffer.type =
        MemDescType::get(type.getShape(), type.getElementType(), layout, SharedMemoryAttr::get(type.getContext()));
    buffer.copyLayout = directLayout(buffer.type, buffer.pieceBytes, target.lanes(), getNumWarps(loop));
    return buffer.copyLayout ? std::optional(buffer) : std::nullopt;
  }

  /// A load that another one's address needs runs ahead of that, in registers.
  static void leaveOutAddresses(LoopPlan &plan) {
    llvm::DenseSet<Operation *> ahead;
    for (const LoopBuffer &buffer : plan.buffers)
      ahead.insert_range(buffer.ahead);
    llvm::erase_if(plan.buffers, [&](LoopBuffer &buffer) { return ahead.contains(buffer.load); });
  }

  LoopPlan planDirectCopies(unsigned numStages) {
    LoopPlan plan;
    for (tensor::LoadOp load : body->getOps<tensor::LoadOp>()) {
      if (!isWanted(load.getResult()))
        continue;
      std::optional<LoopBuffer> buffer = planDirectCopy(load);
      if (!buffer)
        return LoopPlan();
      plan.buffers.push_back(*buffer);
    }
    leaveOutAddresses(plan);
    plan.depth = numStages;
    auto complete = [](LoopPlan loads) {
      loads.distance = loads.depth - 1;
      return loads;
    };
    const size_t count = plan.buffers.size();
    plan = fitIntoShared(loop, plan, complete);
    return plan.buffers.size() == count ? plan : LoopPlan();
  }

  /// The loads that `isWanted` says, of those that can run ahead.
  SmallVector<EarlyLoad> planEarlyLoads(llvm::function_ref<bool(tensor::LoadOp)> isWanted) {
    SmallVector<EarlyLoad> early;
    for (tensor::LoadOp load : body->getOps<tensor::LoadOp>()) {
      if (load.getIsVolatile() || mayWrite(body, rootOf(load.getPtr())) || !isWanted(load))
        continue;
      EarlyLoad found{.load = load, .ahead = {}, .staged = {}};
      if (llvm::all_of(load->getOperands(), [&](Value operand) { return collect(operand, found.ahead); }))
        early.push_back(std::move(found));
    }
    // One that another's address needs runs ahead with that.
    llvm::DenseSet<Operation *> ahead;
    for (const EarlyLoad &each : early)
      ahead.insert_range(each.ahead);
    llvm::erase_if(early, [&](EarlyLoad &each) { return ahead.contains(each.load); });
    return early;
  }

  /// Loads that cp.async is too wide for, scales of few columns for instance: their latency would stand between the copies and the dot.
  SmallVector<EarlyLoad> planLoadsBesideCopies(const LoopPlan &plan) {
    constexpr int64_t mostElements = 32; // of a thread: they are held for an iteration
    llvm::DenseSet<Operation *> known;   // to run ahead
    for (const LoopBuffer &buffer : plan.buffers) {
      known.insert(buffer.load);
      known.insert_range(buffer.ahead);
    }
    return planEarlyLoads([&](tensor::LoadOp load) {
      auto type = dyn_cast<RankedTensorType>(load.getType());
      const int64_t elements = type ? toLinear(type).inputSize("register") : 1;
      return !known.contains(load) && elements <= mostElements && reachesDot(load.getResult());
    });
  }

  /// Registers of a thread that hold values of a type, small ones side by side or not; none for pointers, of which few are kept.
  static int64_t registersOf(Type type, bool arePacked) {
    Type element = getElementTypeOrSelf(type);
    if (!element.isIntOrFloat())
      return 0;
    auto tensor = dyn_cast<RankedTensorType>(type);
    const int64_t elements = tensor ? toLinear(tensor).inputSize("register") : 1;
    return llvm::divideCeil(elements * std::max(arePacked ? 8u : 32u, element.getIntOrFloatBitWidth()), 32);
  }

  /// Registers of a thread that are left for what is loaded ahead: beside what the loop carries and what its largest dot takes, and with an eighth for
  /// all else. WMMA's operands, of which some lie in two threads, take most of them.
  int64_t registersLeft() {
    const unsigned threads = getThreads(loop).count();
    const unsigned most =
        target.amd->isCdna() ? std::min(512u, 128 * 1024 / threads) : std::min(256u, 192 * 1024 / threads);
    int64_t left = most * 7 / 8, ofDot = 0;
    for (Type type : loop.getResultTypes())
      left -= registersOf(type, /*arePacked=*/false);
    for (tensor::DotOp dot : body->getOps<tensor::DotOp>()) {
      int64_t taken = registersOf(dot.getA().getType(), true) + registersOf(dot.getB().getType(), true);
      if (!isa<BlockArgument>(dot.getC()))
        taken += registersOf(dot.getType(), false);
      ofDot = std::max(ofDot, taken);
    }
    return left - ofDot;
  }

  /// All loads that registers are left for.
  LoopPlan planRegisterLoads() {
    LoopPlan plan;
    plan.distance = 1;
    int64_t room = registersLeft();
    plan.early = planEarlyLoads([&](tensor::LoadOp load) {
      if (load->use_empty() || !isWanted(load.getResult()))
        return false;
      const int64_t registers = registersOf(load.getType(), /*arePacked=*/isa<ConvertLayoutOp>(*load->user_begin()));
      if (registers > room)
        return false;
      room -= registers;
      return true;
    });
    for (EarlyLoad &each : plan.early)
      stage(each);
    if (!fitsIntoShared(loop, plan))
      for (EarlyLoad &each : plan.early)
        each.staged = {};
    return plan;
  }

  /// Where one conversion alone takes the values through shared memory, all at once: a buffer that is laid out as that wants it.
  void stage(EarlyLoad &each) {
    auto type = dyn_cast<RankedTensorType>(each.load.getType());
    auto convert = each.load->hasOneUse() ? dyn_cast<ConvertLayoutOp>(*each.load->user_begin()) : ConvertLayoutOp();
    if (!type || !convert || convert->getBlock() != body || !type.getElementType().isIntOrFloat() ||
        type.getElementTypeBitWidth() < 8)
      return;
    ConvertPlan plan = getPlan(convert);
    if (plan.kind != layout::ConversionPlan::Kind::Shared || !plan.cuts.empty() ||
        plan.pieceBits != type.getElementTypeBitWidth())
      return;
    each.staged = convert;
    each.buffer = MemDescType::get(type.getShape(), type.getElementType(),
                                   SharedLinearAttr::get(type.getContext(), plan.shared.memory, /*alignment=*/128),
                                   SharedMemoryAttr::get(type.getContext()), /*mutableMemory=*/true);
  }

  std::optional<LoopBuffer> planBlock(tensor::DescriptorLoadOp load) {
    // A descriptor made anew in every iteration is in use until the copy is done.
    if (!loop.isDefinedOutsideOfLoop(load.getDesc()) || !isWanted(load.getResult()) ||
        mayWrite(body, rootOf(load.getDesc())))
      return std::nullopt;
    LoopBuffer buffer{.load = load, .producer = LoopBuffer::Producer::Tma};
    for (Value coordinate : load.getIndices())
      if (!collect(coordinate, buffer.ahead))
        return std::nullopt;
    buffer.type = blockBufferType(load.getDesc().getType());
    if (load->hasOneUse())
      if (auto filled = dyn_cast<LocalAllocOp>(*load->user_begin());
          filled && filled.getType().getEncoding() == tmaLayout(load.getDesc().getType()))
        buffer.filled = filled;
    return buffer;
  }

  /// The last dot, if its result only goes into the next iteration: there it is added to, or is first read behind another dot.
  std::optional<DotInFlight> planInFlight(const LoopPlan &plan) {
    SmallVector<WarpGroupDotOp> dots(body->getOps<WarpGroupDotOp>());
    if (dots.empty() || !readsOnlyLoopBuffers(dots.back(), plan))
      return std::nullopt;
    WarpGroupDotOp last = dots.back();
    // A limit on imprecise accumulation means that registers are added to in between.
    auto right = cast<MemDescType>(last.getB().getType());
    int64_t limit = last.getMaxNumImpreciseAcc();
    bool isExact = !tensor::isFloat8(right.getElementType()) || limit == 0 || limit > right.getShape()[0];
    if (!isExact || !last.getD().hasOneUse() || *last.getD().user_begin() != body->getTerminator())
      return std::nullopt;
    unsigned index = last.getD().use_begin()->getOperandNumber();
    BlockArgument carried = loop.getRegionIterArg(index);
    if (dots.size() == 1 && last.getC() == carried && carried.hasOneUse() && isa<MemDescType>(last.getA().getType()))
      return DotInFlight{last, index, {}, {}};
    // The newest dot before the first use.
    WarpGroupDotOp drain;
    for (WarpGroupDotOp dot : ArrayRef(dots).drop_back())
      if (llvm::all_of(carried.getUsers(),
                       [&](Operation *user) { return user->getBlock() == body && dot->isBeforeInBlock(user); }) &&
          dot.getC() != carried)
        drain = dot;
    if (!drain || !drain.getD().hasNUsesOrMore(1))
      return std::nullopt;
    DotInFlight found{last, index, drain, {}};
    if (tensor::ReduceOp reduce = planOverlap(last, drain, carried, plan); reduce && paysToRotate(last, drain, plan))
      found.overlapped = reduce;
    return found;
  }

  /// Registers of a thread that hold a tensor, if threads share it evenly.
  int64_t registersOf(Value tensor) {
    auto type = cast<RankedTensorType>(tensor.getType());
    return type.getNumElements() * type.getElementTypeBitWidth() / (32 * getThreads(loop).count());
  }

  /// Whether to have the dot done an iteration later is worth what it costs: registers for its operand A beside the tile that the next one is
  /// made from and the accumulator, and mbarriers of its own for its buffers. Where one warpgroup does little between barriers, it is faster without.
  bool paysToRotate(WarpGroupDotOp last, WarpGroupDotOp drain, const LoopPlan &plan) {
    constexpr int64_t mostRegisters = 192, fewestColumns = 128;
    if (registersOf(last.getD()) + registersOf(drain.getD()) + registersOf(last.getA()) > mostRegisters)
      return false;
    const bool hasBarriers = !plan.hasAsyncCopies() && !asksForWarpSpecialization(loop);
    return !hasBarriers || getNumWarps(loop) > 4 || last.getD().getType().getDimSize(1) >= fewestColumns;
  }

  /// The first reduction of the drain's tile, before anything touches the carried sum: the row maximum of attention.
  tensor::ReduceOp planOverlap(WarpGroupDotOp last, WarpGroupDotOp drain, BlockArgument carried, const LoopPlan &plan) {
    auto filled = last.getB().getDefiningOp<LocalAllocOp>();
    bool isBuffered = llvm::any_of(plan.buffers, [&](const LoopBuffer &buffer) { return buffer.filled == filled; });
    // What another dot reads too is there an iteration earlier, and cannot be held for longer.
    if (!filled || !isBuffered || !isReadOnlyBy(filled, last) || !isa<RankedTensorType>(last.getA().getType()) ||
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

  /// What only the dot that is done an iteration later reads is copied an iteration later. Where TMA fills all buffers, and the two dots alone
  /// read them, these can say which are free; where threads copy, they can say so when both are done.
  void planRotation(LoopPlan &plan) {
    WarpGroupDotOp last = plan.inFlight->dot, drain = plan.inFlight->drain;
    for (LoopBuffer &buffer : plan.buffers)
      buffer.stage = buffer.filled && buffer.filled.getResult() == last.getB();
    bool areReadByDots = llvm::all_of(plan.buffers, [&](LoopBuffer &buffer) {
      return buffer.filled && isReadOnlyBy(buffer.filled, buffer.stage ? last : drain);
    });
    if (areReadByDots && !plan.hasAsyncCopies())
      plan.release = Release::Mbarrier;
    else if (areReadByDots && !plan.hasTma() && getNumWarps(loop) > 4)
      plan.release = Release::SplitBarrier;
  }

  static bool isReadOnlyBy(Value buffer, WarpGroupDotOp dot) {
    return llvm::all_of(buffer.getUsers(), [&](Operation *user) {
      return user == dot || (isa<MemDescTransOp>(user) && isReadOnlyBy(user->getResult(0), dot));
    });
  }

  /// Buffers that the loop fills anew in every iteration must not be read any more when the next one begins.
  static bool readsOnlyLoopBuffers(WarpGroupDotOp dot, const LoopPlan &plan) {
    return llvm::all_of(ValueRange{dot.getA(), dot.getB()}, [&](Value operand) {
      if (isa<RankedTensorType>(operand.getType()))
        return true;
      while (auto view = operand.getDefiningOp<MemDescTransOp>())
        operand = view.getSrc();
      auto filled = operand.getDefiningOp<LocalAllocOp>();
      bool isBuffered = llvm::any_of(plan.buffers, [&](const LoopBuffer &buffer) {
        return buffer.filled == filled || (buffer.transposing && plan.transposedDepth > 1 && filled &&
                                           filled.getSrc() == buffer.load->getResult(0));
      });
      return filled && (filled->getBlock() != dot->getBlock() || isBuffered);
    });
  }

  static int64_t bytesOf(Type type) {
    return ShapedType::getNumElements(tensor::getShape(type)) * tensor::getElementBits(type) / 8;
  }

  /// Shared memory that the function then takes at most, with two buffers for what is transposed; without what the loop itself allocates, which
  /// may become multi-buffered, or with.
  int64_t sharedBytesWithTwo(LoopPlan &plan, bool countsOwn = false) {
    int64_t bytes = 0;
    for (LoopBuffer &buffer : plan.buffers)
      bytes += bytesOf(buffer.tensorType()) * (plan.depth + (buffer.transposing ? 2 : 0));
    loop->getParentOfType<FunctionOpInterface>()->walk([&](LocalAllocOp alloc) {
      if (countsOwn || alloc->getBlock() != body)
        bytes += alloc.getType().getNumElements() * alloc.getType().getElementBits() / 8;
    });
    return bytes;
  }

  /// What is done with these buffers.
  LoopPlan planDots(LoopPlan plan) {
    plan.distance = plan.depth - 1;
    if (sharedBytesWithTwo(plan) <= target.sharedBytes())
      plan.transposedDepth = 2;
    plan.inFlight = planInFlight(plan);
    if (plan.isRotated())
      planRotation(plan);
    planWarpSpecialization(loop, plan);
    SmallVector<WarpGroupDotOp> dots(body->getOps<WarpGroupDotOp>());
    if (!plan.inFlight && !plan.specialized && dots.size() == 1 && isa<RankedTensorType>(dots[0].getA().getType()) &&
        llvm::all_of(dots[0].getD().getUsers(), [&](Operation *user) { return user == body->getTerminator(); }))
      plan.covering = dots[0];
    return plan;
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
    if (nests || waitsForOthers())
      return plan;
    if (target.isAmd()) {
      if (directPiece(loop->getParentOfType<ModuleOp>(), *target.amd))
        plan = planDirectCopies(numStages);
      if (!plan)
        plan = planRegisterLoads();
      if (plan)
        scheduleLoop(loop, plan);
      return plan;
    }
    for (tensor::LoadOp load : body->getOps<tensor::LoadOp>())
      if (std::optional<LoopBuffer> buffer = planCopy(load))
        plan.buffers.push_back(*buffer);
    for (tensor::DescriptorLoadOp load : body->getOps<tensor::DescriptorLoadOp>())
      if (std::optional<LoopBuffer> buffer = planBlock(load))
        plan.buffers.push_back(*buffer);
    leaveOutAddresses(plan);
    plan.depth = numStages;
    // Buffers that no dot needs are to leave room for everything else.
    if (takesAll && sharedBytesWithTwo(plan, /*countsOwn=*/true) > target.sharedBytes() * 3 / 4) {
      llvm::erase_if(plan.buffers, [&](LoopBuffer &buffer) { return !reachesDot(buffer.load->getResult(0)); });
    }
    plan = fitIntoShared(loop, plan, [&](const LoopPlan &loads) { return planDots(loads); });
    if (plan && !plan.specialized)
      plan.early = planLoadsBesideCopies(plan);
    if (plan)
      scheduleLoop(loop, plan);
    return plan;
  }
};

} // namespace

LoopPlan planLoop(scf::ForOp loop, int64_t numStages, AccessAnalysis &access) {
  // A number of stages on a loop is for all of its loads; that of a kernel is for the loads of dots.
  auto asked = loop->getAttrOfType<IntegerAttr>(tensor::numStagesName);
  if (asked)
    numStages = asked.getInt();
  return Planner{loop, access, bool(asked)}.run(std::clamp<int64_t>(numStages, 1, mostStages));
}

} // namespace triton::gpu
