// The profiler for host languages: errors as values.
#include <triton/embed_profiler.h>

#include "embed/Result.h"
#include "runtime/gpu/Memory.h"
#include "runtime/profiler/Cupti.h"
#include "runtime/profiler/Profiler.h"

namespace triton::embed {

namespace profiler = runtime::profiler;

static std::vector<profiler::Metric> toRuntime(ProfilerMetrics metrics) {
  std::vector<profiler::Metric> out;
  for (const auto &[name, value] : metrics)
    out.push_back({name, value});
  return out;
}
/// One of several by its name.
template <typename T>
static Result<T> named(llvm::StringRef name, std::initializer_list<std::pair<const char *, T>> all) {
  for (auto [text, value] : all)
    if (name == text)
      return value;
  return Error{"ValueError", "'" + name.str() + "' is not available"};
}
static Result<profiler::Format> formatOf(ProfilerFormat name) {
  using profiler::Format;
  return named<Format>(name, {{"hatchet", Format::Hatchet},
                              {"hatchet_msgpack", Format::HatchetMsgpack},
                              {"chrome_trace", Format::ChromeTrace}});
}

Result<int> profilerStart(const ProfilerOptions &options, const std::vector<std::string> &libraries) {
  using profiler::Source;
  auto source = named<Source>(options.source,
                              {{"cpu", Source::Host}, {"cupti", Source::Cupti}, {"instrumentation", Source::Records}});
  if (auto *error = std::get_if<Error>(&source))
    return *error;
  return toResult(profiler::start({.name = options.name,
                                   .source = std::get<Source>(source),
                                   .mode = options.mode,
                                   .hasStacks = options.hasStacks,
                                   .hasOperations = options.hasOperations,
                                   .isTrace = options.isTrace},
                                  libraries));
}

std::optional<Error> profilerSetActive(int session, bool isActive) {
  return toOptional(profiler::setActive(session, isActive), "ValueError");
}

std::vector<int> profilerSessions() { return profiler::sessions(); }

std::optional<Error> profilerFinish(int session, const std::string &path, ProfilerFormat format) {
  auto known = formatOf(format);
  if (auto *error = std::get_if<Error>(&known))
    return *error;
  return toOptional(profiler::finish(session, path, std::get<profiler::Format>(known)));
}

std::optional<Error> profilerFlush(int session) { return toOptional(profiler::flush(session)); }

Result<int> profilerAdvancePhase(int session) { return toResult(profiler::advancePhase(session)); }

Result<bool> profilerIsPhaseComplete(int session, int phase) {
  return toResult(profiler::isPhaseComplete(session, phase));
}

std::optional<Error> profilerClear(int session, int phase, bool upTo) {
  return toOptional(profiler::clearPhase(session, phase, upTo));
}

Result<std::string> profilerData(int session, int phase, ProfilerFormat format) {
  auto known = formatOf(format);
  if (auto *error = std::get_if<Error>(&known))
    return *error;
  return toResult(profiler::phaseData(session, phase, std::get<profiler::Format>(known)));
}

Result<int> profilerDepth(int session) { return toResult(profiler::contextDepth(session), "ValueError"); }

Result<std::string> profilerReadMemory(uint64_t address, size_t bytes) {
  std::string out(bytes, '\0');
  if (llvm::Error error = runtime::gpu::readMemory(out.data(), address, bytes))
    return toError(std::move(error));
  return out;
}

std::optional<Error> profilerEnter(std::string_view name, ProfilerMetrics metrics, ProfilerScope kind, uint64_t id) {
  constexpr profiler::ScopeKind kinds[] = {profiler::ScopeKind::Scope, profiler::ScopeKind::TimedScope,
                                           profiler::ScopeKind::Operation};
  return toOptional(profiler::enterScope(name, toRuntime(metrics), kinds[int(kind)], id), "ValueError");
}

std::optional<Error> profilerAddMetrics(uint64_t id, ProfilerMetrics metrics) {
  return toOptional(profiler::addMetrics(id, toRuntime(metrics)), "ValueError");
}

std::optional<Error> profilerLeave(std::optional<std::string_view> name, ProfilerMetrics metrics) {
  std::optional<llvm::StringRef> text;
  if (name)
    text = *name;
  return toOptional(profiler::leaveScope(text, toRuntime(metrics)), "ValueError");
}

void profilerLeaveOperation() { profiler::leaveOperation(); }

std::string profilerSetMark(std::string name) { return profiler::setMark(std::move(name)); }

std::string profilerCuptiLibrary() { return profiler::Cupti::library(); }

std::optional<Error> profilerAddRecords(const ProfilerRecords &records, std::span<const uint8_t> buffer) {
  auto found =
      profiler::readRecords({buffer.data(), buffer.size()}, {records.sliceBytes, records.units, records.is32Bit},
                            records.scopes, records.nanosecondsPerCycle);
  if (!found)
    return toError(found.takeError());
  profiler::addRecords(profiler::placesOf(profiler::Source::Records), records.kernel, *found);
  return std::nullopt;
}

void profilerSetStackReader(std::vector<std::string> (*reader)()) { profiler::setStackReader(reader); }

} // namespace triton::embed
