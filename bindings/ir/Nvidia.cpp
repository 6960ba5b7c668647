#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "bindings/launch/Argument.h"

#include <triton/embed_cuda.h>

#include <nanobind/stl/string.h>

namespace nb = nanobind;

namespace triton::python {

namespace {
/// A matrix as its Python object describes it.
struct Matrix {
  uint64_t address;
  int rows, columns;
  std::string element;
};
} // namespace

static Matrix read(nb::handle tensor, const char *name) {
  auto shape = nb::cast<nb::tuple>(nb::steal(PySequence_Tuple(nb::object(tensor.attr("shape")).ptr())));
  if (shape.size() != 2 || !nb::cast<bool>(tensor.attr("is_contiguous")()))
    throw nb::value_error((std::string(name) + " must be a contiguous matrix").c_str());
  const ScalarType element = scalarTypeOfDtype(nb::object(tensor.attr("dtype")).ptr());
  if (element == noScalarType)
    throw nb::python_error();
  return {nb::cast<uint64_t>(tensor.attr("data_ptr")()), nb::cast<int>(shape[0]), nb::cast<int>(shape[1]),
          std::string(dispatch::signatureOf(element))};
}

static void multiply(const embed::CublasLt &self, nb::handle a, nb::handle b, nb::handle c, nb::handle d, float alpha,
                     float beta) {
  Matrix left = read(a, "A"), right = read(b, "B"), added = read(c, "C"), result = read(d, "D");
  if (left.element != right.element)
    throw nb::value_error(
        ("A and B must have one element type, got " + left.element + " and " + right.element).c_str());
  if (left.columns != right.columns)
    throw nb::value_error(("A is [m, k] and B is [n, k]: k differs, " + std::to_string(left.columns) + " and " +
                           std::to_string(right.columns))
                              .c_str());
  for (const Matrix *matrix : {&added, &result})
    if (matrix->rows != left.rows || matrix->columns != right.rows || matrix->element != result.element)
      throw nb::value_error(("C must be of shape [" + std::to_string(left.rows) + ", " + std::to_string(right.rows) +
                             "], got [" + std::to_string(matrix->rows) + ", " + std::to_string(matrix->columns) + "]")
                                .c_str());
  nb::object driver = nb::module_::import_("triton.runtime").attr("driver").attr("active");
  auto stream = nb::cast<uint64_t>(driver.attr("get_current_stream")(driver.attr("get_current_device")()));
  embed::CublasProduct product{left.address, right.address, added.address,  result.address, left.rows, right.rows,
                               left.columns, left.element,  result.element, alpha,          beta};
  check(self.multiply(product, stream));
}

static embed::CublasLt create(nb::handle workspace) {
  auto address = nb::cast<uint64_t>(workspace.attr("data_ptr")());
  auto bytes = nb::cast<uint64_t>(workspace.attr("numel")()) * nb::cast<uint64_t>(workspace.attr("element_size")());
  return take(embed::CublasLt::create(address, bytes));
}

void addNvidia(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("nvidia", "What is NVIDIA's alone.");
  module.def("load_dialects", [](nb::handle) {}, nb::arg("context"), "Every context has all dialects.");
  nb::module_ cublas = module.def_submodule("cublas", "NVIDIA's matrix products, to compare kernels with.");
  nb::class_<embed::CublasLt>(cublas, "CublasLt", "cuBLASLt with a workspace: a tensor on the device.")
      .def("__init__",
           [](embed::CublasLt *self, nb::handle workspace) { new (self) embed::CublasLt(create(workspace)); })
      .def(
          "matmul",
          [](const embed::CublasLt &self, nb::handle a, nb::handle b, nb::handle c) {
            multiply(self, a, b, c, c, 1, 0);
          },
          nb::arg("A"), nb::arg("B"), nb::arg("C"), "C = A times B transposed.")
      .def("gemm", &multiply, nb::arg("A"), nb::arg("B"), nb::arg("C"), nb::arg("D"), nb::arg("alpha"), nb::arg("beta"),
           "D = alpha * A times B transposed + beta * C.");
}

} // namespace triton::python
