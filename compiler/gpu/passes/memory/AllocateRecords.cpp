// Gives the scopes of `proton.record` numbers, and records a place in the profiler's buffer.
//   In:  records that name their scopes.
//
//   proton.record start "loads"
// becomes
//   proton.record start "loads" {proton.scope = 0 : i32}
//
//   Out: the same with numbers; on the module the scopes' names, who writes, and the bytes that a launch brings for each CTA. A module without
//        records has none of these.
// Runs when the number of warps is known, those of partitions included.
#include "compiler/gpu/passes/Passes.h"

#include "compiler/gpu/Gpu.h"
#include "compiler/gpu/Records.h"
#include "compiler/tensor/Record.h"

#include "llvm/ADT/StringMap.h"

using namespace mlir;

namespace triton::gpu {

#define GEN_PASS_DEF_ALLOCATERECORDS
#include "compiler/gpu/passes/Passes.h.inc"

namespace {

struct AllocateRecords : impl::AllocateRecordsBase<AllocateRecords> {
  using AllocateRecordsBase::AllocateRecordsBase;

  void run() override {
    ModuleOp module = getOperation();
    Builder builder(&getContext());
    llvm::StringMap<unsigned> numbers;
    SmallVector<Attribute> names;
    record::RecordOp excess;
    module.walk([&](record::RecordOp record) {
      auto [number, isNew] = numbers.try_emplace(record.getName(), names.size());
      if (isNew)
        names.push_back(record.getNameAttr());
      if (number->second >= maxRecordScopes)
        excess = record;
      record->setAttr(recordScopeName, builder.getI32IntegerAttr(number->second));
    });
    if (excess) {
      excess.emitError() << "a kernel has at most " << maxRecordScopes << " scopes for the profiler, this is number "
                         << names.size();
      return signalPassFailure();
    }
    RecordsPlan::detachFrom(module); // what a file says of records that it does not have, or has others
    if (names.empty())
      return;
    std::optional<RecordsPlan> plan = RecordsPlan::parse(mode, getTotalNumWarps(module));
    if (!plan)
      plan = RecordsPlan::parse("proton", getTotalNumWarps(module));
    plan->attachTo(module);
    module->setAttr(recordScopesName, builder.getArrayAttr(names));
  }
};

} // namespace

} // namespace triton::gpu
