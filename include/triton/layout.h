// Linear layouts for programs that compute with them: maps between named indices that are linear over bits, written down by their bases.
//
//   auto registers = triton::LinearLayout::identity(4, "register", "dim0").take();
//   auto lanes = triton::LinearLayout::identity(32, "lane", "dim0").take();
//   (registers * lanes).take().apply({{"register", 1}, {"lane", 2}});     // {{"dim0", 9}}
//
// What cannot be done answers with an Error; nothing here throws but `take`.
#pragma once

#include <triton/triton.h>

namespace triton {

class TRITON_EXPORT LinearLayout {
public:
  using Sizes = std::vector<std::pair<std::string, int64_t>>;                           // name, size or index
  using Bases = std::vector<std::pair<std::string, std::vector<std::vector<int64_t>>>>; // input, one basis per bit

  static Expected<LinearLayout> identity(int64_t size, std::string input, std::string output);
  static Expected<LinearLayout> strided(int64_t size, int64_t stride, std::string input, std::string output);
  static Expected<LinearLayout> zeros(int64_t size, std::string input, std::string output, int64_t outputSize = 1);
  /// Sizes left out (0) are the smallest that hold the bases.
  static Expected<LinearLayout> fromBases(const Bases &bases, const Sizes &outputs);

  Bases bases() const;
  Sizes outputs() const;
  std::vector<std::string> inputNames() const;
  int64_t inputSize(const std::string &name) const;

  Expected<Sizes> apply(const Sizes &input) const;
  Expected<LinearLayout> operator*(const LinearLayout &other) const;
  /// x -> outer(this(x))
  Expected<LinearLayout> compose(const LinearLayout &outer) const;
  Expected<LinearLayout> invert() const;
  Expected<LinearLayout> pseudoInvert() const;
  /// From the inputs of this to those of `outer` that have the same output.
  Expected<LinearLayout> invertAndCompose(const LinearLayout &outer) const;
  bool isSurjective() const;
  bool isInjective() const;
  bool operator==(const LinearLayout &other) const;
  std::string str() const;
  /// Row by row: which bits of the flattened input each bit of the flattened output depends on.
  std::vector<std::vector<int>> matrix() const;

  std::shared_ptr<const void> state;
};

} // namespace triton
