#include "compiler/artifact/Seal.h"
#include "compiler/support/Hash.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace triton;
using namespace triton::artifact;
using llvm::StringRef;

constexpr StringRef checksumKey = ", \"checksum\": \"", digestsKey = ", \"digests\": ", ending = "\"}";

std::optional<std::string> triton::artifact::seal(StringRef description, llvm::ArrayRef<NamedFile> files) {
  description = description.trim();
  if (description.size() < 3 || !description.starts_with("{") || !description.consume_back("}"))
    return std::nullopt;
  llvm::json::Object digests;
  for (const auto &[name, content] : files)
    digests[name] = sha256Hex(content);
  std::string text = description.str();
  llvm::raw_string_ostream(text) << digestsKey << llvm::json::Value(std::move(digests));
  return text + checksumKey.str() + sha256Hex(text) + ending.str();
}

/// What the checksum covers; nullopt if the checksum is wrong.
static std::optional<StringRef> covered(StringRef description) {
  if (!description.consume_back(ending) || description.size() < 64 + checksumKey.size())
    return std::nullopt;
  StringRef checksum = description.take_back(64);
  StringRef text = description.drop_back(64);
  if (!text.consume_back(checksumKey) || sha256Hex(text) != checksum)
    return std::nullopt;
  return text;
}

std::string triton::artifact::findDamage(StringRef description, llvm::ArrayRef<NamedFile> files, bool mayBeMissing) {
  std::optional<StringRef> text = covered(description);
  if (!text)
    return "its description is damaged";
  llvm::Expected<llvm::json::Value> parsed = llvm::json::parse((*text + "}").str());
  if (!parsed) {
    llvm::consumeError(parsed.takeError());
    return "its description is no JSON";
  }
  const llvm::json::Object *digests = parsed->getAsObject()->getObject("digests");
  if (!digests)
    return "its description names no files";
  for (const auto &[name, digest] : *digests)
    if (!mayBeMissing &&
        llvm::none_of(files, [&, key = StringRef(name)](const NamedFile &file) { return file.first == key; }))
      return (StringRef(name) + " is missing").str();
  for (const auto &[name, content] : files) {
    std::optional<StringRef> digest = digests->getString(name);
    if (!digest)
      return (name + " is not part of it").str();
    if (sha256Hex(content) != *digest)
      return (name + " is damaged").str();
  }
  return {};
}

std::optional<std::string> triton::artifact::unseal(StringRef description) {
  std::optional<StringRef> text = covered(description);
  size_t at = text ? text->rfind(digestsKey) : StringRef::npos;
  if (at == StringRef::npos)
    return std::nullopt;
  return (text->take_front(at) + "}").str();
}
