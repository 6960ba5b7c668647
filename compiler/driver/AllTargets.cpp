// The targets of a build with GPUs. Builds without (TRITON_CUDA=OFF) have CpuTargets.cpp instead.
#include "compiler/driver/CpuTarget.h"
#include "compiler/driver/CudaTarget.h"
#include "compiler/driver/HipTarget.h"
#include "compiler/gluon/Gluon.h"

using namespace triton;

// Names of the language are asked for before any target is.
[[maybe_unused]] static const bool isGluonRegistered = (gluon::registerLanguage(), true);

std::vector<std::unique_ptr<driver::Target>> driver::createTargets() {
  std::vector<std::unique_ptr<Target>> targets;
  targets.push_back(createCpuTarget());
  targets.push_back(createCudaTarget());
  targets.push_back(createHipTarget());
  return targets;
}
