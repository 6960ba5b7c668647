// Composition, inverses and division of linear maps.
#include "compiler/layout/BitMatrix.h"
#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace triton::layout;
using llvm::ArrayRef;
using llvm::StringRef;

LinearLayout LinearLayout::compose(const LinearLayout &outer) const {
  std::vector<Input> inputs;
  for (const Input &input : ins) {
    Input result{input.name, {}};
    for (const Coordinates &basis : input.bases) {
      llvm::SmallVector<DimensionSize> middle;
      for (auto [component, output] : llvm::zip(basis, outs))
        middle.emplace_back(output.name, component);
      result.bases.push_back(outer.apply(middle));
    }
    inputs.push_back(std::move(result));
  }
  return LinearLayout(std::move(inputs), outer.outs);
}

std::optional<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  llvm::SmallVector<StringRef> order;
  for (const Output &output : outs)
    order.push_back(output.name);
  for (const Output &output : outer.outs)
    assert(hasOutput(output.name) && "both layouts have the same outputs");
  LinearLayout target = outer.transposeOutputs(order);
  for (auto [mine, theirs] : llvm::zip(outs, target.outs)) {
    // A smaller output of `outer` cannot reach the whole of this one; compare them in one size.
    if (mine.size != theirs.size)
      theirs.size = std::max(mine.size, theirs.size);
  }
  LinearLayout widened = *this;
  for (auto [mine, theirs] : llvm::zip(widened.outs, target.outs))
    mine.size = theirs.size;
  ColumnSpan span(target.columns());
  LinearLayout flat; // only to cut a mask of `outer`'s input bits into its dimensions
  for (const Input &input : outer.ins)
    flat.outs.push_back({input.name, int64_t(1) << input.bases.size()});
  std::vector<Input> inputs;
  for (const Input &input : widened.ins) {
    Input result{input.name, {}};
    for (const Coordinates &basis : input.bases) {
      auto solution = span.solve(widened.flatten(basis));
      if (!solution)
        return std::nullopt;
      result.bases.push_back(flat.unflatten(*solution));
    }
    inputs.push_back(std::move(result));
  }
  return LinearLayout(std::move(inputs), flat.outs);
}

/// The identity on the outputs, as a map from them to themselves.
static LinearLayout identityOn(ArrayRef<LinearLayout::Output> outputs) {
  LinearLayout result;
  for (const LinearLayout::Output &output : outputs)
    result = result * LinearLayout::identity(output.size, output.name, output.name);
  return result;
}

LinearLayout LinearLayout::pseudoInvert() const {
  assert(isSurjective() && "only a surjection has a right inverse");
  return *identityOn(outs).invertAndCompose(*this);
}

LinearLayout LinearLayout::invert() const {
  assert(isInvertible() && "only a bijection has an inverse");
  return pseudoInvert();
}

/// The outputs with their sizes divided by the divisor's; nothing where it has one that these lack, or a larger one.
static std::optional<std::vector<LinearLayout::Output>> divideSizes(std::vector<LinearLayout::Output> outputs,
                                                                    const LinearLayout &divisor) {
  for (const LinearLayout::Output &part : divisor.outputs()) {
    auto output = llvm::find_if(outputs, [&](const auto &candidate) { return candidate.name == part.name; });
    if (output == outputs.end() || output->size < part.size)
      return std::nullopt;
    output->size /= part.size;
  }
  return outputs;
}

std::optional<LinearLayout> LinearLayout::divideLeft(const LinearLayout &divisor) const {
  std::optional<std::vector<Output>> outputs = divideSizes(outs, divisor);
  if (!outputs)
    return std::nullopt;
  std::vector<Input> inputs;
  for (const Input &input : ins) {
    size_t skipped = divisor.hasInput(input.name) ? divisor.ins[*divisor.inputIndex(input.name)].bases.size() : 0;
    if (skipped > input.bases.size())
      return std::nullopt;
    Input rest{input.name, {}};
    for (const Coordinates &basis : ArrayRef(input.bases).drop_front(skipped)) {
      Coordinates scaled;
      for (auto [component, output] : llvm::zip(basis, outs))
        scaled.push_back(component / divisor.outputSize(output.name));
      rest.bases.push_back(std::move(scaled));
    }
    inputs.push_back(std::move(rest));
  }
  LinearLayout quotient(std::move(inputs), std::move(*outputs));
  // What was cut away must be the divisor, and what was divided must divide: multiplying back tells both.
  LinearLayout product = divisor * quotient;
  llvm::SmallVector<StringRef> inputOrder, outputOrder;
  for (const Input &input : ins)
    inputOrder.push_back(input.name);
  for (const Output &output : outs)
    outputOrder.push_back(output.name);
  for (const Input &input : divisor.ins)
    if (!hasInput(input.name))
      return std::nullopt;
  return product.transposeInputs(inputOrder).transposeOutputs(outputOrder) == *this ? std::optional(quotient)
                                                                                    : std::nullopt;
}

std::optional<LinearLayout> LinearLayout::divideRight(const LinearLayout &divisor) const {
  std::optional<std::vector<Output>> outputs = divideSizes(outs, divisor);
  if (!outputs)
    return std::nullopt;
  std::vector<Input> inputs = ins;
  for (Input &input : inputs) {
    size_t cut = divisor.hasInput(input.name) ? divisor.ins[*divisor.inputIndex(input.name)].bases.size() : 0;
    if (cut > input.bases.size())
      return std::nullopt;
    input.bases.resize(input.bases.size() - cut);
    for (const Coordinates &basis : input.bases)
      for (auto [component, output] : llvm::zip(basis, *outputs))
        if (component >= output.size)
          return std::nullopt;
  }
  for (const Input &input : divisor.ins)
    if (!hasInput(input.name))
      return std::nullopt;
  LinearLayout quotient(std::move(inputs), std::move(*outputs));
  return quotient * divisor == *this ? std::optional(quotient) : std::nullopt;
}

std::optional<LinearLayout> LinearLayout::quotient(StringRef dimension) const {
  auto in = inputIndex(dimension), out = outputIndex(dimension);
  if (!in || !out || inputSize(dimension) != outputSize(dimension))
    return std::nullopt;
  for (auto [index, input] : llvm::enumerate(ins))
    for (auto [bit, basis] : llvm::enumerate(input.bases))
      for (auto [position, component] : llvm::enumerate(basis)) {
        bool own = index == *in;
        if (own ? component != (position == *out ? int64_t(1) << bit : 0) : position == *out && component != 0)
          return std::nullopt;
      }
  llvm::SmallVector<StringRef> inputNames, outputNames;
  for (const Input &input : ins)
    if (input.name != dimension)
      inputNames.push_back(input.name);
  for (const Output &output : outs)
    if (output.name != dimension)
      outputNames.push_back(output.name);
  return sublayout(inputNames, outputNames);
}
