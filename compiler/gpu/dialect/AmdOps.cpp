#include "compiler/gpu/dialect/AmdOps.h"

#include "mlir/IR/TypeUtilities.h"

#include "compiler/gpu/dialect/AmdDialect.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/gpu/dialect/AmdOps.cpp.inc"

void triton::gpu::amd::AmdDialect::initialize() {
  addOperations<
#define GET_OP_LIST
#include "compiler/gpu/dialect/AmdOps.cpp.inc"
      >();
}
