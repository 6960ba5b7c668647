// A worked example: the running sums of 1 … 8 in 2 warps of 2 lanes with 2 registers each.
//                     warp 0             warp 1
//                 lane 0   lane 1    lane 0   lane 1
//   registers      1 2      3 4       5 6      7 8
//   runs           1 3      3 7       5 11     7 15      each thread by itself; the last number of a run is its total: 3 7 11 15
//   lanes           -        3         -        11       what stands before it in the warp, by shuffles of totals
//   warps           -        -         10       10       what stands before the warp: totals of warps, 10 and 26, through a buffer
//   results        1 3      6 10     15 21    28 36      each run combined with what stands before it
// Where the bits of a coordinate are held in another order (registers above lanes, say) a thread has several runs, and the same steps are done segment
// by segment, from the lowest bits of the coordinate up.
#include "compiler/layout/Scan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace triton::layout;
using llvm::StringRef;

namespace {

enum class Holder { Register, Lane, Warp };

/// Bits next to each other along the axis that one kind of index holds. Lane and warp bits ascend, so that counting in them counts along the axis.
struct Segment {
  Holder holder;
  llvm::SmallVector<unsigned> bits; // numbers of bits of the index, lowest along the axis first
  unsigned mask() const {
    unsigned result = 0;
    for (unsigned bit : bits)
      result |= 1u << bit;
    return result;
  }
  unsigned positions() const { return 1u << bits.size(); }
  /// The bits of the index at a position along the segment.
  unsigned at(unsigned position) const {
    unsigned result = 0;
    for (auto [i, bit] : llvm::enumerate(bits))
      result |= (position >> i & 1) << bit;
    return result;
  }
};

/// What stands before the elements of one run: in threads where `first` holds, nothing does.
struct Prefix {
  unsigned value = 0;
  bool exists = false; // in some thread
  bool always = false; // in every thread
  ThreadCondition first;
  ThreadCondition valid() const {
    ThreadCondition condition = first;
    condition.negated = true;
    return condition;
  }
};

/// A value per run: by register index, with the bits of segments already done set to 0.
using Totals = std::map<unsigned, unsigned>;
using Prefixes = std::map<unsigned, Prefix>;

class Planner {
public:
  Planner(const LinearLayout &layout, unsigned axis, bool reverse)
      : layout(layout), axis(axis), reverse(reverse), allLanes(layout.inputSize("lane") - 1) {}
  ThreadProgram plan();

private:
  void findSegments();
  /// Position number `step` in the order of the scan.
  unsigned position(const Segment &segment, unsigned step) const {
    return segment.at(reverse ? segment.positions() - 1 - step : step);
  }
  unsigned lastLanes() const { return reverse ? 0 : lowerLanes; }
  Prefixes before(Totals totals, size_t index);
  Prefixes beforeInThread(const Totals &totals, size_t index);
  Prefixes beforeInWarp(const Totals &totals, size_t index);
  Prefixes beforeInCta(const Totals &totals, size_t index);
  /// What stands before a run: what stands before its group, then `local`, what stands before it in the group.
  Prefix join(const Prefix &group, const Prefix &local);

  const LinearLayout &layout;
  unsigned axis;
  bool reverse;
  unsigned allLanes; // as a mask
  std::vector<Segment> segments;
  unsigned lowerLanes = 0; // lane bits of segments done
  bool everywhere = true;  // totals are known to all lanes of these, not only to the last
  ThreadProgram program;
};

} // namespace

bool triton::layout::canScan(const LinearLayout &layout, unsigned axis) {
  uint64_t seen = 0;
  for (const LinearLayout::Input &input : layout.inputs())
    for (const Coordinates &basis : input.bases) {
      auto along = static_cast<uint64_t>(basis[axis]);
      if (!along)
        continue;
      bool single = llvm::isPowerOf2_64(along) && llvm::count_if(basis, [](int64_t value) { return value != 0; }) == 1;
      if (!single || (seen & along) || input.name == "block")
        return false;
      seen |= along;
    }
  return seen + 1 == static_cast<uint64_t>(layout.outputs()[axis].size);
}

BlockedLayout triton::layout::layoutOfRuns(llvm::ArrayRef<int64_t> shape, unsigned axis, int64_t lanes, int64_t warps) {
  unsigned rank = shape.size();
  BlockedLayout blocked;
  blocked.sizePerThread.assign(rank, 1);
  blocked.threadsPerWarp.assign(rank, 1);
  blocked.warpsPerCta.assign(rank, 1);
  blocked.order.push_back(axis);
  for (unsigned dim = 0; dim < rank; ++dim)
    if (dim != axis)
      blocked.order.push_back(dim);
  auto take = [](int64_t &supply, int64_t room) {
    int64_t taken = std::min(supply, std::max<int64_t>(room, 1));
    supply /= taken;
    return taken;
  };
  for (unsigned dim : llvm::reverse(blocked.order)) {
    blocked.threadsPerWarp[dim] = dim == axis ? lanes : take(lanes, shape[dim]);
    blocked.warpsPerCta[dim] = dim == axis ? warps : take(warps, shape[dim] / blocked.threadsPerWarp[dim]);
  }
  blocked.sizePerThread[axis] = std::max<int64_t>(1, shape[axis] / (lanes * warps));
  return blocked;
}

