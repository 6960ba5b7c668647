#include "compiler/llvm/nvidia/SharedDivisors.h"

#include "compiler/llvm/LlvmModule.h"

#include <gtest/gtest.h>

using namespace triton;

/// `filler`: how many divisions by %a stand before `body`.
static std::string share(const std::string &body, int filler = 32) {
  std::string before;
  for (int i = 0; i < filler; ++i)
    before += "  %f" + std::to_string(i) + " = call float @llvm.nvvm.div.full(float %b, float %a)\n";
  LlvmModule module;
  llvm::cantFail(module.parse("declare float @llvm.nvvm.div.full(float, float)\n"
                              "define ptx_kernel void @kernel(ptr addrspace(1) %p, float %a, float %b, float %d) {\n" +
                              before + body +
                              "  store float %x, ptr addrspace(1) %p\n  store float %y, ptr addrspace(1) %p\n" +
                              "  ret void\n}\n"));
  nvidia::shareDivisors(*module);
  return module.text();
}

static size_t count(const std::string &text, const std::string &what) {
  size_t found = 0;
  for (size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1))
    ++found;
  return found;
}

TEST(SharedDivisors, OneReciprocalForAll) {
  const std::string text = share("  %x = call float @llvm.nvvm.div.full(float %a, float %d)\n"
                                 "  %y = call float @llvm.nvvm.div.full(float %b, float %d)\n");
  EXPECT_EQ(count(text, "call float @llvm.nvvm.div.full"), 0u) << text;
  EXPECT_EQ(count(text, "call float @llvm.nvvm.rcp.approx.ftz.f"), 2u) << text;
  EXPECT_EQ(count(text, "= fmul float"), 1 + 64 + 5u) << text;
}

TEST(SharedDivisors, LeavesOthersAlone) {
  const std::string text = share("  %x = call float @llvm.nvvm.div.full(float %a, float %d)\n"
                                 "  %y = call float @llvm.nvvm.div.full(float %d, float %b)\n");
  EXPECT_EQ(count(text, "call float @llvm.nvvm.div.full"), 2u) << text;
}

TEST(SharedDivisors, QuotientsAsDivisors) {
  const std::string text = share("  %u = call float @llvm.nvvm.div.full(float %a, float %d)\n"
                                 "  %v = call float @llvm.nvvm.div.full(float %b, float %d)\n"
                                 "  %x = call float @llvm.nvvm.div.full(float %v, float %u)\n"
                                 "  %y = call float @llvm.nvvm.div.full(float %a, float %u)\n");
  EXPECT_EQ(count(text, "call float @llvm.nvvm.div.full"), 0u) << text;
  EXPECT_EQ(count(text, "call float @llvm.nvvm.rcp.approx.ftz.f"), 3u) << text;
}

TEST(SharedDivisors, LeavesFewAlone) {
  const std::string text = share("  %x = call float @llvm.nvvm.div.full(float %a, float %d)\n"
                                 "  %y = call float @llvm.nvvm.div.full(float %b, float %d)\n",
                                 29);
  EXPECT_EQ(count(text, "call float @llvm.nvvm.div.full"), 31u) << text;
}
