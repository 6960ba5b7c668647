// The profiler for host languages: errors as values.
#include <triton/embed_profiler.h>

#include "runtime/profiler/Cupti.h"
#include "runtime/profiler/Profiler.h"

namespace triton::embed {

namespace profiler = runtime::profiler;

static std::optional<Error> toOptional(llvm::Error error, const char *exception) {
  if (error)
    return Error{exception, llvm::toString(std::move(error))};
  return std::nullopt;
}
static profiler::Metrics toRuntime(ProfilerMetrics metrics) { return {metrics.data(), metrics.size()}; }

Result<int> profilerStart(const ProfilerOptions &options, const std::vector<std::string> &libraries) {
  auto session = profiler::start({.name = options.name,
                                  .source = options.usesCupti ? profiler::Source::Cupti : profiler::Source::Host,
                                  .hasStacks = options.hasStacks,
                                  .hasOperations = options.hasOperations,
                                  .isTrace = options.isTrace},
                                 libraries);
  if (!session)
    return Error{"RuntimeError", llvm::toString(session.takeError())};
  return *session;
}

std::optional<Error> profilerSetActive(int session, bool isActive) {
  return toOptional(profiler::setActive(session, isActive), "ValueError");
}

std::vector<int> profilerSessions() { return profiler::sessions(); }

std::optional<Error> profilerFinish(int session, const std::string &path) {
  return toOptional(profiler::finish(session, path), "RuntimeError");
}

void profilerEnter(std::string_view name, ProfilerMetrics metrics, ProfilerScope kind) {
  constexpr profiler::ScopeKind kinds[] = {profiler::ScopeKind::Scope, profiler::ScopeKind::TimedScope,
                                           profiler::ScopeKind::Operation};
  profiler::enterScope(name, toRuntime(metrics), kinds[int(kind)]);
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

void profilerSetStackReader(std::vector<std::string> (*reader)()) { profiler::setStackReader(reader); }

} // namespace triton::embed
