// Checks what the algebra takes for granted, then asks it.
#include <triton/layout.h>

#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace triton;
using layout::Coordinates;
using Algebra = layout::LinearLayout;

static const Algebra &get(const LinearLayout &layout) { return *static_cast<const Algebra *>(layout.state.get()); }

static LinearLayout wrap(Algebra algebra) {
  LinearLayout layout;
  layout.state = std::make_shared<const Algebra>(std::move(algebra));
  return layout;
}

static Error wrong(std::string message) { return Error("ValueError", std::move(message)); }

static bool isSize(int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); }

/// The bases `first`, `2 * first`, … of an input with `size` values.
static Expected<LinearLayout> oneDimension(int64_t size, int64_t first, std::string input, std::string output,
                                           int64_t outputSize) {
  if (!isSize(size))
    return wrong("a size is a power of two, not " + std::to_string(size));
  LinearLayout::Bases bases = {{std::move(input), {}}};
  for (int64_t bit = 1; bit < size; bit *= 2)
    bases[0].second.push_back({first * bit});
  return LinearLayout::fromBases(bases, {{std::move(output), outputSize}});
}

Expected<LinearLayout> LinearLayout::identity(int64_t size, std::string input, std::string output) {
  return oneDimension(size, 1, std::move(input), std::move(output), size);
}

Expected<LinearLayout> LinearLayout::strided(int64_t size, int64_t stride, std::string input, std::string output) {
  if (!isSize(stride))
    return wrong("a stride is a power of two, not " + std::to_string(stride));
  return oneDimension(size, stride, std::move(input), std::move(output), size * stride);
}

Expected<LinearLayout> LinearLayout::zeros(int64_t size, std::string input, std::string output, int64_t outputSize) {
  return oneDimension(size, 0, std::move(input), std::move(output), outputSize);
}

Expected<LinearLayout> LinearLayout::fromBases(const Bases &bases, const Sizes &outputs) {
  std::vector<Algebra::Input> inputs;
  std::vector<int64_t> needed(outputs.size(), 1);
  for (const auto &[name, vectors] : bases) {
    if (llvm::any_of(inputs, [&, key = llvm::StringRef(name)](const auto &other) { return other.name == key; }))
      return wrong("input '" + name + "' is named twice");
    Algebra::Input input{name, {}};
    for (const std::vector<int64_t> &basis : vectors) {
      if (basis.size() != outputs.size())
        return wrong("a basis of '" + name + "' has " + std::to_string(basis.size()) + " parts for " +
                     std::to_string(outputs.size()) + " outputs");
      for (auto [part, size] : llvm::zip(basis, needed)) {
        if (part < 0 || part > INT32_MAX)
          return wrong("a basis of '" + name + "' has the part " + std::to_string(part));
        size = std::max<int64_t>(size, llvm::NextPowerOf2(part));
      }
      input.bases.emplace_back(basis.begin(), basis.end());
    }
    inputs.push_back(std::move(input));
  }
  std::vector<Algebra::Output> outs;
  for (const auto &[index, output] : llvm::enumerate(outputs)) {
    const int64_t size = output.second ? output.second : needed[index];
    if (!isSize(size))
      return wrong("the size of output '" + output.first + "' is a power of two, not " + std::to_string(size));
    if (size < needed[index])
      return wrong("the bases do not fit output '" + output.first + "' of size " + std::to_string(size));
    if (llvm::any_of(outs, [&](const auto &other) { return other.name == output.first; }))
      return wrong("output '" + output.first + "' is named twice");
    outs.push_back({output.first, size});
  }
  return wrap(Algebra(std::move(inputs), std::move(outs)));
}

LinearLayout::Bases LinearLayout::bases() const {
  Bases out;
  for (const Algebra::Input &input : get(*this).inputs()) {
    out.emplace_back(input.name, std::vector<std::vector<int64_t>>());
    for (const Coordinates &basis : input.bases)
      out.back().second.emplace_back(basis.begin(), basis.end());
  }
  return out;
}

LinearLayout::Sizes LinearLayout::outputs() const {
  Sizes out;
  for (const Algebra::Output &output : get(*this).outputs())
    out.emplace_back(output.name, output.size);
  return out;
}

std::vector<std::string> LinearLayout::inputNames() const {
  std::vector<std::string> names;
  for (const Algebra::Input &input : get(*this).inputs())
    names.push_back(input.name);
  return names;
}

int64_t LinearLayout::inputSize(const std::string &name) const { return get(*this).inputSize(name); }

Expected<LinearLayout::Sizes> LinearLayout::apply(const Sizes &input) const {
  for (const auto &[name, index] : input) {
    if (!get(*this).hasInput(name))
      return wrong("there is no input '" + name + "'");
    if (index < 0 || index >= get(*this).inputSize(name))
      return wrong("index " + std::to_string(index) + " is outside of input '" + name + "' of size " +
                   std::to_string(get(*this).inputSize(name)));
  }
  Sizes out = outputs();
  for (auto [output, value] : llvm::zip(out, get(*this).apply(input)))
    output.second = value;
  return out;
}

Expected<LinearLayout> LinearLayout::operator*(const LinearLayout &other) const {
  return wrap(get(*this) * get(other));
}

Expected<LinearLayout> LinearLayout::compose(const LinearLayout &outer) const {
  if (get(*this).outputs().size() != get(outer).inputs().size())
    return wrong("the outputs of the first layout are not the inputs of the second");
  for (const Algebra::Output &output : get(*this).outputs())
    if (!get(outer).hasInput(output.name) || get(outer).inputSize(output.name) < output.size)
      return wrong("output '" + output.name + "' of size " + std::to_string(output.size) +
                   " does not fit an input of the second layout");
  return wrap(get(*this).compose(get(outer)));
}

Expected<LinearLayout> LinearLayout::invert() const {
  if (!get(*this).isInvertible())
    return wrong("the layout is no bijection");
  return wrap(get(*this).invert());
}

Expected<LinearLayout> LinearLayout::pseudoInvert() const {
  if (!get(*this).isSurjective())
    return wrong("the layout does not reach every output");
  return wrap(get(*this).pseudoInvert());
}

Expected<LinearLayout> LinearLayout::invertAndCompose(const LinearLayout &outer) const {
  const Sizes mine = outputs(), theirs = outer.outputs();
  if (!std::is_permutation(mine.begin(), mine.end(), theirs.begin(), theirs.end()))
    return wrong("the two layouts have different outputs");
  std::optional<Algebra> result = get(*this).invertAndCompose(get(outer));
  if (!result)
    return wrong("the second layout does not reach every output of the first");
  return wrap(std::move(*result));
}

bool LinearLayout::isSurjective() const { return get(*this).isSurjective(); }
bool LinearLayout::isInjective() const { return get(*this).isInjective(); }
bool LinearLayout::operator==(const LinearLayout &other) const { return get(*this) == get(other); }
std::string LinearLayout::str() const { return get(*this).str(); }

std::vector<std::vector<int>> LinearLayout::matrix() const {
  std::vector<std::vector<int>> rows;
  for (unsigned bit = 0; bit < get(*this).outputBits(); ++bit) {
    rows.emplace_back();
    for (uint64_t column : get(*this).columns())
      rows.back().push_back(column >> bit & 1);
  }
  return rows;
}
