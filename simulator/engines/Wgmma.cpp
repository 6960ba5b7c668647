// wgmma: four warps multiply 64 rows of A by up to 256 columns of B. Each warp computes its 16 rows when it issues the instruction.
// A GPU begins when all four have issued it: a group is complete, and a wait for it over, when the other warps have committed theirs. Kernels rely on that: after the wait one
// thread gives a buffer back for all four.
#include "simulator/engines/SharedMatrix.h"
#include "simulator/engines/Sparse.h"
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/watch/Groups.h"
#include "simulator/watch/Registers.h"

#include <algorithm>
#include <charconv>

namespace triton::simulator {

namespace {

constexpr unsigned rowsOfWarp = 16;

struct Product {
  unsigned n = 0, k = 0;
  Element a = Element::F16, b = Element::F16, d = Element::F32;
  bool isANegated = false, isBNegated = false;
  bool isAAlongK = true, isBAlongK = true;
  bool saturates = false;
  std::vector<Slot> accumulators, aRegisters; // no registers of A: it is in shared memory
  std::optional<Sparsity> sparsity;           // of A, which then has half the depth
  unsigned leftDepth() const { return sparsity ? k / 2 : k; }
};

/// Where an accumulator's register lies: with 32 bits register r of a lane holds (row, column) and register r + 1 the next column; with 16 bits a register holds both.
struct Position {
  unsigned row, column;
};
Position positionOf(unsigned lane, unsigned number) { // number: of the lane's accumulators
  return {lane / 4 + (number / 2 % 2) * 8, number / 4 * 8 + lane % 4 * 2 + number % 2};
}

/// A in registers: the fragment of mma. Register r holds row lane / 4, or 8 more if r is odd, and consecutive elements along K.
void readFragment(const Warp &warp, const Product &product, double *a) {
  unsigned bits = bitsOf(product.a), inRegister = 32 / bits;
  for (unsigned r = 0; r < 4; ++r) {
    const uint32_t *words = warp.in<uint32_t>(product.aRegisters[r]);
    for (unsigned lane = 0; lane < laneCount; ++lane)
      for (unsigned e = 0; e < inRegister; ++e) {
        unsigned row = lane / 4 + r % 2 * 8, k = lane % 4 * inRegister + e + r / 2 * 4 * inRegister;
        a[row * product.leftDepth() + k] = decodeElement(words[lane] >> (e * bits), product.a);
      }
  }
}

/// a: descriptor of A, if it is in shared memory; b: descriptor of B; p: whether the accumulator counts.
Step multiplyAsync(Warp &warp, const Instruction &instruction, LaneMask mask) {
  const Product &product = *static_cast<const Product *>(instruction.details);
  if (mask != allLanes) {
    warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Divergence,
                           "wgmma is executed by some lanes of a warp only", true);
    return Step::Blocked;
  }
  Operation operation(warp, Proxy::Async);
  operation.joins(Group::Products);
  if (warp.inFlight) {
    warp.inFlight->checkFenced(warp, instruction, product.accumulators, product.aRegisters);
    warp.inFlight->begin(instruction, product.accumulators, product.aRegisters, warp.committedGroups);
  }
  static thread_local std::vector<double> a, packed, rows, b, d;
  a.resize(rowsOfWarp * product.leftDepth());
  b.resize(product.k * product.n);
  d.assign(rowsOfWarp * product.n, 0);
  if (!product.aRegisters.empty()) {
    readFragment(warp, product, a.data());
  } else {
    SharedMatrix matrix = decodeWgmmaDescriptor(warp.in<uint64_t>(instruction.a)[0], product.isAAlongK, product.a);
    unsigned first = warp.index % 4 * rowsOfWarp;
    if (!matrix.read(warp, instruction, warp.cta, first, first + rowsOfWarp, product.leftDepth(), a.data()))
      return Step::Blocked;
  }
  if (product.sparsity) {
    packed.swap(a);
    a.resize(rowsOfWarp * product.k);
    product.sparsity->spread(warp, packed.data(), product.k, a.data());
  }
  SharedMatrix matrix = decodeWgmmaDescriptor(warp.in<uint64_t>(instruction.b)[0], product.isBAlongK, product.b);
  rows.resize(size_t(product.n) * product.k);
  if (!matrix.read(warp, instruction, warp.cta, 0, product.n, product.k, rows.data()))
    return Step::Blocked;
  double sign = product.isANegated != product.isBNegated ? -1 : 1;
  for (unsigned column = 0; column < product.n; ++column)
    for (unsigned k = 0; k < product.k; ++k)
      b[size_t(k) * product.n + column] = sign * rows[size_t(column) * product.k + k];

