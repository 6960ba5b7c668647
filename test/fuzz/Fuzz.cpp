// Feeds broken programs to a part of the compiler, and reports each that crashes it or hangs it.
//   triton-fuzz TARGET [--seconds=60] [--jobs=1] [--seed=1] [--hang=10] --out=DIR CORPUS…     TARGET: parser, frontend,
//   ir triton-fuzz TARGET --run FILE…                                                            each file once, in
//   this process
// A worker process goes through the numbers and notes which one it is at in memory shared with its parent; when it
// dies, or stays at one number too long, the parent makes that number's text again, saves it in DIR, and starts another
// worker after it.
#include "test/fuzz/Fuzz.h"
#include "test/fuzz/Mutator.h"

#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <csignal>
#include <ctime>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace cl = llvm::cl;
using triton::fuzz::Mutator;

static cl::opt<std::string> targetName(cl::Positional, cl::Required, cl::desc("parser|frontend|ir"));
static cl::list<std::string> inputs(cl::Positional, cl::desc("files"));
static cl::opt<unsigned> seconds("seconds", cl::init(60));
static cl::opt<unsigned> jobs("jobs", cl::init(1));
static cl::opt<uint64_t> seed("seed", cl::init(1));
static cl::opt<unsigned> hang("hang", cl::init(10), cl::desc("seconds of computing that one text may take"));
static cl::opt<std::string> out("out", cl::init("."), cl::desc("folder for what fails"));
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
};
} // namespace

static int64_t read(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return time.tv_sec;
}

static int64_t now() { return read(CLOCK_MONOTONIC); }

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

[[noreturn]] static void work(triton::fuzz::Target run, const Mutator &mutator, Worker &worker) {
  // Diagnostics go nowhere, and a text that eats the machine's memory fails instead.
  const int nowhere = open("/dev/null", O_WRONLY);
  dup2(nowhere, 1);
  dup2(nowhere, 2);
  const rlimit memory{6ull << 30, 6ull << 30};
  setrlimit(RLIMIT_AS, &memory);
  const rlimit core{0, 0};
  setrlimit(RLIMIT_CORE, &core);
  // A fresh process now and then, in case something accumulates.
  for (uint64_t number = worker.next, last = number + 5000 * jobs; number < last; number += jobs) {
    worker.progress->since = now();
    worker.progress->computed = read(CLOCK_PROCESS_CPUTIME_ID);
    worker.progress->number = number;
    worker.progress->accepted += run(mutator.make(number));
  }
  _exit(0);
}

static void save(const Mutator &mutator, uint64_t number, const llvm::Twine &what) {
  const std::string path =
      (out + "/" + targetName + "-" + llvm::Twine(seed) + "-" + llvm::Twine(number) + ".txt").str();
  std::error_code error;
  llvm::raw_fd_ostream file(path, error);
  file << mutator.make(number);
  llvm::outs() << "FOUND " << what << ": " << path << "\n";
  llvm::outs().flush();
}

static int fuzz(triton::fuzz::Target run) {
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
    return 2;
  }
  const Mutator mutator(texts, seed);
  auto *shared = static_cast<Progress *>(
      mmap(nullptr, sizeof(Progress) * jobs, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  std::vector<Worker> workers(jobs);
  auto start = [&](Worker &worker) {
    worker.progress->since = now();
    worker.progress->computed = 0;
    worker.progress->number = worker.next;
    worker.process = fork();
    if (worker.process == 0)
      work(run, mutator, worker);
  };
  for (unsigned i = 0; i < jobs; ++i) {
    workers[i].progress = &shared[i];
    workers[i].next = i;
    start(workers[i]);
  }

  unsigned found = 0;
  uint64_t done = 0, accepted = 0;
  const int64_t end = now() + seconds;
  for (int64_t said = now(); now() < end; usleep(20000)) {
    done = accepted = 0;
    for (Worker &worker : workers) {
      const uint64_t number = worker.progress->number;
      done += number / jobs;
      accepted += worker.progress->accepted;
      int status = 0;
      const bool ended = waitpid(worker.process, &status, WNOHANG) == worker.process;
      if (ended && WIFSIGNALED(status)) {
        save(mutator, number, "crash (" + llvm::Twine(strsignal(WTERMSIG(status))) + ")");
        ++found;
      } else if (ended && WEXITSTATUS(status) != 0) {
        save(mutator, number, "exit with " + llvm::Twine(WEXITSTATUS(status)));
        ++found;
      } else if (!ended && hangs(worker)) {
        kill(worker.process, SIGKILL);
        waitpid(worker.process, &status, 0);
        save(mutator, number, "hang");
        ++found;
      } else if (!ended) {
        continue;
      }
      worker.next = number + jobs;
      start(worker);
    }
    if (now() - said >= 30) {
      said = now();
      llvm::outs() << targetName << ": " << done << " texts, " << accepted << " accepted, " << found << " found, "
                   << end - now() << " s left\n";
      llvm::outs().flush();
    }
  }
  for (Worker &worker : workers) {
    kill(worker.process, SIGKILL);
    waitpid(worker.process, nullptr, 0);
  }
  llvm::outs() << targetName << ": " << done << " texts in " << seconds << " s, " << accepted << " accepted, " << found
               << " crashes or hangs\n";
  return found ? 1 : 0;
}

int main(int argc, char **argv) {
  cl::ParseCommandLineOptions(argc, argv, "feeds broken programs to the compiler\n");
  const triton::fuzz::Target run = triton::fuzz::findTarget(targetName);
  if (!run) {
    llvm::errs() << "triton-fuzz: no target '" << targetName << "': parser, frontend or ir\n";
    return 2;
  }
  if (!runOnly)
    return fuzz(run);
  for (const std::string &path : inputs)
    run(readAll(path));
  return 0;
}
