#include "runtime/profiler/Profiler.h"

#include "runtime/profiler/Cupti.h"

#include "llvm/Support/FileSystem.h"

#include <algorithm>
#include <chrono>
#include <mutex>

namespace triton::runtime::profiler {

std::atomic<bool> measuresHost = false;

namespace {

struct Frame {
  std::string name;
  ScopeKind kind;
  uint64_t begin, beginSteady;
  std::vector<std::string> stack; // the host language's, when it was entered; empty if no session wants it
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
      (session->options.source == Source::Host ? host : cupti) = true;
    }
    isAnyActive = isAny;
    wantsStacks = stacks;
    measuresHost = host;
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
  return llvm::createStringError("there is no session " + llvm::Twine(session) +
                                 ": it was never started, or is finalized");
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

llvm::Error finish(int number, const std::string &path) {
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
  llvm::raw_fd_ostream file(path, code, llvm::sys::fs::OF_Text);
  if (code)
    return llvm::joinErrors(std::move(problem),
                            llvm::createStringError("cannot write '" + path + "': " + code.message()));
  (session->options.isTrace ? writeChromeTrace : writeHatchet)(*session, file);
  return problem;
}

void setStackReader(StackReader reader) { Registry::get().stackReader = reader; }

/// Walks down from the root along the frames of a thread. A scope stands below the functions that ran when it was entered; below it come those
/// that run now, from the one that entered it on. Ends at the frame `last`; null: where a kernel belongs.
static ContextNode &descend(Session &session, const ThreadState &thread, llvm::ArrayRef<std::string> stack,
                            const Frame *last, bool &isOperation) {
  ContextNode *node = &session.root;
  size_t begin = 0;
  auto appendStack = [&](llvm::ArrayRef<std::string> functions) {
    if (!session.options.hasStacks || functions.empty())
      return;
    for (size_t index = begin; index < functions.size(); ++index)
      node = &node->child(functions[index]);
    begin = functions.size() - 1;
  };
  isOperation = false;
  for (const Frame &frame : thread.frames) {
    bool isLaunch = frame.kind == ScopeKind::Operation;
    if (isLaunch && !session.options.hasOperations)
      continue;
    appendStack(frame.stack);
    if (isLaunch && !thread.mark.empty())
      node = &node->child(thread.mark);
    node = &node->child(frame.name);
    isOperation = isLaunch;
    if (&frame == last)
      return *node;
  }
  if (!isOperation) {
    appendStack(stack);
    if (!thread.mark.empty())
      node = &node->child(thread.mark);
  }
  return *node;
}

/// To the node of a frame of the thread.
static void addMetrics(Registry &registry, const ThreadState &thread, const Frame &frame, Metrics metrics) {
  std::lock_guard lock(registry.mutex);
  for (auto &[number, session] : registry.sessions) {
    if (!session->isActive || (frame.kind == ScopeKind::Operation && !session->options.hasOperations))
      continue;
    bool isOperation = false;
    ContextNode &node = descend(*session, thread, {}, &frame, isOperation);
    for (const auto &[name, value] : metrics)
      node.addMetric(name, value);
  }
}

/// A frame that is being left, in traces.
static void addEvent(Registry &registry, const ThreadState &thread, const Frame &frame) {
  uint64_t nanoseconds = nowSteady() - frame.beginSteady;
  std::lock_guard lock(registry.mutex);
  for (auto &[number, session] : registry.sessions)
    if (session->isActive && session->options.isTrace)
      session->events.push_back({frame.name, "scope", "host", thread.number, frame.begin, nanoseconds});
}

void enterScope(llvm::StringRef name, Metrics metrics, ScopeKind kind) {
  Registry &registry = Registry::get();
  ThreadState &state = thread();
  leaveOperation(); // one that is still there is a launch that failed
  state.frames.push_back({name.str(), kind, now(), nowSteady(), registry.readStack()});
  if (registry.isAnyActive && !metrics.empty())
    addMetrics(registry, state, state.frames.back(), metrics);
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
  if (registry.isAnyActive) {
    if (!metrics.empty())
      addMetrics(registry, state, frame, metrics);
    if (frame.kind == ScopeKind::TimedScope)
      addMetrics(registry, state, frame, {{"cpu_time (ns)", double(nanoseconds)}});
    addEvent(registry, state, frame);
  }
  state.frames.erase(std::next(found).base());
  return llvm::Error::success();
}

void leaveRange() {
  ThreadState &state = thread();
  auto isRange = [](const Frame &frame) { return frame.kind == ScopeKind::Range; };
  auto found = std::find_if(state.frames.rbegin(), state.frames.rend(), isRange);
  if (found == state.frames.rend())
    return;
  addEvent(Registry::get(), state, *found);
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
    bool isOperation = false;
    ContextNode &node = descend(*session, state, stack, nullptr, isOperation);
    places.push_back({session, &node, isOperation});
  }
  return places;
}

void addKernel(const Places &places, const KernelTime &time) {
  std::lock_guard lock(Registry::get().mutex);
  for (const auto &[session, node, isOperation] : places) {
    ContextNode &kernel = isOperation ? *node : node->child(time.name);
    kernel.addKernel(time.device, time.nanoseconds);
    session->devices.insert(time.device);
    if (!session->options.isTrace)
      continue;
    std::string process = time.device.kind == DeviceKind::Cuda ? "CUDA " + std::to_string(time.device.index) : "CPU";
    session->events.push_back({kernel.name(), "kernel", std::move(process), time.track, time.begin, time.nanoseconds});
  }
}

HostLaunch::HostLaunch(llvm::StringRef name)
    : name(name.str()), places(placesOf(Source::Host)), begin(now()), beginSteady(nowSteady()) {}

HostLaunch::~HostLaunch() {
  uint64_t nanoseconds = nowSteady() - beginSteady;
  addKernel(places, {name, {DeviceKind::Cpu, 0}, thread().number, begin, nanoseconds});
}

} // namespace triton::runtime::profiler
