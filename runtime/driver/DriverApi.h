// The functions of a GPU's driver library that we call, as a table: everything above it works for every vendor, and for a simulator that fills the same table.
// The functions are NVIDIA's, as is what they take; AMD's library has most of them under other names, and the numbers of statuses and attributes of functions are the same.
//   runtime/cuda/Library.h and runtime/hip/Library.h fill a table from a library found at run time: nothing of CUDA or HIP is needed to build or to start a program.
#pragma once

#include "runtime/driver/DriverFunctions.h"
#include "runtime/driver/DriverTypes.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>

namespace triton::runtime::gpu {

enum class Vendor { Nvidia, Amd };

struct DriverApi {
#define TRITON_DRIVER_DECLARE(member, cuda, hip, parameters) int(*member) parameters = nullptr;
  TRITON_DRIVER_REQUIRED(TRITON_DRIVER_DECLARE)
  TRITON_DRIVER_OPTIONAL(TRITON_DRIVER_DECLARE)
#undef TRITON_DRIVER_DECLARE
  Vendor vendor = Vendor::Nvidia;
  /// What code for a device is compiled for: "gfx942". Null: it has a compute capability instead.
  int (*deviceArchitecture)(char *name, int size, DeviceHandle device) = nullptr;
  bool overlapsLaunches = false; // programmatic launches work in graphs too
  bool launchesGraphs = false;   // launches may go through graphs

  /// Whether it has all functions that this takes.
  bool hasGraphs() const {
    return createGraph && destroyGraph && addKernelNode && instantiateGraph && destroyExecutableGraph &&
           changeKernelNode && launchGraph && streamIsCapturing && queryEvent;
  }
};

/// A call of the driver that failed: its number, and a text that begins as users of Triton know it.
class DriverError : public llvm::ErrorInfo<DriverError> {
public:
  static char ID;
  DriverError(int status, std::string message) : status(status), itsMessage(std::move(message)) {}
  void log(llvm::raw_ostream &stream) const override;
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  std::string message() const override { return itsMessage; }
  const int status;

private:
  std::string itsMessage;
};

/// "Triton Error [CUDA]: invalid argument", of AMD's "[HIP]", with `detail` behind it.
std::string describe(const DriverApi &api, int status, const llvm::Twine &detail = "");
llvm::Error failure(const DriverApi &api, int status, const llvm::Twine &detail = "");

} // namespace triton::runtime::gpu
