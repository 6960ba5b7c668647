// Checks what the algebra takes for granted, then asks it.
#include <triton/c_layout.h>

#include "api/Border.h"
#include "compiler/layout/LinearLayout.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

using namespace triton;
using layout::Coordinates;
using Algebra = layout::LinearLayout;
using Sizes = llvm::ArrayRef<triton_layout_size>;

struct triton_layout : llvm::ThreadSafeRefCountedBase<triton_layout> {
  explicit triton_layout(Algebra algebra) : algebra(std::move(algebra)) {}
  Algebra algebra;
};

static llvm::Expected<triton_layout *> wrap(Algebra algebra) {
  return handOut(llvm::makeIntrusiveRefCnt<triton_layout>(std::move(algebra)));
}

static llvm::Error wrong(std::string message) { return failure("ValueError", std::move(message)); }

static bool isSize(int64_t size) { return size > 0 && llvm::isPowerOf2_64(size); }

/// Flattened indices are 64-bit numbers.
static llvm::Error checkBits(unsigned inputBits, unsigned outputBits) {
  constexpr unsigned most = 62;
  if (inputBits <= most && outputBits <= most)
    return llvm::Error::success();
  return wrong("a layout has at most " + std::to_string(most) + " bits of inputs and of outputs, not " +
               std::to_string(inputBits) + " and " + std::to_string(outputBits));
}

static llvm::Error requireNames(Sizes sizes, const char *what) {
  for (const triton_layout_size &size : sizes)
    if (!size.name)
      return wrong(std::string(what) + " has a name that is NULL");
  return llvm::Error::success();
}

/// The bases of one input; `needed` grows to the sizes of outputs that hold them.
static llvm::Expected<Algebra::Input> readInput(const triton_layout_input &given,
                                                llvm::MutableArrayRef<int64_t> needed) {
  if (!given.name || (given.basis_count && !given.bases))
    return wrong("an input has a name or bases that are NULL");
  Algebra::Input input{given.name, {}};
  for (const triton_layout_basis &basis : llvm::ArrayRef(given.bases, given.basis_count)) {
    if (basis.part_count != needed.size())
      return wrong("a basis of '" + input.name + "' has " + std::to_string(basis.part_count) + " parts for " +
                   std::to_string(needed.size()) + " outputs");
    if (basis.part_count && !basis.parts)
      return wrong("a basis of '" + input.name + "' has parts that are NULL");
    llvm::ArrayRef<int64_t> parts(basis.parts, basis.part_count);
    for (auto [part, size] : llvm::zip(parts, needed)) {
      if (part < 0 || part > INT32_MAX)
        return wrong("a basis of '" + input.name + "' has the part " + std::to_string(part));
      size = std::max<int64_t>(size, llvm::NextPowerOf2(part));
    }
    input.bases.emplace_back(parts.begin(), parts.end());
  }
  return input;
}

static llvm::Expected<triton_layout *> fromBases(llvm::ArrayRef<triton_layout_input> given, Sizes outputs) {
  if (llvm::Error error = requireNames(outputs, "an output"))
    return error;
  std::vector<Algebra::Input> inputs;
  std::vector<int64_t> needed(outputs.size(), 1);
  for (const triton_layout_input &each : given) {
    auto input = readInput(each, needed);
    if (!input)
      return input.takeError();
    if (llvm::any_of(inputs, [&](const auto &other) { return other.name == input->name; }))
      return wrong("input '" + input->name + "' is named twice");
    inputs.push_back(std::move(*input));
  }
  std::vector<Algebra::Output> outs;
  for (const auto &[index, output] : llvm::enumerate(outputs)) {
    const std::string name = output.name;
    const int64_t size = output.size ? output.size : needed[index];
    if (!isSize(size))
      return wrong("the size of output '" + name + "' is a power of two, not " + std::to_string(size));
    if (size < needed[index])
      return wrong("the bases do not fit output '" + name + "' of size " + std::to_string(size));
    if (llvm::any_of(outs, [&](const auto &other) { return other.name == name; }))
      return wrong("output '" + name + "' is named twice");
    outs.push_back({name, size});
  }
  unsigned inputBits = 0, outputBits = 0;
  for (const Algebra::Input &input : inputs)
    inputBits += input.bases.size();
  for (const Algebra::Output &output : outs)
    outputBits += llvm::Log2_64(output.size);
  if (llvm::Error error = checkBits(inputBits, outputBits))
    return error;
  return wrap(Algebra(std::move(inputs), std::move(outs)));
}

