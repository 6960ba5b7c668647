// Names and features come from LLVM's tables; here they become the few facts the lowering asks for.
#include "compiler/cpu/Target.h"

#include "compiler/support/Suggestion.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/raw_ostream.h"
#include "llvm/TargetParser/AArch64TargetParser.h"
#include "llvm/TargetParser/Host.h"
#include "llvm/TargetParser/Triple.h"
#include "llvm/TargetParser/X86TargetParser.h"

#if defined(__linux__) && defined(__x86_64__)
#include <sys/syscall.h>
#include <unistd.h>
#elif defined(__linux__) && defined(__aarch64__)
#include <sys/prctl.h>
#endif

namespace triton::cpu {

/// AMX state is large, so Linux saves it only for processes that asked. Asking is the only way to learn whether it may
/// be used.
static bool mayUseAmx() {
#if defined(__linux__) && defined(__x86_64__)
  constexpr long requestPermission = 0x1023, tileData = 18;
  return syscall(SYS_arch_prctl, requestPermission, tileData) == 0;
#else
  return false;
#endif
}

static void readFeatures(HostTarget &target, llvm::function_ref<bool(llvm::StringRef)> has) {
  target.sse41 = has("sse4.1");
  target.avx = has("avx");
  target.avx2 = has("avx2");
  target.fma = has("fma");
  target.f16c = has("f16c");
  target.avx512f = has("avx512f") && has("avx512vl") && has("avx512bw") && has("avx512dq");
  target.avx512bf16 = target.avx512f && has("avx512bf16");
  target.avx512fp16 = target.avx512f && has("avx512fp16");
  target.avx512vnni = target.avx512f && has("avx512vnni");
  target.avxvnni = has("avxvnni");
  target.amxBf16 = has("amx-tile") && has("amx-bf16");
  target.amxInt8 = has("amx-tile") && has("amx-int8");
  // Integer vectors of 256 bits need AVX2; plain AVX would split every one.
  target.vectorBits = target.avx512f ? 512 : target.avx2 ? 256 : 128;
}

/// What every 64-bit Arm processor has. `vectorBits` is the length of SVE's vectors where that is more than NEON's.
static void describeArm(HostTarget &target, unsigned vectorBits) {
  target.fma = target.f16c = true;
  target.vectorBits = vectorBits;
}

/// SVE's vectors on this machine; 128 where there are none.
static unsigned hostScalableBits() {
#if defined(__linux__) && defined(__aarch64__)
  int length = prctl(PR_SVE_GET_VL);
  if (length > 0)
    return unsigned(length & PR_SVE_VL_LEN_MASK) * 8;
#endif
  return 128;
}

static HostTarget readHost() {
  HostTarget target;
  target.triple = llvm::sys::getProcessTriple();
  target.cpu = llvm::sys::getHostCPUName().str();
  llvm::StringMap<bool> features = llvm::sys::getHostCPUFeatures();
  llvm::SmallVector<std::string> list;
  for (const auto &feature : features)
    list.push_back((feature.second ? "+" : "-") + feature.first().str());
  llvm::sort(list);
  target.features = llvm::join(list, ",");
  if (llvm::Triple(target.triple).isAArch64()) {
    describeArm(target, hostScalableBits());
    return target;
  }
  readFeatures(target, [&](llvm::StringRef name) { return features.lookup(name); });
  if ((target.amxBf16 || target.amxInt8) && !mayUseAmx())
    target.amxBf16 = target.amxInt8 = false;
  return target;
}

HostTarget HostTarget::detect() {
  // Once: on a virtual machine each question to the processor goes through the hypervisor.
  static const HostTarget host = readHost();
  return host;
}

/// An Arm processor; the name "aarch64" stands for all of them.
static std::optional<HostTarget> armByName(llvm::StringRef name) {
  HostTarget target;
  target.triple = "aarch64-unknown-linux-gnu";
  target.cpu = name == "aarch64" ? "generic" : name.str();
  if (name != "aarch64" && !llvm::AArch64::parseCpu(name))
    return std::nullopt;
  // Their manuals say how long vectors are, which LLVM's tables do not. On the others SVE has 128 bits, as NEON has.
  describeArm(target, name == "a64fx" ? 512 : name == "neoverse-v1" || name == "neoverse-512tvb" ? 256 : 128);
  return target;
}

llvm::Expected<HostTarget> HostTarget::byName(llvm::StringRef name) {
  if (name == "native")
    return detect();
  if (std::optional<HostTarget> arm = armByName(name))
    return *arm;
  if (llvm::X86::parseArchX86(name, /*Only64Bit=*/true) == llvm::X86::CK_None) {
    llvm::SmallVector<llvm::StringRef> known{"aarch64"};
    llvm::X86::fillValidCPUArchList(known, /*Only64Bit=*/true);
    llvm::AArch64::fillValidCPUArchList(known);
    if (name.starts_with("sm_") || name.starts_with("gfx"))
      return llvm::createStringError("'" + name +
                                     "' is the architecture of a GPU, and the target is cpu; name the target " +
                                     (name.starts_with("sm_") ? "cuda" : "hip") + " too");
    if (std::string closest = closestName(name, known); !closest.empty())
      return llvm::createStringError("unknown processor '" + name + "'; did you mean '" + closest + "'?");
    return llvm::createStringError("unknown processor '" + name +
                                   "': native is this machine's, others have the names that LLVM gives them, such as "
                                   "x86-64-v3, znver4, sapphirerapids or neoverse-v2");
  }
  HostTarget target;
  target.triple = "x86_64-unknown-linux-gnu";
  target.cpu = name.str();
  llvm::SmallVector<llvm::StringRef> list;
  llvm::X86::getFeaturesForCPU(name, list);
  llvm::StringMap<bool> features;
  for (llvm::StringRef feature : list) {
    features[feature] = true;
    llvm::X86::updateImpliedFeatures(feature, /*Enabled=*/true, features);
  }
  readFeatures(target, [&](llvm::StringRef feature) { return features.lookup(feature); });
  return target;
}

unsigned HostTarget::fmaLatency() const { return cpu == "haswell" || cpu == "broadwell" ? 5 : 4; }

std::string HostTarget::str() const {
  std::string text;
  llvm::raw_string_ostream(text) << *this;
  return text;
}

llvm::raw_ostream &operator<<(llvm::raw_ostream &out, const HostTarget &target) {
  out << target.cpu << " (" << target.triple << ") " << target.vectorBits << "-bit";
  const std::pair<bool, const char *> flags[] = {{target.sse41, "sse41"},
                                                 {target.avx, "avx"},
                                                 {target.avx2, "avx2"},
                                                 {target.fma, "fma"},
                                                 {target.f16c, "f16c"},
                                                 {target.avx512f, "avx512f"},
                                                 {target.avx512bf16, "avx512bf16"},
                                                 {target.avx512fp16, "avx512fp16"},
                                                 {target.avx512vnni, "avx512vnni"},
                                                 {target.avxvnni, "avxvnni"},
                                                 {target.amxBf16, "amx-bf16"},
                                                 {target.amxInt8, "amx-int8"}};
  for (const auto &[present, name] : flags)
    if (present)
      out << ' ' << name;
  if (!target.features.empty())
    out << ' ' << target.features;
  return out;
}

} // namespace triton::cpu
