#include "runtime/profiler/Session.h"

#include "runtime/cuda/Driver.h"

#include "llvm/Support/JSON.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <thread>

namespace triton::runtime::profiler {

using llvm::json::OStream;

static llvm::StringRef kindName(DeviceKind kind) { return kind == DeviceKind::Cuda ? "CUDA" : "CPU"; }

/// Whole numbers as such, so that counts and bytes read as what they are; what JSON cannot say is null.
static llvm::json::Value number(double value) {
  if (!std::isfinite(value))
    return nullptr;
  if (value == std::floor(value) && std::abs(value) < 9e15)
    return int64_t(value);
  return value;
}

/// A node that ran on several devices is written once for each; what does not belong to a device goes with the first.
static void writeNode(OStream &json, const ContextNode &node) {
  auto it = node.kernels().begin();
  bool isFirst = true;
  do {
    json.object([&] {
      json.attributeObject("frame", [&] {
        json.attribute("name", node.name());
        json.attribute("type", "function");
      });
      json.attributeObject("metrics", [&] {
        if (it != node.kernels().end()) {
          json.attribute("count", int64_t(it->second.count));
          json.attribute("device_id", std::to_string(it->first.index));
          json.attribute("device_type", kindName(it->first.kind));
          json.attribute("time (ns)", int64_t(it->second.nanoseconds));
        }
        if (isFirst)
          for (const auto &[name, value] : node.metrics())
            json.attribute(name, number(value));
      });
      json.attributeArray("children", [&] {
        if (isFirst)
          for (const auto &child : node.children())
            writeNode(json, *child);
      });
    });
    isFirst = false;
  } while (it != node.kernels().end() && ++it != node.kernels().end());
}

static void writeCudaDevice(OStream &json, uint32_t index) {
  auto driver = cuda::Driver::get();
  if (!driver)
    return llvm::consumeError(driver.takeError());
  auto properties = driver->properties(int(index));
  if (!properties)
    return llvm::consumeError(properties.takeError());
  json.attribute("name", properties->name);
  json.attribute("arch", std::to_string(properties->capability));
  json.attribute("num_sms", properties->multiprocessors);
  json.attribute("bus_width", properties->memoryBusWidth);
  if (auto rates = driver->clockRates(int(index))) {
    json.attribute("clock_rate", rates->multiprocessors);
    json.attribute("memory_clock_rate", rates->memory);
  } else
    llvm::consumeError(rates.takeError());
}

static void writeDevices(OStream &json, const std::set<DeviceId> &devices) {
  for (DeviceKind kind : {DeviceKind::Cpu, DeviceKind::Cuda}) {
    auto isOfKind = [&](DeviceId device) { return device.kind == kind; };
    if (std::none_of(devices.begin(), devices.end(), isOfKind))
      continue;
    json.attributeObject(kindName(kind), [&] {
      for (DeviceId device : devices) {
        if (device.kind != kind)
          continue;
        json.attributeObject(std::to_string(device.index), [&] {
          if (kind == DeviceKind::Cuda)
            return writeCudaDevice(json, device.index);
          json.attribute("arch", llvm::sys::getHostCPUName());
          json.attribute("num_threads", int64_t(std::thread::hardware_concurrency()));
        });
      }
    });
  }
}

void writeHatchet(const Session &session, llvm::raw_ostream &stream) {
  OStream json(stream, 1);
  json.array([&] {
    writeNode(json, session.root);
    json.object([&] { writeDevices(json, session.devices); });
  });
  stream << "\n";
}

void writeChromeTrace(const Session &session, llvm::raw_ostream &stream) {
  uint64_t first = UINT64_MAX;
  for (const TraceEvent &event : session.events)
    first = std::min(first, event.begin);
  OStream json(stream);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (const TraceEvent &event : session.events)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("cat", event.category);
          json.attribute("ph", "X");
          json.attribute("ts", double(event.begin - first) / 1e3);
          json.attribute("dur", double(event.nanoseconds) / 1e3);
          json.attribute("pid", event.process);
          json.attribute("tid", int64_t(event.track));
        });
    });
  });
  stream << "\n";
}

} // namespace triton::runtime::profiler
