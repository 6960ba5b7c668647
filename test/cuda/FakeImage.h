// What a fake driver must know of the code it is given: the kernels in it and their parameters, from a cubin, from PTX, or from AMD's code object.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace triton::test {

struct FakeKernel {
  std::vector<uint32_t> parameterBytes;
  int registers = 16, localBytes = 8;
  int maxThreads = 1024;
};

struct FakeImage {
  int architecture = 0;       // 90 of sm_90a; 0: runs anywhere
  bool isMachineCode = false; // a cubin, which runs on its own generation only
  std::string target;         // of a code object: amdgcn-amd-amdhsa--gfx942
  std::map<std::string, FakeKernel> kernels;
};

/// nullopt if it is none of them.
std::optional<FakeImage> readImage(const char *image);

} // namespace triton::test
