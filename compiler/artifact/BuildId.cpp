#include "compiler/artifact/BuildId.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/BLAKE3.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <cstring>
#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/stat.h>

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

std::string triton::artifact::identityOf(const void *address) {
  std::string id = buildIdOf(address);
  Dl_info info;
  struct stat status;
  if (!id.empty() || !::dladdr(address, &info) || ::stat(info.dli_fname, &status) != 0)
    return id;
  return llvm::formatv("{0}:{1}.{2}", status.st_size, status.st_mtim.tv_sec, status.st_mtim.tv_nsec).str();
}

std::string triton::artifact::digestFiles(const std::string &folder, const std::string &suffix) {
  std::vector<std::string> paths;
  std::error_code error;
  for (llvm::sys::fs::recursive_directory_iterator it(folder, error), end; it != end && !error; it.increment(error))
    if (llvm::sys::path::filename(it->path()) == "__pycache__")
      it.no_push();
    else if (llvm::StringRef(it->path()).ends_with(suffix))
      paths.push_back(it->path());
  if (error == std::errc::not_a_directory)
    paths = {folder};
  llvm::sort(paths);
  llvm::BLAKE3 hasher;
  for (const std::string &path : paths) {
    auto buffer = llvm::MemoryBuffer::getFile(path, /*IsText=*/false, /*RequiresNullTerminator=*/false);
    if (!buffer)
      continue;
    // Sizes keep the end of one file apart from the beginning of the next.
    hasher.update(
        (llvm::StringRef(path).drop_front(folder.size()) + ":" + llvm::Twine((*buffer)->getBufferSize()) + ":").str());
    hasher.update((*buffer)->getBuffer());
  }
  return llvm::toHex(hasher.final<32>(), /*LowerCase=*/true);
}
