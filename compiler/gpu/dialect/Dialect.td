// The dialects of GPU IR: `ttg`, tensors with layouts and shared memory, and `ttng`, what NVIDIA's hardware adds.
#ifndef TRITON_GPU_DIALECT
#define TRITON_GPU_DIALECT

include "mlir/IR/OpBase.td"

def GpuDialect : Dialect {
  let name = "ttg";
  let cppNamespace = "::triton::gpu";
  let summary = "tensors spread over the threads of a GPU, and shared memory";
  let description = [{
    In GPU IR every tensor type has an encoding: a layout that says which thread holds which element in which register. Ops of
    `tt`, `arith`, `math` and `scf` keep their meaning. What is added is data that lies in shared memory (`!ttg.memdesc`), moves
    between layouts and memories, and asynchronous copies.

    The module says what it is compiled for: `"ttg.num-warps"`, `"ttg.num-ctas"`, `"ttg.threads-per-warp"` (i32),
    `ttg.target = "cuda:90"`, and after allocation `ttg.shared`, the bytes of shared memory.
  }];
  let dependentDialects = ["::triton::tensor::TensorDialect"];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
  let extraClassDeclaration = [{
    void registerAttributes();
    void registerTypes();
    void registerEncodings();
    /// The maps of all types asked for so far.
    struct LayoutCache;
    LayoutCache &getLayoutCache() { return *cache; }

  private:
    std::unique_ptr<LayoutCache> cache;

  public:
  }];
}

def NvidiaDialect : Dialect {
  let name = "ttng";
  let cppNamespace = "::triton::gpu";
  let summary = "what NVIDIA's hardware adds: warp-group dots, mbarriers, TMA, tensor memory";
  let dependentDialects = ["::triton::gpu::GpuDialect"];
  let useDefaultAttributePrinterParser = 1;
  let extraClassDeclaration = "void registerAttributes();";
}

#endif
