#include "runtime/cuda/Launch.h"

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

std::string describeFailure(const DriverApi &api, const Launch &launch, int status) {
  return describe(api, status,
                  "launching a grid of (" + llvm::Twine(launch.grid[0]) + ", " + llvm::Twine(launch.grid[1]) + ", " +
                      llvm::Twine(launch.grid[2]) + ") with " + llvm::Twine(launch.threads) + " threads and " +
                      llvm::Twine(launch.sharedBytes) + " bytes of shared memory" +
                      (launch.clusterSize > 1 ? " in clusters of " + llvm::Twine(launch.clusterSize) : ""));
}

} // namespace triton::runtime::cuda
