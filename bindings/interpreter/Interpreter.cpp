#include "bindings/Submodules.h"

#include "bindings/Result.h"
#include "bindings/host/Conversion.h"
#include "bindings/host/PythonHost.h"
#include "bindings/interpreter/TensorObject.h"

#include <triton/embed.h>

#include <nanobind/stl/array.h>
#include <nanobind/stl/string.h>

#include <array>
#include <cstring>
#include <optional>

namespace nb = nanobind;

namespace triton::python {

namespace {

/// One launch in interpreter mode. Between `__enter__` and `__exit__` the operators of tl.tensor and the functions of the language work on this thread.
class Session {
public:
  explicit Session(bool debug) : eager(PythonHost::instance(), debug), emission(eager) {}

  void enter() { scope.emplace(emission); }
  void exit(nb::args) { scope.reset(); }

  void beginProgram(std::array<int32_t, 3> id, std::array<int32_t, 3> grid) {
    eager.beginProgram(id.data(), grid.data());
  }

  /// `bits` is an int of at most 64 bits, negative numbers included.
  nb::object scalar(const std::string &type, nb::int_ bits, const std::string &name) {
    uint64_t word = PyLong_AsUnsignedLongLongMask(bits.ptr());
    return take(toPython(take(eager.scalar(type, word, name)), Wrapping::Kernel));
  }

  void setName(nb::handle tensor, const std::string &name) {
    const embed::Value *value = valueOf(tensor.ptr());
    if (value && value->kind() == embed::Kind::Tensor)
      eager.setName(*value, name);
  }

  nb::bytes data(nb::handle tensor) {
    const embed::Value *value = valueOf(tensor.ptr());
    if (!value || value->kind() != embed::Kind::Tensor)
      throw nb::type_error("only tensors have data");
    std::string bytes = eager.data(*value);
    return nb::bytes(bytes.data(), bytes.size());
  }

  void trustMemory() { eager.trustMemory(); }
  void protectMemory(uint64_t address, uint64_t bytes, std::string name) {
    eager.protectMemory(reinterpret_cast<const void *>(address), bytes, std::move(name));
  }

  void watch(embed::CheckedLaunch &launch, nb::callable place) {
    launch.watch(eager, [place] { return nb::cast<std::string>(place()); });
  }

private:
  embed::EagerSession eager;
  embed::Emission emission;
  std::optional<EmissionScope> scope;
};

} // namespace

void addInterpreter(nb::module_ &module) {
  nb::module_ interpreter = module.def_submodule("interpreter", "Operations on tensors, done at once.");
  nb::class_<Session>(interpreter, "Session")
      .def(nb::init<bool>(), nb::arg("debug") = true)
      .def("__enter__",
           [](nb::handle self) {
             nb::cast<Session &>(self).enter();
             return nb::borrow(self);
           })
      .def("__exit__", &Session::exit)
      .def("begin_program", &Session::beginProgram, nb::arg("id"), nb::arg("grid"))
      .def("scalar", &Session::scalar, nb::arg("type"), nb::arg("bits"), nb::arg("name") = "")
      .def("set_name", &Session::setName, nb::arg("tensor"), nb::arg("name"))
      .def("data", &Session::data, nb::arg("tensor"))
      .def("trust_memory", &Session::trustMemory)
      .def("protect_memory", &Session::protectMemory, nb::arg("address"), nb::arg("size"), nb::arg("name"))
      .def("watch", &Session::watch, nb::arg("launch"), nb::arg("place"));
  addInterpreterMemory(interpreter);
  interpreter.def(
      "is_active", [] { return currentEmission() && currentEmission()->eager(); },
      "Whether operations are done at once on this thread.");
}

} // namespace triton::python
