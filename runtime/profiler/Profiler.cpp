#include "runtime/profiler/Profiler.h"

#include "runtime/profiler/Cupti.h"
#include "runtime/simulated/Simulation.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace triton::runtime::profiler {

std::atomic<bool> measuresHost = false;

/// Launches on a simulated GPU are the host's; what kernels note of themselves comes as from a GPU.
static constexpr simulated::LaunchWatch simulatedLaunches{
    [](llvm::StringRef kernel) -> void * { return new HostLaunch(kernel, /*takesNotes=*/false); },
    [](void *launch) { delete static_cast<HostLaunch *>(launch); }};

namespace {

struct Frame {
  std::string name;
  ScopeKind kind;
  uint64_t begin, beginSteady;
  std::vector<std::string> stack; // the host language's, when it was entered; empty if no session wants it
  uint64_t id = 0;                // that the program knows it by; 0: none
};

struct ThreadState {
  std::vector<Frame> frames;
  std::string mark;
  const uint64_t number = nextNumber++;
  static inline std::atomic<uint64_t> nextNumber = 0;
};

/// Never destroyed: kernels may end while the process does.
struct Registry {
  std::mutex mutex; // never held while the host language is asked for something
  std::map<int, std::shared_ptr<Session>> sessions;
  int nextSession = 0;
  std::atomic<StackReader> stackReader = nullptr;
  std::atomic<bool> isAnyActive = false, wantsStacks = false;

  static Registry &get() {
    static auto *registry = new Registry;
    return *registry;
  }

  /// Called with the lock, when sessions have come, gone or changed.
  void refresh() {
    bool isAny = false, stacks = false, host = false, cupti = false;
    for (const auto &[number, session] : sessions) {
      if (!session->isActive)
        continue;
      isAny = true;
      stacks |= session->options.hasStacks;
      (session->options.source == Source::Cupti ? cupti : host) = true;
    }
    isAnyActive = isAny;
    wantsStacks = stacks;
    measuresHost = host;
    simulated::watchLaunches(host ? &simulatedLaunches : nullptr);
    Cupti::setMeasuring(cupti);
  }

  std::vector<std::string> readStack() const {
    StackReader reader = wantsStacks ? stackReader.load() : nullptr;
    return reader ? reader() : std::vector<std::string>();
  }
};

} // namespace

static ThreadState &thread() {
  static thread_local ThreadState state;
  return state;
}

static uint64_t now() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::system_clock::now().time_since_epoch()).count());
}
static uint64_t nowSteady() {
  return uint64_t(std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count());
}

static llvm::Error unknown(int session) {
  return llvm::createStringError("Session has not been initialized: " + llvm::Twine(session) +
                                 " (there is no session " + llvm::Twine(session) +
                                 ": it was never started, or is finalized)");
}

llvm::Expected<int> start(SessionOptions options, llvm::ArrayRef<std::string> libraries) {
  Registry &registry = Registry::get();
  {
    std::lock_guard lock(registry.mutex);
    for (auto &[number, session] : registry.sessions)
      if (session->options.name == options.name) {
        if (session->options != options)
          return llvm::createStringError("session " + llvm::Twine(number) + " writes '" + options.name +
                                         "' and was started with other options: finalize it first");
        session->isActive = true;
        registry.refresh();
        return number;
      } else if (session->options.source == options.source && session->options.mode != options.mode) {
        return llvm::createStringError("Cannot add a session with the same profiler but a different mode than existing "
                                       "sessions: session " +
                                       llvm::Twine(number) + " has mode '" + session->options.mode +
                                       "', the new one '" + options.mode + "'");
      }
  }
  if (options.source == Source::Cupti)
    if (llvm::Error error = Cupti::begin(libraries))
      return error;
  std::lock_guard lock(registry.mutex);
  int number = registry.nextSession++;
  registry.sessions.emplace(number, std::make_shared<Session>(std::move(options)));
  registry.refresh();
  return number;
}

