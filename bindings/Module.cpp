// `triton._C.libtriton`: the native half of the package.
#include "bindings/Compile.h"
#include "bindings/CompileOptions.h"
#include "bindings/InterpreterLock.h"
#include "bindings/Submodules.h"
#include "bindings/interpreter/TensorObject.h"
#include "bindings/launch/Array.h"
#include "bindings/launch/CudaLauncher.h"
#include "bindings/launch/CudaTensorMap.h"
#include "bindings/launch/HostLauncher.h"
#include "bindings/launch/KernelObject.h"
#include "bindings/launch/Launcher.h"

#include <triton/c.h>
#include <triton/embed.h>

#include <nanobind/nanobind.h>

#include <dlfcn.h>

namespace nb = nanobind;
using namespace triton::python;

/// plain_constant(value): numpy's scalars as the Python numbers they stand for, also in tuples; anything else as it is.
static nb::object plainConstant(nb::handle value) {
  if (PyTuple_CheckExact(value.ptr())) {
    nb::list elements;
    bool isPlain = true;
    for (nb::handle element : nb::borrow<nb::tuple>(value)) {
      elements.append(plainConstant(element));
      isPlain = isPlain && elements[elements.size() - 1].ptr() == element.ptr();
    }
    return isPlain ? nb::borrow(value) : nb::object(nb::tuple(elements));
  }
  nb::object number = nb::steal(numberOfScalar(value.ptr()));
  return number ? number : nb::borrow(value);
}

/// read_grid(grid) -> (x, y, z)
static nb::tuple gridOf(nb::handle grid) {
  int32_t extents[3];
  if (!readGrid(grid.ptr(), extents))
    throw nb::python_error();
  return nb::make_tuple(extents[0], extents[1], extents[2]);
}

/// Paths of this extension and of the compiler it uses: what a key of the build is made from.
static nb::list nativeLibraries() {
  nb::list paths;
  Dl_info info;
  for (void *symbol :
       {reinterpret_cast<void *>(&nativeLibraries), reinterpret_cast<void *>(&triton::embed::languageNames)})
    if (dladdr(symbol, &info) && info.dli_fname)
      paths.append(info.dli_fname);
  return paths;
}

NB_MODULE(libtriton, module) {
  nb::set_leak_warnings(false); // clients such as torch keep kernels and modules until the process ends
  module.doc() = "The compiler and the launch path of Triton.";
  module.attr("__version__") = triton_version();
  if (!addLauncher(module.ptr()) || !addHostLauncher(module.ptr()) || !addCudaLauncher(module.ptr()) ||
      !addKernelObject(module.ptr()))
    throw nb::python_error();
  addCudaTensorMap(module);
  addCache(module);
  addCompile(module);
  addCompileOptions(module);
  addCuda(module);
  addDispatch(module);
  addEnvironment(module);
  addGluonLayouts(module);
  addLanguage(module);
  addInterpreter(module);
  addIr(module);
  addLayout(module);
  addLlvm(module);
  addNvidia(module);
  addPasses(module);
  addProfiler(module);
  addSanitizer(module);
  addTensorObject(module);
  addTune(module);
  Visit::watchForks();
  nb::module_::import_("atexit").attr("register")(nb::cpp_function(&Visit::endAll));
  module.def("native_libraries", &nativeLibraries, "Paths of the native libraries.");
  module.def("plain_constant", &plainConstant, nb::arg("value").none(),
             "numpy's scalars as the Python numbers they stand for, also in tuples; anything else as it is.");
  module.def("read_grid", &gridOf, nb::arg("grid").none(),
             "The three extents of a grid that is no function; raises where it is no grid.");
}
