#include "bindings/Submodules.h"

#include "bindings/InterpreterLock.h"
#include "bindings/Interrupt.h"
#include "bindings/Result.h"
#include "bindings/launch/CudaTensorMap.h"
#include "dispatch/Descriptor.h"

#include <triton/embed_cuda.h>

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

#include <tuple>

namespace nb = nanobind;

namespace triton::python {

/// What is known of a device without asking it.
static nb::object property(int device, const char *name) {
  return fromJson(take(embed::cudaDeviceProperties(device)))[name];
}

/// (module, function, registers, spills, threads a block may have)
static nb::tuple loadBinary(const std::string &name, const nb::object &binary, uint32_t sharedBytes, int device) {
  nb::object held = nb::isinstance<nb::str>(binary) ? binary.attr("encode")() : binary;
  auto bytes = nb::cast<nb::bytes>(held);
  std::string_view image(bytes.c_str(), bytes.size());
  auto loaded = take(unlocked([&] { return embed::cudaLoad(image, name, sharedBytes, device); }));
  return nb::make_tuple(loaded.module, loaded.function, loaded.registers, loaded.localBytes / 4, loaded.maxThreads);
}

static TensorMap encodeTensorMap(uint64_t address, int swizzle, int elementBytes, int elementType,
                                 const std::vector<uint32_t> &box, const std::vector<uint64_t> &shape,
                                 const std::vector<uint64_t> &strides, int padding) {
  TensorMap map;
  if (auto error = embed::cudaPackTensorMap(
          {address, swizzle, elementBytes, elementType, box, shape, strides, padding == 1}, map.bytes))
    throw std::runtime_error(*error);
  return map;
}

static void setPrintfFifoSize(long long bytes) {
  if (bytes < 0)
    throw nb::value_error(("fifo size must be non-negative, got " + std::to_string(bytes)).c_str());
  check(embed::cudaSetPrintfFifoBytes(uint64_t(bytes)));
}

void addCuda(nb::module_ &module) {
  nb::module_ cuda = module.def_submodule("cuda", "The GPU driver, NVIDIA's or AMD's: devices, modules, tensor maps.");
  cuda.def(
      "set_library", &embed::cudaSetLibrary, nb::arg("path"),
      "The driver's library, or the folder that holds it; 'hip:' in front: AMD's. Counts until the driver is used.");
  cuda.def("device_count", raising(&embed::cudaDeviceCount));
  cuda.def(
      "capability", [](int device) { return property(device, "capability"); }, nb::arg("device"), "major * 10 + minor");
  cuda.def(
      "architecture", [](int device) { return property(device, "arch"); }, nb::arg("device"),
      "What code for a device is compiled for: 'sm_90a', 'gfx942'.");
  cuda.def(
      "warp_size", [](int device) { return property(device, "warpSize"); }, nb::arg("device"), "Threads of a warp.");
  cuda.def("current_device", raising(&embed::cudaCurrentDevice), "The device of this thread's context, else 0.");
  cuda.def("set_current_device", raising(&embed::cudaSetCurrentDevice), nb::arg("device"));
  cuda.def(
      "get_device_properties", [](int device) { return fromJson(take(embed::cudaDeviceProperties(device, true))); },
      nb::arg("device"));
  cuda.def(
      "max_shared_mem", [](int device) { return property(device, "max_shared_mem"); }, nb::arg("device"),
      "Bytes of shared memory a block may have; quick, where all properties take a while.");
  cuda.def("load_binary", &loadBinary, nb::arg("name"), nb::arg("binary"), nb::arg("shared"), nb::arg("device"),
           "Loads a cubin, PTX, or AMD's code object; gives (module, function, registers, spills, threads a block may "
           "have).");
  cuda.def(
      "unload_module", [](uint64_t module) { check(unlocked([&] { return embed::cudaUnload(module); })); },
      nb::arg("module"), "Unloads what `load_binary` loaded; its functions must not be used any more.");
  cuda.def(
      "note_memory",
      [](const std::vector<std::tuple<uint64_t, uint64_t, std::string>> &memory) {
        std::vector<embed::CudaMemory> known;
        for (auto &[begin, end, name] : memory)
          known.push_back({begin, end, name});
        embed::cudaNoteMemory(std::move(known));
      },
      nb::arg("memory"), "All memory, as (begin, end, name), that the next launch on a simulated GPU may touch.");
  cuda.def(
      "observe", [](bool collects, bool counts) { embed::cudaObserve(collects, counts, isInterrupted); },
      nb::arg("collects") = false, nb::arg("counts") = false,
      "What launches on a simulated GPU keep for `take_findings` and `take_counts`. Findings that are kept are errors "
      "only where they end the launch.");
  cuda.def(
      "take_findings", [] { return fromJson(embed::cudaTakeFindings()); },
      "What launches found since the last call: [kernel, place, kind, message, count, whether it ended the launch].");
  cuda.def(
      "take_counts", [] { return fromJson(embed::cudaTakeCounts()); },
      "What instructions did since the last call, by kernel, line and family; times are microseconds, by the cost "
      "model.");
  cuda.def(
      "cuOccupancyMaxActiveClusters",
      [](uint64_t function, uint32_t shared, uint32_t cluster, uint32_t threads) {
        return take(embed::cudaMaxActiveClusters(function, threads, shared, cluster));
      },
      nb::arg("function"), nb::arg("shared"), nb::arg("cluster_dim"), nb::arg("threads") = 128,
      "How many clusters of that many blocks the device holds at once.");
  cuda.def(
      "time_launches",
      [](uint64_t function, uint32_t threads, uint64_t argumentBytes, int count, int handover) {
        return take(
            unlocked([&] { return embed::cudaTimeLaunches(function, threads, argumentBytes, count, handover); }));
      },
      nb::arg("function"), nb::arg("threads"), nb::arg("argument_bytes"), nb::arg("count") = 400,
      nb::arg("handover") = 0,
      "Microseconds of the driver's own part of a launch; handover 0: a pointer to each argument, 1: one buffer, 2: "
      "cuLaunchKernel, 3: as 0, programmatic.");
  cuda.def("occupancy", raising(&embed::cudaOccupancy), nb::arg("arch"), nb::arg("registers"), nb::arg("shared"),
           nb::arg("threads"), "(share of a multiprocessor's warps that CTAs of a kernel fill, what limits it)");
  cuda.def("element_type", &embed::cudaElementType, nb::arg("kind"),
           "The driver's number for elements of a tensor map that kernels count as `kind`.");
  cuda.def("set_printf_fifo_size", &setPrintfFifoSize, nb::arg("bytes"));
  cuda.def("fill_tma_descriptor", &encodeTensorMap, nb::arg("addr"), nb::arg("swizzle"), nb::arg("elem_size"),
           nb::arg("elem_type"), nb::arg("block_size"), nb::arg("shape"), nb::arg("strides"), nb::arg("padding"));
}

} // namespace triton::python
