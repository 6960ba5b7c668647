#include "compiler/llvm/nvidia/LoadExtents.h"

#include "compiler/llvm/LlvmModule.h"

#include "llvm/IR/Instructions.h"

#include <gtest/gtest.h>

using namespace triton;

/// The alignments of loads of four bytes from these offsets, each as aligned as it can be.
static std::vector<uint64_t> alignments(llvm::ArrayRef<unsigned> offsets, unsigned ofBase) {
  std::string body;
  for (auto [index, offset] : llvm::enumerate(offsets)) {
    const std::string name = std::to_string(index), at = std::to_string(offset);
    const unsigned aligned = offset ? std::min(ofBase, offset & -offset) : ofBase;
    body += "  %p" + name + " = getelementptr i8, ptr addrspace(1) %p, i64 " + at + "\n  %v" + name +
            " = load float, ptr addrspace(1) %p" + name + ", align " + std::to_string(aligned) + "\n";
  }
  LlvmModule module;
  llvm::cantFail(module.parse("define ptx_kernel void @kernel(ptr addrspace(1) %p) {\n" + body + "  ret void\n}\n"));
  nvidia::limitLoadExtents(*module);
  std::vector<uint64_t> found;
  for (llvm::Instruction &instruction : module->getFunction("kernel")->getEntryBlock())
    if (auto *load = llvm::dyn_cast<llvm::LoadInst>(&instruction))
      found.push_back(load->getAlign().value());
  return found;
}

using Alignments = std::vector<uint64_t>;

TEST(LoadExtents, EndWithTheLastLoad) {
  EXPECT_EQ(alignments({0, 4, 8}, 16), (Alignments{8, 4, 4}));
  EXPECT_EQ(alignments({8, 0, 4}, 16), (Alignments{4, 8, 4})) << "in another order";
  EXPECT_EQ(alignments({0}, 16), (Alignments{4}));
}

TEST(LoadExtents, EndAtGaps) { EXPECT_EQ(alignments({0, 4, 12, 16, 20}, 16), (Alignments{8, 4, 4, 8, 4})); }

TEST(LoadExtents, OfWholeVectorsAreLeftAlone) {
  EXPECT_EQ(alignments({0, 4, 8, 12}, 16), (Alignments{16, 4, 8, 4}));
  EXPECT_EQ(alignments({0, 4, 8, 12, 16, 20, 24, 28}, 128), (Alignments{128, 4, 8, 4, 16, 4, 8, 4}));
}