llvm::Error setActive(int number, bool isActive) {
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  auto found = registry.sessions.find(number);
  if (found == registry.sessions.end())
    return unknown(number);
  found->second->isActive = isActive;
  registry.refresh();
  return llvm::Error::success();
}

std::vector<int> sessions() {
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  std::vector<int> numbers;
  for (const auto &[number, session] : registry.sessions)
    numbers.push_back(number);
  return numbers;
}

llvm::Error finish(int number, const std::string &path, Format format) {
  Registry &registry = Registry::get();
  std::shared_ptr<Session> session;
  {
    std::lock_guard lock(registry.mutex);
    auto found = registry.sessions.find(number);
    if (found == registry.sessions.end())
      return unknown(number);
    session = std::move(found->second);
    registry.sessions.erase(found);
    registry.refresh();
  }
  // Without the lock: records of kernels that have just ended come in meanwhile.
  llvm::Error problem = llvm::Error::success();
  if (session->options.source == Source::Cupti)
    problem = Cupti::end();
  std::lock_guard lock(registry.mutex);
  std::error_code code;
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::OF_None);
  if (code)
    return llvm::joinErrors(std::move(problem),
                            llvm::createStringError("cannot write '" + path + "': " + code.message()));
  write(session->phase(), format, file);
  return problem;
}

/// Calls `use` with the session, under the lock.
template <typename Use> static auto withSession(int number, Use use) -> decltype(use(std::declval<Session &>())) {
  Registry &registry = Registry::get();
  std::lock_guard lock(registry.mutex);
  auto found = registry.sessions.find(number);
  if (found == registry.sessions.end())
    return unknown(number);
  return use(*found->second);
}

llvm::Error flush(int number) {
  llvm::Expected<Source> source =
      withSession(number, [](Session &session) -> llvm::Expected<Source> { return session.options.source; });
  if (!source)
    return source.takeError();
  if (*source == Source::Cupti)
    if (llvm::Error error = Cupti::flush())
      return error;
  return withSession(number, [](Session &session) -> llvm::Error {
    for (auto &[phase, data] : session.phases)
      data->isFlushed |= phase < session.currentPhase;
    return llvm::Error::success();
  });
}

llvm::Expected<int> advancePhase(int number) {
  return withSession(number, [](Session &session) -> llvm::Expected<int> {
    session.phases.emplace(++session.currentPhase, std::make_shared<Phase>());
    return session.currentPhase;
  });
}

llvm::Expected<bool> isPhaseComplete(int number, int phase) {
  return withSession(number, [&](Session &session) -> llvm::Expected<bool> {
    if (phase < 0 || phase >= session.currentPhase)
      return false;
    auto found = session.phases.find(phase);
    // A launch that is still to be measured holds the phase it belongs to.
    return found == session.phases.end() || found->second->isFlushed || found->second.use_count() == 1;
  });
}

llvm::Error clearPhase(int number, int phase, bool upTo) {
  return withSession(number, [&](Session &session) -> llvm::Error {
    for (int index = upTo ? 0 : phase; index <= phase; ++index)
      if (index == session.currentPhase)
        session.phases[index] = std::make_shared<Phase>();
      else
        session.phases.erase(index);
    return llvm::Error::success();
  });
}

llvm::Expected<std::string> phaseData(int number, int phase, Format format) {
  return withSession(number, [&](Session &session) -> llvm::Expected<std::string> {
    auto found = session.phases.find(phase);
    if (found == session.phases.end())
      return llvm::createStringError("phase " + llvm::Twine(phase) + " of session " + llvm::Twine(number) +
                                     " has no data: it has not begun, or was cleared");
    std::string text;
    llvm::raw_string_ostream stream(text);
    write(*found->second, format, stream);
    return text;
  });
}

llvm::Expected<int> contextDepth(int number) {
  Registry &registry = Registry::get();
  std::vector<std::string> stack = registry.readStack();
  return withSession(number, [&](Session &session) -> llvm::Expected<int> {
    return int(thread().frames.size() + (session.options.hasStacks ? stack.size() : 0));
  });
}

