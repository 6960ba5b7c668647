// Every diagnostic of the rules and verifiers of `tt`.
// RUN: triton-opt %s --split-input-file --verify-diagnostics

// Shapes.

tt.func @not_a_power_of_two(%x: f32) {
  // expected-error @+2 {{Shape element 1 must be a power of 2}}
  // expected-note @+1 {{it is 3; the next power of 2 is 4}}
  %0 = tt.splat %x : f32 -> tensor<4x3xf32>
  tt.return
}

// -----

tt.func @too_many_elements(%x: f32) {
  // expected-error @+1 {{numel (2097152) exceeds triton maximum tensor numel (1048576)}}
  %0 = tt.splat %x : f32 -> tensor<2048x1024xf32>
  tt.return
}

// -----

tt.func @no_dimension(%x: f32) {
  // expected-error @+1 {{a tensor needs at least one dimension}}
  %0 = tt.splat %x : f32 -> tensor<f32>
  tt.return
}

// -----

tt.func @range_of_three() {
  // expected-error @+2 {{arange's range must be a power of 2}}
  // expected-note @+1 {{it is 3; the next power of 2 is 4}}
  %0 = tt.make_range {end = 3 : i32, start = 0 : i32} : tensor<3xi32>
  tt.return
}

// -----

tt.func @range_backwards() {
  // expected-error @+1 {{arange's end argument must be greater than the start argument, got 8 to 4}}
  %0 = tt.make_range {end = 4 : i32, start = 8 : i32} : tensor<4xi32>
  tt.return
}

// -----

