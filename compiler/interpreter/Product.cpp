// What products of matrices mean: exact products, summed in double from the first on, then added to the accumulator and rounded once.
// `inputPrecision` and `maxNumImpreciseAcc` allow less and are not asked.
#include "compiler/interpreter/Operations.h"

#include "llvm/ADT/TypeSwitch.h"

#include <cmath>

using namespace mlir;

namespace triton::interpreter {

namespace {

/// Matrices of numbers, one after the other, in row-major order.
struct Matrices {
  int64_t count, rows, columns;
  std::vector<double> numbers;

  Matrices(ArrayRef<int64_t> shape, int64_t rows, int64_t columns)
      : count(ShapedType::getNumElements(shape.drop_back(2))), rows(rows), columns(columns),
        numbers(count * rows * columns) {}
  double &operator()(int64_t batch, int64_t row, int64_t column) {
    return numbers[(batch * rows + row) * columns + column];
  }
};

Matrices read(const Array &array) {
  ArrayRef<int64_t> shape = array.shape();
  Matrices result(shape, shape[shape.size() - 2], shape.back());
  bool isFloat = isa<FloatType>(array.element());
  for (size_t index = 0; index < array.size(); ++index)
    result.numbers[index] = isFloat ? array.floatAt(index) : static_cast<double>(array.signedAt(index));
  return result;
}

Array multiply(Matrices a, Matrices b, const Array &accumulator) {
  auto type = dyn_cast<FloatType>(accumulator.element());
  std::vector<uint64_t> bits;
  bits.reserve(accumulator.size());
  for (int64_t batch = 0; batch < a.count; ++batch)
    for (int64_t row = 0; row < a.rows; ++row)
      for (int64_t column = 0; column < b.columns; ++column) {
        double sum = 0;
        for (int64_t k = 0; k < a.columns; ++k)
          sum += a(batch, row, k) * b(batch, k, column);
        // Sums of products of bytes are exact in a double, and so is their low half.
        size_t place = bits.size();
        bits.push_back(type ? encode(type, sum + accumulator.floatAt(place))
                            : truncate(accumulator.element(), static_cast<uint64_t>(static_cast<int64_t>(sum)) +
                                                                  accumulator.unsignedAt(place)));
      }
  return Array(accumulator.element(), accumulator.shape(), std::move(bits));
}

/// The value of a 4-bit float: one sign, two exponent, one mantissa bit.
double decodeE2M1(uint64_t nibble) {
  static constexpr double magnitudes[] = {0, 0.5, 1, 1.5, 2, 3, 4, 6};
  double magnitude = magnitudes[nibble & 7];
  return nibble & 8 ? -magnitude : magnitude;
}

/// Unpacks pairs of 4-bit floats, the low half first, along the last dimension or the one before.
Matrices unpack(const Array &array, bool alongLast) {
  ArrayRef<int64_t> shape = array.shape();
  int64_t rows = shape[shape.size() - 2], columns = shape.back();
  Matrices result(shape, alongLast ? rows : 2 * rows, alongLast ? 2 * columns : columns);
  for (size_t index = 0; index < array.size(); ++index) {
    int64_t column = index % columns, row = index / columns % rows, batch = index / columns / rows;
    for (int64_t half : {0, 1}) {
      double value = decodeE2M1(array.unsignedAt(index) >> (4 * half) & 15);
      (alongLast ? result(batch, row, 2 * column + half) : result(batch, 2 * row + half, column)) = value;
    }
  }
  return result;
}

/// An exponent alone: 2^(bits - 127), and all ones is NaN.
double decodeScale(const Array &scale, size_t index) {
  if (isa<FloatType>(scale.element()))
    return scale.floatAt(index);
  uint64_t bits = scale.unsignedAt(index);
  return bits == 255 ? std::nan("") : std::ldexp(1.0, static_cast<int>(bits) - 127);
}

/// Multiplies each group of elements along K by its scale. `kIsLast` tells the left operand from the right.
void applyScale(Matrices &matrix, const Array &scale, bool kIsLast) {
  int64_t groups = scale.shape().back(), lines = kIsLast ? matrix.rows : matrix.columns;
  int64_t k = kIsLast ? matrix.columns : matrix.rows;
  for (int64_t batch = 0; batch < matrix.count; ++batch)
    for (int64_t line = 0; line < lines; ++line)
      for (int64_t place = 0; place < k; ++place)
        (kIsLast ? matrix(batch, line, place) : matrix(batch, place, line)) *=
            decodeScale(scale, (batch * lines + line) * groups + place * groups / k);
}

Array multiplyScaled(tensor::DotScaledOp op, ArrayRef<Array> operands) {
  auto readOperand = [&](const Array &array, tensor::ScaleDotElemType format, bool packedAlongK, bool kIsLast) {
    return format == tensor::ScaleDotElemType::E2M1 ? unpack(array, packedAlongK == kIsLast) : read(array);
  };
  Matrices a = readOperand(operands[0], op.getAElemType(), op.getLhsKPack(), true);
  Matrices b = readOperand(operands[1], op.getBElemType(), op.getRhsKPack(), false);
  unsigned next = 3;
  if (op.getAScale())
    applyScale(a, operands[next++], true);
  if (op.getBScale())
    applyScale(b, operands[next++], false);
  return multiply(std::move(a), std::move(b), operands[2]);
}

} // namespace

Answer evaluateProduct(Operation *op, ArrayRef<Array> operands) {
  return llvm::TypeSwitch<Operation *, Answer>(op)
      .Case<tensor::DotOp>(
          [&](auto) -> Answer { return Arrays{multiply(read(operands[0]), read(operands[1]), operands[2])}; })
      .Case<tensor::DotScaledOp>([&](auto dot) -> Answer { return Arrays{multiplyScaled(dot, operands)}; })
      .Default([](Operation *) { return Answer(); });
}

} // namespace triton::interpreter
