// RUN: triton-opt %s --split-input-file --gpu-set-target=num-warps=4 --gpu-assign-layouts --cse | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: triton-opt %s --split-input-file --gpu-set-target="num-warps=4 target=cuda:80" --gpu-assign-layouts --cse | FileCheck %s --check-prefixes=CHECK,SM80
// Dots: kernels as the tensor pipeline leaves them.

// Loads are 16 bytes wide along the dimension that is contiguous. The accumulator stays in the layout of the instruction all through the loop,
// in which nothing is converted but operands: none for wgmma, which reads them from shared memory. The bias is loaded where it is added.
// One conversion before the store.
// SM90-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 3,
// SM80-DAG: #[[MMA:.*]] = #ttg.nvidia_mma<{versionMajor = 2,
// CHECK-DAG: #[[A:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-DAG: #[[B:.*]] = #ttg.blocked<{sizePerThread = [1, 8], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @matmul_bias
// CHECK-NOT: convert_layout
// CHECK: scf.for {{.*}} -> (tensor<128x128xf32, #[[MMA]]>, i64, i64)
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<128x64x!tt.ptr<f16>, #[[A]]>
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<f16>, #[[B]]>
// SM90-NEXT: tt.dot {{.*}} : tensor<128x64xf16, #[[A]]> * tensor<64x128xf16, #[[B]]> -> tensor<128x128xf32, #[[MMA]]>
// SM80-NEXT: ttg.convert_layout {{.*}} -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// SM80-NEXT: ttg.convert_layout {{.*}} -> tensor<64x128xf16, #ttg.dot_op<{opIdx = 1, parent = #[[MMA]], kWidth = 2}>>
// SM80-NEXT: tt.dot {{.*}} -> tensor<128x128xf32, #[[MMA]]>
// CHECK-NOT: convert_layout
// CHECK: scf.yield
// CHECK-NOT: convert_layout
// CHECK: tt.load {{.*}} : tensor<128x!tt.ptr<f32>, #ttg.slice<{dim = 0, parent = #[[MMA]]}>>
// CHECK-NOT: convert_layout
// CHECK: ttg.convert_layout {{.*}} : tensor<128x128xf16, #[[MMA]]> -> tensor<128x128xf16, #[[B]]>
// CHECK-NOT: convert_layout
// CHECK: tt.store {{.*}} : tensor<128x128x!tt.ptr<f16>, #[[B]]>
tt.func public @matmul_bias(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg4: i32 {tt.divisibility = 16 : i32}, %arg5: i32 {tt.divisibility = 16 : i32}, %arg6: i32 {tt.divisibility = 16 : i32}, %arg7: i32 {tt.divisibility = 16 : i32}, %arg8: i32 {tt.divisibility = 16 : i32}, %arg9: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
  %c64_i64 = arith.constant 64 : i64
  %c0_i64 = arith.constant 0 : i64
  %cst = arith.constant dense<0.000000e+00> : tensor<64x128xf16>
  %cst_0 = arith.constant dense<0.000000e+00> : tensor<128x64xf16>
  %cst_1 = arith.constant dense<0.00999999977> : tensor<128x128xf32>
  %c1_i32 = arith.constant 1 : i32
  %c0_i32 = arith.constant 0 : i32
  %c64_i32 = arith.constant 64 : i32
  %c63_i32 = arith.constant 63 : i32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %c128_i32 = arith.constant 128 : i32
  %0 = tt.get_program_id x : i32
  %1 = tt.get_program_id y : i32
  %2 = arith.muli %0, %c128_i32 : i32
  %3 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %4 = tt.splat %2 : i32 -> tensor<128xi32>
  %5 = arith.addi %4, %3 : tensor<128xi32>
  %6 = arith.muli %1, %c128_i32 : i32
  %7 = tt.splat %6 : i32 -> tensor<128xi32>
  %8 = arith.addi %7, %3 : tensor<128xi32>
  %9 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %10 = tt.expand_dims %5 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %11 = tt.splat %arg7 : i32 -> tensor<128x1xi32>
  %12 = arith.muli %10, %11 : tensor<128x1xi32>
  %13 = tt.expand_dims %9 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %14 = tt.broadcast %12 : tensor<128x1xi32> -> tensor<128x64xi32>
  %15 = tt.broadcast %13 : tensor<1x64xi32> -> tensor<128x64xi32>
  %16 = arith.addi %14, %15 : tensor<128x64xi32>
  %17 = tt.expand_dims %9 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %18 = tt.splat %arg8 : i32 -> tensor<64x1xi32>
  %19 = arith.muli %17, %18 : tensor<64x1xi32>
  %20 = tt.expand_dims %8 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %21 = tt.broadcast %19 : tensor<64x1xi32> -> tensor<64x128xi32>
  %22 = tt.broadcast %20 : tensor<1x128xi32> -> tensor<64x128xi32>
  %23 = arith.addi %21, %22 : tensor<64x128xi32>
  %24 = arith.addi %arg6, %c63_i32 : i32
  %25 = arith.divsi %24, %c64_i32 : i32
  %26 = arith.muli %arg8, %c64_i32 : i32
  %27 = arith.extsi %26 : i32 to i64
  %28:3 = scf.for %arg10 = %c0_i32 to %25 step %c1_i32 iter_args(%arg11 = %cst_2, %arg12 = %c0_i64, %arg13 = %c0_i64) -> (tensor<128x128xf32>, i64, i64)  : i32 {
    %55 = tt.addptr %arg1, %arg13 : !tt.ptr<f16>, i64
    %56 = tt.splat %55 : !tt.ptr<f16> -> tensor<64x128x!tt.ptr<f16>>
    %57 = tt.addptr %56, %23 : tensor<64x128x!tt.ptr<f16>>, tensor<64x128xi32>
    %58 = tt.addptr %arg0, %arg12 : !tt.ptr<f16>, i64
    %59 = tt.splat %58 : !tt.ptr<f16> -> tensor<128x64x!tt.ptr<f16>>
    %60 = tt.addptr %59, %16 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %61 = arith.muli %arg10, %c64_i32 : i32
    %62 = arith.subi %arg6, %61 : i32
    %63 = tt.splat %62 : i32 -> tensor<1x64xi32>
    %64 = arith.cmpi slt, %13, %63 : tensor<1x64xi32>
    %65 = tt.broadcast %64 : tensor<1x64xi1> -> tensor<128x64xi1>
    %66 = tt.load %60, %65, %cst_0 : tensor<128x64x!tt.ptr<f16>>
    %67 = tt.splat %62 : i32 -> tensor<64x1xi32>
    %68 = arith.cmpi slt, %17, %67 : tensor<64x1xi32>
    %69 = tt.broadcast %68 : tensor<64x1xi1> -> tensor<64x128xi1>
    %70 = tt.load %57, %69, %cst : tensor<64x128x!tt.ptr<f16>>
    %71 = tt.dot %66, %70, %arg11 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    %72 = arith.addi %arg12, %c64_i64 : i64
    %73 = arith.addi %arg13, %27 : i64
    scf.yield %71, %72, %73 : tensor<128x128xf32>, i64, i64
  }
  %29 = tt.splat %arg3 : !tt.ptr<f32> -> tensor<128x!tt.ptr<f32>>
  %30 = tt.addptr %29, %8 : tensor<128x!tt.ptr<f32>>, tensor<128xi32>
  %31 = tt.splat %arg5 : i32 -> tensor<128xi32>
  %32 = arith.cmpi slt, %8, %31 : tensor<128xi32>
  %33 = tt.load %30, %32 : tensor<128x!tt.ptr<f32>>
  %34 = tt.expand_dims %33 {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
  %35 = tt.broadcast %34 : tensor<1x128xf32> -> tensor<128x128xf32>
  %36 = arith.addf %28#0, %35 : tensor<128x128xf32>
  %37 = arith.cmpf ogt, %36, %cst_2 : tensor<128x128xf32>
  %38 = arith.mulf %36, %cst_1 : tensor<128x128xf32>
  %39 = arith.select %37, %36, %38 : tensor<128x128xi1>, tensor<128x128xf32>
  %40 = tt.splat %arg9 : i32 -> tensor<128x1xi32>
  %41 = arith.muli %10, %40 : tensor<128x1xi32>
  %42 = tt.splat %arg2 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %43 = tt.addptr %42, %41 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %44 = tt.broadcast %43 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x128x!tt.ptr<f16>>
  %45 = tt.broadcast %20 : tensor<1x128xi32> -> tensor<128x128xi32>
  %46 = tt.addptr %44, %45 : tensor<128x128x!tt.ptr<f16>>, tensor<128x128xi32>
  %47 = arith.truncf %39 : tensor<128x128xf32> to tensor<128x128xf16>
  %48 = tt.splat %arg4 : i32 -> tensor<128x1xi32>
  %49 = arith.cmpi slt, %10, %48 : tensor<128x1xi32>
  %50 = tt.splat %arg5 : i32 -> tensor<1x128xi32>
  %51 = arith.cmpi slt, %20, %50 : tensor<1x128xi32>
  %52 = tt.broadcast %49 : tensor<128x1xi1> -> tensor<128x128xi1>
  %53 = tt.broadcast %51 : tensor<1x128xi1> -> tensor<128x128xi1>
  %54 = arith.andi %52, %53 : tensor<128x128xi1>
  tt.store %46, %47, %54 : tensor<128x128x!tt.ptr<f16>>
  tt.return
}

// -----

// Attention: scores, probabilities, output and the statistics of rows all live in the layout of the dots and in its slices. P becomes an
// operand where it is: a renaming of registers.
// CHECK-LABEL: @attn
// CHECK: scf.for {{.*}} -> (tensor<128xf32, #ttg.slice<{dim = 1, parent = #[[MMA:.*]]}>>, tensor<128x64xf32, #[[MMA]]>, tensor<128xf32, #ttg.slice<{dim = 1, parent = #[[MMA]]}>>)
// CHECK-NOT: convert_layout
// CHECK: tt.load
// SM80-NEXT: ttg.convert_layout {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1,
// CHECK-NEXT: tt.dot
// CHECK-NOT: convert_layout
// CHECK: tt.load
// CHECK-NEXT: arith.truncf {{.*}} : tensor<128x64xf32, #[[MMA]]> to tensor<128x64xf16, #[[MMA]]>
// CHECK-NEXT: ttg.convert_layout {{.*}} : tensor<128x64xf16, #[[MMA]]> -> tensor<128x64xf16, #ttg.dot_op<{opIdx = 0, parent = #[[MMA]], kWidth = 2}>>
// SM80-NEXT: ttg.convert_layout {{.*}} -> tensor<64x64xf16, #ttg.dot_op<{opIdx = 1,
// CHECK-NEXT: tt.dot
// CHECK-NEXT: scf.yield
// CHECK-NOT: convert_layout
// CHECK: ttg.convert_layout {{.*}} : tensor<128x64xf16, #[[MMA]]> -> tensor<128x64xf16, #
// CHECK-NOT: convert_layout
// CHECK: tt.store
tt.func public @attn(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg3: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg4: f32, %arg5: i32 {tt.divisibility = 16 : i32}, %arg6: i32 {tt.divisibility = 16 : i32}, %arg7: i32 {tt.divisibility = 16 : i32}, %arg8: i32 {tt.divisibility = 16 : i32}, %arg9: i32 {tt.divisibility = 16 : i32}, %arg10: i32 {tt.divisibility = 16 : i32}, %arg11: i32 {tt.divisibility = 16 : i32}, %arg12: i32 {tt.divisibility = 16 : i32}, %arg13: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
  %cst = arith.constant dense<1.000000e+00> : tensor<128xf32>
  %cst_0 = arith.constant dense<0xFF800000> : tensor<128xf32>
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst_1 = arith.constant 1.44269502 : f32
  %cst_2 = arith.constant dense<0.000000e+00> : tensor<128x64xf32>
  %c128_i32 = arith.constant 128 : i32
  %0 = tt.get_program_id x : i32
  %1 = tt.get_program_id y : i32
  %2 = arith.muli %0, %c128_i32 : i32
  %3 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %4 = tt.splat %2 : i32 -> tensor<128xi32>
  %5 = arith.addi %4, %3 : tensor<128xi32>
  %6 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %7 = arith.muli %1, %arg5 : i32
  %8 = tt.addptr %arg0, %7 : !tt.ptr<f16>, i32
  %9 = tt.expand_dims %5 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %10 = tt.splat %arg6 : i32 -> tensor<128x1xi32>
  %11 = arith.muli %9, %10 : tensor<128x1xi32>
  %12 = tt.splat %8 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %13 = tt.addptr %12, %11 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %14 = tt.expand_dims %6 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %15 = tt.broadcast %13 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
  %16 = tt.broadcast %14 : tensor<1x64xi32> -> tensor<128x64xi32>
  %17 = tt.addptr %15, %16 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %18 = tt.load %17 : tensor<128x64x!tt.ptr<f16>>
  %19 = arith.muli %1, %arg7 : i32
  %20 = tt.addptr %arg1, %19 : !tt.ptr<f16>, i32
  %21 = tt.splat %arg8 : i32 -> tensor<1x64xi32>
  %22 = arith.muli %14, %21 : tensor<1x64xi32>
  %23 = tt.expand_dims %6 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %24 = tt.broadcast %23 : tensor<64x1xi32> -> tensor<64x64xi32>
  %25 = arith.muli %1, %arg9 : i32
  %26 = tt.addptr %arg2, %25 : !tt.ptr<f16>, i32
  %27 = tt.splat %arg10 : i32 -> tensor<64x1xi32>
  %28 = arith.muli %23, %27 : tensor<64x1xi32>
  %29 = tt.broadcast %14 : tensor<1x64xi32> -> tensor<64x64xi32>
  %30 = arith.mulf %arg4, %cst_1 : f32
  %31 = tt.splat %30 : f32 -> tensor<128xf32>
  %32 = tt.splat %30 : f32 -> tensor<128x64xf32>
  %33:3 = scf.for %arg14 = %c0_i32 to %arg13 step %c64_i32 iter_args(%arg15 = %cst, %arg16 = %cst_2, %arg17 = %cst_0) -> (tensor<128xf32>, tensor<128x64xf32>, tensor<128xf32>)  : i32 {
    %46 = arith.muli %arg14, %arg8 : i32
    %47 = tt.addptr %20, %46 : !tt.ptr<f16>, i32
    %48 = tt.splat %47 : !tt.ptr<f16> -> tensor<1x64x!tt.ptr<f16>>
    %49 = tt.addptr %48, %22 : tensor<1x64x!tt.ptr<f16>>, tensor<1x64xi32>
    %50 = tt.broadcast %49 : tensor<1x64x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %51 = tt.addptr %50, %24 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %52 = tt.load %51 : tensor<64x64x!tt.ptr<f16>>
    %53 = tt.dot %18, %52, %cst_2 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    %54 = "tt.reduce"(%53) <{axis = 1 : i32}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %79 = arith.maxnumf %arg18, %arg19 : f32
      tt.reduce.return %79 : f32
    }) : (tensor<128x64xf32>) -> tensor<128xf32>
    %55 = arith.mulf %54, %31 : tensor<128xf32>
    %56 = arith.maxnumf %arg17, %55 : tensor<128xf32>
    %57 = arith.mulf %53, %32 : tensor<128x64xf32>
    %58 = tt.expand_dims %56 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %59 = tt.broadcast %58 : tensor<128x1xf32> -> tensor<128x64xf32>
    %60 = arith.subf %57, %59 : tensor<128x64xf32>
    %61 = math.exp2 %60 : tensor<128x64xf32>
    %62 = "tt.reduce"(%61) <{axis = 1 : i32}> ({
    ^bb0(%arg18: f32, %arg19: f32):
      %79 = arith.addf %arg18, %arg19 : f32
      tt.reduce.return %79 : f32
    }) : (tensor<128x64xf32>) -> tensor<128xf32>
    %63 = arith.subf %arg17, %56 : tensor<128xf32>
    %64 = math.exp2 %63 : tensor<128xf32>
    %65 = arith.mulf %arg15, %64 : tensor<128xf32>
    %66 = arith.addf %65, %62 : tensor<128xf32>
    %67 = tt.expand_dims %64 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
    %68 = tt.broadcast %67 : tensor<128x1xf32> -> tensor<128x64xf32>
    %69 = arith.mulf %arg16, %68 : tensor<128x64xf32>
    %70 = arith.muli %arg14, %arg10 : i32
    %71 = tt.addptr %26, %70 : !tt.ptr<f16>, i32
    %72 = tt.splat %71 : !tt.ptr<f16> -> tensor<64x1x!tt.ptr<f16>>
    %73 = tt.addptr %72, %28 : tensor<64x1x!tt.ptr<f16>>, tensor<64x1xi32>
    %74 = tt.broadcast %73 : tensor<64x1x!tt.ptr<f16>> -> tensor<64x64x!tt.ptr<f16>>
    %75 = tt.addptr %74, %29 : tensor<64x64x!tt.ptr<f16>>, tensor<64x64xi32>
    %76 = tt.load %75 : tensor<64x64x!tt.ptr<f16>>
    %77 = arith.truncf %61 : tensor<128x64xf32> to tensor<128x64xf16>
    %78 = tt.dot %77, %76, %69 : tensor<128x64xf16> * tensor<64x64xf16> -> tensor<128x64xf32>
    scf.yield %66, %78, %56 : tensor<128xf32>, tensor<128x64xf32>, tensor<128xf32>
  }
  %34 = tt.expand_dims %33#0 {axis = 1 : i32} : tensor<128xf32> -> tensor<128x1xf32>
  %35 = tt.broadcast %34 : tensor<128x1xf32> -> tensor<128x64xf32>
  %36 = arith.divf %33#1, %35 : tensor<128x64xf32>
  %37 = arith.muli %1, %arg11 : i32
  %38 = tt.addptr %arg3, %37 : !tt.ptr<f16>, i32
  %39 = tt.splat %arg12 : i32 -> tensor<128x1xi32>
  %40 = arith.muli %9, %39 : tensor<128x1xi32>
  %41 = tt.splat %38 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %42 = tt.addptr %41, %40 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %43 = tt.broadcast %42 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
  %44 = tt.addptr %43, %16 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
  %45 = arith.truncf %36 : tensor<128x64xf32> to tensor<128x64xf16>
  tt.store %44, %45 : tensor<128x64x!tt.ptr<f16>>
  tt.return
}