/// The bases `first`, `2 * first`, … of an input with `size` values.
static llvm::Expected<triton_layout *> oneDimension(int64_t size, int64_t first, const char *input, const char *output,
                                                    int64_t outputSize) {
  if (!isSize(size))
    return wrong("a size is a power of two, not " + std::to_string(size));
  std::vector<int64_t> parts;
  for (uint64_t bit = 1; bit < uint64_t(size); bit *= 2)
    parts.push_back(int64_t(uint64_t(first) * bit));
  std::vector<triton_layout_basis> bases;
  for (const int64_t &part : parts)
    bases.push_back({&part, 1});
  triton_layout_input whole = {input, bases.data(), bases.size()};
  triton_layout_size end = {output, outputSize};
  return fromBases(whole, end);
}

static llvm::Expected<triton_layout *> strided(int64_t size, int64_t stride, const char *input, const char *output) {
  if (!isSize(stride))
    return wrong("a stride is a power of two, not " + std::to_string(stride));
  return oneDimension(size, stride, input, output, int64_t(uint64_t(size) * uint64_t(stride)));
}

static llvm::Error apply(const Algebra &algebra, Sizes given, int64_t *values) {
  if (llvm::Error error = requireNames(given, "an index"))
    return error;
  std::vector<layout::DimensionSize> input;
  for (const auto &[text, index] : given) {
    const std::string name = text;
    if (!algebra.hasInput(name))
      return wrong("there is no input '" + name + "'");
    if (index < 0 || index >= algebra.inputSize(name))
      return wrong("index " + std::to_string(index) + " is outside of input '" + name + "' of size " +
                   std::to_string(algebra.inputSize(name)));
    input.emplace_back(name, index);
  }
  llvm::copy(algebra.apply(input), values);
  return llvm::Error::success();
}

static llvm::Expected<triton_layout *> multiply(const Algebra &layout, const Algebra &other) {
  if (llvm::Error error = checkBits(layout.inputBits() + other.inputBits(), layout.outputBits() + other.outputBits()))
    return error;
  return wrap(layout * other);
}

static llvm::Expected<triton_layout *> compose(const Algebra &inner, const Algebra &outer) {
  if (inner.outputs().size() != outer.inputs().size())
    return wrong("the outputs of the first layout are not the inputs of the second");
  for (const Algebra::Output &output : inner.outputs())
    if (!outer.hasInput(output.name) || outer.inputSize(output.name) < output.size)
      return wrong("output '" + output.name + "' of size " + std::to_string(output.size) +
                   " does not fit an input of the second layout");
  return wrap(inner.compose(outer));
}

static llvm::Expected<triton_layout *> invertAndCompose(const Algebra &layout, const Algebra &outer) {
  if (!std::is_permutation(layout.outputs().begin(), layout.outputs().end(), outer.outputs().begin(),
                           outer.outputs().end()))
    return wrong("the two layouts have different outputs");
  std::optional<Algebra> result = layout.invertAndCompose(outer);
  if (!result)
    return wrong("the second layout does not reach every output of the first");
  return wrap(std::move(*result));
}

static llvm::Expected<triton_layout *> invert(const Algebra &layout) {
  if (!layout.isInvertible())
    return wrong("the layout is no bijection");
  return wrap(layout.invert());
}

static llvm::Expected<triton_layout *> pseudoInvert(const Algebra &layout) {
  if (!layout.isSurjective())
    return wrong("the layout does not reach every output");
  return wrap(layout.pseudoInvert());
}

