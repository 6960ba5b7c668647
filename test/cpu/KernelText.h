// Writes small kernels of tensor IR for tests: loads of whole tensors, one operation, stores.
#pragma once

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/Twine.h"

#include <string>
#include <vector>

namespace triton::test {

class KernelText {
public:
  using Shape = llvm::ArrayRef<int64_t>;

  /// Adds an operation with results and gives their name: "%v3".
  std::string add(const llvm::Twine &operation, int results = 1);
  /// Adds an operation without results.
  void addPlain(const llvm::Twine &operation) { body += "  " + operation.str() + "\n"; }

  /// Pointers to the elements of a row-major tensor at `base`, an argument.
  std::string pointers(llvm::StringRef base, llvm::StringRef element, Shape shape);
  std::string load(llvm::StringRef base, llvm::StringRef element, Shape shape);
  /// Of a scalar where `shape` is empty.
  void store(llvm::StringRef base, llvm::StringRef element, Shape shape, llvm::StringRef value);

  /// `tt.func public @kernel`; arguments as "%x: !tt.ptr<f32>".
  std::string function(llvm::StringRef arguments) const;

  /// "tensor<4x8xf32>", or the element where `shape` is empty.
  static std::string type(Shape shape, const llvm::Twine &element);
  static std::string pointer(llvm::StringRef element) { return "!tt.ptr<" + element.str() + ">"; }

private:
  std::string body;
  int count = 0;
};

} // namespace triton::test
