// Conversions of 16-bit floats that the code generator calls by name where the processor has no instruction for them.
//   In:  values as the calling convention passes them: a 16-bit float lies in the low bits of a vector register, as a double does.
//   Out: rounded to nearest, ties to even; NaN stays NaN.
// Lowered kernels convert inline. What is left are operations that LLVM itself takes apart, such as atomic additions.
#pragma once

namespace triton::runtime {

/// Stands for a 16-bit float in a signature: the same register holds it, and every compiler knows double.
using HalfRegister = double;

float extendHalf(HalfRegister half);               // __extendhfsf2
HalfRegister truncateToHalf(float value);          // __truncsfhf2
HalfRegister truncateDoubleToHalf(double value);   // __truncdfhf2
HalfRegister truncateToBFloat(float value);        // __truncsfbf2
HalfRegister truncateDoubleToBFloat(double value); // __truncdfbf2

} // namespace triton::runtime
