#include "compiler/gpu/Target.h"

using namespace triton::gpu;

// LDS: what one workgroup may use; gfx1250 has 320 KiB, of which LLVM 22 gives out half.
static constexpr AmdArchitecture amdArchitectures[] = {
    {"gfx90a", 64, 64 * 1024, 2, 0, AmdArchitecture::Fp8::None},
    {"gfx942", 64, 64 * 1024, 3, 0, AmdArchitecture::Fp8::Fnuz},
    {"gfx950", 64, 160 * 1024, 4, 0, AmdArchitecture::Fp8::Ocp},
    {"gfx1100", 32, 64 * 1024, 0, 1, AmdArchitecture::Fp8::None},
    {"gfx1101", 32, 64 * 1024, 0, 1, AmdArchitecture::Fp8::None},
    {"gfx1102", 32, 64 * 1024, 0, 1, AmdArchitecture::Fp8::None},
    {"gfx1200", 32, 64 * 1024, 0, 2, AmdArchitecture::Fp8::Ocp},
    {"gfx1201", 32, 64 * 1024, 0, 2, AmdArchitecture::Fp8::Ocp},
    {"gfx1250", 32, 160 * 1024, 0, 3, AmdArchitecture::Fp8::Ocp},
};

const AmdArchitecture *triton::gpu::findAmdArchitecture(llvm::StringRef name) {
  const auto *found = llvm::find_if(amdArchitectures, [&](const AmdArchitecture &each) { return each.name == name; });
  return found == std::end(amdArchitectures) ? nullptr : found;
}

llvm::Expected<Target> Target::amdByName(llvm::StringRef chip) {
  // What a device says of itself goes on with features: gfx942:sramecc+:xnack-.
  const AmdArchitecture *found = findAmdArchitecture(chip.split(':').first);
  if (!found)
    return llvm::createStringError("unknown AMD architecture '" + chip +
                                   "': expected gfx90a, gfx942, gfx950, gfx1100, gfx1200, gfx1201 or gfx1250");
  return Target{.capability = 0, .allowsWgmma = false, .allowsTcgen05 = false, .amd = found};
}
