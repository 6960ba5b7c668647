// Linear layouts for programs that compute with them: maps between named indices that are linear over bits, written down by their bases.
//
//   auto registers = triton::LinearLayout::identity(4, "register", "dim0").take();
//   auto lanes = triton::LinearLayout::identity(32, "lane", "dim0").take();
//   (registers * lanes).take().apply({{"register", 1}, {"lane", 2}});     // {{"dim0", 9}}
//
// What cannot be done answers with an Error; nothing here throws but `take`, and questions to an empty layout.
#pragma once

#include <triton/c_layout.h>
#include <triton/triton.h>

namespace triton {

class LinearLayout {
public:
  using Sizes = std::vector<std::pair<std::string, int64_t>>;                           // name, size or index
  using Bases = std::vector<std::pair<std::string, std::vector<std::vector<int64_t>>>>; // input, one basis per bit

  static Expected<LinearLayout> identity(int64_t size, std::string input, std::string output) {
    return answer([&](auto error) { return triton_layout_identity(size, input.c_str(), output.c_str(), error); });
  }
  static Expected<LinearLayout> strided(int64_t size, int64_t stride, std::string input, std::string output) {
    return answer(
        [&](auto error) { return triton_layout_strided(size, stride, input.c_str(), output.c_str(), error); });
  }
  static Expected<LinearLayout> zeros(int64_t size, std::string input, std::string output, int64_t outputSize = 1) {
    return answer(
        [&](auto error) { return triton_layout_zeros(size, input.c_str(), output.c_str(), outputSize, error); });
  }
  /// Sizes left out (0) are the smallest that hold the bases.
  static Expected<LinearLayout> fromBases(const Bases &bases, const Sizes &outputs) {
    std::vector<std::vector<triton_layout_basis>> vectors;
    std::vector<triton_layout_input> inputs;
    for (const auto &[name, given] : bases) {
      vectors.emplace_back();
      for (const std::vector<int64_t> &basis : given)
        vectors.back().push_back({basis.data(), basis.size()});
      inputs.push_back({name.c_str(), vectors.back().data(), vectors.back().size()});
    }
    const std::vector<triton_layout_size> sizes = convert(outputs);
    return answer([&](auto error) {
      return triton_layout_from_bases(inputs.data(), inputs.size(), sizes.data(), sizes.size(), error);
    });
  }

  Bases bases() const {
    Bases out;
    const size_t outputCount = triton_layout_output_count(require());
    for (size_t input = 0; input < triton_layout_input_count(require()); ++input) {
      const triton_layout_size described = triton_layout_input_at(require(), input);
      out.emplace_back(described.name, std::vector<std::vector<int64_t>>());
      for (size_t bit = 0; int64_t(1) << bit < described.size; ++bit) {
        std::vector<int64_t> &basis = out.back().second.emplace_back();
        for (size_t output = 0; output < outputCount; ++output)
          basis.push_back(triton_layout_basis_part(require(), input, bit, output));
      }
    }
    return out;
  }
  Sizes outputs() const {
    Sizes out;
    for (size_t index = 0; index < triton_layout_output_count(require()); ++index) {
      const triton_layout_size described = triton_layout_output_at(require(), index);
      out.emplace_back(described.name, described.size);
    }
    return out;
  }
  std::vector<std::string> inputNames() const {
    std::vector<std::string> names;
    for (size_t index = 0; index < triton_layout_input_count(require()); ++index)
      names.emplace_back(triton_layout_input_at(require(), index).name);
    return names;
  }
  /// 1 if there is no such input.
  int64_t inputSize(const std::string &name) const {
    for (size_t index = 0; index < triton_layout_input_count(require()); ++index)
      if (const triton_layout_size input = triton_layout_input_at(require(), index); input.name == name)
        return input.size;
    return 1;
  }

  Expected<Sizes> apply(const Sizes &input) const {
    if (!state)
      return detail::emptyError("LinearLayout");
    const std::vector<triton_layout_size> indices = convert(input);
    Sizes out = outputs();
    std::vector<int64_t> values(out.size());
    detail::ErrorSlot error;
    if (triton_layout_apply(state.get(), indices.data(), indices.size(), values.data(), error))
      return error.take();
    for (size_t index = 0; index < out.size(); ++index)
      out[index].second = values[index];
    return out;
  }
  Expected<LinearLayout> operator*(const LinearLayout &other) const {
    return combine(other, [&](auto error) { return triton_layout_multiply(state.get(), other.state.get(), error); });
  }
  /// x -> outer(this(x))
  Expected<LinearLayout> compose(const LinearLayout &outer) const {
    return combine(outer, [&](auto error) { return triton_layout_compose(state.get(), outer.state.get(), error); });
  }
  Expected<LinearLayout> invert() const {
    return combine(*this, [&](auto error) { return triton_layout_invert(state.get(), error); });
  }
  Expected<LinearLayout> pseudoInvert() const {
    return combine(*this, [&](auto error) { return triton_layout_pseudo_invert(state.get(), error); });
  }
  /// From the inputs of this to those of `outer` that have the same output.
  Expected<LinearLayout> invertAndCompose(const LinearLayout &outer) const {
    return combine(outer,
                   [&](auto error) { return triton_layout_invert_and_compose(state.get(), outer.state.get(), error); });
  }
  bool isSurjective() const { return triton_layout_is_surjective(require()); }
  bool isInjective() const { return triton_layout_is_injective(require()); }
  bool operator==(const LinearLayout &other) const { return triton_layout_is_equal(require(), other.require()); }
  std::string str() const {
    detail::ErrorSlot error;
    triton_bytes *text = triton_layout_to_text(require(), error);
    if (!text)
      throw error.take();
    return detail::takeBytes(text);
  }
  /// Row by row: which bits of the flattened input each bit of the flattened output depends on.
  std::vector<std::vector<int>> matrix() const {
    size_t rows = 0, columns = 0;
    for (const auto &[name, size] : outputs())
      rows += bitsOf(size);
    for (const std::string &name : inputNames())
      columns += bitsOf(inputSize(name));
    std::vector<std::vector<int>> result(rows, std::vector<int>(columns));
    for (size_t column = 0; column < columns; ++column) {
      const uint64_t bits = triton_layout_column(require(), column);
      for (size_t row = 0; row < rows; ++row)
        result[row][column] = static_cast<int>(bits >> row & 1);
    }
    return result;
  }

  detail::Handle<triton_layout, triton_layout_retain, triton_layout_free> state;

private:
  triton_layout *require() const { return detail::require(state, "LinearLayout"); }
  static size_t bitsOf(int64_t size) {
    size_t bits = 0;
    while (int64_t(1) << bits < size)
      ++bits;
    return bits;
  }
  static std::vector<triton_layout_size> convert(const Sizes &sizes) {
    std::vector<triton_layout_size> out;
    for (const auto &[name, size] : sizes)
      out.push_back({name.c_str(), size});
    return out;
  }
  template <typename Call> static Expected<LinearLayout> answer(Call call) {
    detail::ErrorSlot error;
    LinearLayout layout;
    layout.state = decltype(layout.state)(call(static_cast<triton_error **>(error)));
    if (!layout.state)
      return error.take();
    return layout;
  }
  template <typename Call> Expected<LinearLayout> combine(const LinearLayout &other, Call call) const {
    if (!state || !other.state)
      return detail::emptyError("LinearLayout");
    return answer(call);
  }
};

} // namespace triton
