// Cubins are ELF files: each kernel has a section `.nv.info.<name>` of records (format, attribute, size or value), among them one per parameter.
#include "test/cuda/FakeImage.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <regex>
#include <variant>

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

namespace {
/// As much of MessagePack as LLVM writes into a code object's note.
struct Node {
  std::variant<uint64_t, std::string, std::vector<Node>, std::map<std::string, Node>> value = uint64_t(0);

  const Node &at(const std::string &key) const {
    static const Node none;
    auto *map = std::get_if<std::map<std::string, Node>>(&value);
    auto found = map ? map->find(key) : std::map<std::string, Node>::const_iterator();
    return map && found != map->end() ? found->second : none;
  }
  std::string text() const { return value.index() == 1 ? std::get<1>(value) : ""; }
  uint64_t number() const { return value.index() == 0 ? std::get<0>(value) : 0; }
  const std::vector<Node> &list() const {
    static const std::vector<Node> none;
    return value.index() == 2 ? std::get<2>(value) : none;
  }
};

struct Unpacker {
  const uint8_t *at;

  uint64_t big(int bytes) {
    uint64_t result = 0;
    for (; bytes > 0; --bytes)
      result = result << 8 | *at++;
    return result;
  }
  std::string text(uint64_t bytes) {
    std::string result(reinterpret_cast<const char *>(at), bytes);
    at += bytes;
    return result;
  }
  Node list(uint64_t count) {
    std::vector<Node> result;
    for (; count > 0; --count)
      result.push_back(node());
    return {std::move(result)};
  }
  Node map(uint64_t count) {
    std::map<std::string, Node> result;
    for (; count > 0; --count) {
      std::string key = node().text();
      result[key] = node();
    }
    return {std::move(result)};
  }
  Node node() {
    const uint8_t kind = *at++;
    if (kind < 0x80)
      return {uint64_t(kind)};
    if (kind < 0x90)
      return map(kind & 15);
    if (kind < 0xa0)
      return list(kind & 15);
    if (kind < 0xc0)
      return {text(kind & 31)};
    switch (kind) {
    case 0xc2:
    case 0xc3:
      return {uint64_t(kind & 1)};
    case 0xcc:
    case 0xcd:
    case 0xce:
    case 0xcf:
      return {big(1 << (kind - 0xcc))};
    case 0xd9:
    case 0xda:
    case 0xdb:
      return {text(big(1 << (kind - 0xd9)))};
    case 0xdc:
    case 0xdd:
      return list(big(2 << (kind - 0xdc)));
    case 0xde:
    case 0xdf:
      return map(big(2 << (kind - 0xde)));
    default:
      return {};
    }
  }
};
} // namespace

/// A code object: its note says what each kernel takes.
static FakeImage readCodeObject(const char *image) {
  FakeImage result;
  auto *header = reinterpret_cast<const Elf64_Ehdr *>(image);
  auto *segments = reinterpret_cast<const Elf64_Phdr *>(image + header->e_phoff);
  for (int index = 0; index < header->e_phnum; ++index) {
    if (segments[index].p_type != PT_NOTE)
      continue;
    const char *note = image + segments[index].p_offset;
    const uint32_t nameBytes = (word(note) + 3) / 4 * 4;
    Node root = Unpacker{reinterpret_cast<const uint8_t *>(note + 12 + nameBytes)}.node();
    result.target = root.at("amdhsa.target").text();
    for (const Node &entry : root.at("amdhsa.kernels").list()) {
      FakeKernel kernel{.registers = int(entry.at(".vgpr_count").number()),
                        .localBytes = int(entry.at(".private_segment_fixed_size").number()),
                        .maxThreads = int(entry.at(".max_flat_workgroup_size").number())};
      for (const Node &argument : entry.at(".args").list())
        if (!argument.at(".value_kind").text().starts_with("hidden_"))
          kernel.parameterBytes.push_back(uint32_t(argument.at(".size").number()));
      result.kernels[entry.at(".name").text()] = kernel;
    }
  }
  return result;
}

static constexpr uint16_t amdgpuMachine = 224;

std::optional<FakeImage> readImage(const char *image) {
  if (std::strncmp(image, ELFMAG, SELFMAG) == 0)
    return reinterpret_cast<const Elf64_Ehdr *>(image)->e_machine == amdgpuMachine ? readCodeObject(image)
                                                                                   : readCubin(image);
  std::string text = image;
  if (text.find(".version") == std::string::npos)
    return std::nullopt;
  return readPtx(text);
}

} // namespace triton::test
