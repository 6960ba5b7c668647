// Feeds broken programs to a part of the compiler, and reports each that crashes it or hangs it.
//   triton-fuzz TARGET [--seconds=60] [--jobs=1] [--seed=1] [--hang=20] --out=DIR CORPUS…
//   triton-fuzz TARGET --run FILE…         each file once, in this process
//   triton-fuzz TARGET --count=N CORPUS…   the first N texts, in this process: the same in every run of the tests
//   triton-fuzz TARGET --make=N CORPUS…    prints the text of that number
// A worker process goes through the numbers. Before it runs a text it notes, where its parent can read it, the number and the text; when it
// dies, or stays at one number too long, the parent saves that text in DIR with what the worker said at last, and starts another worker after it.
// Of crashes with the same last words a few are kept. The seconds count from the start of the program: what it needs to read its corpus is part of
// them, and no worker outlives it.
#include "test/fuzz/Fuzz.h"
#include "test/fuzz/Mutator.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <execinfo.h>
#include <fcntl.h>
#include <map>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
using triton::fuzz::Mutator;

static cl::opt<std::string> targetName(cl::Positional, cl::Required,
                                       cl::desc("parser|frontend|signature|ir|gpu-ir|passes|ptx|amdgcn"));
static cl::list<std::string> inputs(cl::Positional, cl::desc("files"));
static cl::opt<unsigned> seconds("seconds", cl::init(60));
static cl::opt<unsigned> jobs("jobs", cl::init(1));
static cl::opt<uint64_t> seed("seed", cl::init(1));
static cl::opt<unsigned> hang("hang", cl::init(20), cl::desc("seconds of computing that one text may take"));
static cl::opt<std::string> out("out", cl::init("."), cl::desc("folder for what fails"));
static cl::opt<int64_t> makeOnly("make", cl::init(-1), cl::desc("print the text of this number"));
static cl::opt<uint64_t> count("count", cl::init(0), cl::desc("run this many texts in this process"));
static cl::opt<bool> runOnly("run", cl::desc("run the files themselves"));

namespace {
// What a worker says about itself.
struct Progress {
  std::atomic<uint64_t> number;
  std::atomic<int64_t> since;    // when it began this number, in seconds
  std::atomic<int64_t> computed; // how long it had computed by then
  std::atomic<uint64_t> accepted;
};

struct Worker {
  pid_t process = 0;
  Progress *progress = nullptr;
  uint64_t next = 0; // the number to start at
  int words = -1;    // a file that its standard error goes to
  int text = -1;     // a file that holds the text it is at
};
} // namespace

static int64_t read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec;
}

static int64_t now() { return read(CLOCK_MONOTONIC); }

static const int64_t started = now();

/// On a busy machine time passes while nothing happens, so what counts is time on a processor; but a worker that sleeps hangs too.
static bool hangs(const Worker &worker) {
  clockid_t clock;
  const bool known = clock_getcpuclockid(worker.process, &clock) == 0;
  return (known && read(clock) - worker.progress->computed > hang) || now() - worker.progress->since > 20 * hang;
}

static std::string readAll(const std::string &path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  if (!buffer) {
    llvm::errs() << "triton-fuzz: cannot read " << path << ": " << buffer.getError().message() << "\n";
    exit(2);
  }
  return (*buffer)->getBuffer().str();
}

static uint64_t current = 0; // the number of the text that runs in this process

/// Says where a crash is, as the compiler's own handler does not: addresses in the program, which are the same for the same defect.
static void sayWhere(int signal) {
  dprintf(STDERR_FILENO, "text number %llu\n", static_cast<unsigned long long>(current));
  void *frames[48];
  backtrace_symbols_fd(frames, backtrace(frames, std::size(frames)), STDERR_FILENO);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

static void watchCrashes() {
  static char stack[1 << 16]; // a crash may be one for want of stack
  const stack_t alternative{.ss_sp = stack, .ss_flags = 0, .ss_size = sizeof(stack)};
  sigaltstack(&alternative, nullptr);
  struct sigaction action{};
  action.sa_handler = sayWhere;
  action.sa_flags = SA_ONSTACK | SA_NODEFER;
  for (int signal : {SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGSEGV})
    sigaction(signal, &action, nullptr);
}

static void clear(int file) { (void)(ftruncate(file, 0) + lseek(file, 0, SEEK_SET)); }

[[noreturn]] static void work(const triton::fuzz::Target &target, const Mutator &mutator, Worker &worker) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  dup2(open("/dev/null", O_WRONLY), 1);
  dup2(worker.words, 2);
  watchCrashes();
  // A text that eats the machine's memory fails instead.
  const rlimit memory{4ull << 30, 4ull << 30};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  // A fresh process now and then, in case something accumulates.
  for (uint64_t number = worker.next, last = number + 2000 * jobs; number < last; number += jobs) {
    worker.progress->since = now();
    worker.progress->computed = read(CLOCK_PROCESS_CPUTIME_ID);
    worker.progress->number = number;
    clear(worker.words);
    clear(worker.text);
    current = number;
    const std::string text = mutator.make(number);
    (void)!write(worker.text, text.data(), text.size());
    worker.progress->accepted += target.run(text);
  }
  _exit(0);
}

static std::string contentOf(int file, size_t most) {
  std::string content(most, ' ');
  const ssize_t length = pread(file, content.data(), content.size(), 0);
  content.resize(std::max<ssize_t>(length, 0));
  return content;
}

