// Where the elements of a thread are: linear maps applied to its lane, warp and CTA, which are known at run time only, and to its registers.
#include "compiler/llvm/gpu/Emitter.h"

using namespace mlir;

namespace triton::simt {

/// The XOR of the bases of the set bits of `input`, for one output: runs of bits that go to neighbouring bits move together.
static llvm::Value *combine(llvm::IRBuilder<> &builder, const layout::LinearLayout::Input &map, unsigned output,
                            llvm::Value *input, llvm::Value *sum, uint64_t &used) {
  for (unsigned bit = 0; bit < map.bases.size();) {
    uint64_t basis = map.bases[bit][output];
    unsigned length = 1;
    if (llvm::isPowerOf2_64(basis))
      while (bit + length < map.bases.size() && uint64_t(map.bases[bit + length][output]) == basis << length)
        ++length;
    if (basis == 0) {
      ++bit;
      continue;
    }
    llvm::Value *term;
    uint64_t mask = (uint64_t(1) << length) - 1;
    if (llvm::isPowerOf2_64(basis)) {
      unsigned to = llvm::Log2_64(basis);
      term = builder.CreateAnd(input, builder.getInt32(uint32_t(mask << bit)));
      if (to > bit)
        term = builder.CreateShl(term, to - bit, "", /*HasNUW=*/true, /*HasNSW=*/to < 31);
      else if (to < bit)
        term = builder.CreateLShr(term, bit - to, "", /*isExact=*/true);
      mask <<= to;
    } else {
      llvm::Value *set = builder.CreateTrunc(builder.CreateLShr(input, bit), builder.getInt1Ty());
      term = builder.CreateSelect(set, builder.getInt32(uint32_t(basis)), builder.getInt32(0));
      mask = basis;
    }
    sum = !sum          ? term
          : used & mask ? builder.CreateXor(sum, term)
                        : builder.CreateOr(sum, term, "", /*IsDisjoint=*/true);
    used |= mask;
    bit += length;
  }
  return sum;
}

Indices Emitter::apply(const layout::LinearLayout &map,
                       llvm::ArrayRef<std::pair<llvm::StringRef, llvm::Value *>> inputs) {
  Indices indices;
  for (unsigned output = 0; output < map.outputs().size(); ++output) {
    llvm::Value *sum = nullptr;
    uint64_t used = 0;
    for (const auto &[name, value] : inputs)
      for (const layout::LinearLayout::Input &input : map.inputs())
        if (input.name == name)
          sum = combine(builder, input, output, value, sum, used);
    indices.push_back(sum ? sum : i32(0));
  }
  return indices;
}

/// With lane and warp as one input, if each output counts on from lanes to warps: then bits of the thread's number need not be parted
/// to be put together again.
static std::optional<layout::LinearLayout> joinThreads(const layout::LinearLayout &map, unsigned lanes) {
  if (map.inputSize("lane") != lanes || map.inputSize("warp") == 1)
    return std::nullopt;
  const layout::Coordinates &last = map.basis("lane", llvm::Log2_32(lanes) - 1), &first = map.basis("warp", 0);
  for (auto [lane, warp] : llvm::zip_equal(last, first))
    if (warp != 2 * lane)
      return std::nullopt;
  std::vector<layout::LinearLayout::Input> inputs;
  for (const layout::LinearLayout::Input &input : map.inputs())
    if (input.name == "lane")
      inputs.insert(inputs.begin(), {"thread", input.bases});
  for (const layout::LinearLayout::Input &input : map.inputs()) {
    if (input.name == "warp")
      llvm::append_range(inputs.front().bases, input.bases);
    else if (input.name == "block")
      inputs.push_back(input);
  }
  return layout::LinearLayout(inputs, map.outputs().vec());
}

Indices Emitter::applyThread(const layout::LinearLayout &map) {
  for (const ThreadPart &known : place.threadParts)
    if (known.map == map)
      return known.indices;
  std::optional<layout::LinearLayout> joined = joinThreads(map, lanes());
  const layout::LinearLayout &used = joined ? *joined : map;
  llvm::SmallVector<std::pair<llvm::StringRef, llvm::Value *>> inputs;
  for (const layout::LinearLayout::Input &input : used.inputs())
    if (input.name != "register")
      inputs.push_back({input.name, this->input(input.name)});
  Indices indices;
  atEntry([&]() -> llvm::Value * {
    indices = apply(used, inputs);
    return nullptr;
  });
  place.threadParts.push_back({map, indices});
  return indices;
}

Indices Emitter::apply(const layout::LinearLayout &map, unsigned reg) {
  Indices indices = applyThread(map);
  layout::Coordinates constant = map.apply({{"register", reg}});
  for (unsigned output = 0; output < indices.size(); ++output) {
    if (constant[output] == 0)
      continue;
    uint64_t used = 0;
    for (const layout::LinearLayout::Input &input : map.inputs())
      if (input.name != "register")
        for (const layout::Coordinates &basis : input.bases)
          used |= basis[output];
    indices[output] = used & constant[output]
                          ? builder.CreateXor(indices[output], i32(constant[output]))
                          : builder.CreateOr(indices[output], i32(constant[output]), "", /*IsDisjoint=*/true);
  }
  return indices;
}

llvm::SmallVector<Indices> Emitter::coordinates(RankedTensorType type) {
  const layout::LinearLayout &map = layout(type);
  llvm::SmallVector<Indices> all;
  for (unsigned reg = 0; reg < map.inputSize("register"); ++reg)
    all.push_back(apply(map, reg));
  return all;
}

llvm::Value *Emitter::writesElements(RankedTensorType type) {
  const layout::LinearLayout &map = layout(type);
  llvm::Value *writes = nullptr;
  for (llvm::StringRef input : {"lane", "warp", "block"}) {
    uint64_t copies = map.freeBits(input);
    if (!copies)
      continue;
    llvm::Value *first = builder.CreateICmpEQ(builder.CreateAnd(this->input(input), i32(copies)), i32(0));
    writes = writes ? builder.CreateAnd(writes, first) : first;
  }
  return writes;
}

bool Emitter::isCopy(RankedTensorType type, unsigned reg) { return layout(type).freeBits("register") & reg; }

} // namespace triton::simt
