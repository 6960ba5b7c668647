// What accesses to shared memory cost (bank conflicts), and conversions between layouts that go through it: of a CTA, or of a cluster.
#include "compiler/layout/BitMatrix.h"
#include "compiler/layout/Conversion.h"
#include "compiler/layout/MatrixAccess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <map>
#include <set>

using namespace triton::layout;

unsigned triton::layout::bankConflicts(const LinearLayout &access, unsigned vectorBits, unsigned elementBits) {
  // A cycle moves at most 128 bytes at a time: wide accesses go in groups of lanes, each of which may touch every bank once.
  unsigned accessBytes = std::max(1u, (elementBits << vectorBits) / 8);
  unsigned lanes = access.inputSize("lane");
  unsigned group = std::min(lanes, std::max(1u, 128 / std::max(4u, accessBytes)));
  unsigned worst = 1;
  for (unsigned first = 0; first < lanes; first += group) {
    std::map<unsigned, std::set<uint64_t>> wordsOfBank;
    for (unsigned lane = first; lane < first + group; ++lane) {
      uint64_t byte = static_cast<uint64_t>(access.apply({{"lane", lane}})[0]) * elementBits / 8;
      for (unsigned word = 0; word < std::max(1u, accessBytes / 4); ++word)
        wordsOfBank[(byte / 4 + word) % 32].insert(byte / 4 + word);
    }
    for (const auto &[bank, words] : wordsOfBank)
      worst = std::max(worst, static_cast<unsigned>(words.size()));
  }
  return worst;
}

unsigned triton::layout::vectorBitsOf(const LinearLayout &access, unsigned elementBits) {
  uint64_t threadBits = 0;
  for (llvm::StringRef input : {"lane", "warp", "block"})
    for (uint64_t column : access.columns(input))
      threadBits |= column;
  ColumnSpan registers(access.columns("register"));
  unsigned bits = 0;
  while ((elementBits << (bits + 1)) <= 128 && !(threadBits >> bits & 1) && registers.solve(uint64_t(1) << bits))
    ++bits;
  return bits;
}

/// With these vectors as the lowest bits of the offset.
static SharedExchange planWith(std::vector<uint64_t> vector, const LinearLayout &from, const LinearLayout &to,
                               unsigned elementBits) {
  unsigned bits = from.outputBits();
  std::vector<uint64_t> fromRegisters = from.columns("register"), toRegisters = to.columns("register");
  std::vector<uint64_t> fromLanes = from.columns("lane"), toLanes = to.columns("lane");

  // Lanes of one group access memory together. Bits above the banks ("rows") must tell none of them apart: choose the rows outside the spans of
  // both sides' lanes, as sums of one side's and the other's where the space is used up.
  auto group = [&](llvm::ArrayRef<uint64_t> lanes, llvm::ArrayRef<uint64_t> registers) {
    ColumnSpan held(registers);
    size_t width = llvm::find_if(vector, [&](uint64_t each) { return !held.solve(each); }) - vector.begin();
    unsigned vectorBytes = std::max<unsigned>(4, (elementBits << width) / 8);
    size_t laneBits = std::min<size_t>(lanes.size(), llvm::Log2_32(128 / vectorBytes));
    return std::vector<uint64_t>(lanes.begin(), lanes.begin() + laneBits);
  };
  std::vector<uint64_t> a = independent(group(fromLanes, fromRegisters), vector),
                        b = independent(group(toLanes, toRegisters), vector);
  unsigned bankBits = llvm::Log2_32(std::max<unsigned>(1, 1024 / (elementBits << vector.size())));
  bankBits = std::min<unsigned>(bankBits, bits - vector.size());
  unsigned rowBits = bits - vector.size() - bankBits;
  std::vector<uint64_t> shared = intersection(a, b);
  std::vector<uint64_t> onlyA = independent(a, concatenate(vector, shared)),
                        onlyB = independent(b, concatenate(vector, shared));
  std::vector<uint64_t> everything;
  for (unsigned bit = 0; bit < bits; ++bit)
    everything.push_back(uint64_t(1) << bit);
  std::vector<uint64_t> rows = independent(everything, concatenate(concatenate(vector, a), b));
  for (auto [x, y] : llvm::zip(onlyA, onlyB))
    rows.push_back(x ^ y);
  if (rows.size() < rowBits)
    for (uint64_t extra : independent(everything, concatenate(vector, rows)))
      rows.push_back(extra);
  rows.resize(std::min<size_t>(rows.size(), rowBits));
  // Banks take the rest, lanes first so that their order is kept where it can be.
  std::vector<uint64_t> banks = independent(concatenate(concatenate(b, a), everything), concatenate(vector, rows));
  banks.resize(std::min<size_t>(banks.size(), bits - vector.size() - rows.size()));

  SharedExchange plan;
  LinearLayout::Input offsets{"offset", {}};
  for (uint64_t column : concatenate(concatenate(vector, banks), rows))
    offsets.bases.push_back({static_cast<int64_t>(column)});
  llvm::SmallVector<DimensionSize> dimensions;
  for (const LinearLayout::Output &output : from.outputs())
    dimensions.emplace_back(output.name, output.size);
  plan.memory = LinearLayout({offsets}, {{"flat", int64_t(1) << bits}}).reshapeOutputs(dimensions);
  plan.store = *from.invertAndCompose(plan.memory);
  plan.load = *to.invertAndCompose(plan.memory);
  plan.storeVectorBits = vectorBitsOf(plan.store, elementBits);
  plan.loadVectorBits = vectorBitsOf(plan.load, elementBits);
  return plan;
}

