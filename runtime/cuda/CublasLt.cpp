// The library speaks of column-major matrices: d transposed is b times a transposed, where b is given transposed.
#include "runtime/cuda/CublasLt.h"

#include "llvm/ADT/ScopeExit.h"

#include <dlfcn.h>

namespace triton::runtime::cuda {

namespace {

// Numbers of the library's interface.
constexpr int compute32F = 68, compute32FFastTf32 = 77, typeF32 = 0;
constexpr int transposeA = 3, transposeB = 4, fastAccumulation = 25; // attributes of a product
constexpr int maxWorkspaceBytes = 1;                                 // attribute of a preference
constexpr int noTranspose = 0, transpose = 1;

struct Algorithm {
  uint64_t data[8];
};
struct Heuristic {
  Algorithm algorithm;
  size_t workspaceBytes;
  int status;
  float waves;
  int reserved[4];
};

struct Api {
  int (*create)(void **);
  int (*destroy)(void *);
  int (*createProduct)(void **, int computeType, int scaleType);
  int (*destroyProduct)(void *);
  int (*setProduct)(void *, int attribute, const void *, size_t);
  int (*createLayout)(void **, int type, uint64_t rows, uint64_t columns, int64_t leading);
  int (*destroyLayout)(void *);
  int (*createPreference)(void **);
  int (*destroyPreference)(void *);
  int (*setPreference)(void *, int attribute, const void *, size_t);
  int (*choose)(void *, void *, void *, void *, void *, void *, void *, int, Heuristic *, int *);
  int (*multiply)(void *, void *, const void *, const void *, void *, const void *, void *, const void *, const void *,
                  void *, void *, void *, const Algorithm *, void *, size_t, void *);
};

} // namespace

static llvm::Expected<const Api *> open() {
  static Api api;
  static const std::string problem = []() -> std::string {
    void *library = nullptr;
    for (const char *name : {"libcublasLt.so.13", "libcublasLt.so.12", "libcublasLt.so"})
      if ((library = dlopen(name, RTLD_NOW | RTLD_LOCAL)))
        break;
    if (!library)
      return "cannot open libcublasLt.so.13, .12 or .so: install CUDA's cuBLAS, or import torch first, which brings it";
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::decay_t<decltype(function)>>(dlsym(library, name));
      return function != nullptr;
    };
    bool isComplete = find(api.create, "cublasLtCreate") && find(api.destroy, "cublasLtDestroy") &&
                      find(api.createProduct, "cublasLtMatmulDescCreate") &&
                      find(api.destroyProduct, "cublasLtMatmulDescDestroy") &&
                      find(api.setProduct, "cublasLtMatmulDescSetAttribute") &&
                      find(api.createLayout, "cublasLtMatrixLayoutCreate") &&
                      find(api.destroyLayout, "cublasLtMatrixLayoutDestroy") &&
                      find(api.createPreference, "cublasLtMatmulPreferenceCreate") &&
                      find(api.destroyPreference, "cublasLtMatmulPreferenceDestroy") &&
                      find(api.setPreference, "cublasLtMatmulPreferenceSetAttribute") &&
                      find(api.choose, "cublasLtMatmulAlgoGetHeuristic") && find(api.multiply, "cublasLtMatmul");
    return isComplete ? "" : "libcublasLt lacks a function that a product needs";
  }();
  if (!problem.empty())
    return llvm::createStringError(problem);
  return &api;
}

static llvm::Error failed(const char *what, int status) {
  return llvm::createStringError("cuBLASLt: " + llvm::Twine(what) + " failed with status " + llvm::Twine(status));
}

llvm::Expected<std::unique_ptr<CublasLt>> CublasLt::create(uint64_t workspace, uint64_t workspaceBytes) {
  auto api = open();
  if (!api)
    return api.takeError();
  void *handle = nullptr;
  if (int status = (*api)->create(&handle))
    return failed("cublasLtCreate", status);
  return std::unique_ptr<CublasLt>(new CublasLt(handle, workspace, workspaceBytes));
}

CublasLt::~CublasLt() {
  if (auto api = open())
    (*api)->destroy(handle);
  else
    llvm::consumeError(api.takeError());
}

llvm::Error CublasLt::multiply(const Product &product, uint64_t stream) const {
  auto opened = open();
  if (!opened)
    return opened.takeError();
  const Api &api = **opened;
  const bool isFp8 = product.operands == Element::E4M3 || product.operands == Element::E5M2;
  void *description = nullptr, *layouts[4] = {}, *preference = nullptr;
  llvm::scope_exit release([&] {
    if (preference)
      api.destroyPreference(preference);
    for (void *layout : layouts)
      if (layout)
        api.destroyLayout(layout);
    if (description)
      api.destroyProduct(description);
  });
  const int computeType = product.operands == Element::F32 ? compute32FFastTf32 : compute32F;
  if (int status = api.createProduct(&description, computeType, typeF32))
    return failed("cublasLtMatmulDescCreate", status);
  const int operations[] = {transpose, noTranspose};
  const int8_t isFast = 1;
  api.setProduct(description, transposeA, &operations[0], sizeof(int));
  api.setProduct(description, transposeB, &operations[1], sizeof(int));
  if (isFp8)
    api.setProduct(description, fastAccumulation, &isFast, sizeof(isFast));
  const int operandType = int(product.operands), resultType = int(product.result);
  // What is added to an fp8 result has 16 bits in the library; nothing is read of it where beta is 0.
  const bool isFp8Result = product.result == Element::E4M3 || product.result == Element::E5M2;
  const int addendType = int(isFp8Result ? Element::F16 : product.result);
  const uint64_t m = product.m, n = product.n, k = product.k;
  int status = api.createLayout(&layouts[0], operandType, k, n, int64_t(k));
  status = status ? status : api.createLayout(&layouts[1], operandType, k, m, int64_t(k));
  status = status ? status : api.createLayout(&layouts[2], resultType, n, m, int64_t(n));
  status = status ? status : api.createLayout(&layouts[3], addendType, n, m, int64_t(n));
  status = status ? status : api.createPreference(&preference);
  if (status)
    return failed("describing the matrices", status);
  api.setPreference(preference, maxWorkspaceBytes, &workspaceBytes, sizeof(workspaceBytes));
  Heuristic found;
  int count = 0;
  status =
      api.choose(handle, description, layouts[0], layouts[1], layouts[3], layouts[2], preference, 1, &found, &count);
  if (status || count == 0)
    return failed("cublasLtMatmulAlgoGetHeuristic", status ? status : -1);
  auto pointer = [](uint64_t address) { return reinterpret_cast<void *>(address); };
  // In place the two must have one type; an addend that is not read need not be there.
  const uint64_t addend = isFp8Result && product.beta == 0 ? 0 : product.c;
  status = api.multiply(handle, description, &product.alpha, pointer(product.b), layouts[0], pointer(product.a),
                        layouts[1], &product.beta, pointer(addend), layouts[3], pointer(product.d), layouts[2],
                        &found.algorithm, pointer(workspace), workspaceBytes, pointer(stream));
  return status ? failed("cublasLtMatmul", status) : llvm::Error::success();
}

} // namespace triton::runtime::cuda
