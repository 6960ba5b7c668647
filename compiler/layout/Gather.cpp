#include "compiler/layout/Gather.h"
#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace triton::layout;

/// Coordinates of a result whose index is still to be added: 0 along the axis. The shape is the source's.
static LinearLayout rowsOf(const LinearLayout &result, const LinearLayout &source, unsigned axis) {
  std::vector<LinearLayout::Input> inputs;
  for (const LinearLayout::Input &input : result.inputs()) {
    inputs.push_back(input);
    for (Coordinates &basis : inputs.back().bases)
      basis[axis] = 0;
  }
  LinearLayout::Input index{"index", {}};
  for (int64_t along = 1; along < source.outputs()[axis].size; along *= 2) {
    Coordinates basis(source.outputs().size(), 0);
    basis[axis] = along;
    index.bases.push_back(basis);
  }
  inputs.push_back(index);
  return LinearLayout(std::move(inputs),
                      std::vector<LinearLayout::Output>(source.outputs().begin(), source.outputs().end()));
}

/// From result and index to the source's register and lane, if every thread finds them in its own warp.
static std::optional<LinearLayout> placeInWarp(const LinearLayout &rows, const LinearLayout &source) {
  unsigned registerBits = llvm::Log2_64(source.inputSize("register")),
           laneBits = llvm::Log2_64(source.inputSize("lane"));
  std::vector<uint64_t> columns = source.columns();
  ColumnSpan inWarp(llvm::ArrayRef<uint64_t>(columns).take_front(registerBits + laneBits));
  std::vector<uint64_t> warpColumns(columns.begin() + registerBits + laneBits, columns.end());
  std::vector<LinearLayout::Input> inputs;
  std::vector<uint64_t> targets = rows.columns();
  size_t next = 0;
  for (const LinearLayout::Input &input : rows.inputs()) {
    inputs.push_back({input.name, {}});
    for (size_t bit = 0; bit < input.bases.size(); ++bit) {
      uint64_t target = targets[next++];
      if (input.name == "warp" && bit < llvm::Log2_64(source.inputSize("warp")))
        target ^= warpColumns[bit];
      if (input.name == "block")
        target = 0; // a CTA gathers from its own elements: checked below
      auto mask = inWarp.solve(target);
      if (!mask)
        return std::nullopt;
      inputs.back().bases.push_back({static_cast<int64_t>(*mask & ((uint64_t(1) << registerBits) - 1)),
                                     static_cast<int64_t>(*mask >> registerBits)});
    }
  }
  if (source.inputSize("block") > 1)
    return std::nullopt;
  return LinearLayout(std::move(inputs), {{"register", int64_t(1) << registerBits}, {"lane", int64_t(1) << laneBits}});
}

GatherPlan triton::layout::planGather(const LinearLayout &source, const LinearLayout &result, unsigned axis,
                                      unsigned elementBits) {
  GatherPlan plan{false, {}, {}, {}, {}};
  LinearLayout rows = rowsOf(result, source, axis);
  if (auto place = placeInWarp(rows, source)) {
    std::vector<uint64_t> varying;
    for (const LinearLayout::Input &input : place->inputs())
      for (const Coordinates &basis : input.bases)
        if (input.name != "register" && !ColumnSpan(varying).solve(basis[0])) {
          varying.push_back(basis[0]);
          plan.choices.push_back(static_cast<unsigned>(basis[0]));
        }
    // A shuffle for each register that may be meant, against a store, a load and the wait between them.
    int64_t registers = result.inputSize("register");
    plan.inWarp = (registers << varying.size()) <= 8 + 2 * registers;
    plan.place = std::move(*place);
  }
  if (plan.inWarp)
    return plan;
  plan.choices.clear();
  SharedExchange exchange = planShared(source, source, elementBits);
  plan.store = exchange.store;
  plan.load = *rows.invertAndCompose(exchange.memory);
  return plan;
}
