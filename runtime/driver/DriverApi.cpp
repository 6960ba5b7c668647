#include "runtime/driver/DriverApi.h"

#include "llvm/Support/raw_ostream.h"

namespace triton::runtime::gpu {

char DriverError::ID;
void DriverError::log(llvm::raw_ostream &stream) const { stream << itsMessage; }

std::string describe(const DriverApi &api, int status, const llvm::Twine &detail) {
  const char *text = nullptr;
  if (api.errorString(status, &text) != Success || !text)
    text = "unknown error";
  std::string message =
      ("Triton Error [" + llvm::Twine(api.vendor == Vendor::Amd ? "HIP" : "CUDA") + "]: " + text).str();
  std::string more = detail.str();
  return more.empty() ? message : message + " (" + more + ")";
}

llvm::Error failure(const DriverApi &api, int status, const llvm::Twine &detail) {
  return llvm::make_error<DriverError>(status, describe(api, status, detail));
}

} // namespace triton::runtime::gpu
