// Matrix products by NVIDIA's cuBLASLt, as a baseline to compare kernels with. Its library is opened when it is first needed.
//   In:  row-major matrices in device memory: a of [m, k], b of [n, k], c and d of [m, n].
//   Out: d = alpha * a * transposed b + beta * c, queued on a stream.
#pragma once

#include "llvm/Support/Error.h"

#include <cstdint>
#include <memory>

namespace triton::runtime::cuda {

class CublasLt {
public:
  /// As cuBLAS numbers element types.
  enum class Element { F32 = 0, F16 = 2, BF16 = 14, E4M3 = 28, E5M2 = 29 };
  struct Product {
    uint64_t a = 0, b = 0, c = 0, d = 0; // addresses
    int m = 0, n = 0, k = 0;
    Element operands = Element::F16, result = Element::F16;
    float alpha = 1, beta = 0;
  };

  static llvm::Expected<std::unique_ptr<CublasLt>> create(uint64_t workspace, uint64_t workspaceBytes);
  ~CublasLt();
  llvm::Error multiply(const Product &product, uint64_t stream) const;

private:
  CublasLt(void *handle, uint64_t workspace, uint64_t workspaceBytes)
      : handle(handle), workspace(workspace), workspaceBytes(workspaceBytes) {}
  void *handle;
  uint64_t workspace, workspaceBytes;
};

} // namespace triton::runtime::cuda
