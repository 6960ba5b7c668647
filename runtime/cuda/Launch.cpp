#include "runtime/cuda/Launch.h"

#include <chrono>
#include <vector>

namespace triton::runtime::cuda {

static LaunchAttribute flag(LaunchAttributeId id, int number) {
  LaunchAttribute attribute{};
  attribute.id = id;
  attribute.number = number;
  return attribute;
}

int launch(const DriverApi &api, const Launch &launch) {
  if (launch.grid[0] == 0 || launch.grid[1] == 0 || launch.grid[2] == 0)
    return Success;
  ContextScope scope(api, launch.context);
  if (scope.status())
    return scope.status();
  LaunchAttribute attributes[4];
  LaunchConfiguration configuration{launch.grid[0] * launch.clusterSize,
                                    launch.grid[1],
                                    launch.grid[2],
                                    launch.threads,
                                    1,
                                    1,
                                    launch.sharedBytes,
                                    launch.stream,
                                    attributes,
                                    0};
  uint32_t &count = configuration.attributeCount;
  if (launch.isProgrammatic)
    attributes[count++] = flag(LaunchAttributeId::ProgrammaticStreamSerialization, 1);
  if (launch.isCooperative)
    attributes[count++] = flag(LaunchAttributeId::Cooperative, 1);
  if (launch.clusterSize > 1) {
    LaunchAttribute cluster{};
    cluster.id = LaunchAttributeId::ClusterDimension;
    cluster.clusterDimension[0] = launch.clusterSize;
    cluster.clusterDimension[1] = cluster.clusterDimension[2] = 1;
    attributes[count++] = cluster;
    attributes[count++] = flag(LaunchAttributeId::ClusterSchedulingPolicy, clusterSchedulingSpread);
  }
  return api.launch(&configuration, launch.function, launch.arguments, nullptr);
}

llvm::Expected<double> timeLaunches(Driver &driver, const LoadedFunction &function, uint32_t threads,
                                    size_t argumentBytes, int count, Handover handover) {
  const DriverApi &api = driver.api();
  ContextScope scope(api, function.context);
  std::vector<std::byte> zeros(std::max<size_t>(argumentBytes, 8));
  std::vector<void *> pointers(zeros.size(), zeros.data()); // no function has more arguments than bytes of them
  // The driver's marks: a buffer follows, its size follows, the end.
  void *extra[] = {reinterpret_cast<void *>(1), zeros.data(), reinterpret_cast<void *>(2), &argumentBytes, nullptr};
  LaunchConfiguration configuration{1, 1, 1, threads, 1, 1, 0, nullptr, nullptr, 0};
  if (handover == Handover::PlainCall && !api.launchPlain)
    return llvm::createStringError("the driver has no cuLaunchKernel");
  auto once = [&] {
    switch (handover) {
    case Handover::Pointers:
      return api.launch(&configuration, function.function, pointers.data(), nullptr);
    case Handover::Buffer:
      return api.launch(&configuration, function.function, nullptr, extra);
    case Handover::PlainCall:
      return api.launchPlain(function.function, 1, 1, 1, threads, 1, 1, 0, nullptr, pointers.data(), nullptr);
    }
    return int(InvalidValue);
  };
  int status = scope.status() ? scope.status() : once();
  if (!status)
    status = api.synchronizeStream(nullptr);
  auto begin = std::chrono::steady_clock::now();
  for (int index = 0; index < count && !status; ++index)
    status = once();
  double microseconds = std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin).count();
  if (!status)
    status = api.synchronizeStream(nullptr);
  if (status)
    return failure(api, status, "timing launches");
  return microseconds / count;
}

std::string describeFailure(const DriverApi &api, const Launch &launch, int status) {
  return describe(api, status,
                  "launching a grid of (" + llvm::Twine(launch.grid[0]) + ", " + llvm::Twine(launch.grid[1]) + ", " +
                      llvm::Twine(launch.grid[2]) + ") with " + llvm::Twine(launch.threads) + " threads and " +
                      llvm::Twine(launch.sharedBytes) + " bytes of shared memory" +
                      (launch.clusterSize > 1 ? " in clusters of " + llvm::Twine(launch.clusterSize) : ""));
}

} // namespace triton::runtime::cuda
