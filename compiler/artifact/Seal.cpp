#include "compiler/artifact/Seal.h"
#include "compiler/artifact/Folder.h"
#include "compiler/artifact/Json.h"
#include "compiler/support/Hash.h"

#include "llvm/ADT/StringExtras.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

using namespace triton;
using namespace triton::artifact;
using llvm::StringRef;

constexpr StringRef digestsKey = ", \"digests\": ", signatureKey = ", \"signature\": \"",
                    checksumKey = ", \"checksum\": \"", ending = "\"}";
constexpr size_t digestSize = 64; // hexadecimal digits

std::optional<std::string> triton::artifact::seal(StringRef description, llvm::ArrayRef<NamedFile> files,
                                                  StringRef secret) {
  description = description.trim();
  if (description.size() < 3 || !description.starts_with("{") || !description.consume_back("}"))
    return std::nullopt;
  llvm::json::Object digests;
  for (const auto &[name, content] : files)
    digests[name] = blake3Hex(content);
  std::string text = description.str();
  llvm::raw_string_ostream(text) << digestsKey << llvm::json::Value(std::move(digests));
  if (!secret.empty())
    text += signatureKey.str() + hmacSha256Hex(secret, text) + "\"";
  return text + checksumKey.str() + blake3Hex(text) + ending.str();
}

namespace {
/// The parts of a sealed description whose checksum is right.
struct Sealed {
  StringRef description; // without its last brace
  StringRef digests;     // a JSON object
  StringRef covered;     // what the signature covers
  StringRef signature;   // empty if there is none
};
} // namespace

/// Takes `, "key": "<digest>` from the end of `text`; empty if it does not end so.
static StringRef takeDigest(StringRef &text, StringRef key) {
  StringRef rest = text;
  StringRef digest = rest.take_back(digestSize);
  rest = rest.drop_back(digest.size());
  if (digest.size() != digestSize || !rest.consume_back(key))
    return {};
  text = rest;
  return digest;
}

static std::optional<Sealed> open(StringRef description) {
  if (!description.consume_back(ending))
    return std::nullopt;
  StringRef text = description;
  StringRef checksum = takeDigest(text, checksumKey);
  if (checksum.empty() || blake3Hex(text) != checksum)
    return std::nullopt;
  Sealed sealed;
  if (StringRef rest = text; rest.consume_back("\""))
    if (sealed.signature = takeDigest(rest, signatureKey); !sealed.signature.empty())
      text = rest;
  sealed.covered = text;
  // The last one is ours: in a string of the description its quotes would be escaped.
  const size_t at = text.rfind(digestsKey);
  if (at == StringRef::npos)
    return std::nullopt;
  sealed.description = text.take_front(at);
  sealed.digests = text.drop_front(at + digestsKey.size());
  return sealed;
}

/// Takes as long wherever the two differ, so that the time does not tell how much of a signature was guessed.
static bool isEqual(StringRef a, StringRef b) {
  unsigned char difference = a.size() != b.size();
  for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
    difference |= a[i] ^ b[i];
  return !difference;
}

static bool isTrusted(const Sealed &sealed, StringRef secret) {
  return secret.empty() || isEqual(sealed.signature, hmacSha256Hex(secret, sealed.covered));
}

std::string triton::artifact::findDamage(StringRef description, llvm::ArrayRef<NamedFile> files, bool mayBeMissing,
                                         StringRef secret) {
  std::optional<Sealed> sealed = open(description);
  if (!sealed)
    return "its description is damaged";
  if (!isTrusted(*sealed, secret))
    return sealed->signature.empty() ? "it is not signed" : "it is signed with another secret";
  std::optional<llvm::json::Value> parsed = parseJson(sealed->digests);
  const llvm::json::Object *digests = parsed ? parsed->getAsObject() : nullptr;
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
    if (blake3Hex(content) != *digest)
      return (name + " is damaged").str();
  }
  return {};
}

std::optional<std::string> triton::artifact::unseal(StringRef description, StringRef secret) {
  std::optional<Sealed> sealed = open(description);
  if (!sealed || !isTrusted(*sealed, secret))
    return std::nullopt;
  return (sealed->description + "}").str();
}

std::optional<std::vector<std::string>> triton::artifact::sealedFiles(StringRef description) {
  std::optional<Sealed> sealed = open(description);
  std::optional<llvm::json::Value> parsed = sealed ? parseJson(sealed->digests) : std::nullopt;
  const llvm::json::Object *digests = parsed ? parsed->getAsObject() : nullptr;
  if (!digests)
    return std::nullopt;
  std::vector<std::string> names;
  for (const auto &[name, digest] : *digests) {
    if (!isFileName(StringRef(name)))
      return std::nullopt; // nothing that we sealed
    names.push_back(StringRef(name).str());
  }
  return names;
}

llvm::Expected<std::string> triton::artifact::readSecret(const std::string &path) {
  auto fail = [&](const llvm::Twine &why) {
    return llvm::createStringError("the secret of the cache, '" + path + "', " + why);
  };
  // The path is the user's own, and secrets that are mounted are links; a pipe must not keep us waiting.
  const int opened = ::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
  if (opened < 0)
    return fail("cannot be read: " + std::error_code(errno, std::generic_category()).message());
  struct stat status;
  const bool isFile = ::fstat(opened, &status) == 0 && S_ISREG(status.st_mode);
  char buffer[4097]; // one byte more than may be there
  const ssize_t size = isFile ? ::read(opened, buffer, sizeof(buffer)) : 0;
  ::close(opened);
  if (!isFile)
    return fail("is no plain file");
  // A group may share a secret, but only its owner says what it is.
  if (status.st_mode & (S_IRWXO | S_IWGRP))
    return fail("can be read by everybody or written by its group (mode " + llvm::utostr(status.st_mode >> 6 & 7) +
                llvm::utostr(status.st_mode >> 3 & 7) + llvm::utostr(status.st_mode & 7) + "): chmod 600 '" + path +
                "'");
  if (size < 0)
    return fail("cannot be read");
  if (size == sizeof(buffer))
    return fail("is longer than 4096 bytes");
  StringRef secret = StringRef(buffer, size).trim();
  if (secret.empty())
    return fail("is empty");
  return secret.str();
}