/// The last words of a worker that died, and what of them is the same for the same defect.
static std::pair<std::string, std::string> lastWords(const Worker &worker) {
  const std::string text = contentOf(worker.words, 1 << 16);
  std::string key;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.contains("Assertion") || line.contains("LLVM ERROR") || line.contains("UNREACHABLE"))
      return {text, line.str()};
  unsigned frames = 0;
  for (llvm::StringRef line : llvm::split(text, '\n'))
    if (line.contains("triton-fuzz(") && ++frames > 1 && frames < 5) // the first is the handler
      key += line.split('(').second.split(')').first.str();
  return {text, key};
}

/// Which texts failed for which reason, so that a defect that many texts meet does not hide others.
class Findings {
public:
  void add(const Worker &worker, uint64_t number, const std::string &what) {
    auto [words, key] = lastWords(worker);
    ++count;
    if (constexpr unsigned kept = 3; ++byReason[what + key] > kept)
      return;
    const std::string path =
        (out + "/" + targetName + "-" + llvm::Twine(seed) + "-" + llvm::Twine(number) + ".txt").str();
    std::error_code error;
    llvm::raw_fd_ostream(path, error) << contentOf(worker.text, 1 << 24);
    llvm::raw_fd_ostream(path + ".log", error) << what << '\n' << words;
    llvm::outs() << "FOUND " << what << ": " << path << ": " << key << "\n";
    llvm::outs().flush();
  }
  unsigned count = 0;
  std::map<std::string, unsigned> byReason;
};

static std::vector<std::string> readCorpus() {
  std::vector<std::string> texts;
  for (const std::string &path : inputs) {
    // As mlir-opt does: a file of IR tests holds several texts.
    llvm::SmallVector<llvm::StringRef> parts;
    const std::string text = readAll(path);
    llvm::StringRef(text).split(parts, "// -----");
    texts.insert(texts.end(), parts.begin(), parts.end());
  }
  if (texts.empty()) {
    llvm::errs() << "triton-fuzz: no files to start from\n";
    exit(2);
  }
  return texts;
}

static int fuzz(const triton::fuzz::Target &target, const Mutator &mutator) {
  auto *shared = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress) * jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<Worker> workers(jobs);
  auto start = [&](Worker &worker) {
    worker.progress->since = now();
    worker.progress->computed = 0;
    worker.progress->number = worker.next;
    worker.process = fork();
    if (worker.process == 0)
      work(target, mutator, worker);
  };
  for (unsigned i = 0; i < jobs; ++i) {
    workers[i].progress = &shared[i];
    workers[i].next = i;
    workers[i].words = memfd_create("words", MFD_CLOEXEC);
    workers[i].text = memfd_create("text", MFD_CLOEXEC);
    start(workers[i]);
  }

  Findings found;
  uint64_t done = 0, accepted = 0;
  const int64_t end = started + seconds;
  for (int64_t said = now(); now() < end; usleep(20000)) {
    done = accepted = 0;
    for (Worker &worker : workers) {
      const uint64_t number = worker.progress->number;
      done += number / jobs;
      accepted += worker.progress->accepted;
      int status = 0;
      const bool ended = waitpid(worker.process, &status, WNOHANG) == worker.process;
      if (ended && WIFSIGNALED(status)) {
        found.add(worker, number, std::string("crash (") + strsignal(WTERMSIG(status)) + ")");
      } else if (ended && WEXITSTATUS(status) != 0) {
        found.add(worker, number, "exit with " + std::to_string(WEXITSTATUS(status)));
      } else if (!ended && hangs(worker)) {
        kill(worker.process, SIGKILL);
        waitpid(worker.process, &status, 0);
        found.add(worker, number, "hang");
      } else if (!ended) {
        continue;
      }
      worker.next = number + jobs;
      start(worker);
    }
    if (now() - said >= 30) {
      said = now();
      llvm::outs() << targetName << ": " << done << " texts, " << accepted << " accepted, " << found.count << " found, "
                   << end - now() << " s left\n";
      llvm::outs().flush();
    }
  }
  for (Worker &worker : workers) {
    kill(worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
  }
  llvm::outs() << targetName << ": " << done << " texts in " << now() - started << " s, " << accepted << " accepted, "
               << found.count << " crashes or hangs for " << found.byReason.size() << " reasons\n";
  return found.count ? 1 : 0;
}

/// Of texts that all break at the same place only the start is tested: some must be accepted.
static int runFirst(const triton::fuzz::Target &target, const Mutator &mutator) {
  watchCrashes();
  uint64_t accepted = 0;
  for (current = 0; current < count; ++current)
    accepted += target.run(mutator.make(current));
  llvm::outs() << targetName << ": " << count << " texts, " << accepted << " accepted\n";
  return accepted > 0 ? 0 : 1;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "feeds broken programs to the compiler\n");
  const triton::fuzz::Target target = triton::fuzz::findTarget(targetName);
  if (!target.run) {
    llvm::errs() << "triton-fuzz: no target '" << targetName
                 << "': parser, frontend, signature, ir, gpu-ir, passes, ptx or amdgcn\n";
    return 2;
  }
  if (runOnly) {
    for (const std::string &path : inputs)
      target.run(readAll(path));
    return 0;
  }
  const std::vector<std::string> corpus = readCorpus();
  const std::unique_ptr<triton::fuzz::Grammar> grammar = target.grammar ? target.grammar(corpus) : nullptr;
  const Mutator mutator(corpus, seed, grammar.get());
  if (count > 0)
    return runFirst(target, mutator);
  if (makeOnly < 0)
    return fuzz(target, mutator);
  llvm::outs() << mutator.make(makeOnly);
  return 0;
}
