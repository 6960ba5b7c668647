#include "compiler/llvm/nvidia/Ptxas.h"

#include "compiler/support/ChildProcess.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Regex.h"
#include "llvm/Support/raw_ostream.h"

#include <csignal>

namespace triton::nvidia {

namespace {
/// A file that goes away with this object, unless kept.
class TemporaryFile {
public:
  static llvm::Expected<TemporaryFile> create(llvm::StringRef suffix) {
    TemporaryFile file;
    if (std::error_code error = llvm::sys::fs::createTemporaryFile("triton", suffix, file.path))
      return llvm::createStringError("cannot make a temporary file: " + error.message());
    return file;
  }
  TemporaryFile(TemporaryFile &&other) : path(std::move(other.path)) { other.path.clear(); }
  ~TemporaryFile() {
    if (!path.empty())
      llvm::sys::fs::remove(path);
  }
  void keep() { path.clear(); }
  llvm::SmallString<128> path;

private:
  TemporaryFile() = default;
};
} // namespace

static std::string read(llvm::StringRef path) {
  auto buffer = llvm::MemoryBuffer::getFile(path);
  return buffer ? (*buffer)->getBuffer().str() : std::string();
}

llvm::Expected<std::string> runForVersion(llvm::StringRef path) {
  auto output = TemporaryFile::create("txt");
  if (!output)
    return output.takeError();
  const std::string file = output->path.str().str();
  // Reading a version takes milliseconds; a program that takes this long is not an assembler, or hangs.
  ChildEnd end =
      runChild({path.str(), "--version"}, {.output = file, .errors = file, .limit = std::chrono::seconds(30)});
  if (!end.isSuccess())
    return llvm::createStringError("'" + path + " --version' failed: " + end.problem);
  return read(file);
}

llvm::Expected<std::string> assemblerVersion(llvm::StringRef path, llvm::StringRef build) {
  llvm::SmallVector<llvm::StringRef> groups;
  if (!llvm::Regex("release ([0-9]+\\.[0-9]+)").match(build, &groups))
    return llvm::createStringError("'" + path + " --version' names no release");
  return groups[1].str();
}

unsigned ptxVersionOf(llvm::StringRef cudaVersion) {
  auto [majorText, minorText] = cudaVersion.split('.');
  unsigned major = 0, minor = 0;
  if (majorText.getAsInteger(10, major) || minorText.getAsInteger(10, minor))
    return 0;
  if (major == 12)
    return minor < 6 ? 80 + minor : 79 + minor;
  if (major == 11)
    return 70 + minor;
  if (major == 10)
    return 63 + minor;
  return major < 10 ? 0 : 90 + minor + 10 * (major - 13);
}

/// The number in front of `words`, in the assembler's report.
static unsigned figure(llvm::StringRef log, llvm::StringRef pattern) {
  llvm::SmallVector<llvm::StringRef> groups;
  unsigned value = 0;
  if (llvm::Regex(pattern).match(log, &groups))
    groups[1].getAsInteger(10, value);
  return value;
}

/// What the end of the assembler's process says, in the words that users of Triton search for.
static std::string describeEnd(const ChildEnd &end, std::chrono::seconds limit) {
  if (end.how == ChildEnd::How::OutOfTime)
    return "`ptxas` ran longer than TRITON_PTXAS_TIMEOUT allows, " + std::to_string(limit.count()) +
           " s, and was ended";
  if (end.how == ChildEnd::How::Exited && end.status == 255)
    return "Internal Triton PTX codegen error";
  if (end.how == ChildEnd::How::Exited && end.status != 128 + SIGSEGV) // as shells say it
    return "`ptxas` failed with error code " + std::to_string(end.status);
  if (end.how == ChildEnd::How::Exited || (end.how == ChildEnd::How::Killed && end.status == SIGSEGV))
    return "`ptxas` raised SIGSEGV";
  return "`ptxas` failed: " + end.problem;
}

namespace {
/// What PTX says about the lines that it comes from.
class LineTable {
public:
  explicit LineTable(llvm::StringRef ptx) {
    ptx.split(lines, '\n');
    llvm::Regex file("^[ \t]*\\.file[ \t]+([0-9]+)[ \t]+\"([^\"]*)\"");
    llvm::SmallVector<llvm::StringRef> groups;
    for (llvm::StringRef line : lines)
      if (line.ltrim().starts_with(".file") && file.match(line, &groups))
        files[groups[1]] = groups[2].str();
  }

