// Operations one at a time, each done at once, for host languages: interpreter mode.
#include "compiler/driver/Options.h"
#include "embed/EagerState.h"

namespace triton::embed {

static frontend::LanguageOptions optionsFor(bool debug) {
  frontend::LanguageOptions options;
  if (auto version = frontend::LanguageVersion::parse(driver::languageVersionOfProcess()))
    options.version = *version;
  options.debug = debug;
  options.sanitizeOverflow = false; // numbers wrap, as they do in compiled kernels unless asked otherwise
  return options;
}

EagerSession::EagerSession(Host &host, bool debug) : state(std::make_unique<State>(host, optionsFor(debug))) {}
EagerSession::~EagerSession() = default;

Result<Value> EagerSession::scalar(std::string_view type, uint64_t bits, std::string_view name) {
  std::optional<frontend::Type> parsed = frontend::Type::parse(llvm::StringRef(type.data(), type.size()));
  if (!parsed)
    return Error{"TypeError", "there is no type '" + std::string(type) + "'"};
  return fromFrontend(state->session.scalar(*parsed, bits, llvm::StringRef(name.data(), name.size())));
}

void EagerSession::setName(const Value &tensor, std::string_view name) {
  state->session.setName(toFrontend(tensor).get<frontend::TensorValue>().ir, llvm::StringRef(name.data(), name.size()));
}

std::string EagerSession::data(const Value &tensor) const {
  const interpreter::Array &array = state->session.elements(toFrontend(tensor).get<frontend::TensorValue>().ir);
  unsigned bytes = std::max(1u, interpreter::bitWidth(array.element()) / 8);
  std::string result(array.size() * bytes, '\0');
  for (size_t i = 0; i < array.size(); ++i) {
    uint64_t bits = array.unsignedAt(i);
    std::memcpy(result.data() + i * bytes, &bits, bytes); // little endian
  }
  return result;
}

void EagerSession::beginProgram(const int32_t id[3], const int32_t grid[3]) {
  state->session.beginProgram({{id[0], id[1], id[2]}, {grid[0], grid[1], grid[2]}});
}

void EagerSession::trustMemory() { state->session.memory.trustAll(); }

void EagerSession::protectMemory(const void *address, uint64_t bytes, std::string name) {
  state->session.memory.protect(address, bytes, std::move(name));
}

} // namespace triton::embed
