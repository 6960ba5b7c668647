// mbarriers: counters in shared memory that asynchronous work arrives at and threads wait for.
#ifndef TRITON_GPU_BARRIER_OPS
#define TRITON_GPU_BARRIER_OPS

include "compiler/gpu/dialect/NvidiaAttributes.td"
include "compiler/gpu/dialect/OpBase.td"

class TTNG_BarrierOp<string mnemonic, list<Trait> traits = []> : TTNG_Op<mnemonic, traits> {
  let hasVerifier = 1;
}
def TTNG_WrittenBarrier : Arg<TTG_MemDesc, "the mbarrier", [MemWrite<TTG_SharedMemory>]>;
def TTNG_UpdatedBarrier : Arg<TTG_MemDesc, "the mbarrier", [MemRead<TTG_SharedMemory>, MemWrite<TTG_SharedMemory>]>;

def TTNG_InitBarrierOp : TTNG_BarrierOp<"init_barrier"> {
  let summary = "makes a barrier of `count` arrivals per phase, in phase 0";
  let description = [{
    ```mlir
    ttng.init_barrier %barrier, 1 : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_WrittenBarrier:$alloc, I32Attr:$count);
  let assemblyFormat = "$alloc `,` $count attr-dict `:` qualified(type($alloc))";
}

def TTNG_InvalBarrierOp : TTNG_BarrierOp<"inval_barrier"> {
  let summary = "ends a barrier, so that its memory can be used for something else";
  let description = [{
    ```mlir
    ttng.inval_barrier %barrier : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_WrittenBarrier:$alloc);
  let assemblyFormat = "$alloc attr-dict `:` qualified(type($alloc))";
}

def TTNG_BarrierExpectOp : TTNG_BarrierOp<"barrier_expect"> {
  let summary = "arrives once, and lets the phase wait for `size` bytes of copies that name the barrier";
  let description = [{
    ```mlir
    ttng.barrier_expect %barrier, 16384, %true : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_UpdatedBarrier:$alloc, I32Attr:$size, I1:$pred);
  let assemblyFormat = "$alloc `,` $size attr-dict `,` $pred `:` qualified(type($alloc))";
}

def TTNG_WaitBarrierOp : TTNG_BarrierOp<"wait_barrier", [AttrSizedOperandSegments]> {
  let summary = "waits until the phase of parity `phase` is complete";
  let description = [{
    `deps` are buffers that may be in use until then: they live on.

    ```mlir
    ttng.wait_barrier %barrier, %phase, %pred deps %buffer : !ttg.memdesc<1xi64, #shared, #smem, mutable>, !ttg.memdesc<64x64xf16, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_UpdatedBarrier:$alloc, I32:$phase, Optional<I1>:$pred, Variadic<TTG_MemDesc>:$deps);
  let builders = [OpBuilder<(ins "::mlir::Value":$alloc, "::mlir::Value":$phase), [{
    build($_builder, $_state, alloc, phase, ::mlir::Value(), ::mlir::ValueRange());
  }]>];
  let assemblyFormat = [{
    $alloc `,` $phase (`,` $pred^)? (`deps` $deps^)? attr-dict `:` qualified(type($alloc)) (`,` type($deps)^)?
  }];
}

def TTNG_ArriveBarrierOp : TTNG_BarrierOp<"arrive_barrier"> {
  let summary = "arrives `count` times, after all accesses to shared memory by the threads that execute it";
  let description = [{
    Once for all threads, or with `perWarpGroup` once for each four warps, for the dots that these have waited for.

    ```mlir
    ttng.arrive_barrier %barrier, 1, %pred : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_UpdatedBarrier:$alloc, I32Attr:$count, Optional<I1>:$pred, UnitAttr:$perWarpGroup);
  let builders = [OpBuilder<(ins "::mlir::Value":$alloc, "uint32_t":$count), [{
    build($_builder, $_state, alloc, count, ::mlir::Value(), false);
  }]>];
  let assemblyFormat = "$alloc `,` $count (`,` $pred^)? attr-dict `:` qualified(type($alloc))";
}

def TTNG_AsyncCopyMbarrierArriveOp : TTNG_BarrierOp<"async_copy_mbarrier_arrive"> {
  let summary = "every thread arrives once its copies begun before are complete";
  let description = [{
    With `noIncrement` these arrivals count towards the barrier's own; without, each thread adds one for itself first.

    ```mlir
    ttng.async_copy_mbarrier_arrive %barrier {noIncrement} : !ttg.memdesc<1xi64, #shared, #smem, mutable>
    ```
  }];
  let arguments = (ins TTNG_UpdatedBarrier:$barrier, UnitAttr:$noIncrement);
  let assemblyFormat = "$barrier attr-dict `:` qualified(type($barrier))";
}

def TTNG_ClusterArriveOp : TTNG_Op<"cluster_arrive"> {
  let summary = "this CTA has come to the cluster's barrier";
  let description = [{
    ```mlir
    ttng.cluster_arrive {relaxed = false}
    ```
  }];
  let arguments = (ins BoolAttr:$relaxed);
  let assemblyFormat = "attr-dict";
}

def TTNG_ClusterWaitOp : TTNG_Op<"cluster_wait"> {
  let summary = "waits until all CTAs of the cluster have come to its barrier";
  let description = [{
    ```mlir
    ttng.cluster_wait
    ```
  }];
  let assemblyFormat = "attr-dict";
}

#endif
