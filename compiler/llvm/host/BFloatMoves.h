// Moves bf16 values as 16-bit integers.
//   In:  an LLVM function in which bf16 is loaded, stored, selected, shuffled and merged, but computed with only as integers or
//        after conversion.
//   Out: the same with integers, and bf16 at most between bit casts that cancel.
// A processor without bf16 registers has no moves for it either: the code generator would widen each lane of a select or of a
// masked load to f32 and round it back, by a call.
#pragma once

namespace llvm {
class Function;
}

namespace triton::host {

void moveBFloatsAsIntegers(llvm::Function &function);

} // namespace triton::host
