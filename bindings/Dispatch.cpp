#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "bindings/launch/Argument.h"
#include "bindings/launch/KernelParameter.h"
#include "bindings/launch/Torch.h"
#include "dispatch/CLibrary.h"
#include "dispatch/Descriptor.h"
#include "dispatch/Shortage.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

/// scalar_types() -> [(name, alias, signature, other names, bits, mantissa, bias, is integer, is signed, C type)]
static nb::list scalarTypes() {
  nb::list types;
  for (const dispatch::ScalarTypeInfo &info : dispatch::scalarTypes)
    types.append(nb::make_tuple(std::string(info.name), std::string(info.alias), std::string(info.signature),
                                std::string(info.others), info.bits, info.mantissa, info.bias, info.isInteger,
                                info.isSigned, std::string(info.cType)));
  return types;
}

/// read_annotation(text) -> (normal form, type, is constexpr, is const)
static nb::tuple readAnnotation(const std::string &text) {
  dispatch::Parameter parameter;
  parameter.annotate(text);
  return nb::make_tuple(dispatch::normalizeAnnotation(text), parameter.type, parameter.isConstexpr, parameter.isConst);
}

/// What is neither a name nor a position means no parameter.
static dispatch::ParameterReference referenceOf(nb::handle entry) {
  if (PyIndex_Check(entry.ptr())) {
    const int64_t position = PyNumber_AsSsize_t(entry.ptr(), nullptr);
    if (!PyErr_Occurred())
      return position;
    PyErr_Clear();
  }
  return std::string(nb::str(entry).c_str());
}

/// Which parameters a list such as `do_not_specialize` means, or one name alone; a warning for what is none.
static std::vector<bool> listedParameters(const std::string &list, nb::object entries,
                                          const std::vector<std::string> &names, const std::string &function) {
  std::vector<bool> listed(names.size());
  for (nb::handle entry : nb::isinstance<nb::str>(entries) ? nb::object(nb::make_tuple(entries)) : entries) {
    const dispatch::ParameterReference reference = referenceOf(entry);
    if (auto index = dispatch::findParameter(names, reference))
      listed[*index] = true;
    else if (PyErr_WarnEx(PyExc_UserWarning, dispatch::unknownParameterMessage(list, reference, function).c_str(),
                          /*stack_level=*/4) < 0) // where the decorator is written
      throw nb::python_error();
  }
  return listed;
}

/// native_specialize_impl(backend, arg, is_const, specialize_value, align) -> (type, key)
static nb::object nativeSpecialize(nb::handle backend, nb::handle argument, bool isConst, bool specializesValue,
                                   bool specializesAlignment, std::string type) {
  dispatch::Parameter parameter{.type = std::move(type),
                                .isConst = isConst,
                                .specializesValue = specializesValue,
                                .specializesAlignment = specializesAlignment};
  return take(specialize(backend.ptr(), argument.ptr(), parameter));
}

static void checkDescriptor(uint64_t address, unsigned elementBytes, bool isFloating, const std::vector<int64_t> &shape,
                            const std::vector<int64_t> &strides, const std::vector<int64_t> &block, bool padsWithNan,
                            bool roundsToTf32) {
  if (!raise(dispatch::checkDescriptor(address, elementBytes, isFloating, shape, strides, block, padsWithNan,
                                       roundsToTf32)))
    throw nb::python_error();
}

// C libraries.

static std::string digest(const std::string &text) {
  nb::object hash = nb::module_::import_("hashlib").attr("sha256")(nb::bytes(text.data(), text.size()));
  return nb::cast<std::string>(hash.attr("hexdigest")());
}

/// `parameters`: the KernelParam objects of the kernel.
static dispatch::CVariant makeVariant(const std::string &kernel, const nb::list &parameters,
                                      const std::string &signature, const std::string &name, const std::string &backend,
                                      int numWarps, int numStages) {
  std::vector<KernelParameter> read;
  if (!readParameters(parameters.ptr(), read))
    throw nb::python_error();
  std::vector<dispatch::Parameter> facts;
  for (KernelParameter &parameter : read)
    facts.push_back(std::move(parameter.facts));
  return take(dispatch::makeVariant(kernel, facts, signature, name, backend, numWarps, numStages, digest));
}

static nb::list entriesOf(const dispatch::CVariant &variant) {
  nb::list entries;
  for (size_t index = 0; index < variant.entries.size(); ++index)
    entries.append(nb::make_tuple(variant.names[index], variant.entries[index].text, variant.entries[index].type,
                                  variant.entries[index].hint));
  return entries;
}

static std::string fillTemplate(const std::string &text, const dispatch::CVariant &variant, std::string architecture,
                                const nb::bytes &binary, uint64_t scratchBytes, int numCtas, int threads,
                                const std::string &fileBase, const std::string &grid) {
  const dispatch::CCode code{.architecture = std::move(architecture),
                             .binary = {binary.c_str(), binary.size()},
                             .arenaBytes = scratchBytes,
                             .sharedBytes = scratchBytes,
                             .numCtas = numCtas,
                             .threads = threads};
  return dispatch::fillTemplate(text, variant, code, fileBase, take(dispatch::readGrid(grid)));
}

