// The words for AMD's GPUs: they are known, so that kernels that name them can be read, and compiling a call is an error.
#include "compiler/gluon/builtins/Buffers.h"
#include "compiler/gluon/builtins/Families.h"

namespace triton::gluon {

using namespace frontend;

static mlir::FailureOr<Value> unsupported(Emitter &emitter, const BoundArguments &) {
  return emitter.error("NotImplementedError")
         << "this function is for AMD GPUs: Gluon kernels are compiled for NVIDIA GPUs only";
}

#define AMD "triton.experimental.gluon.language.amd."

llvm::ArrayRef<Builtin> amdBuiltins() {
  static const Builtin table[] = {
      {AMD "cdna3", "buffer_load", "(ptr, offsets, mask=None, other=None, cache=None)",
       "Reads through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_store", "(stored_value, ptr, offsets, mask=None, cache=None)",
       "Writes through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "mfma", "(a, b, acc)", "acc + a b by matrix cores.", unsupported},
      {AMD "cdna3", "buffer_atomic_add", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_and", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_max", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_min", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_or", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_xchg", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna3", "buffer_atomic_xor", "(ptr, offsets, value, mask=None, sem=None, scope=None)",
       "An atomic update through a base pointer and offsets.", unsupported},
      {AMD "cdna4", "mfma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of elements have scales.", unsupported},
      {AMD "cdna4", "get_mfma_scale_layout", "(dot_operand_layout, shape)", "The layout of scales.", unsupported},
      {AMD "cdna4.async_copy", "global_load_to_shared", "(dest, ptr, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", unsupported},
      {AMD "cdna4.async_copy", "buffer_load_to_shared",
       "(dest, ptr, offsets, mask=None, other=None, cache_modifier=\"\")",
       "The same through a base pointer and offsets.", unsupported},
      {AMD "cdna4.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       unsupported},
      {AMD "cdna4.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", unsupported},
      {AMD "gfx1250.async_copy", "commit_group", "()", "Closes the group of copies begun since the last one.",
       unsupported},
      {AMD "gfx1250.async_copy", "wait_group", "(num_outstanding=0)",
       "Waits until at most that many of the newest groups are still copying.", unsupported},
      {AMD "cdna4.async_copy", "load_shared_relaxed", "(smem, layout)", "Reads a buffer without waiting for copies.",
       unsupported},
      {AMD "rdna3", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", unsupported},
      {AMD "rdna4", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", unsupported},
      {AMD "gfx1250", "wmma", "(a, b, acc)", "acc + a b by matrix cores.", unsupported},
      {AMD "gfx1250", "wmma_scaled", "(a, a_scale, a_format, b, b_scale, b_format, acc)",
       "The same for operands whose groups of elements have scales.", unsupported},
      {AMD "gfx1250", "get_wmma_scale_layout", "(dot_operand_layout, shape)", "The layout of scales.", unsupported},
      {AMD "gfx1250.async_copy", "global_to_shared", "(smem, pointer, mask=None, other=None, cache_modifier=\"\")",
       "Copies from global to shared memory without registers.", unsupported},
      {AMD "gfx1250.async_copy", "mbarrier_arrive", "(mbarrier)", "Arrives once copies begun before are complete.",
       unsupported},
      {AMD "gfx1250.cluster", "arrive", "()", "Tells the other CTAs of the cluster that this one has come here.",
       unsupported},
      {AMD "gfx1250.cluster", "wait", "()", "Waits until all CTAs of the cluster have arrived.", unsupported},
      {AMD "gfx1250.tdm", "make_tensor_descriptor", "(base, shape, strides, block_shape, layout)",
       "Describes a matrix in memory.", unsupported},
      {AMD "gfx1250.tdm", "async_load", "(src, offsets, dest, pred=True, mbarrier=None)",
       "Copies a block into a buffer.", unsupported},
      {AMD "gfx1250.tdm", "async_store", "(dest, offsets, src)", "Copies a buffer to a block.", unsupported},
      {AMD "gfx1250.tdm", "async_wait", "(num_outstanding=0)", "Waits for copies.", unsupported},
      {AMD "gfx1250.mbarrier", "init", "(mbarrier, count)", "Makes a barrier.", unsupported},
      {AMD "gfx1250.mbarrier", "wait", "(mbarrier, phase)", "Waits for a phase.", unsupported},
      {AMD "gfx1250.mbarrier", "arrive", "(mbarrier, *, count=1)", "Arrives at a barrier.", unsupported},
  };
  return table;
}

} // namespace triton::gluon
