#include "runtime/profiler/Session.h"

#include "runtime/gpu/Driver.h"

#include "llvm/BinaryFormat/MsgPackWriter.h"
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

static llvm::json::Value toJson(const MetricValue &value) {
  if (auto *whole = std::get_if<int64_t>(&value))
    return *whole;
  if (auto *real = std::get_if<double>(&value))
    return number(*real);
  if (auto *text = std::get_if<std::string>(&value))
    return *text;
  llvm::json::Array elements;
  if (auto *wholes = std::get_if<std::vector<int64_t>>(&value))
    for (int64_t element : *wholes)
      elements.push_back(element);
  else
    for (double element : std::get<std::vector<double>>(value))
      elements.push_back(number(element));
  return elements;
}

/// A node that ran on several devices is written once for each; what does not belong to a device goes with the first.
/// `atZero`: metrics that the root has without having been given any, so that readers know they add up.
static void writeNode(OStream &json, const ContextNode &node, const std::set<std::string> &atZero = {}) {
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
            json.attribute(name, toJson(value));
        for (const std::string &name : atZero)
          if (!node.metrics().contains(name))
            json.attribute(name, 0);
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
  auto driver = gpu::Driver::get();
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

static void writeHatchet(const Phase &phase, llvm::raw_ostream &stream) {
  OStream json(stream, 1);
  json.array([&] {
    writeNode(json, phase.root, phase.inclusive);
    json.object([&] { writeDevices(json, phase.devices); });
  });
  stream << "\n";
}

static void writeMsgpack(const llvm::json::Value &value, llvm::msgpack::Writer &writer) {
  if (auto *object = value.getAsObject()) {
    writer.writeMapSize(object->size());
    for (const auto &[key, element] : *object) {
      writer.write(llvm::StringRef(key));
      writeMsgpack(element, writer);
    }
  } else if (auto *array = value.getAsArray()) {
    writer.writeArraySize(array->size());
    for (const llvm::json::Value &element : *array)
      writeMsgpack(element, writer);
  } else if (auto text = value.getAsString())
    writer.write(*text);
  else if (auto whole = value.getAsInteger())
    writer.write(*whole);
  else if (auto real = value.getAsNumber())
    writer.write(*real);
  else
    writer.writeNil();
}

static void writeChromeTrace(const Phase &phase, llvm::raw_ostream &stream) {
  uint64_t first = UINT64_MAX;
  for (const TraceEvent &event : phase.events)
    first = std::min(first, event.begin);
  OStream json(stream);
  json.object([&] {
    json.attribute("displayTimeUnit", "ns");
    json.attributeArray("traceEvents", [&] {
      for (const TraceEvent &event : phase.events)
        json.object([&] {
          json.attribute("name", event.name);
          json.attribute("cat", event.category);
          json.attribute("ph", "X");
          json.attribute("ts", double(event.begin - first) / 1e3);
          json.attribute("dur", double(event.nanoseconds) / 1e3);
          json.attribute("pid", event.process);
          json.attribute("tid", event.track);
          json.attributeObject("args", [&] {
            json.attributeArray("call_stack", [&] {
              for (const std::string &name : event.callStack)
                json.value(name);
            });
          });
        });
    });
  });
  stream << "\n";
}

void write(const Phase &phase, Format format, llvm::raw_ostream &stream) {
  if (format == Format::ChromeTrace)
    return writeChromeTrace(phase, stream);
  if (format == Format::Hatchet)
    return writeHatchet(phase, stream);
  std::string text;
  llvm::raw_string_ostream buffer(text);
  writeHatchet(phase, buffer);
  llvm::Expected<llvm::json::Value> value = llvm::json::parse(text);
  assert(value && "what we write is JSON");
  llvm::msgpack::Writer writer(stream);
  writeMsgpack(*value, writer);
}

} // namespace triton::runtime::profiler
