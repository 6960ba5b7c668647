#include "compiler/driver/Driver.h"
#include "compiler/driver/Specialization.h"
#include "compiler/frontend/FileHost.h"
#include "compiler/syntax/Parser.h"
#include "test/fuzz/Fuzz.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/xxhash.h"

namespace triton::fuzz {

static bool parseText(const std::string &text) {
  const auto source = Source::create("fuzz.py", text); // outlives what points into it
  Diagnostics diagnostics;
  syntax::parse(source, diagnostics);
  (void)render(diagnostics.all(), /*color=*/true);
  return !diagnostics.hasErrors();
}

/// A signature for the kernel: mostly what the names suggest, sometimes what they do not. The same for the same kernel
/// text.
static std::string chooseSignature(const frontend::Function &function, uint64_t random) {
  static constexpr llvm::StringLiteral types[] = {"i32",   "*fp32:16", "*fp16", "i64",  "fp32", "*i8",
                                                  "*bf16", "i1",       "fp64",  "*i64", "u8",   "None"};
  static constexpr llvm::StringLiteral constants[] = {"16", "64",  "128",  "1024", "1",     "0",          "-1",
                                                      "3",  "1.5", "True", "None", "\"x\"", "tl.float16", "(1, 2)"};
  std::vector<std::string> entries;
  for (const frontend::Parameter &parameter : function.parameters) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const uint64_t draw = random >> 33;
    const bool odd = draw % 32 == 0;
    if (llvm::StringRef(parameter.annotation).contains("constexpr"))
      entries.push_back(constants[odd ? draw / 32 % std::size(constants) : 1].str());
    else if (odd)
      entries.push_back(types[draw / 32 % std::size(types)].str());
    else
      entries.push_back(llvm::StringRef(parameter.name).ends_with("ptr") ? "*fp32:16" : "i32");
  }
  return llvm::join(entries, ", ");
}

/// Every kernel of the file to tensor IR; now and then to code.
static bool compileText(const std::string &text) {
  const uint64_t hash = llvm::xxh3_64bits(text);
  const auto source = Source::create("fuzz.py", text);
  Diagnostics diagnostics;
  auto host = frontend::FileHost::create(source, diagnostics);
  bool accepted = false;
  if (host) {
    for (const auto &kernel : host->kernels()) {
      auto arguments = driver::parseSignature(*kernel, chooseSignature(*kernel, hash));
      if (!arguments) {
        llvm::consumeError(arguments.takeError());
        continue;
      }
      driver::CompileRequest request;
      request.kernel.function = kernel;
      request.kernel.arguments = std::move(*arguments);
      request.lastStage = hash % 4 == 0 ? "" : "ttir";
      accepted |= driver::compile(request, diagnostics) != nullptr;
    }
  }
  (void)render(diagnostics.all(), /*color=*/true);
  return accepted;
}

static bool compileIrText(const std::string &text) {
  const auto source = Source::create("fuzz.ttir", text);
  Diagnostics diagnostics;
  const bool accepted = driver::compileIr({.stage = "ttir", .source = source}, diagnostics) != nullptr;
  (void)render(diagnostics.all(), /*color=*/true);
  return accepted;
}

Target findTarget(llvm::StringRef name) {
  if (name == "parser")
    return parseText;
  if (name == "frontend")
    return compileText;
  if (name == "ir")
    return compileIrText;
  return nullptr;
}

} // namespace triton::fuzz