tt.func @range_below_zero() {
  // expected-error @+1 {{arange must fit in int32, got -4 to 4}}
  %0 = tt.make_range {end = 4 : i32, start = -4 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @range_of_another_type() {
  // expected-error @+1 {{gives 'tensor<4xi32>', not 'tensor<8xi32>'}}
  %0 = tt.make_range {end = 4 : i32, start = 0 : i32} : tensor<8xi32>
  tt.return
}

// -----

tt.func @unsplat_of_many(%x: tensor<4xf32>) {
  // expected-error @+2 {{only a tensor of one element becomes a scalar, got shape [4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.unsplat"(%x) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @axis_outside(%x: tensor<4xf32>) {
  // expected-error @+2 {{invalid axis 2. Expected 0 <= axis < 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.expand_dims"(%x) <{axis = 2 : i32}> : (tensor<4xf32>) -> tensor<4x1xf32>
  tt.return
}

// -----

tt.func @broadcast_of_another_rank(%x: tensor<4xf32>) {
  // expected-error @+1 {{cannot broadcast, rank mismatch: [4], [4, 4]}}
  %0 = tt.broadcast %x : tensor<4xf32> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @broadcast_of_two(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{the expanded size of the tensor (8) must match the existing size (2) at non-singleton dimension (0): [2, 4], [8, 4]}}
  %0 = tt.broadcast %x : tensor<2x4xf32> -> tensor<8x4xf32>
  tt.return
}

// -----

tt.func @reshape_loses_elements(%x: tensor<8xf32>) {
  // expected-error @+1 {{reshape() cannot change total number of elements in tensor: [8] has 8, [4] has 4}}
  %0 = tt.reshape %x : tensor<8xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @order_too_short(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{permute dims must have the same length as the shape, got 1 for rank 2}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.trans"(%x) <{order = array<i32: 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @order_repeats(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{permute dims must be a permutation of 0, 1, ..., n-1, got [1, 1]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.trans"(%x) <{order = array<i32: 1, 1>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @trans_to_another_shape(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4x2xf32>' are incompatible with return type(s) of operation 'tensor<2x4xf32>'}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.trans"(%x) <{order = array<i32: 1, 0>}> : (tensor<2x4xf32>) -> tensor<2x4xf32>
  tt.return
}

// -----

tt.func @cat_too_short(%x: tensor<4xf32>) {
  // expected-error @+1 {{gives 'tensor<8xf32>', not 'tensor<4xf32>'}}
  %0 = tt.cat %x, %x : tensor<4xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @cat_without_dimensions(%x: tensor<f32>) {
  // expected-error @+1 {{a tensor needs at least one dimension}}
  %0 = tt.cat %x, %x : tensor<f32> -> tensor<f32>
  tt.return
}

// -----

tt.func @addptr_of_a_block_pointer(%p: !tt.ptr<tensor<4xf32>>, %n: i32) {
  // expected-error @+1 {{operand #0 must be pointer to one element or tensor of pointers}}
  %0 = tt.addptr %p, %n : !tt.ptr<tensor<4xf32>>, i32
  tt.return
}

// -----

tt.func @split_of_four(%x: tensor<2x4xf32>) {
  // expected-error @+2 {{split needs a last dimension of size 2, got shape [2, 4]}}
  // expected-error @+1 {{failed to infer returned types}}
  %0:2 = "tt.split"(%x) : (tensor<2x4xf32>) -> (tensor<2xf32>, tensor<2xf32>)
  tt.return
}

// -----

tt.func @gather_of_another_rank(%x: tensor<2x4xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{source and index tensors must have the same rank, got 2 and 1}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.gather"(%x, %i) <{axis = 0 : i32}> : (tensor<2x4xf32>, tensor<4xi32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @gather_of_another_size(%x: tensor<2x4xf32>, %i: tensor<2x8xi32>) {
  // expected-error @+2 {{index dim 1 must match the corresponding source dim, got 8 and 4}}
  // expected-error @+1 {{failed to infer returned types}}
  %0 = "tt.gather"(%x, %i) <{axis = 0 : i32}> : (tensor<2x4xf32>, tensor<2x8xi32>) -> tensor<2x8xf32>
  tt.return
}

// -----

// Reductions.

tt.func @reduce_along_nothing(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{invalid axis 2. Expected 0 <= axis < 2}}
  %0 = "tt.reduce"(%x) <{axis = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<2x4xf32>) -> tensor<2xf32>
  tt.return
}

// -----

tt.func @reduce_to_another_type(%x: tensor<2x4xf32>) {
  // expected-error @+1 {{result 0 must be 'tensor<2xf32>', got 'tensor<4xf32>'}}
  %0 = "tt.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    tt.reduce.return %a : f32
  }) : (tensor<2x4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @combine_takes_too_few(%x: tensor<4xf32>) {
  // expected-error @+1 {{combine argument must have 2 values, got 1}}
  %0 = "tt.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32):
    tt.reduce.return %a : f32
  }) : (tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @combine_gives_another_type(%x: tensor<4xf32>) {
  // expected-error @+1 {{combine result 0 must be 'f32', got 'i32'}}
  %0 = "tt.scan"(%x) <{axis = 0 : i32, reverse = false}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.constant 0 : i32
    tt.scan.return %c : i32
  }) : (tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @histogram_of_a_matrix(%x: tensor<4x4xi32>) {
  // expected-error @+1 {{histogram only supports 1D integer input, got 'tensor<4x4xi32>'}}
  %0 = tt.histogram %x : tensor<4x4xi32> -> tensor<4xi32>
  tt.return
}

// -----

tt.func @histogram_without_bins(%x: tensor<4xi32>) {
  // expected-error @+1 {{a tensor needs at least one dimension}}
  %0 = tt.histogram %x : tensor<4xi32> -> tensor<i32>
  tt.return
}

// -----

tt.func @map_of_three(%x: tensor<4xi32>) {
  // expected-error @+1 {{needs a pack that is a power of 2, got 3}}
  %0 = "tt.map_elementwise"(%x) <{pack = 3 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32):
    tt.map_elementwise.return %a, %b, %c : i32, i32, i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----

tt.func @map_in_groups_too_large(%x: tensor<2xi32>) {
  // expected-error @+1 {{has 2 elements, which pack 4 does not divide}}
  %0 = "tt.map_elementwise"(%x) <{pack = 4 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: i32, %d: i32):
    tt.map_elementwise.return %a, %b, %c, %d : i32, i32, i32, i32
  }) : (tensor<2xi32>) -> tensor<2xi32>
  tt.return
}

// -----

tt.func @map_gives_too_few(%x: tensor<4xi32>) {
  // expected-error @+1 {{returned value must have 2 values, got 1}}
  %0 = "tt.map_elementwise"(%x) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    tt.map_elementwise.return %a : i32
  }) : (tensor<4xi32>) -> tensor<4xi32>
  tt.return
}

// -----

// Casts and elementwise ops.

tt.func @bitcast_of_another_width(%x: f32) {
  // expected-error @+1 {{cannot bitcast data-type of size 32 to data-type of size 16}}
  %0 = tt.bitcast %x : f32 -> i16
  tt.return
}

// -----

tt.func @bitcast_of_a_pointer(%x: !tt.ptr<f32>) {
  // expected-error @+1 {{cannot bitcast between a pointer and a number: '!tt.ptr<f32>' to 'i64'}}
  %0 = tt.bitcast %x : !tt.ptr<f32> -> i64
  tt.return
}

// -----

tt.func @widening_that_rounds(%x: f16) {
  // expected-error @+1 {{a rounding mode is only for truncating fp conversions, not for 'f16' to 'f32'}}
  %0 = tt.fp_to_fp %x, rounding = rtne : f16 -> f32
  tt.return
}

// -----

tt.func @narrowing_that_does_not_round(%x: f32) {
  // expected-error @+1 {{a truncating conversion needs a rounding mode: 'f32' to 'f8E5M2'}}
  %0 = tt.fp_to_fp %x : f32 -> f8E5M2
  tt.return
}

// -----

tt.func @assembly_in_groups_too_large(%x: tensor<2xi32>) {
  // expected-error @+1 {{the number of elements, 2, must be a multiple of pack, 4}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 4 : i32, pure = true} %x : tensor<2xi32> -> tensor<2xi32>
  tt.return
}

// -----

tt.func @assembly_without_pack(%x: tensor<2xi32>) {
  // expected-error @+1 {{inline assembly needs a positive pack, got 0}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r", packed_element = 0 : i32, pure = true} %x : tensor<2xi32> -> tensor<2xi32>
  tt.return
}

// -----

tt.func @assembly_with_too_many_constraints(%x: tensor<4xi8>) {
  // expected-error @+1 {{has constraints "=r,r,r" for 1 outputs and 2 inputs, but its values take 1 and 1 registers}}
  %0 = tt.elementwise_inline_asm "" {constraints = "=r,r,r", packed_element = 4 : i32, pure = true} %x : tensor<4xi8> -> tensor<4xi8>
  tt.return
}

// -----

tt.func @assembly_that_names_no_operand(%x: tensor<2xi32>) {
  // expected-error @+1 {{has a '$' in its assembly that names none of its 2 operands: write '$$' for the character itself}}
  %0 = tt.elementwise_inline_asm "mov $0, $2" {constraints = "=r,r,~{memory}", packed_element = 1 : i32, pure = true} %x : tensor<2xi32> -> tensor<2xi32>
  tt.return
}

// -----

// Matrices.

tt.func @dot_of_vectors(%a: tensor<16xf32>, %c: tensor<16xf32>) {
  // expected-error @+1 {{both inputs must be either 2D or 3D, got shapes [16] and [16]}}
  %0 = tt.dot %a, %a, %c : tensor<16xf32> * tensor<16xf32> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @dot_of_two_batches(%a: tensor<2x16x16xf32>, %b: tensor<4x16x16xf32>, %c: tensor<2x16x16xf32>) {
  // expected-error @+1 {{must have the same batch dimension}}
  %0 = tt.dot %a, %b, %c : tensor<2x16x16xf32> * tensor<4x16x16xf32> -> tensor<2x16x16xf32>
  tt.return
}

// -----

tt.func @dot_of_two_k(%a: tensor<16x32xf32>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{second index of first shape (32) must be equal to first index of second shape (16)}}
  %0 = tt.dot %a, %b, %c : tensor<16x32xf32> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_of_two_types(%a: tensor<16x16xf16>, %b: tensor<16x16xf32>, %c: tensor<16x16xf32>) {
  // expected-error @+1 {{both operands must be same dtype, got 'f16' and 'f32'}}
  %0 = tt.dot %a, %b, %c : tensor<16x16xf16> * tensor<16x16xf32> -> tensor<16x16xf32>
  tt.return
}

// -----

tt.func @dot_of_i32(%a: tensor<16x16xi32>, %c: tensor<16x16xi32>) {
  // expected-error @+1 {{unsupported dot operand dtype 'i32'}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xi32> * tensor<16x16xi32> -> tensor<16x16xi32>
  tt.return
}

// -----

tt.func @dot_into_bf16(%a: tensor<16x16xbf16>, %c: tensor<16x16xbf16>) {
  // expected-error @+1 {{out_dtype=bfloat16 is unsupported}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xbf16> * tensor<16x16xbf16> -> tensor<16x16xbf16>
  tt.return
}

// -----

tt.func @dot_into_f16(%a: tensor<16x16xf32>, %c: tensor<16x16xf16>) {
  // expected-error @+1 {{a dot of 'f32' operands cannot accumulate in 'f16'}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf16>
  tt.return
}

// -----

tt.func @accumulator_of_another_shape(%a: tensor<16x16xf32>, %c: tensor<16x32xf32>) {
  // expected-error @+1 {{the accumulator must have the shape of the product [16, 16], got [16, 32]}}
  %0 = tt.dot %a, %a, %c : tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x32xf32>
  tt.return
}

// -----

tt.func @accumulator_of_another_type(%a: tensor<32x32xbf16>, %c: tensor<32x32xf16>) {
  // expected-error @+1 {{the accumulator must be 'f32', got 'f16'}}
  %0 = tt.dot_scaled %a, %a, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf16>
  tt.return
}

// -----

tt.func @format_not_there(%a: tensor<32x32xi8>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{NYI: unsupported format e2m3}}
  %0 = tt.dot_scaled %a, %a, %c lhs = e2m3 rhs = e2m3 {fastMath = false} : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xf32>
  tt.return
}

// -----

tt.func @format_stored_otherwise(%a: tensor<32x32xi8>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{unexpected dtype for e4m3: 'i8'}}
  %0 = tt.dot_scaled %a, %a, %c lhs = e4m3 rhs = e4m3 {fastMath = false} : tensor<32x32xi8> * tensor<32x32xi8> -> tensor<32x32xf32>
  tt.return
}

// -----

tt.func @packed_along_rows(%a: tensor<32x32xbf16>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{only mxfp4 inputs can be packed along a dimension different than K, not bf16}}
  %0 = tt.dot_scaled %a, %a, %c lhs = bf16 rhs = bf16 {fastMath = false, lhs_k_pack = false} : tensor<32x32xbf16> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.return
}

