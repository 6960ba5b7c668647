// The names and shapes of `libtriton.ir` are those that PyTorch and other clients use.
#include "bindings/Submodules.h"

#include "bindings/Compile.h"
#include "bindings/Diagnostics.h"
#include "bindings/InterpreterLock.h"
#include "bindings/Result.h"
#include "bindings/host/PythonHost.h"

#include <triton/ir.h>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/string_view.h>
#include <nanobind/stl/vector.h>

#include <fstream>
#include <sstream>

namespace nb = nanobind;

namespace triton::python {

/// Contexts are pooled inside the compiler; this one is what clients pass around.
struct Context {};

template <typename Get>
static auto at(unsigned index, unsigned count, const char *what, Get get) -> decltype(get(index)) {
  if (index >= count)
    throw nb::index_error((std::string("there are ") + std::to_string(count) + " " + what).c_str());
  return get(index);
}

static ir::Module emitIr(nb::handle function, const nb::list &arguments, std::string symbol, const nb::dict &options,
                         nb::handle answers) {
  Visit visit;
  RecordingScope recording(answers.ptr());
  embed::CompileRequest request = readRequest(function, arguments, std::move(symbol), options);
  embed::Diagnostics diagnostics;
  PythonHost::takeException();
  std::optional<ir::Module> module =
      unlocked([&] { return ir::Module::emit(PythonHost::instance(), request, diagnostics); });
  Reference origin = PythonHost::takeException();
  if (module)
    return *module;
  raise(diagnostics, origin.get());
  throw nb::python_error();
}

static ir::Module parseText(std::string text, std::string name) {
  embed::Diagnostics diagnostics;
  std::optional<ir::Module> module = ir::Module::parse(std::move(text), std::move(name), diagnostics);
  if (!module) {
    std::string message = "Parse MLIR file failed.";
    for (const embed::Diagnostic &diagnostic : diagnostics)
      message += "\n" + diagnostic.rendered;
    throw std::runtime_error(message);
  }
  return *module;
}

static ir::Module parseFile(const std::string &path, const Context &) {
  std::ifstream file(path, std::ios::binary);
  if (!file)
    throw std::runtime_error("Parse MLIR file failed. Cannot read '" + path + "'");
  std::stringstream text;
  text << file.rdbuf();
  return parseText(text.str(), path);
}

/// Gathers first: an exception of `visit` must not pass through the compiler.
static void walk(const ir::Module &module, nb::callable visit) {
  std::vector<ir::Operation> operations;
  module.walk([&](ir::Operation operation) { operations.push_back(std::move(operation)); });
  for (const ir::Operation &operation : operations)
    visit(operation);
}

/// An attribute that a builder made, or an int, which counts as one of 32 bits.
static void setAttribute(const ir::Module &module, const std::string &name, nb::object value) {
  if (nb::isinstance<ir::Attribute>(value))
    module.operation().setAttribute(name, nb::cast<const ir::Attribute &>(value));
  else
    module.operation().setAttribute(name, {ir::Attribute::Kind::Integer, nb::cast<int64_t>(value)});
}

/// Makes modules and attributes, for clients that put facts on modules. Kernels are emitted by the compiler's frontend.
struct Builder {};

static void addBuilder(nb::module_ &module) {
  using Kind = ir::Attribute::Kind;
  nb::class_<ir::Attribute>(module, "attribute");
  auto integer = [](unsigned width) {
    return [width](const Builder &, int64_t value) { return ir::Attribute{Kind::Integer, value, width}; };
  };
  nb::class_<Builder>(module, "builder")
      .def(
          "__init__", [](Builder *self, const Context &) { new (self) Builder(); }, nb::arg("context"))
      .def("create_module", [](const Builder &) { return parseText("module {}", "<module>"); })
      .def("get_unit_attr", [](const Builder &) { return ir::Attribute{Kind::Unit}; })
      .def("get_bool_attr", [](const Builder &, bool value) { return ir::Attribute{Kind::Bool, value}; })
      .def("get_int1_attr", [](const Builder &, bool value) { return ir::Attribute{Kind::Bool, value}; })
      .def("get_int8_attr", integer(8))
      .def("get_int16_attr", integer(16))
      .def("get_int32_attr", integer(32))
      .def("get_int64_attr", integer(64))
      .def("get_string_attr",
           [](const Builder &, std::string value) { return ir::Attribute{Kind::String, 0, 0, std::move(value)}; });
}

static void takeLocations(const ir::Module &module, const std::string &path) {
  if (std::string error = module.takeLocationsFrom(path); !error.empty())
    throw std::runtime_error(error);
}

static void runPasses(const ir::Module &module, const std::string &pipeline) {
  std::string error = unlocked([&] { return module.runPasses(pipeline); });
  if (!error.empty())
    throw std::runtime_error("PassManager::run failed: " + error);
}

static void addHandles(nb::module_ &module) {
  nb::class_<ir::Value>(module, "value")
      .def("id", &ir::Value::id)
      .def("get_type", &ir::Value::type)
      .def("__eq__", [](const ir::Value &a, const ir::Value &b) { return a.pointer == b.pointer; })
      .def("__hash__", &ir::Value::id);
  nb::class_<ir::Region>(module, "region")
      .def("id", &ir::Region::id)
      .def("size", &ir::Region::size)
      .def("empty", [](const ir::Region &region) { return region.size() == 0; })
      .def("get_parent_op", &ir::Region::parent);
  nb::class_<ir::Block>(module, "block")
      .def("id", &ir::Block::id)
      .def("get_num_arguments", &ir::Block::argumentCount)
      .def("get_argument",
           [](const ir::Block &block, unsigned index) {
             return at(index, block.argumentCount(), "arguments", [&](unsigned i) { return block.argument(i); });
           })
      .def("get_parent", &ir::Block::parent);
  nb::class_<ir::Operation>(module, "operation")
      .def("id", &ir::Operation::id)
      .def("get_name", &ir::Operation::name)
      .def("get_num_operands", &ir::Operation::operandCount)
      .def("get_operand",
           [](const ir::Operation &op, unsigned index) {
             return at(index, op.operandCount(), "operands", [&](unsigned i) { return op.operand(i); });
           })
      .def("get_num_results", &ir::Operation::resultCount)
      .def("get_result",
           [](const ir::Operation &op, unsigned index) {
             return at(index, op.resultCount(), "results", [&](unsigned i) { return op.result(i); });
           })
      .def("get_num_regions", &ir::Operation::regionCount)
      .def("get_region",
           [](const ir::Operation &op, unsigned index) {
             return at(index, op.regionCount(), "regions", [&](unsigned i) { return op.region(i); });
           })
      .def("get_block", &ir::Operation::block)
      .def("get_str_attr", &ir::Operation::stringAttribute)
      .def("get_bool_attr", &ir::Operation::boolAttribute)
      .def("get_int_attr", &ir::Operation::integerAttribute)
      .def("get_flat_symbol_ref_attr", &ir::Operation::symbolAttribute)
      .def("__str__", &ir::Operation::str);
}

void addIr(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("ir", "The compiler's IR, for those who look at it.");
  nb::class_<Context>(module, "context").def(nb::init<>());
  module.def("load_dialects", [](const Context &) {}, "Every context has all dialects.");
  addHandles(module);
  addBuilder(module);
  nb::class_<ir::Module>(module, "module", nb::dynamic_attr())
      .def("__str__", [](const ir::Module &self) { return self.str(true); })
      .def("str", [](const ir::Module &self) { return self.str(true); })
      .def("str_nodebug", [](const ir::Module &self) { return self.str(false); })
      .def("verify", [](const ir::Module &self) { return self.verify().empty(); })
      .def("verify_with_diagnostics", [](const ir::Module &self) { return self.verify(); })
      .def("walk", &walk, nb::arg("fn"), "Calls fn(operation), for those inside an operation first.")
      .def("get_entry_func_name", &ir::Module::entryName)
      .def("get_function",
           [](const ir::Module &self, const std::string &name) {
             std::optional<ir::Operation> found = self.function(name);
             if (!found)
               throw nb::key_error(name.c_str());
             return *found;
           })
      .def("has_function", [](const ir::Module &self, const std::string &name) { return bool(self.function(name)); })
      .def("get_function_signature",
           [](const ir::Module &self, const ir::Operation &function) {
             return self.signature(function.stringAttribute("sym_name").value_or("")).first;
           })
      .def("get_int_attr",
           [](const ir::Module &self, const std::string &name) { return self.operation().integerAttribute(name); })
      .def("get_operation", &ir::Module::operation)
      .def("set_attr", &setAttribute, nb::arg("name"), nb::arg("value"))
      .def("get_tensordesc_metadata", [](const ir::Module &) { return nb::list(); })
      .def("create_location_snapshot", &takeLocations, nb::arg("path"))
      .def(
          "layouts", [](const ir::Module &self) { return fromJson(self.layouts()); },
          "What layouts the tensors have: type, layout, shape, and the bases of each input.")
      .def("run_passes", &runPasses, nb::arg("pipeline"), "Runs passes written as MLIR writes them.");
  module.def("parse_mlir_module", &parseFile, nb::arg("path"), nb::arg("context"));
  module.def("parse_mlir_text", &parseText, nb::arg("text"), nb::arg("name") = "<string>");
  module.def("emit", &emitIr, nb::arg("function"), nb::arg("arguments"), nb::arg("symbol"), nb::arg("options"),
             nb::arg("answers").none() = nb::none(), "A jitted function as IR, before any pass.");
}

} // namespace triton::python
