// Elementary functions as straight-line arithmetic, on scalars, vectors and tensors alike.
//   In:  f32 or f64 values, and whether the target has fused multiply-add.
//   Out: arithmetic and selects; at most 2 ulp from the true value, with NaN, infinities, zeros, overflow and results
//        below the smallest normal number as in C's library.
// Polynomials are minimax fits over the reduced range. Nothing here may be reassociated: operations carry no fast-math
// flags.
#pragma once

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLFunctionalExtras.h"

namespace triton::tensor {

class ElementaryMath {
public:
  ElementaryMath(mlir::OpBuilder &builder, mlir::Location loc, bool hasFma)
      : builder(builder), loc(loc), hasFma(hasFma) {}

  mlir::Value exp(mlir::Value x);
  mlir::Value exp2(mlir::Value x);
  mlir::Value expm1(mlir::Value x);
  mlir::Value log(mlir::Value x);
  mlir::Value log2(mlir::Value x);
  mlir::Value log10(mlir::Value x);
  mlir::Value log1p(mlir::Value x);
  mlir::Value tanh(mlir::Value x);
  mlir::Value erf(mlir::Value x);
  mlir::Value rsqrt(mlir::Value x);
  mlir::Value pow(mlir::Value x, mlir::Value y);
  // These are computed in f64 for f32 too.
  mlir::Value sinh(mlir::Value x);
  mlir::Value cosh(mlir::Value x);
  mlir::Value asin(mlir::Value x);
  mlir::Value acos(mlir::Value x);
  mlir::Value atan(mlir::Value x);
  mlir::Value atan2(mlir::Value y, mlir::Value x);
  mlir::Value asinh(mlir::Value x);
  mlir::Value acosh(mlir::Value x);
  mlir::Value atanh(mlir::Value x);
  mlir::Value cbrt(mlir::Value x);
  mlir::Value erfc(mlir::Value x);
  /// Only for |x| below `trigonometricLimit`: larger arguments need more digits of pi than this keeps.
  mlir::Value sin(mlir::Value x) { return trigonometric(x, 0); }
  mlir::Value cos(mlir::Value x) { return trigonometric(x, 1); }
  mlir::Value tan(mlir::Value x) { return div(sin(x), cos(x)); }
  static double trigonometricLimit(mlir::Type element) { return element.isF64() ? 1 << 20 : 1 << 27; }

private:
  using Value = mlir::Value;

  /// What differs between f32 and f64: where numbers end, and how many terms polynomials have.
  struct Format;
  static const Format &formatOf(Value x);

  // Constants take the type of their model; `like` also gives them another element type of the same shape.
  Value constant(Value model, double value);
  Value bits(Value model, int64_t value);
  mlir::Type like(Value model, mlir::Type element);
  mlir::Type integers(Value model);

  Value add(Value a, Value b);
  Value sub(Value a, Value b);
  Value mul(Value a, Value b);
  Value div(Value a, Value b);
  Value fma(Value a, Value b, Value c); // rounded once or twice, whichever is faster
  Value absolute(Value a);
  Value copySign(Value magnitude, Value sign);
  Value less(Value a, Value b);
  Value less(Value a, double b) { return less(a, constant(a, b)); }
  Value greater(Value a, double b) { return less(constant(a, b), a); }
  Value select(Value condition, Value a, Value b);
  Value asInteger(Value a);
  Value asFloat(Value a, Value model);
  Value shiftLeft(Value a, int64_t amount);
  Value addBits(Value a, Value b);
  Value widen(Value a);
  Value narrow(Value a);
  /// coefficients[0] + coefficients[1] x + …
  Value polynomial(Value x, llvm::ArrayRef<double> coefficients);

  struct Rounded {
    Value value;    // the nearest integer, as a float
    Value exponent; // the same integer shifted into the exponent field
  };
  Rounded round(Value x);
  Value scale(Value value, Rounded power);
  Value scaleFar(Value value, Rounded power);

  struct Decomposed {
    Value fraction; // m - 1, for x = m 2^e with m in [sqrt(1/2), sqrt(2))
    Value exponent; // e
    Value shifted;  // e shifted into the exponent field, if x is a normal number
  };
  Decomposed decompose(Value x);
  Value logOfFraction(Value f); // log(1 + f) - f
  Value logSpecials(Value x, Value result, double pole);
  Value logInBase(Value x, double perEHigh, double perELow, double perTwoHigh, double perTwoLow);

  Value exponential(Value x);
  Value powerOfTwo(Value x, Rounded whole); // 2^(x - whole)
  Value complement(Value magnitude);        // 1 - erf(x), away from zero
  Value trigonometric(Value x, int64_t quarters);
  struct Reduced {
    Value rest, correction; // x less the nearest multiple of pi/2; what rounding took from it
    Value quarters;         // that multiple, in the low bits
  };
  Reduced reduceWide(Value x);
  /// An unevaluated sum of two floats, the second of which is what rounding took from the first.
  struct Pair {
    Value high, low;
  };
  Pair subtractExactly(Value a, Value b);
  Pair addToLarger(Value a, Value b); // a + b for |a| of at least |b|, or a zero
  Pair multiplyExactly(Value a, Value b);
  Pair multiply(Pair a, double high, double low);
  Pair multiply(Pair a, Pair b);
  Pair logPair(Value x); // log2(x) of a positive f64
  Value powerNarrow(Value magnitude, Value y);
  Value powerWide(Value magnitude, Value y);
  Value squareRoot(Value x);
  Value negate(Value x);
  Value equal(Value a, double b);
  /// What `function` makes of the operands in f64, in their own type.
  Value inDoubles(llvm::ArrayRef<Value> operands, llvm::function_ref<Value(llvm::ArrayRef<Value>)> function);
  Value arcSine(Value x);    // |x| at most 1/2
  Value arcTangent(Value x); // x not negative
  Value pickQuadrant(Value sine, Value cosine, Value quadrant);

  mlir::OpBuilder &builder;
  mlir::Location loc;
  bool hasFma;
};

/// The name of the `math` operation that a function of libdevice is ("sin" for `__nv_sinf`); empty if there is none. `element`: of the result.
llvm::StringRef mathOfLibdevice(llvm::StringRef symbol, mlir::Type element);

} // namespace triton::tensor