void setStackReader(StackReader reader) { Registry::get().stackReader = reader; }

namespace {

/// A way down from the root of a phase; without a phase, its names alone.
struct Descent {
  ContextNode *node;
  std::vector<std::string> path;
  bool isOperation = false;
  explicit Descent(Phase *phase) : node(phase ? &phase->root : nullptr), path{"ROOT"} {}
  void go(llvm::StringRef name) {
    if (node)
      node = &node->child(name);
    path.push_back(name.str());
  }
};

} // namespace

/// Walks down from the root along the frames of a thread. A scope stands below the functions that ran when it was entered; below it come those
/// that run now, from the one that entered it on. Ends at the frame `last` and the thread's mark; null: where a kernel belongs.
static Descent descend(Session &session, const ThreadState &thread, llvm::ArrayRef<std::string> stack,
                       const Frame *last, bool makesNodes = true) {
  Descent descent(makesNodes ? &session.phase() : nullptr);
  size_t begin = 0;
  auto appendStack = [&](llvm::ArrayRef<std::string> functions) {
    if (!session.options.hasStacks || functions.empty())
      return;
    for (size_t index = begin; index < functions.size(); ++index)
      descent.go(functions[index]);
    begin = functions.size() - 1;
  };
  for (const Frame &frame : thread.frames) {
    bool isLaunch = frame.kind == ScopeKind::Operation;
    if (isLaunch && !session.options.hasOperations)
      continue;
    appendStack(frame.stack);
    if (isLaunch && !thread.mark.empty())
      descent.go(thread.mark);
    descent.go(frame.name);
    descent.isOperation = isLaunch;
    if (&frame == last) {
      if (!isLaunch && !thread.mark.empty())
        descent.go(thread.mark);
      return descent;
    }
  }
  if (!descent.isOperation) {
    appendStack(stack);
    if (!thread.mark.empty())
      descent.go(thread.mark);
  }
  return descent;
}

static bool isWanted(const Session &session, ScopeKind kind) {
  return session.isActive && (kind != ScopeKind::Operation || session.options.hasOperations);
}

/// Whether each metric has the type that it had before, in every session that would take it; new ones are noted. Called with the lock.
static llvm::Error checkTypes(Registry &registry, ScopeKind kind, Metrics metrics) {
  for (auto &[number, session] : registry.sessions) {
    if (!isWanted(*session, kind))
      continue;
    for (const Metric &metric : metrics) {
      const MetricName name(metric.name);
      if (name.isProperty)
        continue; // is set anew
      MetricValue value = asStored(name.text, metric.value);
      auto &types = session->metricTypes;
      auto known = std::find_if(types.begin(), types.end(), [&](const auto &type) { return type.first == name.text; });
      if (known == types.end())
        types.emplace_back(name.text, std::move(value));
      else if (known->second.index() != value.index())
        return llvm::createStringError("Metric value type mismatch for valueId " + llvm::Twine(known - types.begin()) +
                                       " (" + name.text + "): current=" + typeName(known->second) +
                                       ", new=" + typeName(value));
    }
  }
  return llvm::Error::success();
}

/// To the node of a frame of the thread.
static void addMetrics(Registry &registry, const ThreadState &thread, const Frame &frame, Metrics metrics) {
  std::lock_guard lock(registry.mutex);
  for (auto &[number, session] : registry.sessions) {
    if (!isWanted(*session, frame.kind))
      continue;
    ContextNode &node = *descend(*session, thread, {}, &frame).node;
    for (const Metric &metric : metrics) {
      const MetricName name(metric.name);
      const MetricValue value = asStored(name.text, metric.value);
      node.addMetric(name, value);
      if (!name.isExclusive && !name.isProperty && !std::holds_alternative<std::string>(value))
        session->phase().inclusive.insert(name.text);
    }
  }
}