  /// Of the line of that number, which counts from 1: the last place named before it, and the calls that led there.
  PlaceChain find(size_t number) const {
    PlaceChain chain;
    for (size_t index = std::min(number, lines.size()); index-- > 0 && chain.size() < mostCalls;) {
      std::optional<Entry> entry = readEntry(lines[index]);
      if (!entry)
        continue;
      // A call's own directive stands before those of what was inlined.
      if (!chain.empty() && entry->place != chain.back())
        continue;
      if (chain.empty())
        chain.push_back(entry->place);
      if (!entry->caller)
        break;
      chain.push_back(*entry->caller);
    }
    return chain;
  }

private:
  static constexpr size_t mostCalls = 100;
  struct Entry {
    FilePlace place;
    std::optional<FilePlace> caller;
  };

  /// `.loc 1 12 5, function_name $L__info_string0, inlined_at 1 20 3`
  std::optional<Entry> readEntry(llvm::StringRef line) const {
    line = line.ltrim();
    if (!line.consume_front(".loc"))
      return std::nullopt;
    auto [own, calling] = line.split("inlined_at");
    std::optional<FilePlace> place = readPlace(own);
    if (!place)
      return std::nullopt;
    return Entry{*place, readPlace(calling)};
  }

  /// The numbers of a file, a line and a column.
  std::optional<FilePlace> readPlace(llvm::StringRef text) const {
    llvm::SmallVector<llvm::StringRef> groups;
    if (!llvm::Regex("^[ \t]+([0-9]+)[ \t]+([0-9]+)[ \t]+([0-9]+)").match(text, &groups))
      return std::nullopt;
    FilePlace place{.file = files.lookup(groups[1])};
    if (groups[2].getAsInteger(10, place.line) || groups[3].getAsInteger(10, place.column) || place.line == 0)
      return std::nullopt;
    return place;
  }

