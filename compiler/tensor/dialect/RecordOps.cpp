// The dialect of records, what kernels note for the profiler: registration, and how records are taken out of a module.
#include "compiler/tensor/Record.h"

#include "mlir/Transforms/InliningUtils.h"

using namespace mlir;

#include "compiler/tensor/dialect/RecordDialect.cpp.inc"

#define GET_OP_CLASSES
#include "compiler/tensor/dialect/RecordOps.cpp.inc"

namespace triton::record {

namespace {

/// Records move with the function they stand in.
struct RecordInliner : DialectInlinerInterface {
  using DialectInlinerInterface::DialectInlinerInterface;
  bool isLegalToInline(Operation *, Region *, bool, IRMapping &) const final { return true; }
};

} // namespace

void RecordDialect::initialize() {
  addInterfaces<RecordInliner>();
  addOperations<
#define GET_OP_LIST
#include "compiler/tensor/dialect/RecordOps.cpp.inc"
      >();
}

void eraseRecords(ModuleOp module) {
  module.walk([](RecordOp record) { record.erase(); });
}

} // namespace triton::record