// -----

tt.func @scaled_of_two_k(%a: tensor<32x32xi8>, %b: tensor<32x32xbf16>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{reduction dimension should pack the same number of elements, got 64 for lhs [32, 32] and 32 for rhs [32, 32]}}
  %0 = tt.dot_scaled %a, %b, %c lhs = e2m1 rhs = bf16 {fastMath = false} : tensor<32x32xi8> * tensor<32x32xbf16> -> tensor<32x32xf32>
  tt.return
}

// -----

tt.func @scale_of_another_shape(%a: tensor<32x64xbf16>, %b: tensor<64x32xbf16>, %s: tensor<32x8xi8>, %c: tensor<32x32xf32>) {
  // expected-error @+1 {{rhs_scale must be a tensor of shape [32, 2]. Got ['32', '8']}}
  %0 = tt.dot_scaled %a, %b scale %s, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<32x64xbf16> * tensor<64x32xbf16>, tensor<32x8xi8> -> tensor<32x32xf32>
  tt.return
}

// -----

tt.func @scale_of_a_batch(%a: tensor<2x32x32xbf16>, %s: tensor<32x1xi8>, %c: tensor<2x32x32xf32>) {
  // expected-error @+1 {{lhs_scale must be a tensor of shape [2, 32, 1]. Got ['32', '1']}}
  %0 = tt.dot_scaled %a scale %s, %a, %c lhs = bf16 rhs = bf16 {fastMath = false} : tensor<2x32x32xbf16>, tensor<32x1xi8> * tensor<2x32x32xbf16> -> tensor<2x32x32xf32>
  tt.return
}