extern "C" {

triton_layout *triton_layout_identity(int64_t size, const char *input, const char *output, triton_error **error) {
  return make(error, {{"input", input}, {"output", output}},
              [&] { return oneDimension(size, 1, input, output, size); });
}

triton_layout *triton_layout_strided(int64_t size, int64_t stride, const char *input, const char *output,
                                     triton_error **error) {
  return make(error, {{"input", input}, {"output", output}}, [&] { return strided(size, stride, input, output); });
}

triton_layout *triton_layout_zeros(int64_t size, const char *input, const char *output, int64_t output_size,
                                   triton_error **error) {
  return make(error, {{"input", input}, {"output", output}},
              [&] { return oneDimension(size, 0, input, output, output_size); });
}

triton_layout *triton_layout_from_bases(const triton_layout_input *inputs, size_t input_count,
                                        const triton_layout_size *outputs, size_t output_count, triton_error **error) {
  const void *nothing = &error;
  return make(error, {{"inputs", input_count ? inputs : nothing}, {"outputs", output_count ? outputs : nothing}},
              [&] { return fromBases({inputs, input_count}, {outputs, output_count}); });
}

size_t triton_layout_input_count(const triton_layout *layout) { return layout ? layout->algebra.inputs().size() : 0; }
size_t triton_layout_output_count(const triton_layout *layout) { return layout ? layout->algebra.outputs().size() : 0; }

triton_layout_size triton_layout_input_at(const triton_layout *layout, size_t index) {
  if (index >= triton_layout_input_count(layout))
    return {nullptr, 0};
  const Algebra::Input &input = layout->algebra.inputs()[index];
  return {input.name.c_str(), int64_t(1) << input.bases.size()};
}

triton_layout_size triton_layout_output_at(const triton_layout *layout, size_t index) {
  if (index >= triton_layout_output_count(layout))
    return {nullptr, 0};
  const Algebra::Output &output = layout->algebra.outputs()[index];
  return {output.name.c_str(), output.size};
}

int64_t triton_layout_basis_part(const triton_layout *layout, size_t input, size_t bit, size_t output) {
  if (input >= triton_layout_input_count(layout) || output >= triton_layout_output_count(layout))
    return 0;
  llvm::ArrayRef<Coordinates> bases = layout->algebra.inputs()[input].bases;
  return bit < bases.size() ? bases[bit][output] : 0;
}

uint64_t triton_layout_column(const triton_layout *layout, size_t bit) {
  return layout && bit < layout->algebra.inputBits() ? layout->algebra.columns()[bit] : 0;
}

int triton_layout_apply(const triton_layout *layout, const triton_layout_size *indices, size_t index_count,
                        int64_t *values, triton_error **error) {
  const void *nothing = &error;
  return attempt(error,
                 {{"layout", layout},
                  {"indices", index_count ? indices : nothing},
                  {"values", triton_layout_output_count(layout) ? values : nothing}},
                 [&] { return apply(layout->algebra, {indices, index_count}, values); });
}

triton_layout *triton_layout_multiply(const triton_layout *layout, const triton_layout *other, triton_error **error) {
  return make(error, {{"layout", layout}, {"other", other}}, [&] { return multiply(layout->algebra, other->algebra); });
}

triton_layout *triton_layout_compose(const triton_layout *layout, const triton_layout *outer, triton_error **error) {
  return make(error, {{"layout", layout}, {"outer", outer}}, [&] { return compose(layout->algebra, outer->algebra); });
}

triton_layout *triton_layout_invert(const triton_layout *layout, triton_error **error) {
  return make(error, {{"layout", layout}}, [&] { return invert(layout->algebra); });
}

triton_layout *triton_layout_pseudo_invert(const triton_layout *layout, triton_error **error) {
  return make(error, {{"layout", layout}}, [&] { return pseudoInvert(layout->algebra); });
}

triton_layout *triton_layout_invert_and_compose(const triton_layout *layout, const triton_layout *outer,
                                                triton_error **error) {
  return make(error, {{"layout", layout}, {"outer", outer}},
              [&] { return invertAndCompose(layout->algebra, outer->algebra); });
}

int triton_layout_is_surjective(const triton_layout *layout) { return layout && layout->algebra.isSurjective(); }
int triton_layout_is_injective(const triton_layout *layout) { return layout && layout->algebra.isInjective(); }
int triton_layout_is_equal(const triton_layout *layout, const triton_layout *other) {
  return layout && other && layout->algebra == other->algebra;
}

triton_bytes *triton_layout_to_text(const triton_layout *layout, triton_error **error) {
  return make(error, {{"layout", layout}},
              [&]() -> llvm::Expected<triton_bytes *> { return new triton_bytes{layout->algebra.str()}; });
}

triton_layout *triton_layout_retain(const triton_layout *layout) { return retain(layout); }
void triton_layout_free(triton_layout *layout) { release(layout); }

} // extern "C"