llvm::Error enterScope(llvm::StringRef name, Metrics metrics, ScopeKind kind, uint64_t id) {
  Registry &registry = Registry::get();
  ThreadState &state = thread();
  leaveOperation(); // one that is still there is a launch that failed
  const bool hasMetrics = registry.isAnyActive && !metrics.empty();
  if (hasMetrics && kind != ScopeKind::Operation) { // a launch must not fail for what it says of itself
    std::lock_guard lock(registry.mutex);
    if (llvm::Error error = checkTypes(registry, kind, metrics))
      return error;
  }
  state.frames.push_back({name.str(), kind, now(), nowSteady(), registry.readStack(), id});
  if (hasMetrics)
    addMetrics(registry, state, state.frames.back(), metrics);
  return llvm::Error::success();
}

llvm::Error addMetrics(uint64_t id, Metrics metrics) {
  Registry &registry = Registry::get();
  ThreadState &state = thread();
  auto found = llvm::find_if(state.frames, [&](const Frame &frame) { return frame.id == id; });
  if (!registry.isAnyActive || found == state.frames.end())
    return llvm::Error::success();
  {
    std::lock_guard lock(registry.mutex);
    if (llvm::Error error = checkTypes(registry, found->kind, metrics))
      return error;
  }
  addMetrics(registry, state, *found, metrics);
  return llvm::Error::success();
}

llvm::Error leaveScope(std::optional<llvm::StringRef> name, Metrics metrics) {
  leaveOperation();
  Registry &registry = Registry::get();
  ThreadState &state = thread();
  auto isScope = [](const Frame &frame) { return frame.kind != ScopeKind::Range; };
  auto found = std::find_if(state.frames.rbegin(), state.frames.rend(), isScope);
  if (found == state.frames.rend())
    return llvm::createStringError("a scope" + (name ? " '" + *name + "'" : llvm::Twine("")).str() +
                                   " is left, but this thread is in none");
  const Frame &frame = *found;
  if (name && *name != frame.name)
    return llvm::createStringError("scope '" + *name + "' is left, but '" + frame.name + "' was entered last");
  uint64_t nanoseconds = nowSteady() - frame.beginSteady;
  llvm::Error problem = llvm::Error::success();
  if (registry.isAnyActive) {
    if (!metrics.empty()) {
      std::lock_guard lock(registry.mutex);
      problem = checkTypes(registry, frame.kind, metrics);
    }
    if (!metrics.empty() && !problem)
      addMetrics(registry, state, frame, metrics);
    if (frame.kind == ScopeKind::TimedScope)
      addMetrics(registry, state, frame, Metric{"cpu_time (ns) (exc)", int64_t(nanoseconds)});
  }
  state.frames.erase(std::next(found).base());
  return problem;
}

void leaveRange() {
  ThreadState &state = thread();
  auto isRange = [](const Frame &frame) { return frame.kind == ScopeKind::Range; };
  auto found = std::find_if(state.frames.rbegin(), state.frames.rend(), isRange);
  if (found == state.frames.rend())
    return;
  state.frames.erase(std::next(found).base());
}

void leaveOperation() {
  ThreadState &state = thread();
  while (!state.frames.empty() && state.frames.back().kind == ScopeKind::Operation)
    state.frames.pop_back();
}

std::string setMark(std::string name) {
  std::swap(thread().mark, name);
  return name;
}

Places placesOf(Source source) {
  Registry &registry = Registry::get();
  Places places;
  if (!registry.isAnyActive)
    return places;
  std::vector<std::string> stack = registry.readStack();
  const ThreadState &state = thread();
  std::lock_guard lock(registry.mutex);
  for (auto &[number, session] : registry.sessions) {
    if (!session->isActive || session->options.source != source)
      continue;
    Descent descent = descend(*session, state, stack, nullptr);
    places.push_back({session, session->phases.at(session->currentPhase), descent.node, descent.isOperation,
                      std::move(descent.path)});
  }
  return places;
}