unsigned triton::layout::accessCost(const LinearLayout &access, unsigned elementBits) {
  unsigned distinct = 1u << ColumnSpan(access.columns("register")).rank();
  if (auto matrices = planMatrixAccess(access, elementBits); matrices && matrices->pieces > 1) {
    // Eight rows of 16 bytes at a time.
    LinearLayout rows = matrices->address;
    unsigned vectorBits = llvm::Log2_32(128 / elementBits);
    return matrices->instructions.size() * (1 + matrices->pieces * bankConflicts(rows, vectorBits, elementBits));
  }
  unsigned vectorBits = vectorBitsOf(access, elementBits);
  unsigned bytes = (elementBits << vectorBits) / 8, instructions = distinct >> vectorBits;
  return instructions * (1 + std::max(1u, bytes / 4) * bankConflicts(access, vectorBits, elementBits));
}

SharedExchange triton::layout::planShared(const LinearLayout &from, const LinearLayout &to, unsigned elementBits) {
  std::vector<uint64_t> fromRegisters = from.columns("register"), toRegisters = to.columns("register");
  unsigned vectorLimit = llvm::Log2_32(std::max(1u, 128 / elementBits)),
           wordLimit = llvm::Log2_32(std::max(1u, 32 / elementBits));
  auto upTo = [](std::vector<uint64_t> vectors, size_t limit) {
    vectors.resize(std::min(vectors.size(), limit));
    return vectors;
  };
  // The lowest bits of the offset: what is in registers on both sides, up to 16 bytes, else on either side, up to a bank's 4 bytes, so that one
  // of them at least moves whole words. Or what is in registers on one side: the other may be an access by ldmatrix or stmatrix.
  std::vector<uint64_t> onBoth = upTo(intersection(fromRegisters, toRegisters), vectorLimit);
  if (onBoth.size() < wordLimit)
    onBoth = upTo(concatenate(onBoth, independent(toRegisters, onBoth)), wordLimit);
  std::vector<uint64_t> candidates[] = {onBoth, upTo(independent(toRegisters, {}), vectorLimit),
                                        upTo(independent(fromRegisters, {}), vectorLimit)};
  std::optional<SharedExchange> best;
  unsigned bestCost = 0;
  for (const std::vector<uint64_t> &candidate : candidates) {
    SharedExchange plan = planWith(candidate, from, to, elementBits);
    unsigned cost = accessCost(plan.store, elementBits) + accessCost(plan.load, elementBits);
    if (best && cost >= bestCost)
      continue;
    best = std::move(plan);
    bestCost = cost;
  }
  return *best;
}

/// Inputs of `layout` with each column rewritten.
static std::vector<LinearLayout::Input> rewrite(const LinearLayout &layout, llvm::ArrayRef<llvm::StringRef> names,
                                                llvm::function_ref<uint64_t(uint64_t)> column) {
  std::vector<LinearLayout::Input> inputs;
  for (llvm::StringRef name : names) {
    inputs.push_back({name.str(), {}});
    for (uint64_t each : layout.columns(name))
      inputs.back().bases.push_back({static_cast<int64_t>(column(each))});
  }
  return inputs;
}

SharedExchange triton::layout::planCluster(const LinearLayout &from, const LinearLayout &to, unsigned elementBits) {
  // A basis of what one CTA holds, then the bits of its number that tell CTAs apart.
  std::vector<uint64_t> inCta =
      independent(concatenate(concatenate(from.columns("register"), from.columns("lane")), from.columns("warp")), {});
  std::vector<uint64_t> basis = inCta, blocks = from.columns("block");
  std::vector<unsigned> ctaBits;
  for (auto [bit, column] : llvm::enumerate(blocks))
    if (!ColumnSpan(basis).solve(column)) {
      basis.push_back(column);
      ctaBits.push_back(static_cast<unsigned>(bit));
    }
  ColumnSpan span(basis);
  uint64_t localMask = (uint64_t(1) << inCta.size()) - 1;
  auto local = [&](uint64_t column) { return *span.solve(column) & localMask; };
  auto cta = [&](uint64_t column) {
    uint64_t mask = *span.solve(column) >> inCta.size(), result = 0;
    for (auto [index, bit] : llvm::enumerate(ctaBits))
      result |= (mask >> index & 1) << bit;
    return result;
  };
  int64_t size = int64_t(1) << inCta.size();
  LinearLayout localFrom(rewrite(from, {"register", "lane", "warp"}, local), {{"flat", size}});
  LinearLayout localTo(rewrite(to, {"register", "lane", "warp", "block"}, local), {{"flat", size}});
  SharedExchange plan = planShared(localFrom, localTo, elementBits);
  // Of CTAs with copies, the one that asks, or the one beside it that is like it.
  std::vector<LinearLayout::Input> sources = rewrite(to, {"register", "lane", "warp", "block"}, cta);
  size_t bits = std::max(blocks.size(), sources.back().bases.size());
  sources.back().bases.resize(bits, {0});
  for (unsigned bit = 0; bit < bits; ++bit)
    if (!llvm::is_contained(ctaBits, bit))
      sources.back().bases[bit][0] |= int64_t(1) << bit;
  plan.sourceCta = LinearLayout(std::move(sources), {{"cta", int64_t(1) << bits}});
  return plan;
}
