// The dialect `proton`: `proton.record`, by which kernels tell the profiler where they are.
#pragma once

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Dialect.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OpImplementation.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "compiler/tensor/dialect/RecordDialect.h.inc"

namespace triton::record {

/// What records are written to: nothing else reads or writes it.
struct RecordMemory : mlir::SideEffects::Resource::Base<RecordMemory> {
  llvm::StringRef getName() final { return "<RecordMemory>"; }
};

/// Takes all records out: nobody listens.
void eraseRecords(mlir::ModuleOp module);

} // namespace triton::record

#define GET_OP_CLASSES
#include "compiler/tensor/dialect/RecordOps.h.inc"
