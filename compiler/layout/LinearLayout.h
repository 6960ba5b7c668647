// A linear layout: a map from named input indices (register, lane, warp, block, offset) to named output indices (dim0, dim1, …) that is
// linear over F2. It is written down by its bases: for input dimension d and bit i, the output for d = 2^i and everything else 0.
// The output for any input is the XOR of the bases of its set bits.
//
//   I(4, register -> dim0) * I(32, lane -> dim0)      register [1], [2]   lane [4], [8], [16], [32], [64]
//
// Sizes are powers of two. Dimensions keep their order, the first varying fastest wherever dimensions are flattened. An immutable value.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class raw_ostream;
}

namespace triton::layout {

/// One output index per output dimension.
using Coordinates = llvm::SmallVector<int64_t, 4>;
using DimensionSize = std::pair<std::string, int64_t>;

class LinearLayout {
public:
  struct Input {
    std::string name;
    std::vector<Coordinates> bases; // one per bit, lowest first
    bool operator==(const Input &) const = default;
  };
  struct Output {
    std::string name;
    int64_t size;
    bool operator==(const Output &) const = default;
  };

  /// The empty layout: the unit of the product.
  LinearLayout() = default;
  /// From bases; every basis has one component per output, smaller than its size.
  LinearLayout(std::vector<Input> inputs, std::vector<Output> outputs);
  /// The same with the smallest sizes that hold the bases.
  static LinearLayout fromBases(std::vector<Input> inputs, llvm::ArrayRef<std::string> outputNames);

  /// Bases 1, 2, …, size / 2.
  static LinearLayout identity(int64_t size, llvm::StringRef input, llvm::StringRef output);
  /// Bases stride, 2 * stride, ….
  static LinearLayout strided(int64_t size, int64_t stride, llvm::StringRef input, llvm::StringRef output);
  /// log2(size) zero bases: the input is ignored.
  static LinearLayout zeros(int64_t size, llvm::StringRef input, llvm::StringRef output, int64_t outputSize = 1);

  llvm::ArrayRef<Input> inputs() const { return ins; }
  llvm::ArrayRef<Output> outputs() const { return outs; }
  bool hasInput(llvm::StringRef name) const { return inputIndex(name).has_value(); }
  bool hasOutput(llvm::StringRef name) const { return outputIndex(name).has_value(); }
  /// 1 if there is no such dimension.
  int64_t inputSize(llvm::StringRef name) const;
  int64_t outputSize(llvm::StringRef name) const;
  int64_t totalInputSize() const { return int64_t(1) << inputBits(); }
  int64_t totalOutputSize() const { return int64_t(1) << outputBits(); }
  unsigned inputBits() const;
  unsigned outputBits() const;
  const Coordinates &basis(llvm::StringRef input, unsigned bit) const;

  /// The output for an input; input dimensions left out are 0.
  Coordinates apply(llvm::ArrayRef<DimensionSize> input) const;
  /// The same on flattened indices.
  uint64_t apply(uint64_t input) const;

  /// Concatenates the other's bases behind this one's in each input dimension, its outputs scaled by this one's sizes. New
  /// dimensions come last.
  LinearLayout operator*(const LinearLayout &other) const;
  /// x -> outer(this(x)). The outputs of this are the inputs of `outer`, in any order, and no larger.
  LinearLayout compose(const LinearLayout &outer) const;
  /// Of a bijection.
  LinearLayout invert() const;
  /// Of a surjection: a right inverse, with 0 in every input bit that is not needed.
  LinearLayout pseudoInvert() const;
  /// A map M with outer(M(x)) = this(x): from the inputs of this to those of `outer`. Nullopt if the image of this is not in that of `outer`.
  std::optional<LinearLayout> invertAndCompose(const LinearLayout &outer) const;
  /// The Q with divisor * Q = this, if there is one.
  std::optional<LinearLayout> divideLeft(const LinearLayout &divisor) const;
  /// The Q with Q * divisor = this, if there is one.
  std::optional<LinearLayout> divideRight(const LinearLayout &divisor) const;
  /// Only these inputs and outputs.
  LinearLayout sublayout(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Whether the outputs named do not depend on the inputs named.
  bool isZeroOn(llvm::ArrayRef<llvm::StringRef> inputs, llvm::ArrayRef<llvm::StringRef> outputs) const;
  /// Without `dimension`, if the map is the identity on it (as input and as output) and touches it nowhere else.
  std::optional<LinearLayout> quotient(llvm::StringRef dimension) const;

  LinearLayout transposeInputs(llvm::ArrayRef<llvm::StringRef> order) const;
  LinearLayout transposeOutputs(llvm::ArrayRef<llvm::StringRef> order) const;
  /// Flattens all inputs (outputs) and cuts them anew; sizes must agree in total.
  LinearLayout reshapeInputs(llvm::ArrayRef<DimensionSize> dimensions) const;
  LinearLayout reshapeOutputs(llvm::ArrayRef<DimensionSize> dimensions) const;
  LinearLayout renameInput(llvm::StringRef from, llvm::StringRef to) const;
  LinearLayout renameOutput(llvm::StringRef from, llvm::StringRef to) const;
  LinearLayout removeOutput(llvm::StringRef name) const;
  /// Drops the all-zero bases of one input.
  LinearLayout removeZeroBases(llvm::StringRef input) const;
  /// Sets an output's size: bases that do not fit lose that component (gluon.md 4: `shrink` one dim is built on this).
  LinearLayout withOutputSize(llvm::StringRef name, int64_t size) const;

  unsigned rank() const;
  bool isSurjective() const { return rank() == outputBits(); }
  bool isInjective() const { return rank() == inputBits(); }
  bool isInvertible() const { return isSurjective() && isInjective(); }
  /// Bits of one input on which the output does not depend once all lower bits (of this and earlier inputs) are free to vary: those that
  /// broadcast. Bit i of the mask stands for basis i.
  uint64_t freeBits(llvm::StringRef input) const;
  /// Inputs, flattened, that generate all x with apply(x) = 0.
  std::vector<uint64_t> kernel() const;
  /// How many of the lowest bits of `input` count up the lowest bits of the first output: log2 of the vector width.
  unsigned contiguousBits(llvm::StringRef input) const;

  bool operator==(const LinearLayout &) const = default;
  std::string str() const;

  /// Column of the matrix for each input bit: the flattened output.
  std::vector<uint64_t> columns() const;
  /// The columns of one input; none if there is no such input.
  std::vector<uint64_t> columns(llvm::StringRef input) const;

private:
  std::optional<unsigned> inputIndex(llvm::StringRef name) const;
  std::optional<unsigned> outputIndex(llvm::StringRef name) const;
  uint64_t flatten(const Coordinates &output) const;
  Coordinates unflatten(uint64_t output) const;

  std::vector<Input> ins;
  std::vector<Output> outs;
};

llvm::raw_ostream &operator<<(llvm::raw_ostream &, const LinearLayout &);

} // namespace triton::layout
