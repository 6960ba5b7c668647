// Carries out the plan of a conversion between register layouts.
#pragma once

#include "compiler/layout/Conversion.h"
#include "compiler/llvm/nvidia/Emitter.h"

namespace triton::nvidia {

/// The registers after the conversion. `buffer` is called when the plan goes through shared memory.
Registers convertRegisters(Emitter &emitter, const layout::ConversionPlan &plan, llvm::ArrayRef<llvm::Value *> values,
                           llvm::function_ref<llvm::Value *()> buffer);

} // namespace triton::nvidia
