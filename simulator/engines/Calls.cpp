// Functions: call of what the module defines; vprintf and __assertfail, which the machine provides.
#include "simulator/machine/Decoder.h"
#include "simulator/machine/Lanes.h"
#include "simulator/machine/Memory.h"

#include <cstdio>
#include <cstring>

namespace triton::simulator {

namespace {

/// Local memory of each lane, from `a.code` to `d.code`, `immediate` bytes: arguments and results.
Step copyLocal(Warp &warp, const Instruction &instruction, LaneMask mask) {
  size_t stride = warp.cta.grid().program.localBytes;
  eachLane(mask, [&](unsigned lane) {
    std::byte *memory = warp.local + lane * stride;
    std::memmove(memory + instruction.d.code, memory + instruction.a.code, size_t(instruction.immediate));
  });
  return Step::Next;
}

Step call(Warp &warp, const Instruction &instruction, LaneMask mask) {
  warp.call(instruction.target, mask, instruction.join);
  return Step::Jumped;
}

uint64_t argument(const Warp &warp, uint32_t offset, unsigned lane, unsigned bytes) {
  uint64_t value = 0;
  std::memcpy(&value, warp.local + size_t(lane) * warp.cta.grid().program.localBytes + offset, bytes);
  return value;
}

/// Text in memory, up to its zero.
std::string textAt(Warp &warp, const Instruction &instruction, uint64_t address, unsigned lane) {
  constexpr size_t limit = 1 << 16;
  std::string text;
  while (text.size() < limit) {
    const std::byte *at = locate(warp, instruction, ptx::Space::Generic, address + text.size(), 1, lane, Access::Read);
    if (!at || *at == std::byte(0))
      break;
    text += char(*at);
  }
  return text;
}

/// printf of one thread: arguments lie in memory as a C structure, integers and floats of 32 bits widened by the caller as C does.
std::string format(Warp &warp, const Instruction &instruction, const std::string &pattern, uint64_t arguments,
                   unsigned lane) {
  std::string out;
  uint64_t offset = 0;
  auto take = [&](unsigned bytes) {
    offset = (offset + bytes - 1) / bytes * bytes;
    uint64_t value = 0;
    if (const std::byte *at =
            locate(warp, instruction, ptx::Space::Generic, arguments + offset, bytes, lane, Access::Read))
      std::memcpy(&value, at, bytes);
    offset += bytes;
    return value;
  };
  for (size_t place = 0; place < pattern.size();) {
    if (pattern[place] != '%') {
      out += pattern[place++];
      continue;
    }
    const size_t begin = place;
    size_t end = place + 1;
    unsigned longs = 0;
    std::string specification = "%";
    while (end < pattern.size() && std::strchr("-+ #0123456789.*lhzjt", pattern[end])) {
      if (pattern[end] == '*')
        specification += std::to_string(int32_t(take(4)));
      else if (std::strchr("lzjt", pattern[end]))
        longs += pattern[end] == 'l' ? 1 : 2;
      else if (pattern[end] != 'h')
        specification += pattern[end];
      ++end;
    }
    char kind = end < pattern.size() ? pattern[end] : '%';
    place = end + 1;
    char buffer[512];
    if (kind == '%') {
      out += '%';
      continue;
    }
    if (!std::strchr("eEfFgGaAspcdiuoxX", kind)) { // no argument: least of all %n, which writes
      out += pattern.substr(begin, place - begin);
      continue;
    }
    if (std::strchr("eEfFgGaA", kind)) {
      std::snprintf(buffer, sizeof(buffer), (specification + kind).c_str(), std::bit_cast<double>(take(8)));
      out += buffer;
    } else if (kind == 's') {
      out += textAt(warp, instruction, take(8), lane);
    } else if (kind == 'p') {
      std::snprintf(buffer, sizeof(buffer), (specification + "p").c_str(), reinterpret_cast<void *>(take(8)));
      out += buffer;
    } else if (kind == 'c') {
      out += char(take(4));
    } else {
      uint64_t value = take(longs ? 8 : 4);
      if (kind == 'd' || kind == 'i')
        std::snprintf(buffer, sizeof(buffer), (specification + "lld").c_str(),
                      longs ? static_cast<long long>(value) : static_cast<long long>(int32_t(value)));
      else
        std::snprintf(buffer, sizeof(buffer), (specification + "ll" + kind).c_str(),
                      static_cast<unsigned long long>(value));
      out += buffer;
    }
  }
  return out;
}

/// `list` holds offsets in local memory of the arguments and the result: format, arguments, result.
Step print(Warp &warp, const Instruction &instruction, LaneMask mask) {
  std::string text;
  eachLane(mask, [&](unsigned lane) {
    std::string pattern = textAt(warp, instruction, argument(warp, instruction.list[0].code, lane, 8), lane);
    text += format(warp, instruction, pattern, argument(warp, instruction.list[1].code, lane, 8), lane);
  });
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
  return Step::Next;
}

/// __assertfail(message, file, line, function, size of a character)
Step assertionFailed(Warp &warp, const Instruction &instruction, LaneMask mask) {
  unsigned lane = unsigned(std::countr_zero(mask));
  auto text = [&](unsigned index) {
    return textAt(warp, instruction, argument(warp, instruction.list[index].code, lane, 8), lane);
  };
  std::string message = text(0), file = text(1), function = text(3);
  uint64_t line = argument(warp, instruction.list[2].code, lane, 4);
  const auto &position = warp.cta.position;
  std::fprintf(stderr, "%s:%u: %s: block: [%u,%u,%u], thread: [%u,0,0] Assertion `%s` failed.\n", file.c_str(),
               unsigned(line), function.c_str(), position[0], position[1], position[2], warp.index * laneCount + lane,
               message.c_str());
  std::fflush(stderr);
  warp.cta.grid().report(warp, instruction, mask, Finding::Kind::Assertion, "assertion failed: " + message,
                         /*isFatal=*/true);
  return Step::Blocked;
}

/// call.uni (results), function, (arguments);
bool decodeCall(Decoder &decoder) {
  using Kind = ptx::Operand::Kind;
  size_t next = 0;
  const ptx::Operand *results = nullptr, *arguments = nullptr;
  if (decoder.operand(0).kind == Kind::List)
    results = &decoder.operand(next++);
  const ptx::Operand &name = decoder.operand(next++);
  if (next < decoder.operandCount() && decoder.operand(next).kind == Kind::List)
    arguments = &decoder.operand(next);
  if (name.kind != Kind::Symbol)
    return decoder.fail("calls through pointers are not simulated");
  auto offsets = [&](const ptx::Operand *list) {
    std::vector<uint32_t> found;
    if (list)
      for (const ptx::Operand &each : list->elements)
        if (auto offset = decoder.localOffset(each.text))
          found.push_back(*offset);
        else
          decoder.fail("'" + std::string(each.text) + "' is no parameter");
    return found;
  };
  std::vector<uint32_t> given = offsets(arguments), wanted = offsets(results);
  if (decoder.failed())
    return false;
  if (name.text == "vprintf" || name.text == "__assertfail") {
    if (given.size() < (name.text == "vprintf" ? 2u : 4u))
      return decoder.fail("'" + std::string(name.text) + "' lacks arguments");
    std::vector<Slot> list;
    for (uint32_t offset : given)
      list.push_back({offset});
    Instruction &made = decoder.emit(name.text == "vprintf" ? print : assertionFailed);
    decoder.keep(std::move(list), made);
    return true;
  }
  Decoder::DecodedFunction *function = decoder.find(name.text);
  if (!function)
    return decoder.fail("there is no function '" + std::string(name.text) + "'");
  auto copy = [&](uint32_t from, uint32_t to, uint64_t bytes) {
    Instruction &made = decoder.emit(copyLocal);
    made.a.code = from, made.d.code = to;
    made.immediate = int64_t(bytes);
  };
  for (size_t index = 0; index < given.size() && index < function->parameters.size(); ++index)
    copy(given[index], function->parameters[index], function->syntax->parameters[index].bytes);
  decoder.emit(call);
  decoder.callLater(decoder.here() - 1, name.text);
  for (size_t index = 0; index < wanted.size() && index < function->results.size(); ++index)
    copy(function->results[index], wanted[index], function->syntax->results[index].bytes);
  return true;
}

} // namespace

void addCalls(DecodeTable &table) { table["call"] = decodeCall; }

} // namespace triton::simulator
