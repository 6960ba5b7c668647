#include "compiler/layout/LinearLayout.h"
#include "compiler/layout/BitMatrix.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/bit.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <cassert>

using namespace triton::layout;
using llvm::ArrayRef;
using llvm::StringRef;

LinearLayout::LinearLayout(std::vector<Input> inputs, std::vector<Output> outputs)
    : ins(std::move(inputs)), outs(std::move(outputs)) {
  for ([[maybe_unused]] const Output &output : outs)
    assert(llvm::isPowerOf2_64(output.size) && "sizes are powers of two");
  for ([[maybe_unused]] const Input &input : ins)
    for ([[maybe_unused]] const Coordinates &basis : input.bases)
      assert(basis.size() == outs.size() &&
             llvm::all_of(
                 llvm::zip(basis, outs),
                 [](auto pair) { return std::get<0>(pair) >= 0 && std::get<0>(pair) < std::get<1>(pair).size; }) &&
             "a basis has one component per output, smaller than its size");
  assert(inputBits() <= 64 && outputBits() <= 64 && "flattened indices are one word");
}

LinearLayout LinearLayout::fromBases(std::vector<Input> inputs, ArrayRef<std::string> outputNames) {
  std::vector<Output> outputs;
  for (auto [index, name] : llvm::enumerate(outputNames)) {
    int64_t size = 1;
    for (const Input &input : inputs)
      for (const Coordinates &basis : input.bases)
        size = std::max<int64_t>(size, int64_t(1) << llvm::bit_width(static_cast<uint64_t>(basis[index])));
    outputs.push_back({name, size});
  }
  return LinearLayout(std::move(inputs), std::move(outputs));
}

LinearLayout LinearLayout::strided(int64_t size, int64_t stride, StringRef input, StringRef output) {
  Input in{input.str(), {}};
  for (int64_t step = 1; step < size; step *= 2)
    in.bases.push_back({stride * step});
  return LinearLayout({in}, {{output.str(), size * stride}});
}

LinearLayout LinearLayout::identity(int64_t size, StringRef input, StringRef output) {
  return strided(size, 1, input, output);
}

LinearLayout LinearLayout::zeros(int64_t size, StringRef input, StringRef output, int64_t outputSize) {
  Input in{input.str(), std::vector<Coordinates>(llvm::Log2_64(size), Coordinates{0})};
  return LinearLayout({in}, {{output.str(), outputSize}});
}

std::optional<unsigned> LinearLayout::inputIndex(StringRef name) const {
  auto found = llvm::find_if(ins, [&](const Input &input) { return input.name == name; });
  return found == ins.end() ? std::nullopt : std::optional<unsigned>(found - ins.begin());
}

std::optional<unsigned> LinearLayout::outputIndex(StringRef name) const {
  auto found = llvm::find_if(outs, [&](const Output &output) { return output.name == name; });
  return found == outs.end() ? std::nullopt : std::optional<unsigned>(found - outs.begin());
}

int64_t LinearLayout::inputSize(StringRef name) const {
  auto index = inputIndex(name);
  return index ? int64_t(1) << ins[*index].bases.size() : 1;
}

int64_t LinearLayout::outputSize(StringRef name) const {
  auto index = outputIndex(name);
  return index ? outs[*index].size : 1;
}

unsigned LinearLayout::inputBits() const {
  unsigned bits = 0;
  for (const Input &input : ins)
    bits += input.bases.size();
  return bits;
}

unsigned LinearLayout::outputBits() const {
  unsigned bits = 0;
  for (const Output &output : outs)
    bits += llvm::Log2_64(output.size);
  return bits;
}

const Coordinates &LinearLayout::basis(StringRef input, unsigned bit) const {
  return ins[*inputIndex(input)].bases[bit];
}

uint64_t LinearLayout::flatten(const Coordinates &output) const {
  uint64_t result = 0;
  unsigned shift = 0;
  for (auto [value, dimension] : llvm::zip(output, outs)) {
    result |= static_cast<uint64_t>(value) << shift;
    shift += llvm::Log2_64(dimension.size);
  }
  return result;
}

Coordinates LinearLayout::unflatten(uint64_t output) const {
  Coordinates result;
  for (const Output &dimension : outs) {
    result.push_back(output & (dimension.size - 1));
    output >>= llvm::Log2_64(dimension.size);
  }
  return result;
}

std::vector<uint64_t> LinearLayout::columns(StringRef name) const {
  std::vector<uint64_t> result;
  for (const Input &input : ins)
    if (input.name == name)
      for (const Coordinates &basis : input.bases)
        result.push_back(flatten(basis));
  return result;
}

