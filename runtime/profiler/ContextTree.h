// Where a program spends its kernels' time: a tree whose nodes are scopes, functions of the host language, operations and kernels.
//   In:  times of kernels and numbers that the program gives, each with the node it belongs to.
//   Out: sums, per node and device. Nodes stay where they are for as long as the tree lives.
#pragma once

#include "runtime/profiler/Metric.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringRef.h"

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace triton::runtime::profiler {

enum class DeviceKind : uint8_t { Cpu, Cuda };
struct DeviceId {
  DeviceKind kind = DeviceKind::Cpu;
  uint32_t index = 0;
  auto operator<=>(const DeviceId &other) const = default;
};

struct KernelTotals {
  uint64_t nanoseconds = 0, count = 0;
};

class ContextNode {
public:
  explicit ContextNode(std::string name) : itsName(std::move(name)) {}
  ContextNode(const ContextNode &) = delete;

  /// The child of this name, made if there is none.
  ContextNode &child(llvm::StringRef name) {
    ContextNode *&known = byName[name];
    if (!known)
      known = inOrder.emplace_back(std::make_unique<ContextNode>(name.str())).get();
    return *known;
  }
  void addKernel(DeviceId device, uint64_t nanoseconds) {
    KernelTotals &totals = itsKernels[device];
    totals.nanoseconds += nanoseconds;
    ++totals.count;
  }
  void addMetric(const MetricName &name, const MetricValue &value) {
    auto [place, isNew] = itsMetrics.emplace(name.text, value);
    if (isNew)
      return;
    if (name.isProperty)
      place->second = value;
    else
      addTo(place->second, value);
  }

  const std::string &name() const { return itsName; }
  const std::vector<std::unique_ptr<ContextNode>> &children() const { return inOrder; }
  const std::map<DeviceId, KernelTotals> &kernels() const { return itsKernels; }
  const std::map<std::string, MetricValue> &metrics() const { return itsMetrics; }

private:
  const std::string itsName;
  llvm::StringMap<ContextNode *> byName;
  std::vector<std::unique_ptr<ContextNode>> inOrder; // of first use
  std::map<DeviceId, KernelTotals> itsKernels;
  std::map<std::string, MetricValue> itsMetrics;
};

} // namespace triton::runtime::profiler