  bool accumulates = warp.predicate(instruction.p) & 1;
  bool isHalf = product.d == Element::F16;
  unsigned perLane = product.n / 2;
  auto eachAccumulator = [&](auto body) {
    for (unsigned number = 0; number < perLane; ++number) {
      Slot slot = product.accumulators[isHalf ? number / 2 : number];
      uint32_t *words = warp.out<uint32_t>(slot);
      for (unsigned lane = 0; lane < laneCount; ++lane) {
        Position at = positionOf(lane, number);
        body(words[lane], isHalf ? number % 2 * 16 : 0, d[at.row * product.n + at.column]);
      }
    }
  };
  if (accumulates)
    eachAccumulator([&](uint32_t word, unsigned shift, double &sum) { sum = decodeElement(word >> shift, product.d); });
  warp.cta.cluster.products += productsOf(product.a, rowsOfWarp, product.n, product.k);
  multiply(a.data(), b.data(), d.data(), rowsOfWarp, product.n, product.k);
  eachAccumulator([&](uint32_t &word, unsigned shift, double &sum) {
    uint32_t bits = encodeAccumulator(sum, product.d, product.saturates);
    word = isHalf ? (word & ~(0xFFFFu << shift)) | bits << shift : bits;
  });
  return Step::Next;
}

Step fence(Warp &warp, const Instruction &, LaneMask) {
  if (warp.inFlight)
    warp.inFlight->fence();
  return Step::Next;
}

Step commit(Warp &warp, const Instruction &instruction, LaneMask mask) {
  ++warp.committedGroups;
  ++warp.cta.cluster.events;
  return commitGroup<Group::Products>(warp, instruction, mask);
}

/// `immediate`: so many of the newest groups may be incomplete.
Step waitForGroups(Warp &warp, const Instruction &instruction, LaneMask mask) {
  Path &path = warp.path();
  path.why = nullptr;
  auto &warps = warp.cta.warps;
  const size_t first = warp.index / 4 * 4, end = std::min(warps.size(), first + 4);
  for (size_t index = first; index < end; ++index)
    if (!warps[index]->isDone() &&
        warps[index]->committedGroups + uint64_t(instruction.immediate) < warp.committedGroups) {
      path.why = "the wgmma group of warp";
      path.whyAddress = index;
      return Step::Blocked;
    }
  if (RaceWatch *races = warp.cta.cluster.races.get())
    for (size_t index = first; index < end; ++index)
      races->learnGroups(warp, *warps[index], Group::Products, uint32_t(instruction.immediate));
  if (warp.inFlight)
    warp.inFlight->complete(warp.committedGroups - std::min(warp.committedGroups, uint64_t(instruction.immediate)));
  return waitGroup<Group::Products>(warp, instruction, mask);
}

/// m64n128k16 -> 128, 16.
bool readShape(std::string_view text, unsigned &n, unsigned &k) {
  if (!text.starts_with("m64n"))
    return false;
  const char *end = text.data() + text.size();
  auto first = std::from_chars(text.data() + 4, end, n);
  if (first.ec != std::errc() || first.ptr == end || *first.ptr != 'k')
    return false;
  return std::from_chars(first.ptr + 1, end, k).ptr == end;
}

bool decodeProduct(Decoder &decoder) {
  const auto &parts = decoder.opcode(); // wgmma mma_async sync aligned shape d a b
  Product product;
  const bool isSparse = decoder.has("sp"); // wgmma mma_async sp sync …
  const size_t shape = isSparse ? 5 : 4;
  if (parts.size() < shape + 4 || !readShape(parts[shape], product.n, product.k))
    return decoder.unknown();
  auto d = elementOf(parts[shape + 1]), a = elementOf(parts[shape + 2]), b = elementOf(parts[shape + 3]);
  if (!d || !a || !b || product.n % 8 || product.n > 256 || product.k * bitsOf(*a) != (isSparse ? 512 : 256))
    return decoder.unknown();
  product.d = *d, product.a = *a, product.b = *b;
  product.saturates = decoder.has("satfinite");
  product.accumulators = decoder.vector(decoder.operand(0), 4, /*isDestination=*/true);
  if (product.accumulators.size() != product.n / (product.d == Element::F16 ? 4 : 2))
    return decoder.fail("wgmma with " + std::to_string(product.accumulators.size()) + " accumulators");
  const ptx::Operand &left = decoder.operand(1);
  bool isInRegisters = left.kind == ptx::Operand::Kind::Vector;
  Slot aDescriptor{};
  if (isInRegisters) {
    product.aRegisters = decoder.vector(left, 4, /*isDestination=*/false);
    if (product.aRegisters.size() != 4)
      return decoder.fail("wgmma with " + std::to_string(product.aRegisters.size()) + " registers of A");
  } else {
    aDescriptor = decoder.bits(left, 8);
  }
  Slot bDescriptor = decoder.bits(decoder.operand(2), 8);
  size_t next = 3;
  if (isSparse) {
    product.sparsity = Sparsity::decode(decoder, next, bitsOf(product.a), product.k);
    if (!product.sparsity)
      return false;
    next += 2;
  }
  const ptx::Operand &scale = decoder.operand(next++);
  PredicateSlot accumulates{decoder.isPredicate(scale) ? 0 : uint32_t(decoder.integer(scale) != 0), false};
  if (decoder.isPredicate(scale))
    accumulates = decoder.predicate(scale);
  auto flag = [&](int64_t value) {
    return next < decoder.operandCount() && decoder.integer(decoder.operand(next++)) == value;
  };
  product.isANegated = flag(-1);
  product.isBNegated = flag(-1);
  if (!isInRegisters)
    product.isAAlongK = !flag(1);
  product.isBAlongK = !flag(1);
  Instruction &made = decoder.emit(multiplyAsync);
  made.a = aDescriptor, made.b = bDescriptor, made.p = accumulates;
  made.details = decoder.keepDetails(std::move(product));
  return !decoder.failed();
}

bool decodeWgmma(Decoder &decoder) {
  if (decoder.has("mma_async"))
    return decodeProduct(decoder);
  if (decoder.has("wait_group")) {
    int64_t newest = decoder.integer(decoder.operand(0));
    decoder.emit(waitForGroups).immediate = newest;
    return true;
  }
  if (!decoder.has("commit_group") && !decoder.has("fence"))
    return decoder.unknown();
  decoder.emit(decoder.has("commit_group") ? commit : fence);
  return true;
}

} // namespace

void addWgmma(DecodeTable &table) { table["wgmma"] = decodeWgmma; }

} // namespace triton::simulator
