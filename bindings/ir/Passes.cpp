// A pass manager is a list of pass names; running it hands the list to the compiler.
#include "bindings/Submodules.h"

#include "bindings/InterpreterLock.h"

#include <triton/ir.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <fstream>

namespace nb = nanobind;

namespace triton::python {

/// A pass of this compiler or, with `function`, of a plug-in: a function in Python from the module's text to the changed one.
struct Pass {
  std::string name;
  nb::object function;
};

struct PassManager {
  std::vector<Pass> passes;

  std::string pipeline() const {
    std::string text;
    for (const Pass &pass : passes)
      text += (text.empty() ? "" : ",") + pass.name;
    return "builtin.module(" + text + ")";
  }
};

/// What clients call a pass -> what this compiler calls it. Empty: the work is done where it belongs, by the frontend or another pass.
struct PassName {
  const char *group, *function, *pass;
};
static constexpr PassName names[] = {
    {"common", "add_canonicalizer", "tensor-simplify"},
    {"common", "add_cse", "cse"},
    {"common", "add_sccp", "sccp"},
    {"common", "add_symbol_dce", "symbol-dce"},
    {"common", "add_inliner", "inline"},
    {"common", "add_licm", "loop-invariant-code-motion"},
    {"common", "print_ir", "print-ir"},
    {"ttir", "add_combine", "any(tensor-combine-ops)"},
    {"ttir", "add_reorder_broadcast", "any(tensor-hoist-splat-math)"},
    {"ttir", "add_rewrite_tensor_pointer", "tensor-rewrite-tensor-pointers"},
    {"ttir", "add_rewrite_tensor_descriptor_to_pointer", "tensor-rewrite-descriptors"},
    {"ttir", "add_loop_unroll", "any(tensor-unroll-loops)"},
    {"ttir", "add_triton_licm", "any(tensor-hoist-invariants)"},
    {"ttir", "add_loop_aware_cse", "cse"},
};

static void runPass(const Pass &pass, ir::Module &module) {
  if (pass.function.is_valid()) {
    nb::object parse = nb::module_::import_("triton._C.libtriton").attr("ir").attr("parse_mlir_text");
    module = nb::cast<ir::Module>(parse(pass.function(module.str(true)), "<" + pass.name + ">"));
    return;
  }
  if (std::string error = unlocked([&] { return module.runPasses(pass.name); }); !error.empty())
    throw std::runtime_error("PassManager::run failed: " + error);
}

static void run(const PassManager &manager, ir::Module &module, const std::string &tag) {
  if (const char *path = std::getenv("TRITON_REPRODUCER_PATH"); path && *path) {
    std::string text = "// mlir_reproducer\n// " + manager.pipeline() + "\n" + module.str(false);
    if (std::string(path) == "-")
      PySys_WriteStdout("%s", text.c_str());
    else
      std::ofstream(std::string(path) + "." + (tag.empty() ? "pipeline" : tag) + ".repro.mlir") << text;
  }
  for (const Pass &pass : manager.passes)
    runPass(pass, module);
}

void addPasses(nb::module_ &parent) {
  nb::module_ ir = nb::cast<nb::module_>(parent.attr("ir"));
  nb::class_<PassManager>(ir, "pass_manager", "A list of passes to run.")
      .def(
          "__init__", [](PassManager *self, nb::object) { new (self) PassManager(); }, nb::arg("context"))
      .def(
          "enable_debug", [](PassManager &) { return false; }, "Whether the IR is printed around passes.")
      .def("get_pipeline_str", &PassManager::pipeline)
      .def(
          "add", [](PassManager &self, std::string pass) { self.passes.push_back({std::move(pass), {}}); },
          nb::arg("pass"), "Adds a pass by the name that triton-opt knows.")
      .def(
          "add_function",
          [](PassManager &self, std::string name, nb::object function) {
            self.passes.push_back({std::move(name), std::move(function)});
          },
          nb::arg("name"), nb::arg("function"),
          "Adds a pass that is a function from a module's text to the changed one.")
      .def("run", &run, nb::arg("module"), nb::arg("tag") = "");
  nb::module_ passes = parent.def_submodule("passes", "Functions that add passes to a pass manager.");
  for (const PassName &name : names) {
    if (!nb::hasattr(passes, name.group))
      passes.def_submodule(name.group);
    nb::module_ group = nb::cast<nb::module_>(passes.attr(name.group));
    group.def(name.function, [pass = std::string(name.pass)](PassManager &manager, nb::args, nb::kwargs) {
      manager.passes.push_back({pass, {}});
    });
  }
  passes.def_submodule("plugin", "Passes of plug-ins (triton._plugins).");
}

} // namespace triton::python
