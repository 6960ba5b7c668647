// LLVM's FileCheck as a function, for tests in host languages.
#include <triton/filecheck.h>

#include "llvm/FileCheck/FileCheck.h"
#include "llvm/Support/SourceMgr.h"

using namespace llvm;

static void collect(const SMDiagnostic &diagnostic, void *text) {
  raw_string_ostream stream(*static_cast<std::string *>(text));
  diagnostic.print(/*ProgName=*/nullptr, stream, /*ShowColors=*/false);
}

std::string triton::fileCheck(const std::string &checks, const std::string &checksName, const std::string &input,
                              const std::string &inputName) {
  FileCheckRequest request;
  request.IsDefaultCheckPrefix = true;
  FileCheck checker(request);
  std::string said;
  SourceMgr sources;
  sources.setDiagHandler(collect, &said);
  if (!checker.ValidateCheckPrefixes())
    return "FileCheck: the prefix CHECK is not usable";
  SmallString<4096> canonicalChecks, canonicalInput;
  auto add = [&](const std::string &text, const std::string &name, SmallVectorImpl<char> &storage) {
    std::unique_ptr<MemoryBuffer> original = MemoryBuffer::getMemBufferCopy(text, name);
    StringRef canonical = checker.CanonicalizeFile(*original, storage);
    sources.AddNewSourceBuffer(MemoryBuffer::getMemBuffer(canonical, name), SMLoc());
    return canonical;
  };
  if (checker.readCheckFile(sources, add(checks, checksName, canonicalChecks)))
    return said.empty() ? "error: no check strings found with prefix 'CHECK:'\n" : said;
  if (!checker.checkInput(sources, add(input, inputName, canonicalInput)))
    return said.empty() ? "error: the input does not match\n" : said;
  return {};
}
