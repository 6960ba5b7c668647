#include "compiler/llvm/amd/CodeObject.h"

#include "llvm/BinaryFormat/ELF.h"
#include "llvm/BinaryFormat/MsgPackDocument.h"
#include "llvm/Object/ELF.h"
#include "llvm/Object/ELFObjectFile.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"

#include <map>

using namespace llvm;

namespace triton::amd {

namespace {

using Elf = object::ELF64LEFile;
using Header = object::ELF64LE::Shdr;

constexpr uint64_t page = 4096;

/// A part of the file that is loaded, or described by the section table.
struct Part {
  std::string name;
  std::string bytes;
  uint32_t type;
  uint64_t flags;
  uint64_t alignment;
  uint64_t address = 0, offset = 0;
  uint32_t link = 0, info = 0;
  uint64_t entrySize = 0;
};

struct Symbol {
  std::string name;
  ELF::Elf64_Sym entry;
  size_t part; // of the section that it lies in
};

template <typename T> void append(std::string &out, const T &value) {
  out.append(reinterpret_cast<const char *>(&value), sizeof(T));
}

/// As the dynamic loader looks names up.
std::string hashTable(ArrayRef<Symbol> symbols) {
  const uint32_t buckets = std::max<uint32_t>(1, symbols.size());
  std::vector<uint32_t> first(buckets, 0), next(symbols.size() + 1, 0);
  for (auto [index, symbol] : enumerate(symbols)) {
    const uint32_t bucket = object::hashSysV(symbol.name) % buckets, number = index + 1;
    next[number] = std::exchange(first[bucket], number);
  }
  std::string table;
  append(table, buckets);
  append(table, uint32_t(next.size()));
  for (uint32_t value : first)
    append(table, value);
  for (uint32_t value : next)
    append(table, value);
  return table;
}

class Linker {
public:
  explicit Linker(const Elf &elf) : elf(elf) {}
  Expected<std::string> run();

private:
  Error readSections();
  Error readSymbols();
  Error relocate();
  void addDynamicParts();
  void place();
  std::string write();
  size_t find(StringRef name) {
    for (auto [index, part] : enumerate(parts))
      if (part.name == name)
        return index;
    return ~size_t(0);
  }

