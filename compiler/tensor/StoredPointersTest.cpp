#include "compiler/tensor/StoredPointers.h"

#include "compiler/tensor/Tensor.h"
#include "compiler/tensor/passes/Pipeline.h"

#include "mlir/Parser/Parser.h"
#include <gtest/gtest.h>

using namespace mlir;
using namespace triton;

/// Of each argument of the public function, whether it may be stored through.
static std::vector<bool> storesOf(llvm::StringRef text) {
  DialectRegistry registry;
  tensor::registerTensorDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  EXPECT_TRUE(module);
  std::vector<bool> stores;
  module->walk([&](tensor::FuncOp function) {
    if (function.isPublic())
      for (BlockArgument argument : function.getArguments())
        stores.push_back(isa<tensor::PointerType, tensor::TensorDescType>(argument.getType()) &&
                         tensor::mayStoreThrough(argument));
  });
  return stores;
}
using Stores = std::vector<bool>;

TEST(StoredPointers, LoadsAndStores) {
  EXPECT_EQ(storesOf(R"(
tt.func public @copy(%from: !tt.ptr<f32>, %to: !tt.ptr<f32>, %unused: !tt.ptr<f32>) {
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %0 = tt.splat %from : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %1 = tt.addptr %0, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %2 = tt.splat %to : !tt.ptr<f32> -> tensor<64x!tt.ptr<f32>>
  %3 = tt.addptr %2, %range : tensor<64x!tt.ptr<f32>>, tensor<64xi32>
  %x = tt.load %1 : tensor<64x!tt.ptr<f32>>
  tt.store %3, %x : tensor<64x!tt.ptr<f32>>
  tt.return
})"),
            (Stores{false, true, false}));
}

TEST(StoredPointers, AtomicsStore) {
  EXPECT_EQ(storesOf(R"(
tt.func public @atomics(%a: !tt.ptr<i32>, %b: !tt.ptr<i32>, %n: i32) {
  %true = arith.constant true
  %0 = tt.atomic_rmw add, acq_rel, gpu, %a, %n, %true : (!tt.ptr<i32>, i32, i1) -> i32
  %1 = tt.atomic_cas acq_rel, gpu, %b, %n, %n : (!tt.ptr<i32>, i32, i32) -> i32
  tt.return
})"),
            (Stores{true, true, false}));
}

TEST(StoredPointers, ChoicesAndLoopsHandOn) {
  EXPECT_EQ(storesOf(R"(
tt.func public @flow(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %d: !tt.ptr<f32>, %e: !tt.ptr<f32>,
                     %n: i32, %which: i1, %x: f32) {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %chosen = arith.select %which, %a, %b : !tt.ptr<f32>
  %last = scf.for %i = %zero to %n step %one iter_args(%p = %chosen) -> (!tt.ptr<f32>) : i32 {
    %next = tt.addptr %p, %one : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  }
  %branch = scf.if %which -> !tt.ptr<f32> {
    scf.yield %last : !tt.ptr<f32>
  } else {
    scf.yield %c : !tt.ptr<f32>
  }
  %end = scf.while (%p = %branch) : (!tt.ptr<f32>) -> !tt.ptr<f32> {
    scf.condition(%which) %p : !tt.ptr<f32>
  } do {
  ^bb0(%q: !tt.ptr<f32>):
    scf.yield %q : !tt.ptr<f32>
  }
  tt.store %end, %x : !tt.ptr<f32>
  %read = scf.for %i = %zero to %n step %one iter_args(%p = %d) -> (!tt.ptr<f32>) : i32 {
    %y = tt.load %p : !tt.ptr<f32>
    tt.store %a, %y : !tt.ptr<f32>
    %next = tt.addptr %p, %one : !tt.ptr<f32>, i32
    scf.yield %next : !tt.ptr<f32>
  }
  cf.br ^bb1(%e : !tt.ptr<f32>)
^bb1(%f: !tt.ptr<f32>):
  tt.store %f, %x : !tt.ptr<f32>
  tt.return
})"),
            (Stores{true, true, true, false, true, false, false, false}));
}