using FunctionTuple = std::tuple<std::string, std::vector<std::tuple<std::string, std::string, unsigned>>>;
using AlgorithmTuple = std::tuple<std::string, std::vector<FunctionTuple>>;

static dispatch::CFiles linkKernels(const std::string &guard, const std::string &headerName, const std::string &backend,
                                    const std::vector<std::tuple<std::string, std::vector<AlgorithmTuple>>> &kernels) {
  std::vector<dispatch::CKernel> read;
  for (const auto &[name, algorithms] : kernels) {
    auto &kernel = read.emplace_back(dispatch::CKernel{name, {}});
    for (const auto &[algorithm, functions] : algorithms) {
      auto &variants = kernel.algorithms.emplace_back(algorithm, std::vector<dispatch::CFunction>()).second;
      for (const auto &[function, arguments] : functions) {
        auto &variant = variants.emplace_back(dispatch::CFunction{function, {}});
        for (const auto &[type, argument, hint] : arguments)
          variant.arguments.push_back({type.ends_with("*") ? type : type + " ", argument, hint});
      }
    }
  }
  return dispatch::linkKernels(guard, headerName, backend, read);
}

void addDispatch(nb::module_ &module) {
  nb::class_<dispatch::CVariant>(module, "CVariant", "One specialisation of a kernel, as a C library has it.")
      .def_ro("function", &dispatch::CVariant::function)
      .def_ro("suffix", &dispatch::CVariant::suffix)
      .def_ro("symbol", &dispatch::CVariant::symbol)
      .def_prop_ro("entries", &entriesOf,
                   "(parameter, text, type, hint) of each entry of the signature; no type: a constant");
  module.def(
      "look_at_sizes", [] { sizesCount = true; },
      "From now on keys of launches say how much memory their arrays have: for backends that specialise on it.");
  module.def("make_c_variant", &makeVariant, nb::arg("kernel"), nb::arg("parameters"), nb::arg("signature"),
             nb::arg("name"), nb::arg("backend"), nb::arg("num_warps"), nb::arg("num_stages"),
             "Takes a signature apart and names the C function that will be made of it.");
  module.def("fill_c_template", &fillTemplate, nb::arg("text"), nb::arg("variant"), nb::arg("architecture"),
             nb::arg("binary"), nb::arg("scratch_bytes"), nb::arg("num_ctas"), nb::arg("threads"), nb::arg("file_base"),
             nb::arg("grid"), "A template of C code with the facts of a variant.");
  module.def("link_c_kernels", &linkKernels, nb::arg("guard"), nb::arg("header_name"), nb::arg("backend"),
             nb::arg("kernels"), "(header, source) of dispatchers over variants of kernels.");
  module.def(
      "shortage_message",
      [](uint64_t required, uint64_t limit, std::string what) {
        return dispatch::Shortage{required, limit, std::move(what)}.message();
      },
      nb::arg("required"), nb::arg("limit"), nb::arg("name"),
      "What is said where a device has too little of something for a kernel.");
  module.def(
      "read_shortage",
      [](const std::string &message) {
        const dispatch::Shortage found = dispatch::Shortage::read(message).value_or(dispatch::Shortage{});
        return nb::make_tuple(found.required, found.limit, found.what);
      },
      nb::arg("message"), "(required, limit, name) of such a message.");
  module.def("check_descriptor", &checkDescriptor, nb::arg("address"), nb::arg("element_bytes"), nb::arg("is_floating"),
             nb::arg("shape"), nb::arg("strides"), nb::arg("block"), nb::arg("pads_with_nan"),
             nb::arg("rounds_to_tf32"), "A ValueError unless kernels can take a tensor descriptor of these parts.");
  module.def("tensor_map_element_type", &dispatch::elementTypeOf, nb::arg("element_type"), nb::arg("rounds_to_tf32"),
             "The driver's number for the elements of a tensor map whose format has `element_type`.");
  module.def("place_argument", &dispatch::placeArgument, nb::arg("type"), nb::arg("end"),
             "(offset, bytes) of a value of a signature type behind `end` bytes of a block of arguments.");
  module.def("scalar_types", &scalarTypes,
             "(name, alias, signature, other names, bits, mantissa, bias, is integer, is signed, C type) of every "
             "scalar type.");
  module.def("read_annotation", &readAnnotation, nb::arg("text"),
             "An annotation in the form of signatures, the type it gives to arguments, and whether it says constexpr "
             "or const.");
  module.def("listed_parameters", &listedParameters, nb::arg("list"), nb::arg("entries"), nb::arg("names"),
             nb::arg("function"), "For each parameter, whether names and positions in `entries` mean it.");
  module.def("native_specialize_impl", &nativeSpecialize, nb::arg("backend"), nb::arg("arg").none(),
             nb::arg("is_const"), nb::arg("specialize_value"), nb::arg("align"), nb::arg("annotated") = "",
             "The (type, key) by which a launch tells one argument from another.");
}

} // namespace triton::python
