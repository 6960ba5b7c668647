// Warp specialisation: groups of warps that run different code at the same time.
#ifndef TRITON_GPU_WARP_SPECIALIZE_OPS
#define TRITON_GPU_WARP_SPECIALIZE_OPS

include "compiler/gpu/dialect/OpBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def TTG_WarpSpecializeOp : TTG_Op<"warp_specialize", [RecursiveMemoryEffects]> {
  let summary = "runs a default region on the warps that come here and, beside it, each partition on warps of its own";
  let description = [{
    All begin together, and the op is over when all are. The default region sees the values around it and gives the results;
    partitions see only the operands, all of them each. Layouts in a partition are for its number of warps. `requestedRegisters`
    says how many registers a thread of each partition needs.

    ```mlir
    %r = ttg.warp_specialize(%n) attributes {requestedRegisters = array<i32: 24>}
    default {
      ttg.warp_yield %n : i32
    }
    partition0(%m: i32) num_warps(1) {
      ttg.warp_return
    } : (i32) -> i32
    ```
  }];
  let arguments = (ins Variadic<AnyType>:$explicitCaptures, DenseI32ArrayAttr:$partitionNumWarps,
    OptionalAttr<DenseI32ArrayAttr>:$warpGroupStartIds, OptionalAttr<DenseI32ArrayAttr>:$requestedRegisters,
    OptionalAttr<DenseI32ArrayAttr>:$actualRegisters);
  let results = (outs Variadic<AnyType>:$defaultPassthrough);
  let regions = (region MinSizedRegion<1>:$defaultRegion, SizedRegion<1>:$partitionOpHolder);
  let builders = [
    // With empty regions: a default block, and one block with the captures as arguments for each partition.
    OpBuilder<(ins "::mlir::TypeRange":$results, "::mlir::ValueRange":$captures, "::llvm::ArrayRef<int32_t>":$partitionNumWarps)>];
  let extraClassDeclaration = [{
    /// The op that holds the partitions; null while the op is not verified.
    WarpSpecializePartitionsOp getPartitionOp();
    ::mlir::MutableArrayRef<::mlir::Region> getPartitionRegions();
    /// Of all partitions together.
    int32_t getTotalPartitionWarps();
    /// Which of the captures partitions are told through shared memory: not those that stand the same in every thread's code.
    ::llvm::SmallVector<unsigned> getStoredCaptures();
    /// Whether its function does nothing but run it once: its partitions then need not be told when.
    bool isOnlyOne();
  }];
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def TTG_WarpSpecializePartitionsOp : TTG_Op<"warp_specialize.partitions", [IsolatedFromAbove, RecursiveMemoryEffects, Terminator,
    HasParent<"WarpSpecializeOp">]> {
  let summary = "the partitions of a `ttg.warp_specialize`";
  let description = "Keeps the partitions apart from the values around them. See `ttg.warp_specialize`.";
  let regions = (region VariadicRegion<MinSizedRegion<1>>:$partitionRegions);
}

def TTG_WarpYieldOp : TTG_Op<"warp_yield", [HasParent<"WarpSpecializeOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the results of the default region";
  let description = "See `ttg.warp_specialize`.";
  let arguments = (ins Variadic<AnyType>:$values);
  let assemblyFormat = "($values^)? attr-dict (`:` type($values)^)?";
}

def TTG_WarpReturnOp : TTG_Op<"warp_return", [HasParent<"WarpSpecializePartitionsOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the end of a partition";
  let description = "See `ttg.warp_specialize`.";
  let assemblyFormat = "attr-dict";
}

#endif
