// Cubins are ELF files: each kernel has a section `.nv.info.<name>` of records (format, attribute, size or value), among them one per parameter.
#include "test/cuda/FakeImage.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <regex>

namespace triton::test {

static constexpr uint8_t parameterRecord = 0x17, requiredThreadsRecord = 0x10, registersRecord = 0x2f, hasBytes = 4;

/// Calls `visit(attribute, bytes)` for each record of a section.
template <typename Visit> static void forEachRecord(const char *data, size_t size, Visit visit) {
  for (size_t at = 0; at + 4 <= size;) {
    uint16_t length = 0;
    std::memcpy(&length, data + at + 2, 2);
    bool isLong = uint8_t(data[at]) == hasBytes;
    visit(uint8_t(data[at + 1]), data + at + 4);
    at += 4 + (isLong ? length : 0);
  }
}

static uint32_t word(const char *bytes) {
  uint32_t value = 0;
  std::memcpy(&value, bytes, 4);
  return value;
}

static FakeKernel readKernel(const char *data, size_t size) {
  FakeKernel kernel;
  forEachRecord(data, size, [&](uint8_t attribute, const char *bytes) {
    if (attribute == parameterRecord) {
      size_t ordinal = word(bytes + 4) & 0xffff;
      if (kernel.parameterBytes.size() <= ordinal)
        kernel.parameterBytes.resize(ordinal + 1);
      kernel.parameterBytes[ordinal] = word(bytes + 8) >> 18;
    } else if (attribute == requiredThreadsRecord)
      kernel.maxThreads = std::min(1024, int(word(bytes) * word(bytes + 4) * word(bytes + 8)));
  });
  return kernel;
}

static FakeImage readCubin(const char *image) {
  FakeImage result;
  auto *header = reinterpret_cast<const Elf64_Ehdr *>(image);
  auto *sections = reinterpret_cast<const Elf64_Shdr *>(image + header->e_shoff);
  const char *names = image + sections[header->e_shstrndx].sh_offset;
  result.isMachineCode = true;
  result.architecture = int(header->e_flags >> 8 & 0xff);
  int registers = 16;
  for (int index = 0; index < header->e_shnum; ++index) {
    std::string name = names + sections[index].sh_name;
    const char *data = image + sections[index].sh_offset;
    if (name == ".nv.info")
      forEachRecord(data, sections[index].sh_size, [&](uint8_t attribute, const char *bytes) {
        if (attribute == registersRecord)
          registers = int(word(bytes + 4));
      });
    else if (name.starts_with(".nv.info."))
      result.kernels[name.substr(9)] = readKernel(data, sections[index].sh_size);
  }
  for (auto &[name, kernel] : result.kernels)
    kernel.registers = registers;
  return result;
}

static FakeImage readPtx(const std::string &text) {
  FakeImage result;
  std::smatch match;
  if (std::regex_search(text, match, std::regex(R"(\.target\s+sm_(\d+))")))
    result.architecture = std::stoi(match[1]);
  std::regex entry(R"(\.entry\s+(\w+)\s*\(([^)]*)\))"),
      parameter(R"(\.param\b[^,]*?\.([usbf])(\d+)\b[^,\[]*(\[(\d+)\])?)");
  for (std::sregex_iterator found(text.begin(), text.end(), entry), end; found != end; ++found) {
    FakeKernel kernel;
    std::string list = (*found)[2];
    for (std::sregex_iterator item(list.begin(), list.end(), parameter); item != end; ++item)
      kernel.parameterBytes.push_back(uint32_t(std::stoul((*item)[2]) / 8) *
                                      ((*item)[4].matched ? uint32_t(std::stoul((*item)[4])) : 1));
    result.kernels[(*found)[1]] = kernel;
  }
  return result;
}

std::optional<FakeImage> readImage(const char *image) {
  if (std::strncmp(image, ELFMAG, SELFMAG) == 0)
    return readCubin(image);
  std::string text = image;
  if (text.find(".version") == std::string::npos)
    return std::nullopt;
  return readPtx(text);
}

} // namespace triton::test
