#include "bindings/Submodules.h"

#include "bindings/Diagnostics.h"
#include "bindings/InterpreterLock.h"
#include "bindings/Result.h"

#include <triton/filecheck.h>
#include <triton/ir.h>
#include <triton/llvm_ir.h>

#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;

namespace triton::python {

/// What clients pass around; every module has a context of its own.
struct LlvmContext {};

/// GPU IR as LLVM IR, for the architecture and the number of warps that the module names; LLVM IR text as it is.
static ir::LlvmModule toModule(nb::handle source, const LlvmContext &) {
  if (nb::isinstance<nb::str>(source))
    return take(ir::LlvmModule::parse(nb::cast<std::string>(source)));
  const auto &module = nb::cast<const ir::Module &>(source);
  embed::Options options;
  std::string target = module.operation().stringAttribute("ttg.target").value_or("");
  if (!target.empty())
    options.values = {{"target", "cuda"}, {"arch", target}};
  embed::Diagnostics diagnostics;
  std::string text = module.str(/*withLocations=*/true);
  std::shared_ptr<const embed::Artifact> artifact =
      unlocked([&] { return embed::runStage("llir", std::move(text), {}, options, diagnostics); });
  if (!artifact) {
    raise(diagnostics, nullptr);
    throw nb::python_error();
  }
  return take(ir::LlvmModule::parse(artifact->stages.back().content));
}

static nb::object translate(const std::string &text, std::string triple, std::string processor, std::string features,
                            const std::vector<std::string> &, bool fuses, bool isObject) {
  ir::LlvmModule module = take(ir::LlvmModule::parse(text));
  embed::Result<std::string> written = unlocked(
      [&] { return module.write({std::move(triple), std::move(processor), std::move(features), fuses}, isObject); });
  const std::string out = take(std::move(written));
  return isObject ? nb::object(nb::bytes(out.data(), out.size())) : nb::object(nb::str(out.data(), out.size()));
}

void addLlvm(nb::module_ &parent) {
  nb::module_ module = parent.def_submodule("llvm", "LLVM's steps, one by one.");
  nb::class_<LlvmContext>(module, "context").def(nb::init<>());
  nb::class_<ir::LlvmFunction>(module, "function")
      .def_ro("name", &ir::LlvmFunction::name)
      .def("is_declaration", [](const ir::LlvmFunction &self) { return self.isDeclaration; });
  nb::class_<ir::LlvmModule>(module, "module", nb::dynamic_attr())
      .def("__str__", &ir::LlvmModule::str)
      .def("get_functions", &ir::LlvmModule::functions);
  module.def("file_check", &fileCheck, nb::arg("checks"), nb::arg("checks_name"), nb::arg("input"),
             nb::arg("input_name"), "What FileCheck says of a text; empty if it is what the directives say.");
  module.def("init_targets", [] {}, "Code generators are set up when they are first used.");
  module.def("to_module", &toModule, nb::arg("module"), nb::arg("context"),
             "The LLVM module of IR before it, or of LLVM IR text.");
  module.def(
      "attach_datalayout",
      [](const ir::LlvmModule &self, std::string triple, std::string processor, std::string features) {
        check(self.attach({std::move(triple), std::move(processor), std::move(features)}));
      },
      nb::arg("module"), nb::arg("triple"), nb::arg("proc"), nb::arg("features"));
  module.def(
      "link_extern_libs",
      [](const ir::LlvmModule &self, const std::vector<std::string> &paths) { check(self.link(paths)); },
      nb::arg("module"), nb::arg("paths"), "Links the functions that are called from libraries of bitcode.");
  module.def(
      "optimize_module",
      [](const ir::LlvmModule &self, int level, std::string arch, std::string features,
         const std::vector<std::string> &, bool fuses) {
        check(unlocked([&] { return self.optimise(level, {"", std::move(arch), std::move(features), fuses}); }));
      },
      nb::arg("module"), nb::arg("opt"), nb::arg("arch") = "", nb::arg("features") = "",
      nb::arg("flags") = std::vector<std::string>(), nb::arg("enable_fp_fusion") = false);
  module.def("translate_to_asm", &translate, nb::arg("text"), nb::arg("triple"), nb::arg("proc"), nb::arg("features"),
             nb::arg("flags"), nb::arg("enable_fp_fusion"), nb::arg("is_object"));
  module.def(
      "show_debug_output", &ir::showDebugOutput, nb::arg("types") = std::vector<std::string>(),
      "Makes LLVM print what it does, all of it or of the named parts; False if it was built without such output.");
  const char *levels[] = {"OPTIMIZE_O0", "OPTIMIZE_O1", "OPTIMIZE_O2", "OPTIMIZE_O3"};
  for (int level = 0; level < 4; ++level)
    module.attr(levels[level]) = level;
}

} // namespace triton::python
