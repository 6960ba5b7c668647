#include "bindings/Sanitizer.h"

#include <triton/embed.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <optional>

namespace nb = nanobind;

namespace triton::python {

void addSanitizer(nb::module_ &module) {
  using embed::CheckedLaunch;
  nb::module_ sanitizer = module.def_submodule("sanitizer", "Checks of memory accesses.");
  nb::class_<CheckedLaunch>(sanitizer, "CheckedLaunch",
                            "While it lives, launches of this thread that were compiled for it are watched.")
      .def(nb::init<bool, bool>(), nb::arg("address"), nb::arg("race"))
      .def(
          "add_tensor",
          [](CheckedLaunch &self, std::string name, std::string type, uint64_t address, unsigned elementBytes,
             std::vector<int64_t> shape, std::vector<int64_t> strides) {
            self.add({std::move(name), std::move(type), address, elementBytes, std::move(shape), std::move(strides)});
          },
          nb::arg("name"), nb::arg("type"), nb::arg("address"), nb::arg("element_size"), nb::arg("shape"),
          nb::arg("strides"));
  sanitizer.def(
      "poison",
      [](uint64_t address, uint64_t bytes) { CheckedLaunch::poison(reinterpret_cast<void *>(address), bytes); },
      nb::arg("address"), nb::arg("size"), "Memory that counts as never written until somebody writes it.");
}

} // namespace triton::python
