#include "compiler/driver/CodeText.h"

#include "llvm/IR/LLVMContext.h"

#include <gtest/gtest.h>

using namespace triton;
using namespace triton::driver;
using Types = std::vector<std::string>;

static constexpr const char *ptx = R"(
.version 8.6
.target sm_90a
.visible .entry add_kernel(
	.param .align 64 .b8 add_kernel_param_0[128],
	.param .u64 .ptr .global .align 16 add_kernel_param_1,
	.param .u32 add_kernel_param_2,
	.param .f32 add_kernel_param_3,
	.param .u64 .ptr .global .align 1 add_kernel_param_4,
	.param .u64 .ptr .global .align 1 add_kernel_param_5
)
.reqntid 256
{ ret; }
)";

TEST(CodeText, PtxSaysWhatALaunchNeeds) {
  KernelFacts facts = llvm::cantFail(describePtx(ptx + describeShared(4096)));
  EXPECT_EQ(facts.name, "add_kernel");
  EXPECT_EQ(facts.types, (Types{"nvTmaDesc", "*i8", "i32", "fp32"})); // the last two are scratch
  EXPECT_EQ(facts.numWarps, 8);
  EXPECT_EQ(facts.scratchBytes, 4096u);
  EXPECT_EQ(llvm::cantFail(describePtx(ptx)).scratchBytes, 0u);
  EXPECT_TRUE(llvm::errorToBool(describePtx(".func f() { ret; }").takeError()));
}

static constexpr const char *amdgcn = R"(
	.amdgcn_target "amdgcn-amd-amdhsa--gfx942"
	.amdgpu_metadata
---
amdhsa.kernels:
  - .args:
      - .address_space:  global
        .offset:         0
        .size:           8
        .value_kind:     global_buffer
      - .offset:         8
        .size:           4
        .value_kind:     by_value
      - .address_space:  global
        .offset:         16
        .size:           8
        .value_kind:     global_buffer
      - .address_space:  global
        .offset:         24
        .size:           8
        .value_kind:     global_buffer
    .max_flat_workgroup_size: 512
    .name:           add_kernel
    .wavefront_size: 64
amdhsa.target:   amdgcn-amd-amdhsa--gfx942
...
	.end_amdgpu_metadata
)";

TEST(CodeText, AmdgcnSaysWhatALaunchNeeds) {
  KernelFacts facts = llvm::cantFail(describeAmdgcn(amdgcn + describeShared(4096)));
  EXPECT_EQ(facts.name, "add_kernel");
  EXPECT_EQ(facts.types, (Types{"*i8", "i32"})); // the last two are scratch
  EXPECT_EQ(facts.numWarps, 8);
  EXPECT_EQ(facts.scratchBytes, 4096u);
  EXPECT_EQ(llvm::cantFail(describeAmdgcn(amdgcn)).scratchBytes, 0u);
  constexpr const char *bare = ".amdgpu_metadata\namdhsa.kernels: [{}]\n.end_amdgpu_metadata";
  EXPECT_EQ(llvm::cantFail(describeAmdgcn(bare)).types, Types());
  EXPECT_TRUE(llvm::errorToBool(describeAmdgcn("s_endpgm").takeError()));
  EXPECT_TRUE(llvm::errorToBool(describeAmdgcn(".amdgpu_metadata\n[1]\n.end_amdgpu_metadata").takeError()));
  EXPECT_TRUE(
      llvm::errorToBool(describeAmdgcn(".amdgpu_metadata\namdhsa.kernels: []\n.end_amdgpu_metadata").takeError()));
}

TEST(CodeText, LlvmCarriesItsFacts) {
  llvm::LLVMContext context;
  llvm::Module module("kernel", context);
  writeFacts(module, {"first", 1, 2, false, false, {"i32"}});
  writeFacts(module, {"add_kernel", 8, 64, false, true, {"*fp32", "u8"}});
  std::string text;
  llvm::raw_string_ostream(text) << module;
  KernelFacts facts = llvm::cantFail(describeLlvm(text));
  EXPECT_EQ(facts.name, "add_kernel");
  EXPECT_EQ(facts.numWarps, 8);
  EXPECT_EQ(facts.scratchBytes, 64u);
  EXPECT_FALSE(facts.waitsForPrograms);
  EXPECT_TRUE(facts.polls);
  EXPECT_EQ(facts.types, (Types{"*fp32", "u8"}));
}

TEST(CodeText, LlvmWithoutFacts) {
  auto kernel = describeLlvm("define ptx_kernel void @k(ptr addrspace(1) %x, half %h, ptr %s, ptr %t) { ret void }");
  EXPECT_EQ(llvm::cantFail(std::move(kernel)).types, (Types{"*i8", "fp16"}));
  auto amd = describeLlvm("define amdgpu_kernel void @k(ptr addrspace(1) %x, i32 %n, ptr %s, ptr %t) { ret void }");
  EXPECT_EQ(llvm::cantFail(std::move(amd)).types, (Types{"*i8", "i32"}));
  auto function = describeLlvm("define void @k(ptr %arguments) { ret void }");
  EXPECT_EQ(llvm::toString(function.takeError()),
            "the LLVM IR does not say in `!triton.kernel` which arguments its kernel takes");
  EXPECT_TRUE(llvm::errorToBool(describeLlvm("define void @k(").takeError()));
}
