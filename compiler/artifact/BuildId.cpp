#include "compiler/artifact/BuildId.h"

#include "llvm/ADT/StringExtras.h"

#include <cstring>
#include <elf.h>
#include <link.h>

namespace {
struct Search {
  uintptr_t address;
  std::string id;
};
} // namespace

/// Reads the notes of one segment; they are in memory as they are in the file.
static void readNotes(const char *data, size_t size, std::string &id) {
  while (size >= sizeof(ElfW(Nhdr))) {
    const auto *note = reinterpret_cast<const ElfW(Nhdr) *>(data);
    const size_t nameBytes = (note->n_namesz + 3) & ~3u, contentBytes = (note->n_descsz + 3) & ~3u;
    const size_t total = sizeof(*note) + nameBytes + contentBytes;
    if (total > size)
      return;
    const char *name = data + sizeof(*note);
    if (note->n_type == NT_GNU_BUILD_ID && note->n_namesz == 4 && std::memcmp(name, "GNU", 4) == 0)
      id = llvm::toHex(llvm::StringRef(name + nameBytes, note->n_descsz), /*LowerCase=*/true);
    data += total;
    size -= total;
  }
}

static int visit(dl_phdr_info *info, size_t, void *data) {
  auto &search = *static_cast<Search *>(data);
  bool isHere = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr) &segment = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
    isHere |= segment.p_type == PT_LOAD && search.address >= begin && search.address < begin + segment.p_memsz;
  }
  if (!isHere)
    return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i)
    if (info->dlpi_phdr[i].p_type == PT_NOTE)
      readNotes(reinterpret_cast<const char *>(info->dlpi_addr + info->dlpi_phdr[i].p_vaddr),
                info->dlpi_phdr[i].p_memsz, search.id);
  return 1;
}

std::string triton::artifact::buildIdOf(const void *address) {
  Search search{reinterpret_cast<uintptr_t>(address), {}};
  dl_iterate_phdr(visit, &search);
  return search.id;
}

std::string triton::artifact::buildId() { return buildIdOf(reinterpret_cast<const void *>(&visit)); }
