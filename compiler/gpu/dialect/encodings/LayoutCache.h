// The linear maps of all types that were asked for, one cache per context.
#ifndef TRITON_COMPILER_GPU_DIALECT_LAYOUTCACHE_H
#define TRITON_COMPILER_GPU_DIALECT_LAYOUTCACHE_H

#include "compiler/gpu/Gpu.h"

#include <shared_mutex>

/// Passes run on several functions at once, so the cache is locked. Maps stay where they are.
struct triton::gpu::GpuDialect::LayoutCache {
  const layout::LinearLayout &find(mlir::Type type, llvm::function_ref<layout::LinearLayout()> compute);

private:
  std::shared_mutex mutex;
  llvm::DenseMap<mlir::Type, std::unique_ptr<layout::LinearLayout>> maps;
};

#endif