// -----

// An operand that is converted from bytes: the load of the bytes is coalesced all the same, one vector of 16 bytes a thread.
// CHECK-DAG: #[[BYTES:.*]] = #ttg.blocked<{sizePerThread = [1, 16], threadsPerWarp = [4, 8], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: @int8_matmul
// CHECK: scf.for
// CHECK: tt.load {{.*}} : tensor<64x128x!tt.ptr<i8>, #[[BYTES]]>
// CHECK: arith.sitofp
// CHECK: tt.dot
tt.func public @int8_matmul(%arg0: !tt.ptr<f16> {tt.divisibility = 16 : i32}, %arg1: !tt.ptr<i8> {tt.divisibility = 16 : i32}, %arg2: !tt.ptr<f32> {tt.divisibility = 16 : i32}, %arg3: i32 {tt.divisibility = 16 : i32}, %arg4: i32 {tt.divisibility = 16 : i32}, %arg5: i32 {tt.divisibility = 16 : i32}, %arg6: i32 {tt.divisibility = 16 : i32}) attributes {noinline = false} {
  %c64_i32 = arith.constant 64 : i32
  %c0_i32 = arith.constant 0 : i32
  %cst = arith.constant dense<0.000000e+00> : tensor<128x128xf32>
  %c128_i32 = arith.constant 128 : i32
  %0 = tt.get_program_id x : i32
  %1 = arith.muli %0, %c128_i32 : i32
  %2 = tt.make_range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  %3 = tt.splat %1 : i32 -> tensor<128xi32>
  %4 = arith.addi %3, %2 : tensor<128xi32>
  %5 = tt.get_program_id y : i32
  %6 = arith.muli %5, %c128_i32 : i32
  %7 = tt.splat %6 : i32 -> tensor<128xi32>
  %8 = arith.addi %7, %2 : tensor<128xi32>
  %9 = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %10 = tt.expand_dims %4 {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %11 = tt.splat %arg4 : i32 -> tensor<128x1xi32>
  %12 = arith.muli %10, %11 : tensor<128x1xi32>
  %13 = tt.splat %arg0 : !tt.ptr<f16> -> tensor<128x1x!tt.ptr<f16>>
  %14 = tt.addptr %13, %12 : tensor<128x1x!tt.ptr<f16>>, tensor<128x1xi32>
  %15 = tt.broadcast %14 : tensor<128x1x!tt.ptr<f16>> -> tensor<128x64x!tt.ptr<f16>>
  %16 = tt.splat %arg5 : i32 -> tensor<64x1xi32>
  %17 = tt.splat %arg1 : !tt.ptr<i8> -> tensor<64x1x!tt.ptr<i8>>
  %18 = tt.expand_dims %8 {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %19 = tt.broadcast %18 : tensor<1x128xi32> -> tensor<64x128xi32>
  %20 = scf.for %arg7 = %c0_i32 to %arg3 step %c64_i32 iter_args(%arg8 = %cst) -> (tensor<128x128xf32>)  : i32 {
    %28 = tt.splat %arg7 : i32 -> tensor<64xi32>
    %29 = arith.addi %28, %9 : tensor<64xi32>
    %30 = tt.expand_dims %29 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
    %31 = tt.broadcast %30 : tensor<1x64xi32> -> tensor<128x64xi32>
    %32 = tt.addptr %15, %31 : tensor<128x64x!tt.ptr<f16>>, tensor<128x64xi32>
    %33 = tt.load %32 : tensor<128x64x!tt.ptr<f16>>
    %34 = tt.expand_dims %29 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %35 = arith.muli %34, %16 : tensor<64x1xi32>
    %36 = tt.addptr %17, %35 : tensor<64x1x!tt.ptr<i8>>, tensor<64x1xi32>
    %37 = tt.broadcast %36 : tensor<64x1x!tt.ptr<i8>> -> tensor<64x128x!tt.ptr<i8>>
    %38 = tt.addptr %37, %19 : tensor<64x128x!tt.ptr<i8>>, tensor<64x128xi32>
    %39 = tt.load %38 : tensor<64x128x!tt.ptr<i8>>
    %40 = arith.sitofp %39 : tensor<64x128xi8> to tensor<64x128xf16>
    %41 = tt.dot %33, %40, %arg8 : tensor<128x64xf16> * tensor<64x128xf16> -> tensor<128x128xf32>
    scf.yield %41 : tensor<128x128xf32>
  }
  %21 = tt.splat %arg6 : i32 -> tensor<128x1xi32>
  %22 = arith.muli %10, %21 : tensor<128x1xi32>
  %23 = tt.splat %arg2 : !tt.ptr<f32> -> tensor<128x1x!tt.ptr<f32>>
  %24 = tt.addptr %23, %22 : tensor<128x1x!tt.ptr<f32>>, tensor<128x1xi32>
  %25 = tt.broadcast %24 : tensor<128x1x!tt.ptr<f32>> -> tensor<128x128x!tt.ptr<f32>>
  %26 = tt.broadcast %18 : tensor<1x128xi32> -> tensor<128x128xi32>
  %27 = tt.addptr %25, %26 : tensor<128x128x!tt.ptr<f32>>, tensor<128x128xi32>
  tt.store %27, %20 : tensor<128x128x!tt.ptr<f32>>
  tt.return
}

// -----

// The accumulator of a small dot goes to memory in whole rows of 16 bytes a thread, by a conversion: written as it lies in registers, one store
// would touch eight cache lines for a few bytes of each.
// CHECK-DAG: #[[ROWS:.*]] = #ttg.blocked<{sizePerThread = [1, 4], threadsPerWarp = [2, 16], warpsPerCTA = [4, 1], order = [1, 0]}>
// CHECK-LABEL: tt.func public @rows_of_a_small_dot
// CHECK: %[[D:.*]] = tt.dot
// CHECK: %[[C:.*]] = ttg.convert_layout %[[D]] : {{.*}} -> tensor<64x64xf32, #[[ROWS]]>
// CHECK: tt.store %{{.*}}, %[[C]]
tt.func public @rows_of_a_small_dot(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %out: !tt.ptr<f32> {tt.divisibility = 16 : i32}) {
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitch = arith.constant dense<64> : tensor<64x1xi32>
  %begin = arith.muli %rows, %pitch : tensor<64x1xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %row = tt.addptr %base, %begin : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %wide = tt.broadcast %row : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %all = tt.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %pointers = tt.addptr %wide, %all : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %pointers, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}

// -----

// Where rows lie far apart and elements of a row too, no order of lanes touches fewer lines: the accumulator is stored as it is.
// CHECK-LABEL: tt.func public @scattered_results_of_a_dot
// CHECK: %[[D:.*]] = tt.dot
// CHECK-NOT: ttg.convert_layout
// CHECK: tt.store %{{.*}}, %[[D]]
tt.func public @scattered_results_of_a_dot(%a: tensor<64x64xf16>, %b: tensor<64x64xf16>, %out: !tt.ptr<f32>, %pitch: i32, %step: i32) {
  %zero = arith.constant dense<0.000000e+00> : tensor<64x64xf32>
  %d = tt.dot %a, %b, %zero : tensor<64x64xf16> * tensor<64x64xf16> -> tensor<64x64xf32>
  %range = tt.make_range {end = 64 : i32, start = 0 : i32} : tensor<64xi32>
  %columns = tt.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %steps = tt.splat %step : i32 -> tensor<1x64xi32>
  %apart = arith.muli %columns, %steps : tensor<1x64xi32>
  %rows = tt.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %pitches = tt.splat %pitch : i32 -> tensor<64x1xi32>
  %begin = arith.muli %rows, %pitches : tensor<64x1xi32>
  %base = tt.splat %out : !tt.ptr<f32> -> tensor<64x1x!tt.ptr<f32>>
  %row = tt.addptr %base, %begin : tensor<64x1x!tt.ptr<f32>>, tensor<64x1xi32>
  %wide = tt.broadcast %row : tensor<64x1x!tt.ptr<f32>> -> tensor<64x64x!tt.ptr<f32>>
  %all = tt.broadcast %apart : tensor<1x64xi32> -> tensor<64x64xi32>
  %pointers = tt.addptr %wide, %all : tensor<64x64x!tt.ptr<f32>>, tensor<64x64xi32>
  tt.store %pointers, %d : tensor<64x64x!tt.ptr<f32>>
  tt.return
}
