// Builtins one by one: what they emit, and what they say to mistakes.
#include "compiler/frontend/Builtins.h"
#include "compiler/frontend/Signature.h"
#include "compiler/frontend/emitter/EmitKernelTesting.h"

namespace triton::frontend {
namespace {

/// A kernel around `body`: p is *fp32, q *i32, b *i1, h *fp16, n an i32; r, x, y, m, i are blocks.
std::string kernel(const std::string &body) {
  std::string text = "@triton.jit\ndef _add(a, b):\n    return a + b\n\n@triton.jit\ndef _bad(a, b):\n    return (a + "
                     "b).to(tl.float64)\n\n"
                     "@triton.jit\ndef kernel(p, q, b, h, n, k):\n    r = tl.arange(0, 16)\n    g = tl.arange(0, "
                     "16)[:, None] * 16 + r[None, :]\n"
                     "    x = tl.load(p + r)\n    y = tl.load(p + g)\n    i = tl.load(q + r)\n    j = tl.load(q + g)\n";
  for (llvm::StringRef rest = body; !rest.empty();) {
    auto [line, tail] = rest.split('\n');
    text += "    " + line.str() + "\n";
    rest = tail;
  }
  return text;
}

constexpr llvm::StringLiteral signature = "*fp32, *i32, *i1, *fp16, i32, *kfp32";

testing::AssertionResult builds(const std::string &body, std::initializer_list<llvm::StringRef> pieces) {
  return emits(kernel(body), signature, pieces);
}
testing::AssertionResult refuses(const std::string &body, std::initializer_list<llvm::StringRef> pieces) {
  return fails(kernel(body), signature, pieces);
}

TEST(Builtins, SignaturesAndDocumentation) {
  for (const Builtin &builtin : builtins()) {
    SCOPED_TRACE((builtin.module + "." + builtin.name).str());
    signatureOf(builtin);
    EXPECT_FALSE(builtin.documentation.empty());
    EXPECT_NE(builtin.emit, nullptr);
  }
}

TEST(Builtins, Programs) {
  EXPECT_TRUE(builds("tl.store(q, tl.program_id(1) + tl.num_programs(axis=2))",
                     {"tt.get_program_id y", "tt.get_num_programs z"}));
  EXPECT_TRUE(refuses("z = tl.program_id(20)", {"program_id axis must be 0, 1, or 2 but got 20"}));
  EXPECT_TRUE(refuses("z = tl.num_programs(n)", {"axis must be constexpr[int]"}));
}

TEST(Builtins, Creation) {
  EXPECT_TRUE(builds("tl.store(q + tl.arange(16, 32), 1)", {"tt.make_range {end = 32 : i32, start = 16 : i32}"}));
  EXPECT_TRUE(builds("tl.store(p + r, tl.full([16], n, tl.float32))", {"arith.sitofp", "tt.splat"}));
  EXPECT_TRUE(builds("tl.store(p + r, tl.full([16], -0.0, tl.float32))", {"arith.constant dense<-0.000000e+00>"}));
  EXPECT_TRUE(builds("tl.store(p, tl.full((), 1.5, tl.float32))", {"arith.constant 1.5"}));
  EXPECT_TRUE(refuses("z = tl.arange(2, 7)", {"must be a power of 2"}));
  EXPECT_TRUE(refuses("z = tl.arange(0, n)", {"arange's arguments must be of type tl.constexpr"}));
  EXPECT_TRUE(refuses("z = tl.arange(4, 4)", {"greater than the start"}));
  EXPECT_TRUE(refuses("z = tl.full((33,), 0, tl.int32)", {"Shape element 0 must be a power of 2"}));
  EXPECT_TRUE(refuses("z = tl.full((n,), 0, tl.int32)", {"shape element 0 must be constexpr[int]"}));
  EXPECT_TRUE(refuses("z = tl.full((2048, 2048), 0, tl.int32)", {"exceeds", "1048576"}));
  EXPECT_TRUE(refuses("z = tl.full((4,), 1.5, tl.int32)", {"float 1.5", "int32"}));
  EXPECT_TRUE(builds("z = tl.full((4,), 1.0, tl.float8e5)", {"dense<1.000000e+00> : tensor<4xf32>", "tt.fp_to_fp"}));
}

TEST(Builtins, Shapes) {
  EXPECT_TRUE(builds("tl.store(p + g, tl.trans(y))", {"tt.trans", "order = array<i32: 1, 0>"}));
  EXPECT_TRUE(builds("tl.store(p + g, y.T)", {"tt.trans"}));
  EXPECT_TRUE(builds("z = tl.reshape(y, 4, 64)\nz = y.reshape([256])\nz = y.reshape((16, 4, 4), can_reorder=True)",
                     {"tensor<4x64xf32>", "tensor<256xf32>", "allow_reorder"}));
  EXPECT_TRUE(builds("z = tl.expand_dims(x, (0, -1))", {"tensor<1x16xf32>", "tensor<1x16x1xf32>"}));
  EXPECT_TRUE(builds("z = x[None, :, None]", {"tensor<1x16xf32>", "tensor<1x16x1xf32>"}));
  EXPECT_TRUE(builds("z = n[None]", {"tt.splat", "tensor<1xi32>"}));
  EXPECT_TRUE(builds("a, c = tl.split(tl.join(x, x))\nz = tl.join(n, n)",
                     {"tt.join", "tensor<16x2xf32>", "tt.split", "tt.join", "i32 -> tensor<2xi32>"}));
  EXPECT_TRUE(builds("z = tl.cat(x, x, can_reorder=True)", {"tt.cat", "tensor<32xf32>"}));
  EXPECT_TRUE(builds("z = tl.gather(y, j, -1)", {"tt.gather", "axis = 1"}));
  EXPECT_TRUE(
      builds("z = tl.broadcast_to(x[:, None], 16, 8)\nz = tl.broadcast_to(n, [8])", {"tensor<16x8xf32>", "tt.splat"}));
  EXPECT_TRUE(builds("a, c = tl.broadcast(y, x)", {"tt.broadcast"}));
  EXPECT_TRUE(refuses("z = tl.trans(x)", {"0- or 1-dimensional"}));
  EXPECT_TRUE(refuses("z = tl.permute(y, 0, 0)", {"must be a permutation"}));
  EXPECT_TRUE(refuses("z = tl.permute(y, 0)", {"same length"}));
  EXPECT_TRUE(refuses("z = tl.reshape(y, 4, 4)", {"reshape() cannot change total number of elements"}));
  EXPECT_TRUE(refuses("z = tl.expand_dims(x, 5)", {"invalid axis 5"}));
  EXPECT_TRUE(refuses("z = tl.expand_dims(x, (0, -3))", {"duplicate axes, normalized axes = [0, 0]"}));
  EXPECT_TRUE(refuses("z = x[0]", {"unsupported tensor index"}));
  EXPECT_TRUE(refuses("z = x[10:]", {"unsupported tensor index"}));
  EXPECT_TRUE(builds("z = tl.cat(x, x)", {"tt.join", "tt.trans", "tt.reshape", "tensor<32xf32>"}));
  EXPECT_TRUE(refuses("z = tl.cat(x, tl.arange(0, 8).to(tl.float32))", {"cat needs operands of one shape"}));
  EXPECT_TRUE(refuses("z = tl.split(x)", {"last dimension of size 2"}));
  EXPECT_TRUE(refuses("z = tl.join(x, i)", {"one dtype"}));
  EXPECT_TRUE(refuses("z = tl.broadcast_to(x, 8)", {"expanded size"}));
  EXPECT_TRUE(refuses("z = x + tl.arange(0, 8)", {"incompatible dimensions at index 0: 16 and 8"}));
  EXPECT_TRUE(refuses("z = tl.gather(y, x, 0)", {"integer"}));
  EXPECT_TRUE(refuses("z = x.T", {"only 2D tensors"}));
}

TEST(Builtins, ChoosingAndLimiting) {
  EXPECT_TRUE(builds("z = tl.where(x > 0, x, 0.0)", {"arith.select"}));
  EXPECT_TRUE(builds("z = tl.where(n > 0, y, x)", {"tt.splat", "arith.select", "tensor<16x16xf32>"}));
  EXPECT_TRUE(builds("tl.store(tl.where(i > 0, p + r, p), 1.0)", {"arith.select", "!tt.ptr<f32>"}));
  EXPECT_TRUE(
      builds("z = tl.minimum(x, 1.0)\nz = tl.maximum(x, 1.0, propagate_nan=tl.PropagateNan.ALL)\nw = tl.minimum(i, n)",
             {"arith.minnumf", "arith.maximumf", "arith.minsi"}));
  EXPECT_TRUE(builds("z = tl.clamp(x, 0.0, 1.0)", {"tt.clampf", "propagateNan = none"}));
  EXPECT_TRUE(builds("z = tl.clamp(i, 0, 1)", {"arith.maxsi", "arith.minsi"}));
  EXPECT_TRUE(refuses("z = tl.where(i > 0, p + r, q + r)", {"invalid operands of type"}));
}

TEST(Builtins, Mathematics) {
  EXPECT_TRUE(builds("z = tl.exp(x) + tl.log2(x) + tl.rsqrt(x) + tl.erf(x) + tl.floor(x)",
                     {"math.exp ", "math.log2", "math.rsqrt", "math.erf", "math.floor"}));
  EXPECT_TRUE(builds("z = tl.math.exp2(x) + x.sin() + tl.sqrt(2.0)", {"math.exp2", "math.sin", "math.sqrt"}));
  EXPECT_TRUE(
      builds("z = tl.abs(x)\nz = tl.fma(x, x, 1.0)\nz = tl.fdiv(x, x)\nz = tl.div_rn(x, x)\nz = tl.sqrt_rn(x)\nw = "
             "tl.umulhi(i, i)\nw = tl.abs(i)",
             {"math.absf", "math.fma", "arith.divf", "tt.precise_divf", "tt.precise_sqrt", "tt.mulhiui", "math.absi"}));
  EXPECT_TRUE(refuses("z = tl.exp(i)", {"expected dtype ['fp32', 'fp64'] but got int32"}));
  EXPECT_TRUE(refuses("z = tl.exp(tl.load(h))", {"but got fp16"}));
  EXPECT_TRUE(builds("z = tl.load(h).exp()", {"math.exp", "f16"}));
  EXPECT_TRUE(refuses("z = tl.fdiv(i, i)", {"floating scalar type"}));
  EXPECT_TRUE(refuses("z = tl.sqrt_rn(x.to(tl.float64))", {"expected dtype ['fp32']"}));
}

TEST(Builtins, Memory) {
  EXPECT_TRUE(builds("z = tl.load(p + r, mask=r < n, other=0)", {"tt.load", "tensor<16x!tt.ptr<f32>>"}));
  EXPECT_TRUE(builds("z = tl.load(p + r, None)\ntl.store(p + r, z, None)", {"tt.load", "tt.store"}));
  EXPECT_TRUE(builds("z = tl.load(p, eviction_policy='evict_last', cache_modifier='.cg', volatile=True)",
                     {"cacheModifier = cg", "evictionPolicy = evict_last"}));
  EXPECT_TRUE(builds("z = tl.load(b)\ntl.store(b, x > 0) if False else tl.store(b + r, x > 0)",
                     {"tt.load", "!tt.ptr<i8>", "arith.cmpi ne", "arith.extui", "tt.store"}));
  EXPECT_TRUE(builds("tl.store(h + r, x)", {"arith.truncf", "tt.store"}));
  EXPECT_TRUE(builds("z = tl.load(p + r, mask=True, other=1)", {"tt.load"}));
  EXPECT_TRUE(refuses("z = tl.load(x)", {"unsupported ptr type"}));
  EXPECT_TRUE(refuses("z = tl.load(p + r, other=0.0)", {"without `mask`"}));
  EXPECT_TRUE(refuses("z = tl.load(p, mask=r < n)", {"mask argument cannot be block type"}));
  EXPECT_TRUE(refuses("z = tl.load(p + r, boundary_check=(0,))", {"use block pointers instead"}));
  EXPECT_TRUE(refuses("z = tl.load(p, cache_modifier='.xx')", {"cache_modifier \".xx\" not supported"}));
  EXPECT_TRUE(refuses("z = tl.load(p + r, mask=i)", {"boolean"}));
  EXPECT_TRUE(refuses("tl.store(p, x)", {"value argument cannot be block type"}));
  EXPECT_TRUE(refuses("tl.store(p + r, y)", {"expected pointer argument to have shape [16, 16] but got [16]"}));
  EXPECT_TRUE(refuses("tl.store(k, 1.0)", {"Cannot store to a constant pointer"}));
  EXPECT_TRUE(refuses("tl.store(tl.where(i > 0, k + r, k + r), 1.0)", {"Cannot store to a constant pointer"}));
}

TEST(Builtins, Atomics) {
  EXPECT_TRUE(builds("z = tl.atomic_add(p + r, x, mask=r < n, sem='relaxed', scope='cta')",
                     {"tt.atomic_rmw fadd, relaxed, cta"}));
  EXPECT_TRUE(builds("z = tl.atomic_max(q, 3)\nz = tl.atomic_cas(q, 0, 1)\nz = tl.atomic_xchg(q, n)",
                     {"tt.atomic_rmw max, acq_rel, gpu", "tt.atomic_cas", "tt.atomic_rmw exch"}));
  EXPECT_TRUE(builds("z = tl.atomic_xor(p + r, x)\ntl.static_assert(z.dtype == tl.float32)",
                     {"tt.bitcast", "tt.ptr<i32>", "tt.bitcast", "tt.atomic_rmw xor", "tensor<16xi32>", "tt.bitcast"}));
  EXPECT_TRUE(builds("z = tl.atomic_cas(q, tl.cast(0, tl.uint32), tl.cast(1, tl.uint32))\n"
                     "tl.static_assert(z.dtype == tl.uint32)\n"
                     "z = tl.atomic_cas(q, tl.cast(0, tl.uint32), 1)\ntl.static_assert(z.dtype == tl.int32)",
                     {"tt.atomic_cas"}));
  EXPECT_TRUE(refuses("z = tl.atomic_xor(h, 1)", {"atomic_xor does not support"}));
  EXPECT_TRUE(refuses("z = tl.atomic_add(q, 1, sem='strict')", {"memory semantic \"strict\" not supported"}));
  EXPECT_TRUE(refuses("z = tl.atomic_add(k, 1.0)", {"Cannot store to a constant pointer"}));
  EXPECT_TRUE(refuses("z = tl.atomic_max(h, 1.0)", {"atomic_max does not support"}));
}

TEST(Builtins, Reductions) {
  EXPECT_TRUE(builds("z = tl.reduce(y, 1, _add)\nz = y.reduce(0, _add, keep_dims=True)",
                     {"tt.reduce", "axis = 1", "tt.reduce.return", "axis = 0", "tt.expand_dims"}));
  EXPECT_TRUE(builds("z = tl.reduce(y, None, _add)", {"tt.reshape", "allow_reorder", "tensor<256xf32>", "tt.reduce"}));
  EXPECT_TRUE(builds("z = tl.associative_scan(y, -1, _add, reverse=True)",
                     {"tt.scan", "axis = 1", "reverse = true", "tt.scan.return"}));
  EXPECT_TRUE(builds("z = tl.histogram(i, 8, mask=i > 0)", {"tt.histogram", "tensor<8xi32>"}));
  EXPECT_TRUE(refuses("z = tl.reduce(y, 2, _add)", {"invalid axis 2"}));
  EXPECT_TRUE(refuses("z = tl.reduce(n, 0, _add)", {"reduce input must be a block"}));
  EXPECT_TRUE(refuses("z = tl.reduce((x, y), 0, _add)", {"same shape"}));
  EXPECT_TRUE(refuses("z = tl.reduce(x, 0, _bad)", {"must be fp32, got fp64"}));
  EXPECT_TRUE(refuses("z = tl.histogram(x, 8)", {"histogram only supports 32-bit integer input, got fp32"}));
}

TEST(Builtins, Products) {
  EXPECT_TRUE(builds("z = tl.dot(y, y)", {"arith.constant dense<0.0", "tt.dot",
                                          "tensor<16x16xf32> * tensor<16x16xf32> -> tensor<16x16xf32>"}));
  EXPECT_TRUE(builds("z = tl.dot(y, y, acc=y, input_precision='TF32')", {"tt.dot", "inputPrecision = tf32"}));
  EXPECT_TRUE(builds("a = y.to(tl.float16)\nz = tl.dot(a, a, out_dtype=tl.float16)", {"tt.dot", "tensor<16x16xf16>"}));
  EXPECT_TRUE(builds("a = j.to(tl.int8)\nz = tl.dot(a, a)", {"tt.dot", "tensor<16x16xi32>"}));
  EXPECT_TRUE(builds("a = tl.zeros((2, 2, 16, 32), tl.bfloat16)\nc = tl.zeros((2, 2, 32, 16), tl.bfloat16)\nz = "
                     "tl.dot(a, c)\ntl.static_assert(z.shape == [2, 2, 16, 16])",
                     {"tensor<4x16x32xbf16> * tensor<4x32x16xbf16> -> tensor<4x16x16xf32>"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, j)", {"unsupported dtype int32"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y.to(tl.float16))", {"both operands must be same dtype"}));
  EXPECT_TRUE(refuses("z = tl.dot(x, x)", {"rank of at least 2"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, tl.zeros((32, 16), tl.float32))", {"not compatible for matmul"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y, out_dtype=tl.bfloat16)", {"out_dtype=bfloat16 is unsupported"}));
  EXPECT_TRUE(refuses("a = y.to(tl.float16)\nz = tl.dot(a, a, out_dtype=tl.int32)",
                      {"operands of type fp16 accumulate in fp32 or fp16, got out_dtype int32"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y, acc=j)", {"these operands accumulate in fp32"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y, acc=j, out_dtype=tl.float32)", {"must be out_dtype"}));
  EXPECT_TRUE(refuses(
      "a = j.to(tl.int8)\nz = tl.dot(a, a, acc=y)",
      {"these operands accumulate in int32, so out_dtype and the accumulator's dtype must be int32, got fp32"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y, input_precision='ieee', allow_tf32=True)", {"only one of"}));
  EXPECT_TRUE(refuses("z = tl.dot(y, y, input_precision='exact')", {"must be one of", "exact"}));
  EXPECT_TRUE(refuses("a = y.to(tl.float8e5)\nz = tl.dot(a, a, max_num_imprecise_acc=64)",
                      {"max_num_imprecise_acc (64) must be <= K (16)"}));
  LanguageOptions cuda;
  cuda.minDotBytesOfK = 32;
  const auto errorsOf = [&](llvm::StringRef shape) {
    return emitText(kernel(("a = tl.zeros(" + shape + ")\nz = tl.dot(a, a.T)").str()), signature, "", cuda).errors;
  };
  EXPECT_TRUE(holdsInOrder(errorsOf("(16, 16), tl.int8"), {"M >= 1, N >= 1 and K >= 32"}));
  EXPECT_TRUE(holdsInOrder(errorsOf("(16, 8), tl.float16"), {"M >= 1, N >= 1 and K >= 16"}));
  EXPECT_TRUE(holdsInOrder(errorsOf("(16, 4), tl.float32"), {"M >= 1, N >= 1 and K >= 8"}));
  EXPECT_TRUE(holdsInOrder(errorsOf("(16, 2), tl.float64"), {"M >= 1, N >= 1 and K >= 4"}));
  EXPECT_EQ(errorsOf("(16, 8), tl.float32"), "");
  EXPECT_EQ(errorsOf("(16, 4), tl.float64"), "");
}

TEST(Builtins, ScaledProducts) {
  const std::string operands =
      "a = tl.zeros((128, 32), tl.uint8)\nsa = tl.zeros((128, 2), tl.uint8)\nc = tl.zeros((64, 64), tl.float8e4nv)\n";
  EXPECT_TRUE(builds(operands + "z = tl.dot_scaled(a, sa, 'e2m1', c, None, 'e4m3')",
                     {"tt.dot_scaled", "lhs = e2m1 rhs = e4m3", "tensor<128x64xf32>"}));
  EXPECT_TRUE(refuses(operands + "z = tl.dot_scaled(a, sa, 'e3m2', c, None, 'e4m3')", {"e3m2 is not implemented"}));
  EXPECT_TRUE(refuses(operands + "z = tl.dot_scaled(a, sa, 'e9', c, None, 'e4m3')", {"invalid lhs_format 'e9'"}));
  EXPECT_TRUE(refuses(operands + "z = tl.dot_scaled(a, a, 'e2m1', c, None, 'e4m3')",
                      {"lhs_scale must be a tensor of shape [128, 2]"}));
}

TEST(Builtins, BlockPointers) {
  const std::string make = "t = tl.make_block_ptr(p, (n, 64), (64, 1), (0, n), (16, 16), (1, 0))\n";
  EXPECT_TRUE(builds(make + "z = tl.load(t, boundary_check=(0, 1), padding_option='zero')\nt = tl.advance(t, (0, "
                            "16))\ntl.store(t, z, boundary_check=[0])",
                     {"tt.make_tensor_ptr", "tt.load", "boundaryCheck = array<i32: 0, 1>", "tt.advance", "tt.store"}));
  EXPECT_TRUE(refuses(make + "tl.advance(t, (0, 16))", {"is not being used"}));
  EXPECT_TRUE(refuses(make + "z = tl.load(t, mask=True)", {"cannot be specified"}));
  EXPECT_TRUE(builds(make + "tl.store(t, j)", {"arith.sitofp", "tt.store"}));
  EXPECT_TRUE(refuses(make + "tl.store(t, p + j)", {"cannot cast"}));
  EXPECT_TRUE(refuses(make + "z = tl.load(t, boundary_check=(0, 0))", {"duplicate"}));
  EXPECT_TRUE(refuses("t = tl.make_block_ptr(p, (n,), (1,), (n.to(tl.float32),), (16,), (0,))", {"scalar integers"}));
  EXPECT_TRUE(refuses("t = tl.make_block_ptr(p, (n, n), (1,), (0,), (16,), (0,))", {"same length"}));
  EXPECT_TRUE(refuses("t = tl.make_block_ptr(p + r, (n,), (1,), (0,), (16,), (0,))", {"expected `base`"}));
}

TEST(Builtins, Descriptors) {
  const std::string make = "d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [16, 16])\n";
  EXPECT_TRUE(
      builds(make + "z = d.load([0, n])\nd.store([0, 0], z)\nd.atomic_add([0, 0], z)\ntl.static_assert(d.block_shape "
                    "== [16, 16] and d.dtype == tl.float32)",
             {"tt.make_tensor_descriptor", "tt.descriptor_load", "tt.descriptor_store", "tt.descriptor_reduce add"}));
  EXPECT_TRUE(
      builds("d = tl.make_tensor_descriptor(p, [n, n], [n, 1], [1, 16])\nz = d.gather(r, 0)\nd.scatter(z, r, 0)",
             {"tt.descriptor_gather", "tt.descriptor_scatter"}));
  EXPECT_TRUE(refuses("d = tl.make_tensor_descriptor(p, [n, n], [1, n], [16, 16])",
                      {"last dim stride must be the compile-time constant 1"}));
  EXPECT_TRUE(refuses("d = tl.make_tensor_descriptor(p, [n], [1], [2])", {"at least 16 bytes", "2 * 4 = 8"}));
  EXPECT_TRUE(refuses(make + "z = d.load([0])", {"expected 2 offsets, but got 1"}));
  EXPECT_TRUE(refuses(make + "d.store([0, 0], x)", {"block shape"}));
  EXPECT_TRUE(refuses(make + "d.atomic_xor([0, 0], y)", {"unsupported dtype"}));
}

TEST(Builtins, HigherOrder) {
  EXPECT_TRUE(builds("z = tl.map_elementwise(_add, x, x)", {"tt.map_elementwise", "tt.map_elementwise.return"}));
  EXPECT_TRUE(
      builds("z = tl.inline_asm_elementwise('shl.b32 $0, $1, 3;', '=r,r', [i], dtype=tl.int32, is_pure=True, pack=1)",
             {"tt.elementwise_inline_asm", "constraints = \"=r,r\""}));
  EXPECT_TRUE(builds(
      "a, c = tl.inline_asm_elementwise('', '=r,=r,r', [i], dtype=(tl.int32, tl.float32), is_pure=False, pack=1)",
      {"tt.elementwise_inline_asm"}));
  EXPECT_TRUE(
      builds("from_lib = tl.extra.libdevice.pow(x, x) + tl.extra.cuda.libdevice.tanh(x)", {"__nv_powf", "__nv_tanhf"}));
  // Where there is no libdevice, what the target has no operation for is computed in the language.
  const std::string isNan = kernel("z = tl.extra.libdevice.isnan(x)\ntl.static_assert(z.dtype == tl.int1)");
  LanguageOptions cuda;
  cuda.backend = "cuda";
  EXPECT_TRUE(holdsInOrder(emitText(isNan, signature, "", cuda).ir, {"__nv_isnanf", "arith.cmpi ne"}));
  EXPECT_TRUE(holdsInOrder(emitText(isNan, signature).ir, {"arith.cmpf une"}));
  EXPECT_TRUE(refuses("z = tl.extra.libdevice.tanh(i)", {"tanh does not take arguments of types (int32)"}));
  EXPECT_TRUE(refuses("z = tl.map_elementwise(_add, x, x, pack=3)", {"power of two"}));
}

TEST(Builtins, Hints) {
  EXPECT_TRUE(
      builds("z = tl.max_contiguous(tl.multiple_of(r + n, 16), [16])\ntl.store(q + z, 1)\ntl.assume(n > "
             "0)\ntl.debug_barrier()",
             {"tt.contiguity = dense<16>", "tt.divisibility = dense<16>", "llvm.intr.assume", "tt.debug_barrier"}));
  EXPECT_TRUE(builds("z = tl.multiple_of(tl.multiple_of(n, 16), 24)", {"%n: i32 {tt.divisibility = 48 : i32}"}));
  EXPECT_TRUE(builds("z = tl.max_contiguous(tl.max_contiguous(r + n, 16), 4)", {"tt.contiguity = dense<16>"}));
  EXPECT_TRUE(refuses("z = tl.multiple_of(n, 0)", {"must be positive"}));
  EXPECT_TRUE(refuses("z = tl.multiple_of(r, n)", {"values"}));
  EXPECT_TRUE(refuses("z = tl.multiple_of(r, [n])", {"values element 0", "constexpr[int]"}));
  EXPECT_TRUE(refuses("z = tl.multiple_of(y, 16)", {"does not match the length"}));
}

TEST(Builtins, Debugging) {
  EXPECT_TRUE(builds("tl.device_print('x', x, n)\nprint('n:', n, hex=True)",
                     {"tt.print \" x: \"", "isSigned = array<i32: 0, 1>", "tt.print \" n: \"", "hex = true"}));
  EXPECT_EQ(emitText(kernel("tl.device_assert(n > 0, 'positive')"), signature).ir.find("tt.assert"), std::string::npos);
  LanguageOptions debug;
  debug.debug = true;
  EXPECT_TRUE(holdsInOrder(emitText(kernel("tl.device_assert(x > 0, 'positive', mask=r < n)"), signature, "", debug).ir,
                           {"tt.assert", "\"positive\""}));
  EXPECT_TRUE(refuses("tl.static_assert(1 > 2, 'never')", {"never"}));
  EXPECT_TRUE(refuses("tl.static_assert(n > 2)", {"could not be determined at compile-time"}));
  EXPECT_TRUE(refuses("tl.device_print(n)", {"prefix of device_print must be a compile-time string"}));
}

TEST(Builtins, CompileTime) {
  for (const char *condition : {"triton.cdiv(7, 2) == 4",
                                "triton.next_power_of_2(33) == 64",
                                "triton.cdiv(-7, 2) == -3",
                                "tl.float16.primitive_bitwidth == 16",
                                "tl.int1.itemsize == 0",
                                "tl.uint8.is_int_unsigned()",
                                "not p.dtype.is_floating()",
                                "p.dtype.is_ptr()",
                                "p.dtype.element_ty == tl.float32",
                                "isinstance(p.dtype, tl.pointer_type)",
                                "isinstance(x, tl.tensor)",
                                "not isinstance(n, tl.constexpr)",
                                "isinstance(x.type, tl.block_type)",
                                "x.numel == 16",
                                "y.shape[0] == 16",
                                "len(y.shape) == 2",
                                "tl.int8.get_int_max_value() == 127",
                                "tl.dtype('fp32') == tl.float32",
                                "str_is('ABC'.lower(), 'abc')",
                                "tl.core.get_int_dtype(16, False) == tl.uint16",
                                "x.type == tl.block_type(tl.float32, [16])",
                                "tl.bfloat16.fp_mantissa_width == 7",
                                "tl.float8e4nv.exponent_bias == 7",
                                "k.dtype.is_const()",
                                "tl.TRITON_MAX_TENSOR_NUMEL == 1048576",
                                "not tl.target_info.is_cuda()",
                                "tl.int32.kind() == tl.dtype.KIND.INTEGRAL",
                                "hasattr(x, 'sum')",
                                "not hasattr(x, 'nothing')",
                                "x.dtype.name == 'fp32'",
                                "tl.int32.int_signedness == tl.dtype.SIGNEDNESS.SIGNED",
                                "max(1, 2, 3) == 3",
                                "tl.dtype.is_dtype('bf16') and not tl.dtype.is_dtype('float')",
                                "len(tl.dtype.FP_TYPES) == 9",
                                "min((4, 2)[0], 3) == 3"}) {
    const std::string text(condition);
    const std::string body = llvm::StringRef(text).starts_with("str_is") ? "tl.static_assert('ABC'.lower() == 'abc')"
                                                                         : "tl.static_assert(" + text + ")";
    EXPECT_TRUE(builds(body, {})) << condition;
  }
  EXPECT_TRUE(refuses("tl.static_assert(max(float('nan'), 1.0) == 1.0)", {"nan"}));
}

} // namespace
} // namespace triton::frontend