std::vector<uint64_t> LinearLayout::columns() const {
  std::vector<uint64_t> result;
  for (const Input &input : ins)
    for (const Coordinates &basis : input.bases)
      result.push_back(flatten(basis));
  return result;
}

uint64_t LinearLayout::apply(uint64_t input) const {
  uint64_t result = 0;
  for (uint64_t column : columns()) {
    if (input & 1)
      result ^= column;
    input >>= 1;
  }
  return result;
}

Coordinates LinearLayout::apply(ArrayRef<DimensionSize> input) const {
  Coordinates result(outs.size(), 0);
  for (const auto &[name, value] : input) {
    auto index = inputIndex(name);
    assert((index || value == 0) && "an input that is not in the layout");
    if (!index)
      continue;
    for (auto [bit, basis] : llvm::enumerate(ins[*index].bases))
      if (value >> bit & 1)
        for (auto [sum, component] : llvm::zip(result, basis))
          sum ^= component;
  }
  return result;
}

LinearLayout LinearLayout::operator*(const LinearLayout &other) const {
  std::vector<Output> outputs = outs;
  for (const Output &output : other.outs) {
    if (auto index = outputIndex(output.name))
      outputs[*index].size *= output.size;
    else
      outputs.push_back(output);
  }
  std::vector<Input> inputs = ins;
  for (Input &input : inputs)
    for (Coordinates &basis : input.bases)
      basis.resize(outputs.size(), 0);
  for (const Input &input : other.ins) {
    auto index = inputIndex(input.name);
    if (!index)
      inputs.push_back({input.name, {}});
    Input &target = index ? inputs[*index] : inputs.back();
    for (const Coordinates &basis : input.bases) {
      Coordinates scaled(outputs.size(), 0);
      for (auto [component, output] : llvm::zip(basis, other.outs)) {
        unsigned position =
            llvm::find_if(outputs, [&](const Output &candidate) { return candidate.name == output.name; }) -
            outputs.begin();
        scaled[position] = component * outputSize(output.name);
      }
      target.bases.push_back(std::move(scaled));
    }
  }
  return LinearLayout(std::move(inputs), std::move(outputs));
}

LinearLayout LinearLayout::sublayout(ArrayRef<StringRef> inputNames, ArrayRef<StringRef> outputNames) const {
  std::vector<Output> outputs;
  llvm::SmallVector<unsigned> kept;
  for (auto [index, output] : llvm::enumerate(outs))
    if (llvm::is_contained(outputNames, output.name)) {
      outputs.push_back(output);
      kept.push_back(index);
    }
  std::vector<Input> inputs;
  for (const Input &input : ins) {
    if (!llvm::is_contained(inputNames, input.name))
      continue;
    Input result{input.name, {}};
    for (const Coordinates &basis : input.bases) {
      Coordinates part;
      for (unsigned index : kept)
        part.push_back(basis[index]);
      result.bases.push_back(std::move(part));
    }
    inputs.push_back(std::move(result));
  }
  return LinearLayout(std::move(inputs), std::move(outputs));
}

bool LinearLayout::isZeroOn(ArrayRef<StringRef> inputNames, ArrayRef<StringRef> outputNames) const {
  return llvm::all_of(sublayout(inputNames, outputNames).columns(), [](uint64_t column) { return column == 0; });
}

LinearLayout LinearLayout::transposeInputs(ArrayRef<StringRef> order) const {
  assert(order.size() == ins.size() && "an order names every input once");
  std::vector<Input> inputs;
  for (StringRef name : order)
    inputs.push_back(ins[*inputIndex(name)]);
  return LinearLayout(std::move(inputs), outs);
}

LinearLayout LinearLayout::transposeOutputs(ArrayRef<StringRef> order) const {
  assert(order.size() == outs.size() && "an order names every output once");
  llvm::SmallVector<unsigned> positions;
  std::vector<Output> outputs;
  for (StringRef name : order) {
    positions.push_back(*outputIndex(name));
    outputs.push_back(outs[positions.back()]);
  }
  std::vector<Input> inputs = ins;
  for (Input &input : inputs)
    for (Coordinates &basis : input.bases) {
      Coordinates permuted;
      for (unsigned position : positions)
        permuted.push_back(basis[position]);
      basis = std::move(permuted);
    }
  return LinearLayout(std::move(inputs), std::move(outputs));
}

