// Carries out the plan of a conversion between register layouts.
#pragma once

#include "compiler/layout/Conversion.h"
#include "compiler/llvm/gpu/Emitter.h"

namespace triton::simt {

/// The registers after the conversion. `buffer` is called when the plan goes through shared memory.
Registers convertRegisters(Emitter &emitter, const layout::ConversionPlan &plan, llvm::ArrayRef<llvm::Value *> values,
                           llvm::function_ref<llvm::Value *()> buffer);

/// Moves values through a memory that holds `pieceBits` bits of each of them: piece by piece, if they are wider. `move` takes and gives registers of
/// that many bits.
Registers inPieces(Emitter &emitter, llvm::ArrayRef<llvm::Value *> values, unsigned pieceBits,
                   llvm::function_ref<Registers(llvm::ArrayRef<llvm::Value *>)> move);

} // namespace triton::simt
