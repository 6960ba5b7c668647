// A device that has less of something than a kernel needs: the sentence that users of Triton know, said by the compiler, by launches and by Python's exception alike.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace triton::dispatch {

struct Shortage {
  uint64_t required = 0, limit = 0;
  std::string what; // "shared memory"

  std::string message() const {
    return "out of resource: " + what + ", Required: " + std::to_string(required) +
           ", Hardware limit: " + std::to_string(limit) + ". Reducing block sizes or `num_stages` may help.";
  }

  /// What such a sentence says; nullopt if it is another one.
  static std::optional<Shortage> read(std::string_view message) {
    Shortage out;
    auto number = [&](std::string_view label, uint64_t &value) {
      const size_t place = message.find(label);
      return place != std::string_view::npos &&
             std::from_chars(message.data() + place + label.size(), message.data() + message.size(), value).ec ==
                 std::errc();
    };
    constexpr std::string_view begin = "out of resource: ";
    const size_t end = message.find(", Required: ");
    if (!message.starts_with(begin) || !number(", Required: ", out.required) ||
        !number(", Hardware limit: ", out.limit))
      return std::nullopt;
    out.what = message.substr(begin.size(), end - begin.size());
    return out;
  }
};

} // namespace triton::dispatch