  const Elf &elf;
  std::vector<Part> parts;         // in the order of the file
  std::map<size_t, size_t> partOf; // number of a section of the object -> part
  std::vector<Symbol> symbols;     // that loaders see
  struct Relocation {
    size_t part;
    uint64_t offset;
    size_t targetPart;
    uint64_t value; // of the symbol, and what is added to it
  };
  std::vector<Relocation> relocations;
};

} // namespace

/// Notes, then what is only read, then code.
Error Linker::readSections() {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (StringRef wanted : {".note", ".rodata", ".text"})
    for (auto [number, section] : enumerate(*sections)) {
      auto name = elf.getSectionName(section);
      if (!name)
        return name.takeError();
      if (*name != wanted)
        continue;
      auto content = elf.getSectionContents(section);
      if (!content)
        return content.takeError();
      partOf[number] = parts.size();
      parts.push_back({name->str(), std::string(toStringRef(*content)), section.sh_type, section.sh_flags,
                       std::max<uint64_t>(1, section.sh_addralign)});
    }
  for (auto [number, section] : enumerate(*sections))
    if ((section.sh_flags & ELF::SHF_ALLOC) && section.sh_size && !partOf.count(number))
      return createStringError("a kernel's object has a section that is not linked: " +
                               cantFail(elf.getSectionName(section)));
  return Error::success();
}

Error Linker::readSymbols() {
  auto sections = elf.sections();
  if (!sections)
    return sections.takeError();
  for (const Header &table : *sections) {
    if (table.sh_type != ELF::SHT_SYMTAB)
      continue;
    auto all = elf.symbols(&table);
    auto names = elf.getStringTableForSymtab(table);
    if (!all)
      return all.takeError();
    if (!names)
      return names.takeError();
    for (const auto &symbol : *all) {
      auto found = partOf.find(symbol.st_shndx);
      const unsigned type = symbol.getType();
      if (symbol.getBinding() == ELF::STB_LOCAL || found == partOf.end() ||
          (type != ELF::STT_FUNC && type != ELF::STT_OBJECT && type != ELF::STT_AMDGPU_HSA_KERNEL))
        continue;
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      ELF::Elf64_Sym entry{};
      entry.st_info = symbol.st_info;
      entry.st_other = symbol.st_other;
      entry.st_value = symbol.st_value;
      entry.st_size = symbol.st_size;
      symbols.push_back({name->str(), entry, found->second});
    }
    // Relocations name symbols by their number here.
    for (const Header &section : *sections) {
      if (section.sh_type != ELF::SHT_RELA)
        continue;
      auto patched = partOf.find(section.sh_info);
      if (patched == partOf.end())
        continue; // of debug information
      auto entries = elf.relas(section);
      if (!entries)
        return entries.takeError();
      for (const auto &entry : *entries) {
        const auto &symbol = (*all)[entry.getSymbol(false)];
        auto target = partOf.find(symbol.st_shndx);
        if (entry.getType(false) != ELF::R_AMDGPU_REL64 || target == partOf.end())
          return createStringError("a kernel's object has a relocation of type " + Twine(entry.getType(false)) +
                                   ", which is not linked");
        relocations.push_back({patched->second, entry.r_offset, target->second, symbol.st_value + entry.r_addend});
      }
    }
  }
  return Error::success();
}

void Linker::addDynamicParts() {
  std::string strings(1, '\0'), entries(sizeof(ELF::Elf64_Sym), '\0');
  for (Symbol &symbol : symbols) {
    symbol.entry.st_name = strings.size();
    strings += symbol.name + '\0';
    append(entries, symbol.entry); // sections and addresses are filled in when they are known
  }
  auto add = [&](StringRef name, std::string bytes, uint32_t type, uint64_t alignment, uint64_t entrySize) {
    Part part{name.str(), std::move(bytes), type, ELF::SHF_ALLOC, alignment};
    part.entrySize = entrySize;
    // Before the descriptors, which end what is only read.
    parts.insert(parts.begin() + find(".rodata"), std::move(part));
  };
  const size_t before = find(".rodata");
  add(".dynsym", entries, ELF::SHT_DYNSYM, 8, sizeof(ELF::Elf64_Sym));
  add(".hash", hashTable(symbols), ELF::SHT_HASH, 4, 4);
  add(".dynstr", strings, ELF::SHT_STRTAB, 1, 0);
  const size_t added = find(".rodata") - before;
  auto moved = [&](size_t part) { return part >= before ? part + added : part; };
  for (Symbol &symbol : symbols)
    symbol.part = moved(symbol.part);
  for (Relocation &relocation : relocations) {
    relocation.part = moved(relocation.part);
    relocation.targetPart = moved(relocation.targetPart);
  }
  Part dynamic{".dynamic", std::string(6 * 16, '\0'), ELF::SHT_DYNAMIC, ELF::SHF_ALLOC | ELF::SHF_WRITE, 8};
  dynamic.entrySize = 16;
  parts.push_back(std::move(dynamic));
}

/// Addresses and places in the file are the same modulo pages: what may be executed, and what may be written, begins on a page of its own.
void Linker::place() {
  uint64_t offset = sizeof(ELF::Elf64_Ehdr) + 6 * sizeof(ELF::Elf64_Phdr), address = offset;
  for (Part &part : parts) {
    if (part.name == ".text")
      part.alignment = std::max<uint64_t>(part.alignment, 256);
    if (part.name == ".text" || part.name == ".dynamic")
      address += page;
    const uint64_t next = alignTo(offset, part.alignment);
    address += next - offset;
    part.offset = next;
    part.address = address;
    offset = next + part.bytes.size();
    address += part.bytes.size();
  }
}

Error Linker::relocate() {
  for (const Relocation &relocation : relocations) {
    Part &part = parts[relocation.part];
    if (relocation.offset + 8 > part.bytes.size())
      return createStringError("a kernel's object has a relocation outside of its section");
    const uint64_t place = part.address + relocation.offset;
    support::endian::write64le(part.bytes.data() + relocation.offset,
                               parts[relocation.targetPart].address + relocation.value - place);
  }
  // Symbols get addresses, the dynamic section finds its tables.
  std::string &table = parts[find(".dynsym")].bytes;
  for (auto [index, symbol] : enumerate(symbols)) {
    ELF::Elf64_Sym entry = symbol.entry;
    entry.st_shndx = symbol.part + 1;
    entry.st_value += parts[symbol.part].address;
    memcpy(table.data() + (index + 1) * sizeof(entry), &entry, sizeof(entry));
  }
  parts[find(".dynsym")].link = find(".dynstr") + 1;
  parts[find(".dynsym")].info = 1;
  parts[find(".hash")].link = find(".dynsym") + 1;
  Part &dynamic = parts[find(".dynamic")];
  dynamic.link = find(".dynstr") + 1;
  dynamic.bytes.clear();
  auto note = [&](uint64_t tag, uint64_t value) {
    append(dynamic.bytes, tag);
    append(dynamic.bytes, value);
  };
  note(ELF::DT_SYMTAB, parts[find(".dynsym")].address);
  note(ELF::DT_SYMENT, sizeof(ELF::Elf64_Sym));
  note(ELF::DT_STRTAB, parts[find(".dynstr")].address);
  note(ELF::DT_STRSZ, parts[find(".dynstr")].bytes.size());
  note(ELF::DT_HASH, parts[find(".hash")].address);
  note(ELF::DT_NULL, 0);
  return Error::success();
}

std::string Linker::write() {
  const size_t text = find(".text"), dynamic = find(".dynamic"), notes = find(".note");
  std::string names(1, '\0'), out;
  std::vector<uint32_t> nameOf;
  for (const Part &part : parts) {
    nameOf.push_back(names.size());
    names += part.name + '\0';
  }
  const uint32_t ownName = names.size();
  names += std::string(".shstrtab") + '\0';
  const Part &last = parts.back();
  const uint64_t namesAt = last.offset + last.bytes.size(), tableAt = alignTo(namesAt + names.size(), 8);

  ELF::Elf64_Ehdr header{};
  memcpy(&header, elf.base(), sizeof(header)); // the chip's own flags
  header.e_type = ELF::ET_DYN;
  header.e_phoff = sizeof(header);
  header.e_phentsize = sizeof(ELF::Elf64_Phdr);
  header.e_phnum = 6;
  header.e_shoff = tableAt;
  header.e_shentsize = sizeof(ELF::Elf64_Shdr);
  header.e_shnum = parts.size() + 2;
  header.e_shstrndx = parts.size() + 1;
  append(out, header);

  auto segment = [&](uint32_t type, uint32_t flags, uint64_t offset, uint64_t address, uint64_t size, uint64_t align) {
    ELF::Elf64_Phdr entry{};
    entry.p_type = type;
    entry.p_flags = flags;
    entry.p_offset = offset;
    entry.p_vaddr = entry.p_paddr = address;
    entry.p_filesz = entry.p_memsz = size;
    entry.p_align = align;
    append(out, entry);
  };
  auto one = [&](uint32_t type, uint32_t flags, const Part &part, uint64_t align) {
    segment(type, flags, part.offset, part.address, part.bytes.size(), align);
  };
  const Part &readOnly = parts[text - 1];
  segment(ELF::PT_PHDR, ELF::PF_R, sizeof(header), sizeof(header), 6 * sizeof(ELF::Elf64_Phdr), 8);
  segment(ELF::PT_LOAD, ELF::PF_R, 0, 0, readOnly.offset + readOnly.bytes.size(), page);
  one(ELF::PT_LOAD, ELF::PF_R | ELF::PF_X, parts[text], page);
  one(ELF::PT_LOAD, ELF::PF_R | ELF::PF_W, parts[dynamic], page);
  one(ELF::PT_DYNAMIC, ELF::PF_R | ELF::PF_W, parts[dynamic], 8);
  one(ELF::PT_NOTE, ELF::PF_R, parts[notes], 4);

  for (const Part &part : parts) {
    out.resize(part.offset, '\0');
    out += part.bytes;
  }
  out += names;
  out.resize(tableAt, '\0');
  append(out, ELF::Elf64_Shdr{});
  for (auto [index, part] : enumerate(parts)) {
    ELF::Elf64_Shdr entry{};
    entry.sh_name = nameOf[index];
    entry.sh_type = part.type;
    entry.sh_flags = part.flags;
    entry.sh_addr = part.address;
    entry.sh_offset = part.offset;
    entry.sh_size = part.bytes.size();
    entry.sh_link = part.link;
    entry.sh_info = part.info;
    entry.sh_addralign = part.alignment;
    entry.sh_entsize = part.entrySize;
    append(out, entry);
  }
  ELF::Elf64_Shdr own{};
  own.sh_name = ownName;
  own.sh_type = ELF::SHT_STRTAB;
  own.sh_offset = namesAt;
  own.sh_size = names.size();
  own.sh_addralign = 1;
  append(out, own);
  return out;
}

Expected<std::string> Linker::run() {
  if (Error error = readSections())
    return error;
  for (StringRef needed : {".note", ".rodata", ".text"})
    if (find(needed) == ~size_t(0))
      return createStringError("a kernel's object has no section '" + needed + "'");
  if (Error error = readSymbols())
    return error;
  addDynamicParts();
  place();
  if (Error error = relocate())
    return error;
  return write();
}

Expected<std::string> linkCodeObject(StringRef object) {
  auto elf = Elf::create(object);
  if (!elf)
    return elf.takeError();
  return Linker(*elf).run();
}

Expected<KernelResources> readResources(StringRef codeObject) {
  auto elf = Elf::create(codeObject);
  if (!elf)
    return elf.takeError();
  auto sections = elf->sections();
  if (!sections)
    return sections.takeError();
  for (const Header &section : *sections) {
    if (section.sh_type != ELF::SHT_NOTE)
      continue;
    Error error = Error::success();
    for (const auto &note : elf->notes(section, error)) {
      if (note.getType() != ELF::NT_AMDGPU_METADATA)
        continue;
      msgpack::Document document;
      consumeError(std::move(error));
      if (!document.readFromBlob(toStringRef(note.getDesc(4)), /*Multi=*/false))
        return createStringError("the code object's metadata cannot be read");
      msgpack::DocNode kernels = document.getRoot().getMap()["amdhsa.kernels"];
      if (!kernels.isArray() || kernels.getArray().size() != 1)
        return createStringError("a code object must have exactly one kernel");
      msgpack::MapDocNode &kernel = kernels.getArray()[0].getMap();
      auto number = [&](StringRef name) {
        msgpack::DocNode value = kernel[name];
        return value.getKind() == msgpack::Type::UInt  ? unsigned(value.getUInt())
               : value.getKind() == msgpack::Type::Int ? unsigned(value.getInt())
                                                       : 0u;
      };
      KernelResources found;
      if (msgpack::DocNode name = kernel[".name"]; name.getKind() == msgpack::Type::String)
        found.name = name.getString().str();
      found.vectorRegisters = number(".vgpr_count");
      found.scalarRegisters = number(".sgpr_count");
      found.accumulatorRegisters = number(".agpr_count");
      found.spilledRegisters = number(".vgpr_spill_count");
      found.sharedBytes = number(".group_segment_fixed_size");
      found.privateBytes = number(".private_segment_fixed_size");
      found.argumentBytes = number(".kernarg_segment_size");
      return found;
    }
    if (error)
      return error;
  }
  return createStringError("the code object has no metadata");
}

} // namespace triton::amd
