#include "compiler/gluon/LayoutPictures.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

using namespace triton;
using namespace triton::gluon;
using layout::LinearLayout;

static std::string padded(const std::string &text, size_t width) {
  return std::string(width - std::min(width, text.size()), ' ') + text;
}

/// `(0, 3)`, each number as wide as the largest of its dimension.
static std::string coordinates(const LinearLayout &map, const layout::Coordinates &place, const char *separator) {
  std::string text = "(";
  for (auto [dim, number] : llvm::enumerate(place))
    text += (dim ? separator : "") + padded(std::to_string(number), std::to_string(map.outputs()[dim].size - 1).size());
  return text + ")";
}

/// The entries in rows of the last dimension, with the brackets of nested lists.
static std::string inBrackets(const LinearLayout &map, llvm::ArrayRef<std::string> entries, const char *separator) {
  const size_t rank = map.outputs().size(), columns = map.outputs().back().size;
  std::string text;
  for (size_t first = 0; first < entries.size(); first += columns) {
    // How many lists begin with this row, and how many end.
    size_t opened = 1, closed = 1, inner = columns;
    for (size_t dim = rank - 1; dim-- > 0;) {
      inner *= map.outputs()[dim].size;
      opened += first % inner == 0;
      closed += (first + columns) % inner == 0;
    }
    text += std::string(opened, '[') + std::string(first ? rank - opened : 0, ' ');
    text += llvm::join(entries.slice(first, columns), separator) + std::string(closed, ']') + "\n";
  }
  return text;
}

static bool isOfTensor(const LinearLayout &map) { return map.hasInput("register"); }
static int64_t sizeOf(const LinearLayout &map, llvm::StringRef input) {
  return map.hasInput(input) ? map.inputSize(input) : 1;
}

/// The number of an element, row by row.
static size_t numberOf(const LinearLayout &map, const layout::Coordinates &place) {
  size_t number = 0;
  for (auto [output, index] : llvm::zip(map.outputs(), place))
    number = number * output.size + index;
  return number;
}

static std::string pictureOfRegisters(const LinearLayout &map) {
  const int64_t blocks = sizeOf(map, "block"), lanes = map.inputSize("lane");
  size_t count = 1, width = 0;
  for (const LinearLayout::Output &output : map.outputs())
    count *= output.size;
  std::vector<llvm::SmallVector<std::string>> holders(count);
  for (int64_t block = 0; block < blocks; ++block)
    for (int64_t warp = 0; warp < map.inputSize("warp"); ++warp)
      for (int64_t lane = 0; lane < lanes; ++lane)
        for (int64_t reg = 0; reg < map.inputSize("register"); ++reg) {
          llvm::SmallVector<layout::DimensionSize> at{{"register", reg}, {"lane", lane}, {"warp", warp}};
          if (map.hasInput("block"))
            at.emplace_back("block", block);
          std::string name = "T" + std::to_string(warp * lanes + lane) + ":" + std::to_string(reg);
          if (blocks > 1)
            name = "B" + std::to_string(block) + ":" + name;
          width = std::max(width, name.size());
          holders[numberOf(map, map.apply(at))].push_back(std::move(name));
        }
  std::vector<std::string> entries;
  for (const llvm::SmallVector<std::string> &names : holders)
    entries.push_back(
        llvm::join(llvm::map_range(names, [&](const std::string &name) { return padded(name, width); }), "|"));
  return inBrackets(map, entries, ", ");
}

/// Calls `visit` with the place that each offset of each block holds.
static void eachOffset(const LinearLayout &map,
                       llvm::function_ref<void(int64_t, int64_t, const layout::Coordinates &)> visit) {
  for (int64_t block = 0; block < sizeOf(map, "block"); ++block)
    for (int64_t offset = 0; offset < map.inputSize("offset"); ++offset) {
      llvm::SmallVector<layout::DimensionSize> at{{"offset", offset}};
      if (map.hasInput("block"))
        at.emplace_back("block", block);
      visit(block, offset, map.apply(at));
    }
}

std::string gluon::pictureOfTensor(const LinearLayout &map) {
  if (isOfTensor(map))
    return pictureOfRegisters(map);
  std::vector<std::string> entries;
  eachOffset(map, [&](int64_t, int64_t, const layout::Coordinates &place) {
    entries.push_back(coordinates(map, place, ":"));
  });
  return inBrackets(map, entries, ",");
}

std::string gluon::pictureOfHardware(const LinearLayout &map) {
  std::string text;
  if (!isOfTensor(map)) {
    eachOffset(map, [&](int64_t block, int64_t offset, const layout::Coordinates &place) {
      if (offset == 0)
        text += "Block: " + std::to_string(block) + ":\n";
      text += "Offset: " + std::to_string(offset) + " -> " + coordinates(map, place, ",") + "\n";
    });
    return text;
  }
  for (int64_t block = 0; block < sizeOf(map, "block"); ++block) {
    if (sizeOf(map, "block") > 1)
      text += "Block" + std::to_string(block) + ":\n";
    for (int64_t warp = 0; warp < map.inputSize("warp"); ++warp) {
      text += "Warp" + std::to_string(warp) + ":\n";
      for (int64_t reg = 0; reg < map.inputSize("register"); ++reg) {
        llvm::SmallVector<std::string> row;
        for (int64_t lane = 0; lane < map.inputSize("lane"); ++lane) {
          llvm::SmallVector<layout::DimensionSize> at{{"register", reg}, {"lane", lane}, {"warp", warp}};
          if (map.hasInput("block"))
            at.emplace_back("block", block);
          row.push_back(coordinates(map, map.apply(at), ","));
        }
        text += llvm::join(row, ", ") + "\n";
      }
    }
  }
  return text;
}
