// What the fake's two faces share: NVIDIA's functions, which AMD's are written with, and the state that HIP's rules need.
#pragma once

#include "runtime/driver/DriverFunctions.h"
#include "runtime/driver/DriverTypes.h"

namespace triton::runtime::gpu {
#pragma GCC visibility push(default)
extern "C" {
#define TRITON_FAKE_DECLARE(member, cuda, hip, parameters) int cuda parameters;
TRITON_DRIVER_REQUIRED(TRITON_FAKE_DECLARE)
TRITON_DRIVER_OPTIONAL(TRITON_FAKE_DECLARE)
#undef TRITON_FAKE_DECLARE
}
#pragma GCC visibility pop
} // namespace triton::runtime::gpu

/// Whether HIP's function may go on: HIP is initialised by its first call, its thread has a device, and no test has asked it to fail.
int fakeHipBegin(const char *function);
int fakeHipUse(int device);
int fakeHipVersion();
int fakeHipSharedBytes();
const char *fakeHipArchitecture();
