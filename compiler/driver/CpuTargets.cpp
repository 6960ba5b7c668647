// The targets of a build without GPUs (TRITON_CUDA=OFF). Others have AllTargets.cpp instead.
#include "compiler/driver/CpuTarget.h"

using namespace triton;

std::vector<std::unique_ptr<driver::Target>> driver::createTargets() {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(createCpuTarget());
  return targets;
}
