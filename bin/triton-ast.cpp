// Prints the syntax trees of Python files in the form of `ast.dump`.
//
//   triton-ast [--attributes] [--show-empty] [--indent=N] [--expression] file...
//   triton-ast --time file...     parses only, and prints the speed
//   triton-ast @list              takes the names of the files from the lines of a file
//
// For each file one line `ok NAME` or `error NAME`, then the tree or the messages, then an empty line.
#include "compiler/syntax/Dump.h"
#include "compiler/syntax/Encoding.h"
#include "compiler/syntax/Parser.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/raw_ostream.h"

#include <ctime>

using namespace triton;

namespace {
struct Options {
  syntax::DumpOptions dump;
  syntax::ParseMode mode = syntax::ParseMode::Module;
  bool onlyTime = false;
  std::vector<std::string> files;
};

struct Total {
  size_t bytes = 0;
  size_t files = 0;
  double seconds = 0;
};
} // namespace

static bool parseOptions(llvm::ArrayRef<char *> arguments, Options &options) {
  for (llvm::StringRef argument : arguments) {
    if (argument == "--attributes") {
      options.dump.includeAttributes = true;
    } else if (argument == "--show-empty") {
      options.dump.showEmpty = true;
    } else if (argument == "--expression") {
      options.mode = syntax::ParseMode::Expression;
    } else if (argument == "--time") {
      options.onlyTime = true;
    } else if (argument.consume_front("--indent=")) {
      if (argument.getAsInteger(10, options.dump.indent))
        return false;
    } else if (argument.consume_front("@")) {
      auto list = llvm::MemoryBuffer::getFile(argument);
      if (!list)
        return false;
      llvm::SmallVector<llvm::StringRef> lines;
      (*list)->getBuffer().split(lines, '\n', -1, /*KeepEmpty=*/false);
      options.files.insert(options.files.end(), lines.begin(), lines.end());
    } else if (argument.starts_with("--")) {
      return false;
    } else {
      options.files.push_back(argument.str());
    }
  }
  return !options.files.empty();
}

/// False if the file could not be read or has errors.
static bool processFile(const std::string &name, const Options &options, Total &total) {
  auto buffer = llvm::MemoryBuffer::getFileOrSTDIN(name);
  if (!buffer) {
    llvm::outs() << "error " << name << "\n" << buffer.getError().message() << "\n\n";
    return false;
  }
  llvm::Expected<std::string> text = syntax::decodeSource((*buffer)->getBuffer());
  if (!text) {
    llvm::outs() << "error " << name << "\n" << llvm::toString(text.takeError()) << "\n\n";
    return false;
  }
  total.bytes += text->size();
  ++total.files;
  Diagnostics diagnostics;
  std::clock_t start = std::clock(); // processor time: the machine may be busy
  auto source = Source::create(name, std::move(*text));
  std::unique_ptr<syntax::Tree> tree = syntax::parse(source, diagnostics, options.mode);
  total.seconds += double(std::clock() - start) / CLOCKS_PER_SEC;
  if (options.onlyTime)
    return !diagnostics.hasErrors();
  if (diagnostics.hasErrors()) {
    llvm::outs() << "error " << name << "\n" << render(diagnostics.all(), llvm::outs().has_colors()) << "\n";
    return false;
  }
  const syntax::Node *root = tree->expression;
  if (!root)
    root = tree->module;
  llvm::outs() << "ok " << name << "\n" << syntax::dump(root, options.dump) << "\n\n";
  return true;
}

int main(int count, char **arguments) {
  Options options;
  if (!parseOptions({arguments + 1, size_t(count - 1)}, options)) {
    llvm::errs()
        << "usage: triton-ast [--attributes] [--show-empty] [--indent=N] [--expression] [--time] file... | @list\n";
    return 2;
  }
  bool isGood = true;
  Total total;
  for (const std::string &name : options.files)
    isGood &= processFile(name, options, total);
  if (options.onlyTime)
    llvm::outs() << llvm::formatv("{0} files, {1:F2} MB in {2:F3} s: {3:F1} MB/s\n", total.files, total.bytes / 1e6,
                                  total.seconds, total.bytes / 1e6 / total.seconds);
  return isGood ? 0 : 1;
}
