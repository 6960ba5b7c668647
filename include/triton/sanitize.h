// Finds memory accesses of kernels on the CPU that cannot be meant: out of bounds, misaligned, of memory that was never written, and those of two programs that nothing
// orders. The launch fails at the first, with the kernel's line, the program, the element and the tensor.
//
//   triton::CheckedLaunch checked;
//   checked.add("x_ptr", x.data(), triton::DataType::Float32, {1000});
//   auto result = kernel.tryLaunch(grid, arguments, {.checkAccesses = true});
#pragma once

#include <triton/c_sanitize.h>
#include <triton/triton.h>

namespace triton {

/// Watches one launch. While it lives, kernels launched by its thread with `checkAccesses` run on that thread alone, program after program.
class CheckedLaunch {
public:
  /// `address`: where accesses go, and reads of what was never written. `race`: accesses that nothing orders.
  explicit CheckedLaunch(bool address = true, bool race = true) {
    detail::ErrorSlot error;
    state = triton_checked_launch_create(address, race, error);
    if (!state)
      throw error.take();
  }
  ~CheckedLaunch() { triton_checked_launch_free(state); }
  CheckedLaunch(const CheckedLaunch &) = delete;
  CheckedLaunch &operator=(const CheckedLaunch &) = delete;

  /// A tensor that the kernel may access, under the name of its parameter. No strides: its elements lie one after another, the last dimension fastest.
  void add(std::string name, const void *data, DataType element, std::vector<int64_t> shape,
           std::vector<int64_t> strides = {}) {
    if (!strides.empty() && strides.size() != shape.size())
      throw Error("ValueError", "'" + name + "' has " + std::to_string(shape.size()) + " dimensions and " +
                                    std::to_string(strides.size()) + " strides");
    detail::ErrorSlot error;
    const int status = triton_checked_launch_add(state, name.c_str(), data, static_cast<int32_t>(element), shape.data(),
                                                 strides.empty() ? nullptr : strides.data(), shape.size(), error);
    if (status)
      throw error.take();
  }
  /// Memory that counts as never written until somebody writes it.
  static void poison(void *data, uint64_t bytes) { triton_poison(data, bytes); }

private:
  triton_checked_launch *state = nullptr;
};

} // namespace triton