  llvm::SmallVector<llvm::StringRef> lines;
  llvm::StringMap<std::string> files; // number -> path
};
} // namespace

llvm::Error assemblerError(std::string message, llvm::StringRef ptx, llvm::StringRef log) {
  auto error = std::make_unique<PlacedError>(std::move(message), PlaceChain());
  const LineTable table(ptx);
  llvm::Regex complaint("line ([0-9]+); *(error|fatal)");
  constexpr size_t most = 10; // places that anybody would read
  for (llvm::StringRef said : llvm::split(log, '\n')) {
    size_t number = 0;
    llvm::SmallVector<llvm::StringRef> groups;
    if (error->notes.size() >= most || !complaint.match(said, &groups) || groups[1].getAsInteger(10, number))
      continue;
    PlaceChain chain = table.find(number);
    if (chain.empty() || chain == error->chain)
      continue;
    if (error->chain.empty())
      error->chain = std::move(chain);
    else
      error->notes.push_back({("line " + groups[1] + " of the PTX comes from here").str(), std::move(chain)});
  }
  return llvm::Error(std::move(error));
}

namespace {
struct InstructionCount {
  size_t all = 0, inLoops = 0;
  size_t predicatedAccesses = 0; // of memory
};
} // namespace

/// `@%p1 ld.global…`: whether a line loads or stores only where a predicate holds.
static bool isPredicatedAccess(llvm::StringRef line) {
  if (!line.consume_front("@"))
    return false;
  const llvm::StringRef opcode = line.drop_while([](char each) { return !llvm::isSpace(each); }).ltrim();
  return opcode.starts_with("ld.") || opcode.starts_with("st.") || opcode.starts_with("atom.") ||
         opcode.starts_with("red.");
}

/// Instructions of PTX as LLVM prints it; those in loops are between a branch and a label before it.
static InstructionCount countInstructions(llvm::StringRef ptx) {
  InstructionCount result;
  size_t &count = result.all, &inLoops = result.inLoops;
  llvm::StringMap<size_t> labels;                     // and the instructions before each
  llvm::SmallVector<std::pair<size_t, size_t>> loops; // from instruction to instruction, without those inside of others
  for (llvm::StringRef line : llvm::split(ptx, '\n')) {
    if (line.starts_with("$") && line.contains(':'))
      labels[line.take_until([](char each) { return each == ':'; })] = count;
    if (!line.consume_front("\t") || line.empty() || !(llvm::isAlpha(line[0]) || line[0] == '@'))
      continue;
    ++count;
    result.predicatedAccesses += isPredicatedAccess(line);
    size_t target = line.contains("bra") ? line.find('$') : llvm::StringRef::npos;
    if (target == llvm::StringRef::npos)
      continue;
    auto label = labels.find(line.drop_front(target).rtrim("; \t\r"));
    if (label == labels.end())
      continue; // it is further down
    size_t begin = label->second;
    for (; !loops.empty() && loops.back().second > begin; loops.pop_back()) {
      begin = std::min(begin, loops.back().first);
      inLoops -= loops.back().second - loops.back().first;
    }
    loops.emplace_back(begin, count);
    inLoops += count - begin;
  }
  return result;
}

unsigned optimisationLevel(llvm::StringRef ptx, const AssemblerOptions &options) {
  if (!options.optimise)
    return 0;
  auto isLevel = [](llvm::StringRef flag) {
    return flag.starts_with("-O") || flag.starts_with("--opt-level") || flag.starts_with("-opt-level");
  };
  if (llvm::any_of(options.extra, isLevel))
    return 3; // theirs comes later and counts
  // ptxas 13.0 takes 0.8 s for 10,000 additions in a row at level 3, and 130 s for 80,000; 0.4 s and 3 s at level 1.
  constexpr size_t mostInRow = 8 * 1024, mostInLoops = 32 * 1024, mostPredicated = 2 * 1024;
  const InstructionCount count = countInstructions(ptx);
  const bool isRow = count.inLoops < count.all / 8;
  // 8,000 accesses with a predicate take it 8 to 15 s at level 1, and 2 s at level 0. Products of warp groups want their registers placed with care.
  if (isRow && count.predicatedAccesses > mostPredicated && !ptx.contains("\twgmma.") && !ptx.contains("\ttcgen05."))
    return 0;
  const bool isHuge = count.inLoops > mostInLoops || (count.all - count.inLoops > mostInRow && isRow);
  return isHuge ? 1 : 3;
}

llvm::Expected<Assembled> assemble(llvm::StringRef ptx, const AssemblerOptions &options) {
  auto input = TemporaryFile::create("ptx"), output = TemporaryFile::create("cubin"),
       log = TemporaryFile::create("log");
  for (auto *file : {&input, &output, &log})
    if (!*file)
      return file->takeError();
  {
    std::error_code error;
    llvm::raw_fd_ostream stream(input->path, error);
    stream << ptx;
    stream.close();
    if (stream.has_error()) {
      error = stream.error();
      stream.clear_error();
    }
    if (error)
      return llvm::createStringError("cannot write '" + input->path.str() + "': " + error.message());
  }

  std::vector<std::string> command{options.path};
  if (!options.lineInfo)
    command.insert(command.end(), {"-lineinfo", "-suppress-debug-info"});
  else
    command.push_back(options.optimise ? "-lineinfo" : "-g");
  if (!options.fuseMultiplyAdd)
    command.push_back("--fmad=false");
  command.push_back("-v");
  // Without a word from us the level is 3.
  if (unsigned level = optimisationLevel(ptx, options); level != 3)
    command.insert(command.end(), {"--opt-level", std::to_string(level)});
  command.insert(command.end(), options.extra.begin(), options.extra.end());
  command.insert(command.end(),
                 {"--gpu-name=" + options.target.cpu(), input->path.str().str(), "-o", output->path.str().str()});
  constexpr std::chrono::seconds patience{60};
  auto complain = [&] {
    llvm::errs() << "triton: `ptxas` has been running for " << patience.count()
                 << " s, TRITON_PTXAS_TIMEOUT=<seconds> limits it: " << llvm::join(command, " ") << "\n";
  };
  ChildEnd end = runChild(command, {.output = log->path.str().str(),
                                    .errors = log->path.str().str(),
                                    .limit = options.timeLimit,
                                    .patience = patience,
                                    .impatient = complain,
                                    .interruption = options.interruption});
  if (end.how == ChildEnd::How::Interrupted)
    return llvm::createStringError("the compile was interrupted");
  Assembled result;
  result.log = read(log->path);
  if (!end.isSuccess()) {
    input->keep();
    return assemblerError(describeEnd(end, options.timeLimit) + "\n`ptxas` stderr:\n" + result.log +
                              "\nRepro command: " + llvm::join(command, " "),
                          ptx, result.log);
  }
  result.cubin = read(output->path);
  result.registers = figure(result.log, "Used ([0-9]+) registers");
  result.spillStores = figure(result.log, "([0-9]+) bytes spill stores");
  result.spillLoads = figure(result.log, "([0-9]+) bytes spill loads");
  return result;
}

} // namespace triton::nvidia
