// The class that `triton.tools.LinearLayout` is.
#include "bindings/Submodules.h"

#include <triton/layout.h>

#include <nanobind/operators.h>
#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

/// The value, or its error as Python's.
template <typename T> static T take(Expected<T> expected) {
  if (expected)
    return std::move(*expected);
  throw nb::value_error(expected.error().what());
}

static LinearLayout fromBases(const LinearLayout::Bases &bases, const std::vector<std::string> &names,
                              const std::optional<std::vector<int64_t>> &sizes, bool requireSurjective) {
  if (!requireSurjective && !sizes)
    throw nb::value_error("a layout that need not be surjective needs out_dim_sizes");
  if (sizes && sizes->size() != names.size())
    throw nb::value_error("out_dim_sizes has another length than out_dim_names");
  LinearLayout::Sizes outputs;
  for (size_t i = 0; i < names.size(); ++i)
    outputs.emplace_back(names[i], sizes ? (*sizes)[i] : 0);
  LinearLayout layout = take(LinearLayout::fromBases(bases, outputs));
  if (requireSurjective && !layout.isSurjective())
    throw nb::value_error("the layout does not reach every output");
  return layout;
}

static nb::dict apply(const LinearLayout &layout, const nb::dict &inputs) {
  LinearLayout::Sizes indices;
  for (auto [name, index] : inputs)
    indices.emplace_back(nb::cast<std::string>(name), nb::cast<int64_t>(index));
  nb::dict out;
  for (const auto &[name, value] : take(layout.apply(indices)))
    out[name.c_str()] = value;
  return out;
}

static std::string coordinates(const LinearLayout::Sizes &sizes) {
  std::string text = "(";
  for (const auto &[name, value] : sizes)
    text += (text.size() > 1 ? ", " : "") + std::to_string(value);
  return text + ")";
}

/// One line per value of the last input, in order: where it is, for each value of the inputs before.
static std::string view(const LinearLayout &layout, bool isShared) {
  std::string text;
  const std::vector<std::string> names = layout.inputNames();
  int64_t total = 1;
  for (const std::string &name : names)
    total *= layout.inputSize(name);
  if (total > 1 << 16)
    throw nb::value_error("the layout is too large to write down");
  for (int64_t flat = 0; flat < total; ++flat) {
    LinearLayout::Sizes input;
    int64_t rest = flat;
    for (const std::string &name : names) {
      input.emplace_back(name, rest % layout.inputSize(name));
      rest /= layout.inputSize(name);
    }
    std::string owner;
    for (const auto &[name, value] : input)
      owner += (owner.empty() ? "" : " ") + name + " " + std::to_string(value);
    std::string place = coordinates(take(layout.apply(input)));
    text += (isShared ? owner + ": " + place : place + ": " + owner) + "\n";
  }
  return text;
}

void addLayout(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("linear_layout", "Maps between named indices that are linear over bits.");
  nb::class_<LinearLayout>(module, "LinearLayout", "A map between named indices that is linear over bits.")
      .def_static(
          "identity_1d",
          [](int64_t size, std::string in, std::string out) { return take(LinearLayout::identity(size, in, out)); },
          nb::arg("size"), nb::arg("inDim"), nb::arg("outDim"))
      .def_static(
          "strided_1d",
          [](int64_t size, int64_t stride, std::string in, std::string out) {
            return take(LinearLayout::strided(size, stride, in, out));
          },
          nb::arg("size"), nb::arg("stride"), nb::arg("inDim"), nb::arg("outDim"))
      .def_static(
          "zeros_1d",
          [](int64_t size, std::string in, std::string out, int64_t outSize) {
            return take(LinearLayout::zeros(size, in, out, outSize));
          },
          nb::arg("size"), nb::arg("inDim"), nb::arg("outDim"), nb::arg("outDimSize") = 1)
      .def_static("from_bases", &fromBases, nb::arg("bases"), nb::arg("out_dim_names"),
                  nb::arg("out_dim_sizes").none() = nb::none(), nb::arg("require_surjective") = true,
                  "From [(input, [basis, …]), …]; a basis has one part per output.")
      .def("apply", &apply, nb::arg("inputs"), "name -> index of every output")
      .def(
          "compose", [](const LinearLayout &a, const LinearLayout &b) { return take(a.compose(b)); }, nb::arg("other"))
      .def("invert", [](const LinearLayout &a) { return take(a.invert()); })
      .def("pseudoinvert", [](const LinearLayout &a) { return take(a.pseudoInvert()); })
      .def(
          "invert_and_compose",
          [](const LinearLayout &a, const LinearLayout &b) { return take(a.invertAndCompose(b)); }, nb::arg("other"))
      .def("is_surjective", &LinearLayout::isSurjective)
      .def("is_injective", &LinearLayout::isInjective)
      .def("is_invertible", [](const LinearLayout &a) { return a.isSurjective() && a.isInjective(); })
      .def("get_in_dim_names", &LinearLayout::inputNames)
      .def("get_out_dim_names",
           [](const LinearLayout &a) {
             std::vector<std::string> names;
             for (const auto &[name, size] : a.outputs())
               names.push_back(name);
             return names;
           })
      .def(
          "get_shared_view", [](const LinearLayout &a, bool) { return view(a, true); }, nb::arg("use_hw_view") = false)
      .def(
          "get_distributed_view", [](const LinearLayout &a, bool isByThread) { return view(a, isByThread); },
          nb::arg("use_hw_view") = false)
      .def("get_matrix_view", &LinearLayout::matrix)
      .def_prop_ro("bases", &LinearLayout::bases)
      .def_prop_ro("out_dims", &LinearLayout::outputs)
      .def_prop_ro("num_in_dims", [](const LinearLayout &a) { return a.inputNames().size(); })
      .def_prop_ro("num_out_dims", [](const LinearLayout &a) { return a.outputs().size(); })
      .def(
          "__mul__", [](const LinearLayout &a, const LinearLayout &b) { return take(a * b); }, nb::is_operator())
      .def(
          "__imul__", [](const LinearLayout &a, const LinearLayout &b) { return take(a * b); }, nb::is_operator())
      .def(
          "__eq__", [](const LinearLayout &a, const LinearLayout &b) { return a == b; }, nb::is_operator())
      .def("__hash__", [](const LinearLayout &a) { return std::hash<std::string>()(a.str()); })
      .def("__repr__", &LinearLayout::str)
      .def("__str__", &LinearLayout::str);
}

} // namespace triton::python