LinearLayout triton::layout::scannableLayout(const LinearLayout &layout, unsigned axis) {
  llvm::SmallVector<int64_t> shape;
  for (const LinearLayout::Output &output : layout.outputs())
    shape.push_back(output.size);
  return layoutOfRuns(shape, axis, layout.inputSize("lane"), layout.inputSize("warp")).toLinear(shape);
}

void Planner::findSegments() {
  auto holderOf = [](StringRef name) {
    return name == "register" ? Holder::Register : name == "lane" ? Holder::Lane : Holder::Warp;
  };
  for (int64_t along = 1; along < layout.outputs()[axis].size; along *= 2)
    for (const LinearLayout::Input &input : layout.inputs())
      for (auto [bit, basis] : llvm::enumerate(input.bases)) {
        if (basis[axis] != along)
          continue;
        Holder holder = holderOf(input.name);
        bool joins = !segments.empty() && segments.back().holder == holder &&
                     (holder == Holder::Register || segments.back().bits.back() < bit);
        if (!joins)
          segments.push_back({holder, {}});
        segments.back().bits.push_back(static_cast<unsigned>(bit));
      }
}

static ThreadCondition both(ThreadCondition a, const ThreadCondition &b) {
  a.laneMask |= b.laneMask;
  a.laneValue |= b.laneValue;
  a.warpMask |= b.warpMask;
  a.warpValue |= b.warpValue;
  return a;
}

Prefix Planner::join(const Prefix &group, const Prefix &local) {
  if (!group.exists)
    return local;
  if (!local.exists)
    return group;
  unsigned value = program.combine(group.value, local.value);
  if (!local.always)
    value = program.select(local.valid(), value, group.value);
  if (!group.always)
    value = program.select(group.valid(), value, local.value);
  return {value, true, group.always || local.always, both(group.first, local.first)};
}

Prefixes Planner::before(Totals totals, size_t index) {
  if (index == segments.size()) {
    Prefixes none;
    for (auto [reg, value] : totals)
      none[reg] = {};
    return none;
  }
  Holder holder = segments[index].holder;
  if (!everywhere && holder != Holder::Warp) {
    for (auto &[reg, value] : totals)
      value = program.shuffle(value, {.keep = allLanes & ~lowerLanes, .set = lastLanes()});
    everywhere = true;
  }
  return holder == Holder::Register ? beforeInThread(totals, index)
         : holder == Holder::Lane   ? beforeInWarp(totals, index)
                                    : beforeInCta(totals, index);
}

Prefixes Planner::beforeInThread(const Totals &totals, size_t index) {
  const Segment &segment = segments[index];
  Totals groups;
  Prefixes result;
  for (auto [reg, value] : totals) {
    if (reg & segment.mask())
      continue;
    unsigned running = totals.at(reg | position(segment, 0));
    for (unsigned step = 1; step < segment.positions(); ++step) {
      unsigned at = reg | position(segment, step);
      result[at] = {running, true, true, {}};
      running = program.combine(running, totals.at(at));
    }
    groups[reg] = running;
  }
  Prefixes outer = before(groups, index + 1);
  for (auto [reg, value] : totals)
    result[reg] = join(outer.at(reg & ~segment.mask()), result[reg]);
  return result;
}

Prefixes Planner::beforeInWarp(const Totals &totals, size_t index) {
  const Segment &segment = segments[index];
  unsigned mask = segment.mask();
  Totals inclusive = totals;
  unsigned done = 0;
  for (unsigned bit : segment.bits) {
    unsigned lane = 1u << bit;
    // Lanes with the later half take the total of the earlier: of its last lane.
    LaneSource source =
        reverse ? LaneSource{.keep = allLanes & ~done, .set = lane} : LaneSource{.keep = allLanes & ~lane, .set = done};
    ThreadCondition later{.laneMask = lane, .laneValue = reverse ? 0 : lane};
    for (auto &[reg, value] : inclusive) {
      unsigned earlier = program.shuffle(value, source);
      value = program.select(later, program.combine(earlier, value), value);
    }
    done |= lane;
  }
  Prefixes result;
  for (auto [reg, value] : inclusive) {
    ThreadCondition first{.laneMask = mask, .laneValue = reverse ? mask : 0};
    result[reg] = {program.shuffle(value, {.count = mask, .up = reverse}), true, false, first};
  }
  lowerLanes |= mask;
  everywhere = false;
  Prefixes outer = before(inclusive, index + 1);
  for (auto &[reg, prefix] : result)
    prefix = join(outer.at(reg), prefix);
  return result;
}

