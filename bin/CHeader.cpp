#include "bin/CHeader.h"
#include "dispatch/CLibrary.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace triton;
using llvm::StringRef;

/// Each after `separator`, as members or as parameters of a function.
static void writeParameters(const artifact::Artifact &artifact, StringRef separator, bool withSemicolons,
                            llvm::raw_ostream &os) {
  for (const auto &[index, argument] : llvm::enumerate(artifact.arguments)) {
    std::string name = argument.name;
    std::replace(name.begin(), name.end(), '.', '_');
    os << (index || withSemicolons ? separator : "") << dispatch::cTypeOf(argument.type, "cpu") << name
       << (withSemicolons ? ";" : "");
    if (withSemicolons)
      os << " // " << argument.type;
  }
}

static void writeLaunch(const artifact::Artifact &artifact, llvm::raw_ostream &os) {
  os << "// Runs the whole grid on the calling thread. Returns 0, or -1 if there is no memory for the scratch, or the "
        "grid is "
        "negative or has more programs than 64 bits can count.\n"
     << "static inline int " << artifact.name << "_launch(int32_t grid_x, int32_t grid_y, int32_t grid_z";
  if (!artifact.arguments.empty())
    os << ", ";
  writeParameters(artifact, ", ", false, os);
  os << ") {\n  struct " << artifact.name << "_arguments arguments = {";
  llvm::interleaveComma(artifact.arguments, os, [&](const artifact::Argument &argument) {
    std::string name = argument.name;
    std::replace(name.begin(), name.end(), '.', '_');
    os << name;
  });
  if (artifact.arguments.empty())
    os << "0";
  os << "};\n  const int32_t grid[3] = {grid_x, grid_y, grid_z};\n"
     << "  int64_t programs;\n"
     << "  if (grid_x < 0 || grid_y < 0 || grid_z < 0 || __builtin_mul_overflow((int64_t)grid_x * grid_y, grid_z, "
        "&programs))\n    return -1;\n"
     << "  void *arena = " << artifact.name << "_arena_bytes ? aligned_alloc(64, (" << artifact.name
     << "_arena_bytes + 63) / 64 * 64) : NULL;\n"
     << "  if (" << artifact.name << "_arena_bytes && !arena)\n    return -1;\n"
     << "  " << artifact.name << "(&arguments, grid, 0, programs, arena);\n"
     << "  free(arena);\n  return 0;\n}\n\n";
}

std::string triton::makeCHeader(const artifact::Artifact &artifact) {
  std::string text;
  llvm::raw_string_ostream os(text);
  std::string guard = "TRITON_KERNEL_" + StringRef(artifact.name).upper() + "_H";
  os << "// Made by tritonc for " << artifact.backend << " " << StringRef(artifact.architecture).split(' ').first
     << "; link with the object file of the same kernel.\n"
     << "#ifndef " << guard << "\n#define " << guard << "\n\n#include <stdint.h>\n#include <stdlib.h>\n\n"
     << "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n"
     << "struct " << artifact.name << "_arguments {";
  writeParameters(artifact, "\n  ", true, os);
  if (artifact.arguments.empty())
    os << "\n  char unused;";
  os << "\n};\n\n"
     << "// Bytes of scratch, 64-byte aligned, that each thread running programs needs; 0: pass NULL.\n"
     << "enum { " << artifact.name << "_arena_bytes = " << artifact.arenaBytes << " };\n\n"
     << "// Runs programs `begin` to `end - 1` of the grid; program (x, y, z) has the number (z * grid[1] + y) * "
        "grid[0] + x.\n"
     << "// Threads may run disjoint ranges at the same time.\n"
     << "void " << artifact.name << "(const struct " << artifact.name
     << "_arguments *arguments, const int32_t grid[3], int64_t begin, int64_t end, void *arena);\n\n";
  if (artifact.waitsForPrograms)
    os << "// Its programs may wait for what others write: run each on a thread of its own, or let --emit=library "
          "write what "
          "does.\n\n";
  else
    writeLaunch(artifact, os);
  os << "#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
  return text;
}