std::vector<Captured> capturedIn(Source source) {
  Registry &registry = Registry::get();
  std::vector<Captured> captured;
  std::vector<std::string> stack = registry.readStack();
  std::lock_guard lock(registry.mutex);
  for (auto &[number, session] : registry.sessions)
    if (session->isActive && session->options.source == source) {
      Descent descent = descend(*session, thread(), stack, nullptr, /*makesNodes=*/false);
      captured.push_back({session, std::move(descent.path), descent.isOperation});
    }
  return captured;
}

Places placesOfNode(const Places &launch, llvm::ArrayRef<Captured> captured) {
  std::lock_guard lock(Registry::get().mutex);
  Places places;
  for (const Place &place : launch)
    for (const Captured &at : captured) {
      if (at.session != place.session)
        continue;
      Place found = place;
      auto go = [&](const std::string &name) {
        found.node = &found.node->child(name);
        found.path.push_back(name);
      };
      go("<captured_at>");
      for (const std::string &name : llvm::drop_begin(at.path))
        go(name);
      found.isOperation = at.isOperation;
      places.push_back(std::move(found));
    }
  return places;
}

void addKernel(const Places &places, const KernelTime &time) {
  std::lock_guard lock(Registry::get().mutex);
  for (const auto &[session, phase, node, isOperation, path] : places) {
    ContextNode &kernel = isOperation ? *node : node->child(time.name);
    kernel.addKernel(time.device, time.nanoseconds);
    phase->devices.insert(time.device);
    phase->inclusive.insert({"count", "time (ns)"});
    if (!session->options.isTrace)
      continue;
    bool isCuda = time.device.kind == DeviceKind::Cuda;
    std::vector<std::string> callStack = path;
    if (!isOperation)
      callStack.push_back(kernel.name());
    phase->events.push_back({kernel.name(), "kernel", isCuda ? "CUDA " + std::to_string(time.device.index) : "CPU",
                             (isCuda ? "stream " : "thread ") + std::to_string(time.track), time.begin,
                             time.nanoseconds, std::move(callStack)});
  }
}

void addRecords(const Places &places, llvm::StringRef kernel, const KernelRecords &records) {
  std::lock_guard lock(Registry::get().mutex);
  auto inNanoseconds = [&](uint64_t ticks) { return uint64_t(double(ticks) * records.nanosecondsPerTick); };
  for (const auto &[session, phase, node, isOperation, path] : places) {
    ContextNode &top = isOperation ? *node : node->child(kernel);
    std::vector<std::string> callStack = path;
    if (!isOperation)
      callStack.push_back(kernel.str());
    for (const KernelUnit &unit : records.units)
      for (const KernelPart &part : unit.parts) {
        const std::string &scope = records.scopes[part.scope];
        if (session->options.isTrace) {
          phase->events.push_back(
              {scope, kernel.str(),
               kernel.str() + " Core" + std::to_string(unit.core) + " CTA" + std::to_string(unit.program),
               "warp " + std::to_string(unit.warp), unit.begin + inNanoseconds(part.begin),
               std::max<uint64_t>(inNanoseconds(part.ticks), 1), callStack});
          continue;
        }
        ContextNode *place = &top;
        for (uint32_t outer : part.outer)
          place = &place->child(records.scopes[outer]);
        place = &place->child(scope);
        place->addMetric(MetricName("cycles"), int64_t(part.ticks));
        place->addMetric(MetricName("normalized_cycles"), double(part.ticks) / double(records.units.size()));
      }
  }
}

HostLaunch::HostLaunch(llvm::StringRef name, bool takesNotes)
    : name(name.str()), places(placesOf(Source::Host)), recordPlaces(takesNotes ? placesOf(Source::Records) : Places()),
      begin(now()), beginSteady(nowSteady()) {}

HostLaunch::~HostLaunch() {
  uint64_t nanoseconds = nowSteady() - beginSteady;
  addKernel(places, {name, {DeviceKind::Cpu, 0}, thread().number, begin, nanoseconds});
  if (!recordPlaces.empty())
    addRecords(recordPlaces, name, itsRecorder.take());
}

} // namespace triton::runtime::profiler
