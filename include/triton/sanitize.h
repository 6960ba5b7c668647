// Finds memory accesses of kernels on the CPU that cannot be meant: out of bounds, misaligned, of memory that was never written, and those of two programs that nothing
// orders. The launch fails at the first, with the kernel's line, the program, the element and the tensor.
//
//   triton::CheckedLaunch checked;
//   checked.add("x_ptr", x.data(), triton::DataType::Float32, {1000});
//   auto result = kernel.tryLaunch(grid, arguments, {.checkAccesses = true});
#pragma once

#include <triton/triton.h>

namespace triton {

/// Watches one launch. While it lives, kernels launched by its thread with `checkAccesses` run on that thread alone, program after program.
class TRITON_EXPORT CheckedLaunch {
public:
  /// `address`: where accesses go, and reads of what was never written. `race`: accesses that nothing orders.
  explicit CheckedLaunch(bool address = true, bool race = true);
  ~CheckedLaunch();
  CheckedLaunch(const CheckedLaunch &) = delete;
  CheckedLaunch &operator=(const CheckedLaunch &) = delete;

  /// A tensor that the kernel may access, under the name of its parameter. No strides: its elements lie one after another, the last dimension fastest.
  void add(std::string name, const void *data, DataType element, std::vector<int64_t> shape,
           std::vector<int64_t> strides = {});
  /// Memory that counts as never written until somebody writes it.
  static void poison(void *data, uint64_t bytes);

  struct State;

private:
  std::unique_ptr<State> state;
};

} // namespace triton
