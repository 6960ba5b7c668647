#include "compiler/llvm/nvidia/CopyAddresses.h"

#include "compiler/llvm/LlvmModule.h"

#include <gtest/gtest.h>

using namespace triton;

/// A loop that computes an address by `index`, from %i, an i32, and does `work`.
static std::string split(const std::string &index, const std::string &work) {
  LlvmModule module;
  llvm::cantFail(module.parse("define ptx_kernel void @kernel(ptr addrspace(1) %p, i32 %n, i32 %to) {\n"
                              "entry:\n  br label %loop\n"
                              "loop:\n  %i = phi i32 [ 0, %entry ], [ %next, %loop ]\n" +
                              index + work +
                              "  %next = add i32 %i, 64\n  %more = icmp slt i32 %next, %n\n"
                              "  br i1 %more, label %loop, label %end\n"
                              "end:\n  ret void\n}\n"));
  nvidia::splitCopyAddresses(*module);
  return module.text();
}

static const std::string signedIndex = "  %o = sext i32 %i to i64\n"
                                       "  %a = getelementptr i16, ptr addrspace(1) %p, i64 %o\n",
                         dot = "  call void asm sideeffect \"wgmma.mma_async.x;\", \"~{memory}\"()\n",
                         copy = "  call void asm sideeffect \"cp.async.cg.shared.global [$0], [$1], 16;\", "
                                "\"r,l\"(i32 %to, ptr addrspace(1) %a)\n";

TEST(CopyAddresses, AreSplitBesideDots) {
  const std::string text = split(signedIndex, dot + copy);
  EXPECT_NE(text.find("shl.b32 l, $1, 1; shr.s32 h, $1, 31; mov.b64 $0, {l, h};"), std::string::npos) << text;
  EXPECT_NE(text.find("getelementptr i8, ptr addrspace(1) %p, i64"), std::string::npos) << text;
}

TEST(CopyAddresses, OfUnsignedWords) {
  const std::string text = split("  %o = zext nneg i32 %i to i64\n"
                                 "  %a = getelementptr i32, ptr addrspace(1) %p, i64 %o\n",
                                 dot + copy);
  EXPECT_NE(text.find("shl.b32 l, $1, 2; shr.u32 h, $1, 30; mov.b64 $0, {l, h};"), std::string::npos) << text;
}

TEST(CopyAddresses, AreLeftAlone) {
  EXPECT_EQ(split(signedIndex, copy).find("shl.b32"), std::string::npos) << "no dot";
  EXPECT_EQ(split("  %o = sext i32 %i to i64\n  %a = getelementptr i8, ptr addrspace(1) %p, i64 %o\n", dot + copy)
                .find("shl.b32"),
            std::string::npos)
      << "bytes";
  EXPECT_EQ(split(signedIndex, dot + copy + "  store i16 0, ptr addrspace(1) %a\n").find("shl.b32"), std::string::npos)
      << "another user";
  EXPECT_EQ(
      split("  %o = sext i32 %n to i64\n  %a = getelementptr [3 x i16], ptr addrspace(1) %p, i64 %o\n", dot + copy)
          .find("shl.b32"),
      std::string::npos)
      << "no power of two";
}