LinearLayout LinearLayout::reshapeInputs(ArrayRef<DimensionSize> dimensions) const {
  std::vector<Coordinates> all;
  for (const Input &input : ins)
    llvm::append_range(all, input.bases);
  std::vector<Input> inputs;
  size_t next = 0;
  for (const auto &[name, size] : dimensions) {
    size_t bits = llvm::Log2_64(size);
    assert(next + bits <= all.size() && "the same number of elements");
    inputs.push_back({name, std::vector<Coordinates>(all.begin() + next, all.begin() + next + bits)});
    next += bits;
  }
  assert(next == all.size() && "the same number of elements");
  return LinearLayout(std::move(inputs), outs);
}

LinearLayout LinearLayout::reshapeOutputs(ArrayRef<DimensionSize> dimensions) const {
  LinearLayout result;
  for (const auto &[name, size] : dimensions)
    result.outs.push_back({name, size});
  assert(result.outputBits() == outputBits() && "the same number of elements");
  for (const Input &input : ins) {
    Input reshaped{input.name, {}};
    for (const Coordinates &basis : input.bases)
      reshaped.bases.push_back(result.unflatten(flatten(basis)));
    result.ins.push_back(std::move(reshaped));
  }
  return result;
}

LinearLayout LinearLayout::renameInput(StringRef from, StringRef to) const {
  LinearLayout result = *this;
  result.ins[*inputIndex(from)].name = to.str();
  return result;
}

LinearLayout LinearLayout::renameOutput(StringRef from, StringRef to) const {
  LinearLayout result = *this;
  result.outs[*outputIndex(from)].name = to.str();
  return result;
}

LinearLayout LinearLayout::removeOutput(StringRef name) const {
  llvm::SmallVector<StringRef> inputNames, outputNames;
  for (const Input &input : ins)
    inputNames.push_back(input.name);
  for (const Output &output : outs)
    if (output.name != name)
      outputNames.push_back(output.name);
  return sublayout(inputNames, outputNames);
}

LinearLayout LinearLayout::removeZeroBases(StringRef input) const {
  LinearLayout result = *this;
  llvm::erase_if(result.ins[*inputIndex(input)].bases, [](const Coordinates &basis) {
    return llvm::all_of(basis, [](int64_t component) { return component == 0; });
  });
  return result;
}

LinearLayout LinearLayout::withOutputSize(StringRef name, int64_t size) const {
  LinearLayout result = *this;
  unsigned index = *outputIndex(name);
  result.outs[index].size = size;
  for (Input &input : result.ins)
    for (Coordinates &basis : input.bases)
      if (basis[index] >= size)
        basis[index] = 0;
  return result;
}

unsigned LinearLayout::rank() const { return ColumnSpan(columns()).rank(); }

uint64_t LinearLayout::freeBits(StringRef input) const {
  uint64_t dependent = ColumnSpan(columns()).dependentColumns();
  for (const Input &candidate : ins) {
    if (candidate.name == input)
      return dependent & ((uint64_t(1) << candidate.bases.size()) - 1);
    dependent >>= candidate.bases.size();
  }
  return 0;
}

std::vector<uint64_t> LinearLayout::kernel() const { return ColumnSpan(columns()).kernel(); }

unsigned LinearLayout::contiguousBits(StringRef input) const {
  auto index = inputIndex(input);
  if (!index || outs.empty())
    return 0;
  unsigned bits = 0;
  for (const Coordinates &basis : ins[*index].bases) {
    if (flatten(basis) != uint64_t(1) << bits)
      break;
    ++bits;
  }
  // Another input that touches those low bits would break up the run.
  for (auto [other, candidate] : llvm::enumerate(ins))
    for (auto [bit, basis] : llvm::enumerate(candidate.bases))
      if (other != *index || bit >= bits)
        while (bits && (flatten(basis) & ((uint64_t(1) << bits) - 1)))
          --bits;
  return bits;
}

std::string LinearLayout::str() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const Input &input : ins) {
    os << input.name << " =";
    if (input.bases.empty())
      os << " none";
    for (const Coordinates &basis : input.bases) {
      os << " [";
      llvm::interleave(basis, os, ", ");
      os << "]";
    }
    os << "\n";
  }
  os << "to (";
  llvm::interleaveComma(outs, os, [&](const Output &output) { os << output.name << ": " << output.size; });
  os << ")\n";
  return text;
}

llvm::raw_ostream &triton::layout::operator<<(llvm::raw_ostream &os, const LinearLayout &layout) {
  return os << layout.str();
}
