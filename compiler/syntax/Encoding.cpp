#include "compiler/syntax/Encoding.h"

#include "compiler/syntax/Identifiers.h"

#include "llvm/ADT/StringExtras.h"

#include <iconv.h>

using namespace triton::syntax;
using llvm::StringRef;

/// The name in `# ... coding: name` or `# ... coding=name`, if the line is such a comment.
static StringRef encodingInComment(StringRef line) {
  line = line.ltrim(" \t\f");
  if (!line.starts_with("#"))
    return "";
  for (size_t at = line.find("coding"); at != StringRef::npos; at = line.find("coding", at + 1)) {
    StringRef rest = line.drop_front(at + 6);
    if (!rest.starts_with(":") && !rest.starts_with("="))
      continue;
    StringRef name = rest.drop_front().ltrim(" \t").take_while(
        [](char c) { return llvm::isAlnum(c) || c == '-' || c == '_' || c == '.'; });
    if (!name.empty())
      return name;
  }
  return "";
}

std::string triton::syntax::declaredEncoding(StringRef bytes) {
  bytes.consume_front("\xEF\xBB\xBF");
  for (int line = 0; line < 2; ++line) {
    size_t end = bytes.find_first_of("\r\n");
    StringRef text = bytes.take_front(end);
    if (StringRef name = encodingInComment(text); !name.empty()) {
      std::string lower = name.lower();
      std::replace(lower.begin(), lower.end(), '_', '-');
      return lower;
    }
    // On the second line it counts only if the first holds no code.
    StringRef code = text.ltrim(" \t\f");
    if ((!code.empty() && code.front() != '#') || end == StringRef::npos)
      return "";
    bytes = bytes.drop_front(end + (bytes.substr(end).starts_with("\r\n") ? 2 : 1));
  }
  return "";
}

static bool isUtf8(StringRef encoding) {
  return encoding.empty() || encoding == "utf8" || encoding == "utf-8" || encoding.starts_with("utf-8-");
}

static bool isLatin1(StringRef encoding) {
  for (StringRef name : {"latin-1", "iso-8859-1", "iso-latin-1"})
    if (encoding == name || encoding.starts_with((name + "-").str()))
      return true;
  return encoding == "latin1" || encoding == "iso8859-1" || encoding == "l1";
}

static llvm::Expected<std::string> convert(StringRef bytes, const std::string &encoding) {
  iconv_t converter = iconv_open("UTF-8", encoding.c_str());
  if (converter == iconv_t(-1))
    return llvm::createStringError("unknown encoding: " + encoding);
  std::string result(bytes.size() * 4 + 16, '\0'); // no character takes more than 4 bytes
  char *in = const_cast<char *>(bytes.data()), *out = result.data();
  size_t inLeft = bytes.size(), outLeft = result.size();
  size_t status = iconv(converter, &in, &inLeft, &out, &outLeft);
  iconv_close(converter);
  if (status == size_t(-1))
    return llvm::createStringError("byte " + llvm::Twine(bytes.size() - inLeft) + " of the file is not " + encoding);
  result.resize(result.size() - outLeft);
  return result;
}

llvm::Expected<std::string> triton::syntax::decodeSource(StringRef bytes) {
  std::string encoding = declaredEncoding(bytes);
  bool hasMark = bytes.consume_front("\xEF\xBB\xBF");
  bool agrees = encoding.empty() || encoding == "utf-8" || StringRef(encoding).starts_with("utf-8-");
  if (hasMark && !agrees) // "utf8" is refused too, as in CPython
    return llvm::createStringError("encoding problem: " + encoding + " with a UTF-8 byte order mark");
  if (isUtf8(encoding))
    return bytes.str();
  if (!isLatin1(encoding))
    return convert(bytes, encoding);
  std::string text;
  for (char c : bytes)
    appendCodePoint(text, (unsigned char)c);
  return text;
}
