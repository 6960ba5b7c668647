#include "compiler/llvm/LlvmModule.h"
#include "compiler/llvm/nvidia/Codegen.h"

#include <gtest/gtest.h>

using namespace triton;

static bool llvmWaits(const std::string &body) {
  LlvmModule module;
  llvm::cantFail(module.parse("define void @before(ptr %p) { store i32 0, ptr %p\nret void }\n"
                              "define ptx_kernel void @kernel(ptr %p) {\n" +
                              body + "\nret void\n}\n"));
  return nvidia::waitsAtEntry(*module);
}

TEST(WaitAtEntry, OfLlvmIr) {
  const std::string wait = "call void asm sideeffect \"griddepcontrol.wait;\", \"~{memory}\"()\n",
                    other = "call void asm sideeffect \"griddepcontrol.launch_dependents;\", \"~{memory}\"()\n",
                    arithmetic = "%a = ptrtoint ptr %p to i64\n", store = "store i32 1, ptr %p\n";
  EXPECT_TRUE(llvmWaits(wait));
  EXPECT_TRUE(llvmWaits(arithmetic + wait + store));
  EXPECT_FALSE(llvmWaits(arithmetic));
  EXPECT_FALSE(llvmWaits(store + wait));
  EXPECT_FALSE(llvmWaits(other + wait));
  EXPECT_FALSE(llvmWaits("br label %next\nnext:\n" + wait));
}

static bool ptxWaits(const std::string &body) {
  return nvidia::waitsAtEntry(
      ".version 8.6\n.visible .entry kernel(\n\t.param .u64 kernel_param_0\n)\n.reqntid 128\n{\n" + body +
      "\tret;\n}\n");
}

TEST(WaitAtEntry, OfPtx) {
  const std::string wait = "\t// begin inline asm\n\tgriddepcontrol.wait;\n\t// end inline asm\n",
                    arithmetic = "\t.reg .b32 %r<5>;\n\t.loc 1 3 5\n$L__tmp0:\n\tld.param.b64 %rd1, [kernel_param_0];\n"
                                 "\tmov.u32 %r1, %tid.x;\n\tshl.b32 %r2, %r1, 2; // four bytes each\n";
  EXPECT_TRUE(ptxWaits(wait));
  EXPECT_TRUE(ptxWaits(arithmetic + wait));
  EXPECT_FALSE(ptxWaits(arithmetic));
  for (const char *before : {"ld.global.b32 %r1, [%rd1];", "@%p1 bra $L__BB0_2;", "griddepcontrol.launch_dependents;",
                             "// griddepcontrol.wait;\n\tst.shared.b32 [%r1], %r2;", "bar.sync 0;", "call.uni f, ();"})
    EXPECT_FALSE(ptxWaits("\t" + std::string(before) + "\n" + wait)) << before;
  EXPECT_FALSE(nvidia::waitsAtEntry("griddepcontrol.wait;"));
}
