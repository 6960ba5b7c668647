#include "dispatch/tune/KeptTuning.h"

#include "compiler/artifact/BuildId.h"
#include "compiler/artifact/Json.h"
#include "compiler/support/Hash.h"
#include "dispatch/launch/CudaKernel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/TargetParser/Host.h"

#include <cmath>
#include <thread>

namespace triton::dispatch {

namespace json = llvm::json;

static std::string textOf(json::Value value) {
  std::string text;
  llvm::raw_string_ostream(text) << value;
  return text;
}

/// A definition without what may or may not be counted as part of it: the comments behind it.
static std::string canonicalSource(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  while (!lines.empty() && (lines.back().trim().empty() || lines.back().trim().starts_with("#")))
    lines.pop_back();
  return llvm::join(llvm::map_range(lines, [](llvm::StringRef line) { return line.rtrim(); }), "\n");
}

std::optional<std::string> tuningHash(std::string_view question) {
  std::optional<json::Value> parsed = artifact::parseJson(question);
  json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  if (!object)
    return std::nullopt;
  if (std::optional<llvm::StringRef> source = object->getString("source"))
    (*object)["source"] = canonicalSource(*source);
  return sha256Hex("tuning-3;" + artifact::buildId() + ";" + textOf(std::move(*parsed)));
}

std::vector<size_t> representatives(std::string_view question) {
  std::optional<json::Value> parsed = artifact::parseJson(question);
  json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  json::Array *configs = object ? object->getArray("configs") : nullptr;
  std::vector<size_t> first;
  std::vector<std::string> seen;
  if (!configs)
    return first;
  for (json::Value &config : *configs) {
    // Code for the CPU has neither warps nor stages.
    if (json::Object *fields = config.getAsObject(); fields && object->getString("backend") == "cpu")
      for (llvm::StringRef ignored : {"num_warps", "num_stages", "num_ctas", "maxnreg"})
        fields->erase(ignored);
    seen.push_back(textOf(config));
    first.push_back(llvm::find(seen, seen.back()) - seen.begin());
  }
  return first;
}

std::string tuningFile(std::string_view kernel) { return std::string(kernel.substr(0, 150)) + ".autotune.json"; }

/// One number by itself, several as an array; what is no finite number is null.
static json::Value describeTimes(llvm::ArrayRef<double> times) {
  auto describe = [](double time) { return std::isfinite(time) ? json::Value(time) : json::Value(nullptr); };
  if (times.size() == 1)
    return describe(times[0]);
  return json::Array(llvm::map_range(times, describe));
}

static std::optional<double> readTime(const json::Value &time) {
  return time.kind() == json::Value::Null ? std::numeric_limits<double>::infinity() : time.getAsNumber();
}

static std::optional<std::vector<double>> readTimes(const json::Value &value) {
  std::vector<double> times;
  const json::Array *several = value.getAsArray();
  for (size_t index = 0; index < (several ? several->size() : 1); ++index) {
    std::optional<double> time = readTime(several ? (*several)[index] : value);
    if (!time)
      return std::nullopt;
    times.push_back(*time);
  }
  return times;
}

std::optional<std::string> describeTuning(std::string_view question, std::span<const std::vector<double>> timings,
                                          std::string_view code) {
  std::optional<json::Value> parsed = artifact::parseJson(question);
  json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  const json::Array *configs = object ? object->getArray("configs") : nullptr;
  if (!configs || configs->size() != timings.size())
    return std::nullopt;
  json::Array pairs;
  for (const auto &[config, times] : llvm::zip(*configs, timings))
    pairs.push_back(json::Array{config, describeTimes(times)});
  const json::Value *key = object->get("key");
  return textOf(json::Object{{"key", key ? *key : json::Value(nullptr)},
                             {"configs_timings", std::move(pairs)},
                             {"code", llvm::StringRef(code)}});
}

std::optional<KeptTuning> readTuning(std::string_view text) {
  std::optional<json::Value> parsed = artifact::parseJson(text);
  const json::Object *object = parsed ? parsed->getAsObject() : nullptr;
  const json::Array *pairs = object ? object->getArray("configs_timings") : nullptr;
  if (!pairs)
    return std::nullopt;
  KeptTuning kept;
  kept.code = object->getString("code").value_or("").str();
  for (const json::Value &pair : *pairs) {
    const json::Array *parts = pair.getAsArray();
    auto times = parts && parts->size() == 2 && (*parts)[0].getAsObject() ? readTimes((*parts)[1]) : std::nullopt;
    if (!times || times->empty())
      return std::nullopt;
    kept.timings.push_back({textOf((*parts)[0]), std::move(*times)});
  }
  return kept;
}

std::string codeDigest(std::string_view code) {
  auto file = llvm::object::ELF64LEObjectFile::create(llvm::MemoryBufferRef(code, "code"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return sha256Hex(code);
  }
  std::string text;
  for (const llvm::object::ELFSectionRef section : file->sections()) {
    if (!(section.getFlags() & llvm::ELF::SHF_ALLOC) || section.isBSS())
      continue;
    llvm::Expected<llvm::StringRef> name = section.getName(), content = section.getContents();
    if (!name || !content) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(content.takeError());
      return sha256Hex(code);
    }
    text += (*name + ":" + llvm::Twine(content->size()) + ":" + *content).str();
  }
  return sha256Hex(text);
}

static Problem toProblem(llvm::Error error) { return {"RuntimeError", llvm::toString(std::move(error))}; }

std::variant<std::string, Problem> deviceModel(std::string_view backend, int device) {
  if (backend != "cuda" && backend != "hip") {
    const char *limit = std::getenv("TRITON_CPU_MAX_THREADS");
    return (llvm::sys::getHostCPUName() + "; " + llvm::Twine(std::thread::hardware_concurrency()) + " processors; " +
            (limit ? limit : ""))
        .str();
  }
  auto driver = gpuDriver(backend);
  if (!driver)
    return toProblem(driver.takeError());
  auto found = driver->properties(device);
  if (!found)
    return toProblem(found.takeError());
  return (found->name + "; " + found->architecture + "; " + llvm::Twine(found->multiprocessors) + " multiprocessors; " +
          llvm::Twine(found->memoryBusWidth) + " bits")
      .str();
}

} // namespace triton::dispatch