Prefixes Planner::beforeInCta(const Totals &totals, size_t index) {
  const Segment &segment = segments[index];
  unsigned mask = segment.mask();
  // Places in the buffer: positions along the segment lowest, so that one wide load takes several; then whatever tells runs apart.
  unsigned base = program.slots, next = segment.bits.size();
  std::vector<unsigned> perLane, perWarp;
  for (unsigned bit = 0; bit < llvm::Log2_64(layout.inputSize("lane")); ++bit)
    perLane.push_back(lowerLanes >> bit & 1 ? 0 : 1u << next++);
  for (unsigned bit = 0; bit < llvm::Log2_64(layout.inputSize("warp")); ++bit) {
    auto found = llvm::find(segment.bits, bit);
    perWarp.push_back(found != segment.bits.end() ? 1u << (found - segment.bits.begin()) : 1u << next++);
  }
  unsigned stride = 1u << next;
  // Buffers of one program lie one behind the other, aligned so that XOR with the base adds.
  base = llvm::alignTo(base, llvm::PowerOf2Ceil(stride * totals.size()));
  program.slots = base + stride * totals.size();

  ThreadCondition writes{.laneMask = lowerLanes, .laneValue = lastLanes()};
  unsigned run = 0;
  for (auto [reg, value] : totals)
    program.store(value, {base + stride * run++, perLane, perWarp}, writes);
  program.barrier();

  std::vector<unsigned> ownWarp = perWarp; // without the position
  for (unsigned bit : segment.bits)
    ownWarp[bit] = 0;
  Totals groups;
  Prefixes result;
  unsigned width = std::min(4u, segment.positions());
  run = 0;
  for (auto [reg, value] : totals) {
    std::vector<unsigned> parts;
    for (unsigned part = 0; part < segment.positions(); part += width) {
      unsigned first = program.load({(base + stride * run) | part, perLane, ownWarp}, width);
      for (unsigned i = 0; i < width; ++i)
        parts.push_back(first + i);
    }
    ++run;
    auto part = [&](unsigned step) { return parts[reverse ? segment.positions() - 1 - step : step]; };
    unsigned running = part(0), own = running;
    for (unsigned step = 1; step < segment.positions(); ++step) {
      own = program.select({.warpMask = mask, .warpValue = position(segment, step)}, running, own);
      if (step + 1 < segment.positions() || index + 1 < segments.size())
        running = program.combine(running, part(step));
    }
    groups[reg] = running;
    result[reg] = {own, true, false, {.warpMask = mask, .warpValue = position(segment, 0)}};
  }
  everywhere = true;
  Prefixes outer = before(groups, index + 1);
  for (auto &[reg, prefix] : result)
    prefix = join(outer.at(reg), prefix);
  return result;
}

ThreadProgram Planner::plan() {
  unsigned registers = layout.inputSize("register");
  program.inputs = program.values = registers;
  findSegments();
  // Registers that hold copies take their results from the first.
  unsigned copies = 0;
  for (const LinearLayout::Input &input : layout.inputs())
    if (input.name == "register")
      for (auto [bit, basis] : llvm::enumerate(input.bases))
        if (llvm::all_of(basis, [](int64_t value) { return value == 0; }))
          copies |= 1u << bit;

  size_t index = 0;
  unsigned inRun = 0;
  Totals totals;
  std::vector<unsigned> inclusive(registers);
  Segment run{Holder::Register, {}};
  if (!segments.empty() && segments[0].holder == Holder::Register) {
    run = segments[0];
    inRun = run.mask();
    index = 1;
  }
  for (unsigned reg = 0; reg < registers; ++reg) {
    if (reg & (inRun | copies))
      continue;
    unsigned running = inclusive[reg | position(run, 0)] = reg | position(run, 0);
    for (unsigned step = 1; step < run.positions(); ++step) {
      unsigned at = reg | position(run, step);
      running = inclusive[at] = program.combine(running, at);
    }
    totals[reg] = running;
  }
  Prefixes prefixes = before(totals, index);
  for (unsigned reg = 0; reg < registers; ++reg) {
    unsigned source = reg & ~copies;
    const Prefix &prefix = prefixes.at(source & ~inRun);
    if (reg != source) {
      program.results.push_back(program.results[source]);
      continue;
    }
    unsigned value = inclusive[reg];
    if (prefix.exists)
      value = program.select(prefix.always ? ThreadCondition() : prefix.valid(), program.combine(prefix.value, value),
                             value);
    program.results.push_back(value);
  }
  return std::move(program);
}

ThreadProgram triton::layout::planScan(const LinearLayout &layout, unsigned axis, bool reverse) {
  assert(canScan(layout, axis) && "the caller converts to a layout that can be scanned");
  return Planner(layout, axis, reverse).plan();
}
