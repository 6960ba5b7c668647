// What tests against the fake driver share: the driver with two devices, a loaded kernel, arguments for it.
#pragma once

#include "runtime/gpu/Launch.h"

#include <dlfcn.h>

namespace triton::runtime::gpu {

inline const char *const ptx = R"(.version 8.0
.target sm_80
.visible .entry scale(.param .u64 .ptr .global .align 1 p, .param .u32 n, .param .u8 flag, .param .align 64 .b8 map[128], .param .u64 s)
{ ret; })";

template <typename F> F *control(const char *name) {
  static void *library = dlopen(FAKE_CUDA "/libcuda.so.1", RTLD_NOW);
  return reinterpret_cast<F *>(dlsym(library, name));
}
inline std::string takeLog() { return control<const char *()>("fakeCudaTakeLog")(); }
inline void fail(const char *function, int status) {
  control<void(const char *, int)>("fakeCudaFail")(function, status);
}

inline Driver &driver() {
  static Driver &result = []() -> Driver & {
    control<void(int, int)>("fakeCudaSetDevices")(2, 90);
    Driver::setLibrary(FAKE_CUDA);
    return llvm::cantFail(Driver::get());
  }();
  return result;
}

inline LoadedFunction loaded(uint32_t sharedBytes = 0, int device = 0) {
  return llvm::cantFail(load(driver(), ptx, "scale", sharedBytes, device));
}

struct Arguments {
  uint64_t pointer = 0x1122, scratch = 0;
  int32_t n = 7;
  uint8_t flag = 1;
  TensorMap map{};
  void *pointers[5] = {&pointer, &n, &flag, &map, &scratch};
};

} // namespace triton::runtime::gpu
