// Numbers and texts that a program gives to the parts of it: what they are called, of which type they are, how they add up.
//   In:  names as users write them: "flops", "a (exc)" for a metric of one node alone, "a (pty)" for a property, which is set and not added.
//   Out: plain names, and sums.
#pragma once

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

namespace triton::runtime::profiler {

using MetricValue = std::variant<int64_t, double, std::string, std::vector<int64_t>, std::vector<double>>;

struct Metric {
  std::string name;
  MetricValue value;
};

struct MetricName {
  explicit MetricName(llvm::StringRef name) {
    isProperty = name.consume_back(" (pty)");
    isExclusive = name.consume_back(" (exc)");
    text = name.str();
  }
  std::string text;
  bool isProperty, isExclusive;
};

/// As messages name it.
inline llvm::StringRef typeName(const MetricValue &value) {
  constexpr llvm::StringLiteral names[] = {"uint64_t", "double", "std::string", "std::vector<int64_t>",
                                           "std::vector<double>"};
  if (auto *whole = std::get_if<int64_t>(&value); whole && *whole < 0)
    return "int64_t";
  return names[value.index()];
}

/// Operations and bytes are counted as floats, whichever numbers a program happens to give.
inline MetricValue asStored(llvm::StringRef name, MetricValue value) {
  if (auto *whole = std::get_if<int64_t>(&value); whole && (name.starts_with("flops") || name == "bytes"))
    return double(*whole);
  return value;
}

/// Adds a value of the same type; numbers of two types become floats. What cannot be added, such as a text, takes the place of the one before.
inline void addTo(MetricValue &sum, const MetricValue &value) {
  auto asNumber = [](const MetricValue &value) {
    auto *whole = std::get_if<int64_t>(&value);
    return whole ? double(*whole) : std::get<double>(value);
  };
  if (sum.index() != value.index()) {
    const bool areNumbers = sum.index() < 2 && value.index() < 2;
    sum = areNumbers ? MetricValue(asNumber(sum) + asNumber(value)) : value;
    return;
  }
  auto add = [](auto &sum, const auto &value) {
    if constexpr (std::is_arithmetic_v<std::decay_t<decltype(value)>>) {
      sum += value;
    } else if constexpr (std::is_same_v<std::decay_t<decltype(value)>, std::string>) {
      sum = value;
    } else {
      sum.resize(std::max(sum.size(), value.size()));
      for (size_t index = 0; index < value.size(); ++index)
        sum[index] += value[index];
    }
  };
  std::visit([&](auto &sum) { add(sum, std::get<std::decay_t<decltype(sum)>>(value)); }, sum);
}

} // namespace triton::runtime::profiler