// -----

// Memory.

tt.func @mask_for_a_block_pointer(%p: !tt.ptr<tensor<4xf32>>, %m: tensor<4xi1>) {
  // expected-error @+1 {{`mask` and `other` arguments cannot be specified for loading block pointers}}
  %0 = tt.load %p, %m : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @other_without_mask(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>) {
  // expected-error @+1 {{`other` cannot be provided without `mask`}}
  %0 = "tt.load"(%p, %x) <{operandSegmentSizes = array<i32: 1, 0, 1>}> : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @boundary_check_for_pointers(%p: tensor<4x!tt.ptr<f32>>) {
  // expected-error @+1 {{use block pointers instead}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>} : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @boundary_check_outside(%p: !tt.ptr<tensor<4xf32>>) {
  // expected-error @+1 {{boundary_check dimension 1 is outside of a block of rank 1}}
  %0 = tt.load %p {boundaryCheck = array<i32: 1>} : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @boundary_check_twice(%p: !tt.ptr<tensor<4xf32>>) {
  // expected-error @+1 {{duplicate dimension 0 in boundary_check}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0, 0>} : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @nan_of_an_integer(%p: !tt.ptr<tensor<4xi32>>) {
  // expected-error @+1 {{padding option `nan` is not supported for integer blocks, got 'i32'}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>, padding = 2 : i32} : !tt.ptr<tensor<4xi32>>
  tt.return
}

// -----

tt.func @mask_of_another_shape(%p: tensor<4x!tt.ptr<f32>>, %m: tensor<8xi1>) {
  // expected-error @+1 {{the mask has the shape of the pointers}}
  %0 = "tt.load"(%p, %m) <{operandSegmentSizes = array<i32: 1, 1, 0>}> : (tensor<4x!tt.ptr<f32>>, tensor<8xi1>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @padding_of_pointers(%p: !tt.ptr<tensor<4x!tt.ptr<f32>>>) {
  // expected-error @+1 {{padding is not supported for blocks of pointers, got '!tt.ptr<f32>'}}
  %0 = tt.load %p {boundaryCheck = array<i32: 0>, padding = 1 : i32} : !tt.ptr<tensor<4x!tt.ptr<f32>>>
  tt.return
}

// -----

tt.func @store_of_another_type(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf16>) {
  // expected-error @+1 {{value has the type the pointers point to}}
  "tt.store"(%p, %x) : (tensor<4x!tt.ptr<f32>>, tensor<4xf16>) -> ()
  tt.return
}

// -----

tt.func @masked_store_of_a_block(%p: !tt.ptr<tensor<4xf32>>, %x: tensor<4xf32>, %m: tensor<4xi1>) {
  // expected-error @+1 {{`mask` argument cannot be specified for storing block pointers}}
  tt.store %p, %x, %m : !tt.ptr<tensor<4xf32>>
  tt.return
}

// -----

tt.func @checked_store_of_pointers(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>) {
  // expected-error @+1 {{`boundary_check` argument is not supported for storing a tensor of pointers or a scalar}}
  tt.store %p, %x {boundaryCheck = array<i32: 0>} : tensor<4x!tt.ptr<f32>>
  tt.return
}

// -----

tt.func @atomic_of_bytes(%p: !tt.ptr<i8>, %x: i8) {
  // expected-error @+1 {{atomic_add does not support 'i8'}}
  %0 = tt.atomic_rmw add, acq_rel, gpu, %p, %x : (!tt.ptr<i8>, i8) -> i8
  tt.return
}

// -----

tt.func @atomic_maximum_of_halves(%p: !tt.ptr<f16>, %x: f16) {
  // expected-error @+1 {{atomic_max does not support 'f16'}}
  %0 = tt.atomic_rmw max, acq_rel, gpu, %p, %x : (!tt.ptr<f16>, f16) -> f16
  tt.return
}

// -----

tt.func @atomic_through_a_block_pointer(%p: !tt.ptr<tensor<4xf32>>, %x: tensor<4xf32>) {
  // expected-error @+1 {{pointer argument of atomic_add must be a pointer or a tensor of pointers, got '!tt.ptr<tensor<4xf32>>'}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (!tt.ptr<tensor<4xf32>>, tensor<4xf32>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @atomic_value_of_another_type(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf64>) {
  // expected-error @+1 {{value must have the type the pointers point to, expected 'f32', got 'f64'}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (tensor<4x!tt.ptr<f32>>, tensor<4xf64>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @atomic_block_through_a_scalar(%p: !tt.ptr<f32>, %x: tensor<4xf32>) {
  // expected-error @+1 {{value argument cannot be block type if pointer argument is not a block}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x : (!tt.ptr<f32>, tensor<4xf32>) -> f32
  tt.return
}

// -----

tt.func @atomic_mask_of_another_shape(%p: tensor<4x!tt.ptr<f32>>, %x: tensor<4xf32>, %m: tensor<8xi1>) {
  // expected-error @+1 {{mask must have the shape of the pointers, expected [4], got [8]}}
  %0 = tt.atomic_rmw fadd, acq_rel, gpu, %p, %x, %m : (tensor<4x!tt.ptr<f32>>, tensor<4xf32>, tensor<8xi1>) -> tensor<4xf32>
  tt.return
}

// -----

tt.func @swap_of_bytes(%p: !tt.ptr<i8>, %x: i8) {
  // expected-error @+1 {{atomic_cas only supports elements with width {16, 32, 64}, got 'i8'}}
  %0 = tt.atomic_cas acq_rel, gpu, %p, %x, %x : (!tt.ptr<i8>, i8, i8) -> i8
  tt.return
}

// -----

tt.func @swap_of_pointers(%p: !tt.ptr<!tt.ptr<f32>>, %x: !tt.ptr<f32>) {
  // expected-error @+1 {{atomic_cas only supports elements with width {16, 32, 64}, got '!tt.ptr<f32>'}}
  %0 = tt.atomic_cas acq_rel, gpu, %p, %x, %x : (!tt.ptr<!tt.ptr<f32>>, !tt.ptr<f32>, !tt.ptr<f32>) -> !tt.ptr<f32>
  tt.return
}

// -----

// Block pointers and descriptors.

tt.func @order_of_another_length(%p: !tt.ptr<f32>, %n: i64, %o: i32) {
  // expected-error @+1 {{expected shape/strides/offsets/block_shape/order to have the same length, got 1, 1, 1, 1 and 2}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%o] {order = array<i32: 0, 1>} : <tensor<4xf32>>
  tt.return
}

// -----

tt.func @order_is_no_permutation(%p: !tt.ptr<f32>, %n: i64, %o: i32) {
  // expected-error @+1 {{order must be a permutation of 0, 1, ..., n-1, got [1]}}
  %0 = tt.make_tensor_ptr %p, [%n], [%n], [%o] {order = array<i32: 1>} : <tensor<4xf32>>
  tt.return
}

// -----

tt.func @block_of_three(%p: !tt.ptr<f32>) {
  // expected-error @+2 {{Shape element 0 must be a power of 2}}
  // expected-note @+1 {{it is 3; the next power of 2 is 4}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<tensor<3xf32>>
  tt.return
}

// -----

tt.func @pointer_to_nothing(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{cannot point to 'none'}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<none>
  tt.return
}

// -----

tt.func @advance_too_far(%p: !tt.ptr<tensor<4xf32>>, %o: i32) {
  // expected-error @+1 {{advance needs one offset per dimension, expected 1, got 2}}
  %0 = tt.advance %p, [%o, %o] : <tensor<4xf32>>
  tt.return
}

// -----

tt.func @advance_of_an_element(%p: !tt.ptr<f32>, %o: i32) {
  // expected-error @+1 {{advance needs a block pointer, got '!tt.ptr<f32>'}}
  %0 = tt.advance %p, [%o] : <f32>
  tt.return
}

// -----

tt.func @descriptor_of_another_rank(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @+1 {{expected block_shape to have 1 dimensions but got 2}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f32>, <tensor<4x4xf32>>
  tt.return
}

// -----

tt.func @descriptor_too_narrow(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @+1 {{Descriptor block shape must have at least 16 bytes in the last dimension, but got 4 * 2 = 8 bytes}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<4xf16>>
  tt.return
}

// -----

tt.func @descriptor_of_another_type(%p: !tt.ptr<f16>, %n: i32, %s: i64) {
  // expected-error @+1 {{describes elements of 'f16', not 'f32'}}
  %0 = tt.make_tensor_descriptor %p, [%n], [%s] : <f16>, <tensor<8xf32>>
  tt.return
}

// -----

tt.func @descriptor_of_six_dimensions(%p: !tt.ptr<f32>, %n: i32, %s: i64) {
  // expected-error @+1 {{expected 1 <= ndim <= 5 but got 6 dimensions}}
  %0 = tt.make_tensor_descriptor %p, [%n, %n, %n, %n, %n, %n], [%s, %s, %s, %s, %s, %s] : <f32>, <tensor<1x1x1x1x1x4xf32>>
  tt.return
}

// -----

tt.func @descriptor_offsets(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32) {
  // expected-error @+1 {{expected 2 offsets, but got 1}}
  %0 = tt.descriptor_load %d[%i] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<4x4xf32>
  tt.return
}

// -----

tt.func @descriptor_load_of_another_shape(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32) {
  // expected-error @+1 {{gives 'tensor<4x4xf32>', not 'tensor<16xf32>'}}
  %0 = tt.descriptor_load %d[%i, %i] : !tt.tensordesc<tensor<4x4xf32>> -> tensor<16xf32>
  tt.return
}

// -----

tt.func @descriptor_store_of_another_shape(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32, %x: tensor<8x4xf32>) {
  // expected-error @+1 {{expected a value of the block shape [4, 4], got [8, 4]}}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<4x4xf32>>, tensor<8x4xf32>
  tt.return
}

// -----

tt.func @descriptor_store_of_another_type(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32, %x: tensor<4x4xf16>) {
  // expected-error @+1 {{expected a value of 'f32', got 'f16'}}
  tt.descriptor_store %d[%i, %i], %x : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf16>
  tt.return
}

// -----

tt.func @descriptor_bits_of_floats(%d: !tt.tensordesc<tensor<4x4xf32>>, %i: i32, %x: tensor<4x4xf32>) {
  // expected-error @+1 {{unsupported dtype for a descriptor's atomic_and: 'f32'}}
  tt.descriptor_reduce and, %d[%i, %i], %x : !tt.tensordesc<tensor<4x4xf32>>, tensor<4x4xf32>
  tt.return
}

// -----

tt.func @gather_from_blocks(%d: !tt.tensordesc<tensor<4x8xf32>>, %r: tensor<8xi32>, %y: i32) {
  // expected-error @+1 {{descriptor gather needs blocks of one row, got block shape [4, 8]}}
  %0 = tt.descriptor_gather %d[%r, %y] : (!tt.tensordesc<tensor<4x8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @gather_from_a_line(%d: !tt.tensordesc<tensor<8xf32>>, %r: tensor<8xi32>, %y: i32) {
  // expected-error @+1 {{descriptor gather needs a 2D descriptor, got a block of rank 1}}
  %0 = tt.descriptor_gather %d[%r, %y] : (!tt.tensordesc<tensor<8xf32>>, tensor<8xi32>, i32) -> tensor<8x8xf32>
  tt.return
}

// -----

tt.func @gather_of_few_rows(%d: !tt.tensordesc<tensor<1x8xf32>>, %r: tensor<4xi32>, %y: i32) {
  // expected-error @+1 {{descriptor gather must have at least 8 rows, got 4}}
  %0 = tt.descriptor_gather %d[%r, %y] : (!tt.tensordesc<tensor<1x8xf32>>, tensor<4xi32>, i32) -> tensor<4x8xf32>
  tt.return
}

// -----

tt.func @gather_of_few_columns(%d: !tt.tensordesc<tensor<1x8xf16>>, %r: tensor<8xi32>, %y: i32) {
  // expected-error @+1 {{descriptor gather of 'f16' must have at least 16 columns, got 8}}
  %0 = tt.descriptor_gather %d[%r, %y] : (!tt.tensordesc<tensor<1x8xf16>>, tensor<8xi32>, i32) -> tensor<8x8xf16>
  tt.return
}

// -----

tt.func @scatter_by_a_matrix(%d: !tt.tensordesc<tensor<1x8xf32>>, %r: tensor<8x8xi32>, %y: i32, %x: tensor<8x8xf32>) {
  // expected-error @+1 {{x offsets must be 1D, got 'tensor<8x8xi32>'}}
  tt.descriptor_scatter %d[%r, %y], %x : !tt.tensordesc<tensor<1x8xf32>>, tensor<8x8xi32>, i32, tensor<8x8xf32>
  tt.return
}

// -----

// Functions.

tt.func @calls_nobody(%x: i32) {
  // expected-error @+1 {{calls 'nobody', which is not a function}}
  tt.call @nobody(%x) : (i32) -> ()
  tt.return
}

// -----

tt.func private @takes_i32(%x: i32) {
  tt.return
}
tt.func @calls_with_f32(%x: f32) {
  // expected-error @+1 {{operand 0 must be 'i32', got 'f32'}}
  tt.call @takes_i32(%x) : (f32) -> ()
  tt.return
}

// -----

tt.func @returns_nothing() -> i32 {
  // expected-error @+1 {{operand must have 1 values, got 0}}
  tt.return
}

// -----

// expected-error @+1 {{tt.divisibility of argument 0 must be a positive integer, got 0 : i32}}
tt.func @divisible_by_zero(%x: i32 {tt.divisibility = 0 : i32}) {
  tt.return
}

// -----

tt.func @prints_without_signs(%x: i32) {
  // expected-error @+1 {{has 1 operands, but isSigned has 0 values}}
  tt.print "x" {hex = false, isSigned = array<i32>} : %x : i32
  tt.return
}

// -----

tt.func @pointer_to_odd_integer(%p: !tt.ptr<f32>) {
  // expected-error @+1 {{cannot point to 'i7'}}
  %0 = tt.bitcast %p : !tt.ptr<f32> -> !tt.ptr<i7>
  tt.return
}

// -----

// expected-error @+1 {{cannot point to 'index'}}
tt.func @pointer_to_index(%p: !tt.ptr<index>) {
  tt.return
}

// -----

// expected-error @+1 {{cannot point to '() -> ()'}}
tt.func @pointer_to_function(%p: !tt.ptr<() -> ()>) {
  tt.return
}

// -----

// expected-error @+1 {{cannot point to '!tt.ptr<tensor<8xf32>>'}}
tt.func @pointer_to_block_pointer(%p: !tt.ptr<!tt.ptr<tensor<8xf32>>>) {
  tt.return
}

// -----

// expected-error @+1 {{kernels have no tensors of 'i7'}}
tt.func @pointer_to_odd_block(%p: !tt.ptr<tensor<8xi7>>) {
  tt.return
}

// -----

// expected-error @+1 {{there is no address space -1: 0 to 7}}
tt.func @negative_address_space(%p: !tt.ptr<f32, -1>) {
  tt.return
}

// -----

// expected-error @+1 {{a descriptor's elements are numbers, got 'i7'}}
tt.func @descriptor_of_odd_integers(%d: !tt.tensordesc<tensor<16xi7>>) {
  tt.return
}

// -----

// expected-error @+1 {{kernels have no values of type 'index'}}
tt.func @index_argument(%a: index) {
  tt.return
}

// -----

// expected-error @+1 {{kernels have no values of type 'i7'}}
tt.func @odd_integer_argument(%a: i7) {
  tt.return
}

// -----

tt.func @reshape_of_unknown_size(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs a tensor of known sizes, got 'tensor<?xf32>'}}
  %0 = tt.reshape %x : tensor<?xf32> -> tensor<4xf32>
  tt.return
}

// -----

tt.func @unsplat_of_unknown_size(%x: tensor<?xf32>) {
  // expected-error @+1 {{needs a tensor of known sizes, got 'tensor<?xf32>'}}
  %0 = tt.unsplat %x : tensor<?xf32>
  tt.return
}
