// NVIDIA's tools, for host languages. Builds without targets for GPUs have WithoutGpus.cpp instead.
#include "compiler/driver/Toolkit.h"

#include "compiler/llvm/nvidia/Ptxas.h"
#include "embed/Adapter.h"
#include "embed/Result.h"

namespace triton::embed {

Result<std::string> findToolkit(const Options &options) {
  llvm::Expected<driver::Settings> settings = toDriver(options);
  if (!settings)
    return toError(settings.takeError(), "ValueError");
  llvm::Expected<gpu::Target> device =
      gpu::Target::byName(settings->codeArchitecture.empty() ? settings->architecture : settings->codeArchitecture);
  if (!device)
    return toError(device.takeError(), "ValueError");
  driver::Toolkit toolkit = driver::Toolkit::find(*settings, *device);
  return toText(llvm::json::Object{{"ptxas", toolkit.ptxas},
                                   {"build", toolkit.build},
                                   {"libdevice", toolkit.libdevice},
                                   {"problem", toolkit.problem},
                                   {"ptx_version", toolkit.ptxVersion}});
}

std::string findTool(std::string_view name, const std::vector<std::string> &folders) {
  return driver::findTool(name, folders);
}

Result<std::string> toolVersion(const std::string &path, const std::string &records) {
  return toResult(driver::toolBuild(path, records), "OSError");
}

unsigned ptxVersionOf(std::string_view cudaRelease) { return nvidia::ptxVersionOf(cudaRelease); }

} // namespace triton::embed
