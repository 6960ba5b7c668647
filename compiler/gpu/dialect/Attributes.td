// The layouts that have names. Each is one way to write a linear map down; gluon.md 5 to 7 gives the maps.
#ifndef TRITON_GPU_ATTRIBUTES
#define TRITON_GPU_ATTRIBUTES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"
include "compiler/gpu/dialect/Dialect.td"
include "compiler/gpu/dialect/Interfaces.td"

class TTG_Attr<string name, string attrMnemonic, list<Trait> traits = []> : AttrDef<GpuDialect, name, traits> {
  let mnemonic = attrMnemonic;
}

// Bases of the CTAs of a cluster, `rank` numbers each, are parameters `cluster`: flat, in the order of the bits.
defvar layoutMethods = [{
    int64_t getRank() const;
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
}];
defvar clusterMethods = [{
    ::triton::layout::ClusterBases getClusterBases() const { return toBases(getCluster(), getRank()); }
}];

class TTG_RegisterLayout<string name, string attrMnemonic>
    : TTG_Attr<name, attrMnemonic, [TTG_DistributedAttr, VerifiableTensorEncoding]> {
  let extraClassDeclaration = !strconcat(layoutMethods, [{
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }]);
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def TTG_BlockedAttr : TTG_RegisterLayout<"Blocked", "blocked"> {
  let summary = "each thread holds a block of elements, each warp a block of threads, each CTA a block of warps";
  let description = [{
    `order[0]` is the dimension that varies fastest. A larger tensor repeats the tile over registers; a smaller one leaves
    copies. `CGALayout` lists the bases of the CTAs of a cluster, in units of one CTA's tile.

    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$sizePerThread, ArrayRefParameter<"int64_t">:$threadsPerWarp,
    ArrayRefParameter<"int64_t">:$warpsPerCTA, ArrayRefParameter<"unsigned">:$order, ArrayRefParameter<"int64_t">:$cluster);
  let builders = [AttrBuilder<(ins "::llvm::ArrayRef<int64_t>":$sizePerThread, "::llvm::ArrayRef<int64_t>":$threadsPerWarp,
    "::llvm::ArrayRef<int64_t>":$warpsPerCTA, "::llvm::ArrayRef<unsigned>":$order), [{
    return $_get($_ctxt, sizePerThread, threadsPerWarp, warpsPerCTA, order, ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = !strconcat(layoutMethods, clusterMethods, [{
    ::triton::layout::BlockedLayout getLayout() const;
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }]);
}

def TTG_SliceAttr : TTG_RegisterLayout<"Slice", "slice"> {
  let summary = "what a reduction of `parent` over dimension `dim` leaves, and what `tt.expand_dims` at `dim` takes";
  let description = [{
    ```mlir
    #blocked = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [8, 4], warpsPerCTA = [4, 1], order = [1, 0]}>
    #rows = #ttg.slice<{dim = 1, parent = #blocked}>
    ```
  }];
  let parameters = (ins "unsigned":$dim, "::triton::gpu::DistributedAttr":$parent);
  let builders = [AttrBuilderWithInferredContext<(ins "unsigned":$dim, "::triton::gpu::DistributedAttr":$parent), [{
    return $_get(parent.getContext(), dim, parent);
  }]>];
}

def TTG_MmaAttr : TTG_RegisterLayout<"Mma", "nvidia_mma"> {
  let summary = "the accumulator of a tensor-core dot";
  let description = [{
    Version 2 is `mma.sync`, of instruction `[16, 8]`; version 3 is `wgmma`, of instruction `[16, n, k]`.

    ```mlir
    #mma = #ttg.nvidia_mma<{versionMajor = 3, versionMinor = 0, warpsPerCTA = [4, 1], instrShape = [16, 128, 16]}>
    ```
  }];
  let parameters = (ins "unsigned":$versionMajor, "unsigned":$versionMinor, ArrayRefParameter<"int64_t">:$warpsPerCTA,
    ArrayRefParameter<"int64_t">:$instrShape, ArrayRefParameter<"int64_t">:$cluster);
  let builders = [AttrBuilder<(ins "unsigned":$versionMajor, "unsigned":$versionMinor, "::llvm::ArrayRef<int64_t>":$warpsPerCTA,
    "::llvm::ArrayRef<int64_t>":$instrShape), [{
    return $_get($_ctxt, versionMajor, versionMinor, warpsPerCTA, instrShape, ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = !strconcat(layoutMethods, clusterMethods, [{
    bool isWgmma() const { return getVersionMajor() == 3; }
    ::triton::layout::MmaLayout getLayout() const;
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }]);
}

def TTG_MfmaAttr : TTG_RegisterLayout<"Mfma", "amd_mfma"> {
  let summary = "the accumulator of AMD's matrix instructions for waves of 64 lanes";
  let description = [{
    Version 1 is gfx908, 2 gfx90a, 3 gfx942, 4 gfx950. `instrShape` is `[m, n, k]`. Transposed, an instruction is given its operands in the other order, and a
    lane holds neighbours along N. `tilesPerWarp` instructions lie side by side before the next warp begins.

    ```mlir
    #mfma = #ttg.amd_mfma<{version = 3, warpsPerCTA = [2, 2], instrShape = [32, 32, 8], isTransposed = true}>
    ```
  }];
  let parameters = (ins "unsigned":$version, ArrayRefParameter<"int64_t">:$warpsPerCTA, ArrayRefParameter<"int64_t">:$instrShape,
    "bool":$isTransposed, ArrayRefParameter<"int64_t">:$tilesPerWarp, "unsigned":$elementBitWidth, ArrayRefParameter<"int64_t">:$cluster);
  let extraClassDeclaration = !strconcat(layoutMethods, clusterMethods, [{
    ::triton::layout::MfmaLayout getLayout() const;
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }]);
}

def TTG_WmmaAttr : TTG_RegisterLayout<"Wmma", "amd_wmma"> {
  let summary = "the accumulator of AMD's matrix instructions for waves of 32 lanes";
  let description = [{
    Version 1 is gfx11, 2 gfx12, 3 gfx1250. `ctaLayout` lists the bases of registers and warps of a CTA in units of one instruction's tile.

    ```mlir
    #wmma = #ttg.amd_wmma<{version = 2, ctaLayout = {warp = [[0, 1], [1, 0]]}, isTranspose = true, instrShape = [16, 16, 16]}>
    ```
  }];
  let parameters = (ins "unsigned":$version, "int64_t":$rank, ArrayRefParameter<"int64_t">:$registers, ArrayRefParameter<"int64_t">:$warps,
    "bool":$isTransposed, ArrayRefParameter<"int64_t">:$instrShape, ArrayRefParameter<"int64_t">:$cluster);
  let extraClassDeclaration = !strconcat(clusterMethods, [{
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
    ::triton::layout::WmmaLayout getLayout() const;
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }]);
}

def TTG_DotOperandAttr : TTG_RegisterLayout<"DotOperand", "dot_op"> {
  let summary = "an operand of a dot in registers: 0 is the left one, 1 the right";
  let description = [{
    `parent` is the accumulator's layout. For tensor cores `kWidth` elements along K lie in one register; for a blocked parent
    there is no `kWidth` and a thread holds all of K.

    ```mlir
    #mma = #ttg.nvidia_mma<{versionMajor = 2, versionMinor = 0, warpsPerCTA = [2, 2], instrShape = [16, 8]}>
    #lhs = #ttg.dot_op<{opIdx = 0, parent = #mma, kWidth = 2}>
    ```
  }];
  let parameters = (ins "unsigned":$opIdx, "::triton::gpu::DistributedAttr":$parent, "unsigned":$kWidth);
  let builders = [AttrBuilderWithInferredContext<(ins "unsigned":$opIdx, "::triton::gpu::DistributedAttr":$parent,
    CArg<"unsigned", "0">:$kWidth), [{
    return $_get(parent.getContext(), opIdx, parent, kWidth);
  }]>];
}

def TTG_LinearAttr : TTG_RegisterLayout<"Linear", "linear"> {
  let summary = "the map itself: the bases of register, lane, warp and block bits";
  let description = [{
    On a larger tensor than the bases span registers repeat; on a smaller one register bases that do not fit are left out and
    others become copies.

    ```mlir
    #linear = #ttg.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]], block = []}>
    ```
  }];
  let parameters = (ins "int64_t":$rank, ArrayRefParameter<"int64_t">:$registers, ArrayRefParameter<"int64_t">:$lanes,
    ArrayRefParameter<"int64_t">:$warps, ArrayRefParameter<"int64_t">:$blocks);
  let builders = [
    // A map from register, lane, warp and block; an input that it lacks has no bits.
    AttrBuilder<(ins "const ::triton::layout::LinearLayout &":$layout)>];
  let extraClassDeclaration = [{
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
    /// The map on the smallest tensor that holds the bases.
    ::triton::layout::LinearLayout getLayout() const;
    ::llvm::LogicalResult verifyEncoding(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element,
                                         ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const {
      return checkShape(shape, error);
    }
  }];
}

class TTG_SharedLayout<string name, string attrMnemonic> : TTG_Attr<name, attrMnemonic, [TTG_SharedAttr]> {
  let genVerifyDecl = 1;
  let hasCustomAssemblyFormat = 1;
}

def TTG_SwizzledSharedAttr : TTG_SharedLayout<"SwizzledShared", "swizzled_shared"> {
  let summary = "rows whose groups of `vec` elements are permuted by the row";
  let description = [{
    Element (r, c) lies at `r * columns + (c ^ vec * ((r / perPhase) % maxPhase))`, columns running along `order[0]`.

    ```mlir
    #shared = #ttg.swizzled_shared<{vec = 8, perPhase = 1, maxPhase = 8, order = [1, 0]}>
    ```
  }];
  let parameters = (ins "int64_t":$vec, "int64_t":$perPhase, "int64_t":$maxPhase, ArrayRefParameter<"unsigned">:$order,
    ArrayRefParameter<"int64_t">:$cluster);
  let builders = [AttrBuilder<(ins "int64_t":$vec, "int64_t":$perPhase, "int64_t":$maxPhase,
    "::llvm::ArrayRef<unsigned>":$order), [{
    return $_get($_ctxt, vec, perPhase, maxPhase, order, ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = !strconcat(layoutMethods, clusterMethods, [{
    int64_t getAlignment() const { return 16; }
    ::triton::layout::SwizzledSharedLayout getLayout() const;
  }]);
}

def TTG_RotatingSharedAttr : TTG_SharedLayout<"RotatingShared", "amd_rotating_shared"> {
  let summary = "rows whose groups of `vec` elements are permuted by the row, each time round in another way";
  let description = [{
    Element (r, c) lies at `r * columns + (c ^ vec * (p % maxPhase ^ p / maxPhase % maxPhase))` with `p = r / perPhase`, columns running along `order[0]`. AMD's
    operands that are transposed in registers on their way to shared memory.

    ```mlir
    #shared = #ttg.amd_rotating_shared<{vec = 4, perPhase = 1, maxPhase = 16, order = [1, 0]}>
    ```
  }];
  let parameters = (ins "int64_t":$vec, "int64_t":$perPhase, "int64_t":$maxPhase, ArrayRefParameter<"unsigned">:$order,
    ArrayRefParameter<"int64_t">:$cluster);
  let extraClassDeclaration = !strconcat(layoutMethods, clusterMethods, [{
    int64_t getAlignment() const { return 16; }
    ::triton::layout::RotatingSharedLayout getLayout() const;
  }]);
}

def TTG_NvmmaSharedAttr : TTG_SharedLayout<"NvmmaShared", "nvmma_shared"> {
  let summary = "what TMA, wgmma and tcgen05 read and write";
  let description = [{
    ```mlir
    #shared = #ttg.nvmma_shared<{swizzlingByteWidth = 128, transposed = false, elementBitWidth = 16}>
    ```
  }];
  let parameters = (ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth, "bool":$fp4Padded,
    "int64_t":$rank, ArrayRefParameter<"int64_t">:$cluster);
  let builders = [AttrBuilder<(ins "unsigned":$swizzlingByteWidth, "bool":$transposed, "unsigned":$elementBitWidth,
    CArg<"bool", "false">:$fp4Padded, CArg<"int64_t", "2">:$rank), [{
    return $_get($_ctxt, swizzlingByteWidth, transposed, elementBitWidth, fp4Padded, rank, ::llvm::ArrayRef<int64_t>());
  }]>];
  let extraClassDeclaration = !strconcat(clusterMethods, [{
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
    int64_t getAlignment() const { return getLayout().alignment(); }
    ::triton::layout::NvmmaSharedLayout getLayout() const;
    /// The widest swizzle that fits a buffer of this shape, or none.
    static NvmmaSharedAttr getDefault(::llvm::ArrayRef<int64_t> shape, ::mlir::Type element, bool transposed = false);
  }]);
}

def TTG_PaddedSharedAttr : TTG_SharedLayout<"PaddedShared", "padded_shared"> {
  let summary = "a linear map with gaps: after every `interval` elements, `padding` unused ones";
  let description = [{
    Element at offset o of the map lies at `o + sum(o / interval * padding)`. The map is given by its bases, or as the identity
    over `shape` with `order[0]` fastest.

    ```mlir
    #padded = #ttg.padded_shared<[32:+4] {order = [1, 0], shape = [16, 32]}>
    ```
  }];
  let parameters = (ins ArrayRefParameter<"int64_t">:$intervals, ArrayRefParameter<"int64_t">:$paddings, "int64_t":$rank,
    ArrayRefParameter<"int64_t">:$offsets, ArrayRefParameter<"int64_t">:$blocks);
  let extraClassDeclaration = [{
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
    int64_t getAlignment() const { return 16; }
    ::triton::layout::LinearLayout getLayout() const;
    /// Where the element at offset `offset` of the map lies.
    int64_t getPaddedOffset(int64_t offset) const;
  }];
}

def TTG_SharedLinearAttr : TTG_SharedLayout<"SharedLinear", "shared_linear"> {
  let summary = "the map itself: the bases of offset and block bits";
  let description = [{
    ```mlir
    #shared = #ttg.shared_linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2]]}, alignment = 16>
    ```
  }];
  let parameters = (ins "int64_t":$rank, ArrayRefParameter<"int64_t">:$offsets, ArrayRefParameter<"int64_t">:$blocks,
    "int64_t":$alignment);
  let builders = [AttrBuilder<(ins "const ::triton::layout::LinearLayout &":$layout, CArg<"int64_t", "16">:$alignment)>];
  let extraClassDeclaration = [{
    ::llvm::LogicalResult checkShape(::llvm::ArrayRef<int64_t> shape, ::llvm::function_ref<::mlir::InFlightDiagnostic()> error) const;
    ::triton::layout::LinearLayout toLinear(::llvm::ArrayRef<int64_t> shape) const;
    ::triton::layout::LinearLayout getLayout() const;
  }];
}

def TTG_SharedMemoryAttr : TTG_Attr<"SharedMemory", "shared_memory"> {
  let summary = "the memory space that the threads of a CTA share";
  let description = [{
    ```mlir
    #smem = #ttg.shared_memory
    ```
  }];
}

#endif