TEST(StoredPointers, CallsAreFollowed) {
  EXPECT_EQ(storesOf(R"(
tt.func public @kernel(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %x: f32) {
  tt.call @write(%a, %b) : (!tt.ptr<f32>, !tt.ptr<f32>) -> ()
  %same = tt.call @give(%c) : (!tt.ptr<f32>) -> !tt.ptr<f32>
  tt.store %same, %x : !tt.ptr<f32>
  tt.return
}
tt.func private @write(%to: !tt.ptr<f32>, %from: !tt.ptr<f32>) {
  %x = tt.load %from : !tt.ptr<f32>
  tt.store %to, %x : !tt.ptr<f32>
  tt.return
}
tt.func private @give(%p: !tt.ptr<f32>) -> !tt.ptr<f32> {
  tt.return %p : !tt.ptr<f32>
})"),
            (Stores{true, false, true, false}));
}

TEST(StoredPointers, AddressesAsIntegers) {
  // %a is computed from its address; that of %b is kept in memory; of %c only whether it is aligned is used.
  EXPECT_EQ(storesOf(R"(
tt.func public @integers(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>, %c: !tt.ptr<f32>, %kept: !tt.ptr<i64>, %x: f32) {
  %eight = arith.constant 8 : i64
  %0 = tt.ptr_to_int %a : !tt.ptr<f32> -> i64
  %1 = arith.addi %0, %eight : i64
  %2 = tt.int_to_ptr %1 : i64 -> !tt.ptr<f32>
  tt.store %2, %x : !tt.ptr<f32>
  %3 = tt.ptr_to_int %b : !tt.ptr<f32> -> i64
  tt.store %kept, %3 : !tt.ptr<i64>
  %4 = tt.ptr_to_int %c : !tt.ptr<f32> -> i64
  %5 = arith.cmpi eq, %4, %eight : i64
  tt.store %a, %x, %5 : !tt.ptr<f32>
  tt.return
})"),
            (Stores{true, true, false, true, false}));
}

TEST(StoredPointers, PointersFromMemoryAreNobodys) {
  EXPECT_EQ(storesOf(R"(
tt.func public @table(%table: !tt.ptr<i64>, %x: f32) {
  %0 = tt.load %table : !tt.ptr<i64>
  %1 = tt.int_to_ptr %0 : i64 -> !tt.ptr<f32>
  tt.store %1, %x : !tt.ptr<f32>
  tt.return
})"),
            (Stores{false, false}));
}

TEST(StoredPointers, Descriptors) {
  EXPECT_EQ(storesOf(R"(
tt.func public @descriptors(%from: !tt.tensordesc<tensor<8x8xf32>>, %to: !tt.tensordesc<tensor<8x8xf32>>,
                            %base: !tt.ptr<f32>, %i: i32, %n: i64) {
  %one = arith.constant 1 : i64
  %0 = tt.descriptor_load %from[%i, %i] : !tt.tensordesc<tensor<8x8xf32>> -> tensor<8x8xf32>
  tt.descriptor_store %to[%i, %i], %0 : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x8xf32>
  %made = tt.make_tensor_descriptor %base, [%i, %i], [%n, %one] : <f32>, <tensor<8x8xf32>>
  tt.descriptor_store %made[%i, %i], %0 : !tt.tensordesc<tensor<8x8xf32>>, tensor<8x8xf32>
  tt.return
})"),
            (Stores{false, true, true, false, false}));
}

TEST(StoredPointers, WhatIsUnknownMayStore) {
  // Assembly that is pure is not.
  EXPECT_EQ(storesOf(R"(
tt.func public @assembly(%a: !tt.ptr<f32>, %b: !tt.ptr<f32>) {
  %0 = tt.ptr_to_int %a : !tt.ptr<f32> -> i64
  %1 = tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = false} %0 : i64 -> i64
  %2 = tt.ptr_to_int %b : !tt.ptr<f32> -> i64
  %3 = tt.elementwise_inline_asm "mov $0, $1;" {constraints = "=r,r", packed_element = 1 : i32, pure = true} %2 : i64 -> i64
  tt.return
})"),
            (Stores{true, false}));
}
