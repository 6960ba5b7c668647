"""Kernels as strangers write them: each task in several ways that ask for the same work. Ours and any other package called triton compile the same text."""

import triton
import triton.language as tl

# scans


@triton.jit
def decay(a, x, b, y):
    """The step of a linear recurrence, h = a h + x, of which two in a row are one again."""
    return a * b, x * b + y


@triton.jit
def scan_kernel(
    a_ptr, x_ptr, out_ptr, length, pitch, T: tl.constexpr, C: tl.constexpr, MASKED: tl.constexpr, SLAB: tl.constexpr
):
    """Recurrences along time, C channels beside each other. SLAB: the channels are some of a wider matrix."""
    times, channels = tl.arange(0, T), tl.arange(0, C)
    first = tl.program_id(0) * C if SLAB else tl.program_id(0) * length * pitch
    offsets = first + times[:, None] * pitch + channels[None, :]
    if MASKED:
        mask = times[:, None] < length
        a, x = tl.load(a_ptr + offsets, mask, 1.0), tl.load(x_ptr + offsets, mask, 0.0)
        _, h = tl.associative_scan((a, x), 0, decay)
        tl.store(out_ptr + offsets, h, mask)
    else:
        _, h = tl.associative_scan((tl.load(a_ptr + offsets), tl.load(x_ptr + offsets)), 0, decay)
        tl.store(out_ptr + offsets, h)


# 4-bit weights


@triton.jit
def int4_words_kernel(
    a_ptr, w_ptr, s_ptr, c_ptr, M, N, K, a_pitch, w_pitch, c_pitch,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """Eight weights along K in a word: each word is loaded once for each of its weights."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    ks = tl.arange(0, BK)
    a_ptrs = a_ptr + rows[:, None] * a_pitch + ks[None, :]
    w_ptrs = w_ptr + (ks[:, None] // 8) * w_pitch + columns[None, :]
    shifts = (ks % 8) * 4
    acc = tl.zeros((BM, BN), tl.float32)
    for k in range(0, K, BK):
        if MASKED:
            a = tl.load(a_ptrs, mask=(rows[:, None] < M) & (ks[None, :] < K - k), other=0.0)
        else:
            a = tl.load(a_ptrs)
        words = tl.load(w_ptrs)
        scale = tl.load(s_ptr + (k // GROUP) * N + columns)
        w = (((words >> shifts[:, None]) & 15) - 8).to(tl.float16) * scale[None, :]
        acc = tl.dot(a, w, acc)
        a_ptrs += BK
        w_ptrs += BK // 8 * w_pitch
    c_ptrs = c_ptr + rows[:, None] * c_pitch + columns[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def int4_bytes_kernel(
    a_ptr, w_ptr, s_ptr, c_ptr, M, N, K, a_pitch, w_pitch, c_pitch,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, JOINED: tl.constexpr,
):  # fmt: skip
    """Two weights along K in a byte, low half first. JOINED: put beside each other; else two products, of even and of odd columns of a."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    columns = tl.program_id(1) * BN + tl.arange(0, BN)
    halves = tl.arange(0, BK // 2)
    acc = tl.zeros((BM, BN), tl.float32)
    for k in tl.range(0, K, BK):
        packed = tl.load(w_ptr + (k // 2 + halves)[None, :] + columns[:, None] * w_pitch)
        scale = tl.load(s_ptr + (k // GROUP) * N + columns)
        low = ((packed & 15).to(tl.float16) - 8) * scale[:, None]
        high = ((packed >> 4).to(tl.float16) - 8) * scale[:, None]
        a_ptrs = a_ptr + rows[:, None] * a_pitch + k
        if JOINED:
            a = tl.load(a_ptrs + tl.arange(0, BK)[None, :], mask=rows[:, None] < M, other=0.0)
            acc = tl.dot(a, tl.interleave(low, high).T, acc)
        else:
            even = tl.load(a_ptrs + 2 * halves[None, :], mask=rows[:, None] < M, other=0.0)
            odd = tl.load(a_ptrs + 2 * halves[None, :] + 1, mask=rows[:, None] < M, other=0.0)
            acc = tl.dot(even, low.T, acc)
            acc = tl.dot(odd, high.T, acc)
    c_ptrs = c_ptr + rows[:, None] * c_pitch + columns[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


# matmuls


@triton.jit
def grouped_tile(tile, M, N, BM: tl.constexpr, BN: tl.constexpr, GROUP: tl.constexpr):
    tiles_m, tiles_n = tl.cdiv(M, BM), tl.cdiv(N, BN)
    in_group = GROUP * tiles_n
    first = tile // in_group * GROUP
    size = min(tiles_m - first, GROUP)
    return first + tile % in_group % size, tile % in_group // size


@triton.jit
def matmul_plain_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, MASKED: tl.constexpr, WIDE: tl.constexpr,
):  # fmt: skip
    """MASKED: rows wrap around and K has masks. Else neither, and pointers are made in each iteration, with 64-bit offsets if WIDE."""
    m, n = grouped_tile(tl.program_id(0), M, N, BM, BN, GROUP)
    rows, columns, ks = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN), tl.arange(0, BK)
    acc = tl.zeros((BM, BN), tl.float32)
    if MASKED:
        a_ptrs = a_ptr + ((rows % M)[:, None] * stride_am + ks[None, :] * stride_ak)
        b_ptrs = b_ptr + (ks[:, None] * stride_bk + (columns % N)[None, :] * stride_bn)
        for k in range(0, tl.cdiv(K, BK)):
            a = tl.load(a_ptrs, mask=ks[None, :] < K - k * BK, other=0.0)
            b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BK, other=0.0)
            acc = tl.dot(a, b, acc)
            a_ptrs += BK * stride_ak
            b_ptrs += BK * stride_bk
    else:
        if WIDE:
            rows, columns, ks = rows.to(tl.int64), columns.to(tl.int64), ks.to(tl.int64)
        for k in tl.range(0, K, BK):
            b = tl.load(b_ptr + (k + ks)[:, None] * stride_bk + columns[None, :] * stride_bn)
            a = tl.load(a_ptr + rows[:, None] * stride_am + (k + ks)[None, :] * stride_ak)
            acc += tl.dot(a, b)
    c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
    tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def matmul_block_pointer_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr,
):  # fmt: skip
    m, n = grouped_tile(tl.program_id(0), M, N, BM, BN, GROUP)
    a = tl.make_block_ptr(a_ptr, (M, K), (stride_am, stride_ak), (m * BM, 0), (BM, BK), (1, 0))
    b = tl.make_block_ptr(b_ptr, (K, N), (stride_bk, stride_bn), (0, n * BN), (BK, BN), (1, 0))
    acc = tl.zeros((BM, BN), tl.float32)
    for _ in range(0, K, BK):
        acc += tl.dot(tl.load(a, boundary_check=(0, 1)), tl.load(b, boundary_check=(0, 1)))
        a = tl.advance(a, (0, BK))
        b = tl.advance(b, (BK, 0))
    c = tl.make_block_ptr(c_ptr, (M, N), (stride_cm, stride_cn), (m * BM, n * BN), (BM, BN), (1, 0))
    tl.store(c, acc.to(tl.float16), boundary_check=(0, 1))


@triton.jit
def persistent_pointer_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K, stride_am, stride_ak, stride_bk, stride_bn, stride_cm, stride_cn,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, SMS: tl.constexpr, FLATTEN: tl.constexpr,
):  # fmt: skip
    ks = tl.arange(0, BK)
    for tile in tl.range(tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS, flatten=FLATTEN):
        m, n = grouped_tile(tile, M, N, BM, BN, GROUP)
        rows, columns = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN)
        rows, columns = tl.where(rows < M, rows, 0), tl.where(columns < N, columns, 0)
        rows = tl.max_contiguous(tl.multiple_of(rows, BM), BM)
        columns = tl.max_contiguous(tl.multiple_of(columns, BN), BN)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            depth = k * BK + ks
            a_ptrs = a_ptr + (rows[:, None] * stride_am + depth[None, :] * stride_ak)
            b_ptrs = b_ptr + (depth[:, None] * stride_bk + columns[None, :] * stride_bn)
            a = tl.load(a_ptrs, mask=ks[None, :] < K - k * BK, other=0.0)
            b = tl.load(b_ptrs, mask=ks[:, None] < K - k * BK, other=0.0)
            acc = tl.dot(a, b, acc)
        m, n = grouped_tile(tile, M, N, BM, BN, GROUP)
        rows, columns = m * BM + tl.arange(0, BM), n * BN + tl.arange(0, BN)
        c_ptrs = c_ptr + stride_cm * rows[:, None] + stride_cn * columns[None, :]
        tl.store(c_ptrs, acc.to(tl.float16), mask=(rows[:, None] < M) & (columns[None, :] < N))


@triton.jit
def persistent_descriptor_kernel(
    a_ptr, b_ptr, c_ptr, M, N, K,
    BM: tl.constexpr, BN: tl.constexpr, BK: tl.constexpr, GROUP: tl.constexpr, SMS: tl.constexpr, FLATTEN: tl.constexpr, HALVES: tl.constexpr,
):  # fmt: skip
    """b has N rows of K. FLATTEN is None: warps of their own copy. HALVES: the result is stored in two pieces."""
    a = tl.make_tensor_descriptor(a_ptr, [M, K], [K, 1], [BM, BK])
    b = tl.make_tensor_descriptor(b_ptr, [N, K], [K, 1], [BN, BK])
    c = tl.make_tensor_descriptor(c_ptr, [M, N], [N, 1], [BM, BN // 2 if HALVES else BN])
    for tile in tl.range(
        tl.program_id(0), tl.cdiv(M, BM) * tl.cdiv(N, BN), SMS, flatten=FLATTEN is True, warp_specialize=FLATTEN is None
    ):
        m, n = grouped_tile(tile, M, N, BM, BN, GROUP)
        acc = tl.zeros((BM, BN), tl.float32)
        for k in range(tl.cdiv(K, BK)):
            acc = tl.dot(a.load([m * BM, k * BK]), b.load([n * BN, k * BK]).T, acc)
        if HALVES:
            left, right = tl.split(tl.permute(tl.reshape(acc, (BM, 2, BN // 2)), (0, 2, 1)))
            c.store([m * BM, n * BN], left.to(tl.float16))
            c.store([m * BM, n * BN + BN // 2], right.to(tl.float16))
        else:
            c.store([m * BM, n * BN], acc.to(tl.float16))


# attention


@triton.jit
def attention_backward_delta_kernel(out_ptr, dout_ptr, delta_ptr, T, BM: tl.constexpr, D: tl.constexpr):
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    head = tl.program_id(1)
    offsets = head * T * D + rows[:, None] * D + tl.arange(0, D)[None, :]
    out, dout = tl.load(out_ptr + offsets), tl.load(dout_ptr + offsets).to(tl.float32)
    tl.store(delta_ptr + head * T + rows, tl.sum(out * dout, 1))


@triton.jit
def keys_values_steps(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, columns, dims, pitch, row, steps, BM: tl.constexpr, MASKED: tl.constexpr):  # fmt: skip
    rows = row + tl.arange(0, BM)
    qt_ptrs = q_ptr + rows[None, :] * pitch + dims[:, None]
    dout_ptrs = dout_ptr + rows[:, None] * pitch + dims[None, :]
    for _ in range(steps):
        qt = tl.load(qt_ptrs)
        rows = row + tl.arange(0, BM)
        lse = tl.load(lse_ptr + rows)
        pt = tl.math.exp2(tl.dot(k, qt) - lse[None, :])
        if MASKED:
            pt = tl.where(rows[None, :] >= columns[:, None], pt, 0.0)
        dout = tl.load(dout_ptrs)
        dv += tl.dot(pt.to(tl.float16), dout)
        delta = tl.load(delta_ptr + rows)
        dpt = tl.dot(v, tl.trans(dout)).to(tl.float32)
        dst = (pt * (dpt - delta[None, :])).to(tl.float16)
        dk += tl.dot(dst, tl.trans(qt))
        row += BM
        qt_ptrs += BM * pitch
        dout_ptrs += BM * pitch
    return dk, dv


@triton.jit
def queries_steps(dq, q, dout, lse, k_ptr, v_ptr, delta, rows, dims, pitch, column, steps, BN: tl.constexpr, MASKED: tl.constexpr):  # fmt: skip
    columns = column + tl.arange(0, BN)
    kt_ptrs = k_ptr + columns[None, :] * pitch + dims[:, None]
    vt_ptrs = v_ptr + columns[None, :] * pitch + dims[:, None]
    for _ in range(steps):
        kt = tl.load(kt_ptrs)
        vt = tl.load(vt_ptrs)
        p = tl.math.exp2(tl.dot(q, kt) - lse)
        if MASKED:
            columns = column + tl.arange(0, BN)
            p = tl.where(rows[:, None] >= columns[None, :], p, 0.0)
        dp = tl.dot(dout, vt).to(tl.float32)
        ds = (p * (dp - delta[:, None])).to(tl.float16)
        dq += tl.dot(ds, tl.trans(kt))
        column += BN
        kt_ptrs += BN * pitch
        vt_ptrs += BN * pitch
    return dq


@triton.jit
def attention_backward_kernel(
    q_ptr, k_ptr, v_ptr, scale, dout_ptr, dq_ptr, dk_ptr, dv_ptr, lse_ptr, delta_ptr, pitch, T,
    BM1: tl.constexpr, BN1: tl.constexpr, BM2: tl.constexpr, BN2: tl.constexpr, SLICES: tl.constexpr, D: tl.constexpr, PART: tl.constexpr,
):  # fmt: skip
    """Causal. k comes multiplied by scale * log2(e). PART 0: all three gradients; 1: those of keys and values; 2: that of queries."""
    base = (tl.program_id(1) * T).to(tl.int64)
    q_ptr += base * pitch
    k_ptr += base * pitch
    v_ptr += base * pitch
    dout_ptr += base * pitch
    dq_ptr += base * pitch
    dk_ptr += base * pitch
    dv_ptr += base * pitch
    lse_ptr += base
    delta_ptr += base
    dims = tl.arange(0, D)
    program = tl.program_id(0)
    if PART != 2:
        column = program * BN1
        columns = column + tl.arange(0, BN1)
        there = columns[:, None] * pitch + dims[None, :]
        k, v = tl.load(k_ptr + there), tl.load(v_ptr + there)
        dk, dv = tl.zeros((BN1, D), tl.float32), tl.zeros((BN1, D), tl.float32)
        SLICE: tl.constexpr = BM1 // SLICES
        dk, dv = keys_values_steps(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, columns, dims, pitch, column, BN1 // SLICE, SLICE, True)  # fmt: skip
        row = column + BN1
        dk, dv = keys_values_steps(dk, dv, k, v, q_ptr, dout_ptr, lse_ptr, delta_ptr, columns, dims, pitch, row, (T - row) // BM1, BM1, False)  # fmt: skip
        tl.store(dv_ptr + there, dv.to(tl.float16))
        tl.store(dk_ptr + there, (dk * scale).to(tl.float16))
    if PART != 1:
        row = program * BM2
        end = row + BM2
        SLICE2: tl.constexpr = BN2 // SLICES
        rows = row + tl.arange(0, BM2)
        here = rows[:, None] * pitch + dims[None, :]
        q, dout = tl.load(q_ptr + here), tl.load(dout_ptr + here)
        lse, delta = tl.load(lse_ptr + rows)[:, None], tl.load(delta_ptr + rows)
        dq = tl.zeros((BM2, D), tl.float32)
        dq = queries_steps(dq, q, dout, lse, k_ptr, v_ptr, delta, rows, dims, pitch, end - BM2, BM2 // SLICE2, SLICE2, True)  # fmt: skip
        steps = (end - BM2) // BN2
        first = end - BM2 - steps * BN2
        dq = queries_steps(dq, q, dout, lse, k_ptr, v_ptr, delta, rows, dims, pitch, first, steps, BN2, False)
        tl.store(dq_ptr + here, (dq * 0.6931471824645996).to(tl.float16))


@triton.jit
def attention_ways_kernel(
    q_ptr, k_ptr, v_ptr, out_ptr, scale, head_pitch, pitch, T,
    BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr, CAUSAL: tl.constexpr, MASKED: tl.constexpr,
):  # fmt: skip
    """MASKED: keys beyond T are masked, loads come first, the scale stays with the scores. Else: the scale goes into q, no masks, pointers advance."""
    block, head = tl.program_id(0), tl.program_id(1)
    base = head.to(tl.int64) * head_pitch
    rows, columns, dims = block * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * pitch + dims[None, :])
    factor = scale * 1.44269504
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total = tl.zeros((BM,), tl.float32)
    acc = tl.zeros((BM, D), tl.float32)
    end = (block + 1) * BM if CAUSAL else T
    if MASKED:
        for start in tl.range(0, end, BN):
            here = start + columns
            k = tl.load(k_ptr + base + here[:, None] * pitch + dims[None, :], mask=here[:, None] < T, other=0.0)
            v = tl.load(v_ptr + base + here[:, None] * pitch + dims[None, :], mask=here[:, None] < T, other=0.0)
            scores = tl.dot(q, tl.trans(k)) * factor
            keep = here[None, :] < T
            if CAUSAL:
                keep = keep & (rows[:, None] >= here[None, :])
            scores = tl.where(keep, scores, -float("inf"))
            new_largest = tl.maximum(largest, tl.max(scores, 1))
            correction = tl.math.exp2(largest - new_largest)
            p = tl.math.exp2(scores - new_largest[:, None])
            acc = acc * correction[:, None] + tl.dot(p.to(tl.float16), v)
            total = total * correction + tl.sum(p, 1)
            largest = new_largest
    else:
        q = (q * factor).to(tl.float16)
        k_ptrs = k_ptr + base + columns[None, :] * pitch + dims[:, None]
        v_ptrs = v_ptr + base + columns[:, None] * pitch + dims[None, :]
        for start in range(0, end, BN):
            scores = tl.dot(q, tl.load(k_ptrs))
            if CAUSAL:
                scores += tl.where(rows[:, None] >= (start + columns)[None, :], 0.0, -1.0e6)
            new_largest = tl.maximum(largest, tl.max(scores, 1))
            p = tl.math.exp2(scores - new_largest[:, None])
            correction = tl.math.exp2(largest - new_largest)
            total = total * correction + tl.sum(p, 1)
            acc *= correction[:, None]
            acc = tl.dot(p.to(tl.float16), tl.load(v_ptrs), acc)
            largest = new_largest
            k_ptrs += BN * pitch
            v_ptrs += BN * pitch
    tl.store(out_ptr + base + rows[:, None] * pitch + dims[None, :], (acc / total[:, None]).to(tl.float16))


@triton.jit
def attend(acc, total, largest, q, k_ptrs, v_ptrs, factor, pitch, begin, end, rows, columns, BN: tl.constexpr, DIAGONAL: tl.constexpr):  # fmt: skip
    k_ptrs += begin * pitch
    v_ptrs += begin * pitch
    for start in tl.range(begin, end, BN):
        scores = tl.dot(q, tl.load(k_ptrs))
        if DIAGONAL:
            scores = scores * factor + tl.where(rows[:, None] >= (start + columns)[None, :], 0, -1.0e6)
            new_largest = tl.maximum(largest, tl.max(scores, 1))
            scores -= new_largest[:, None]
        else:
            new_largest = tl.maximum(largest, tl.max(scores, 1) * factor)
            scores = scores * factor - new_largest[:, None]
        p = tl.math.exp2(scores)
        correction = tl.math.exp2(largest - new_largest)
        sums = tl.sum(p, 1)
        acc = acc * correction[:, None]
        acc = tl.dot(p.to(tl.float16), tl.load(v_ptrs), acc)
        total = total * correction + sums
        largest = new_largest
        k_ptrs += BN * pitch
        v_ptrs += BN * pitch
    return acc, total, largest


@triton.jit
def attention_two_loops_kernel(
    q_ptr, k_ptr, v_ptr, lse_ptr, out_ptr, scale, head_pitch, pitch, T, BM: tl.constexpr, BN: tl.constexpr, D: tl.constexpr
):  # fmt: skip
    """Causal: a loop over the keys that every row sees, then one over the block on the diagonal."""
    block, head = tl.program_id(0), tl.program_id(1)
    base = head.to(tl.int64) * head_pitch
    rows, columns, dims = block * BM + tl.arange(0, BM), tl.arange(0, BN), tl.arange(0, D)
    q = tl.load(q_ptr + base + rows[:, None] * pitch + dims[None, :])
    k_ptrs = k_ptr + base + columns[None, :] * pitch + dims[:, None]
    v_ptrs = v_ptr + base + columns[:, None] * pitch + dims[None, :]
    largest = tl.full((BM,), -float("inf"), tl.float32)
    total, acc = tl.full((BM,), 1.0, tl.float32), tl.zeros((BM, D), tl.float32)
    factor = scale * 1.44269504
    acc, total, largest = attend(acc, total, largest, q, k_ptrs, v_ptrs, factor, pitch, 0, block * BM, rows, columns, BN, False)  # fmt: skip
    acc, total, largest = attend(acc, total, largest, q, k_ptrs, v_ptrs, factor, pitch, block * BM, (block + 1) * BM, rows, columns, BN, True)  # fmt: skip
    tl.store(lse_ptr + head * T + rows, largest + tl.math.log2(total))
    tl.store(out_ptr + base + rows[:, None] * pitch + dims[None, :], (acc / total[:, None]).to(tl.float16))


# matrix times vector


@triton.jit
def matvec_kernel(a_ptr, x_ptr, y_ptr, M, N, pitch, BM: tl.constexpr, BN: tl.constexpr, WAY: tl.constexpr):
    """WAY 0: products are added up elementwise and reduced behind the loop; 1: reduced in each iteration; 2: as 1, with masks and 64-bit offsets."""
    rows = tl.program_id(0) * BM + tl.arange(0, BM)
    if WAY == 0:
        sums = tl.zeros((BM, BN), tl.float32)
        for n in range(0, N, BN):
            columns = n + tl.arange(0, BN)
            a = tl.load(a_ptr + rows[:, None] * pitch + columns[None, :])
            sums += a.to(tl.float32) * tl.load(x_ptr + columns)[None, :].to(tl.float32)
        tl.store(y_ptr + rows, tl.sum(sums, 1))
    else:
        acc = tl.zeros((BM,), tl.float32)
        for n in range(0, N, BN):
            columns = n + tl.arange(0, BN)
            if WAY == 1:
                a, x = tl.load(a_ptr + rows[:, None] * pitch + columns[None, :]), tl.load(x_ptr + columns)
            else:
                mask = (rows[:, None] < M) & (columns[None, :] < N)
                a = tl.load(a_ptr + rows[:, None].to(tl.int64) * pitch + columns[None, :], mask=mask, other=0.0)
                x = tl.load(x_ptr + columns, mask=columns < N, other=0.0)
            acc += tl.sum(a.to(tl.float32) * x[None, :].to(tl.float32), 1)
        tl.store(y_ptr + rows, acc, mask=rows < M)


# layer norms


@triton.jit
def norm_forward_kernel(x_ptr, y_ptr, w_ptr, b_ptr, mean_ptr, rstd_ptr, pitch, N, eps, BLOCK: tl.constexpr):
    """Three passes over the row, in blocks, of which one may be all."""
    row = tl.program_id(0)
    y_ptr += row * pitch
    x_ptr += row * pitch
    sums = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        sums += tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
    mean = tl.sum(sums, axis=0) / N
    squares = tl.zeros([BLOCK], tl.float32)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        x = tl.load(x_ptr + columns, mask=columns < N, other=0.0).to(tl.float32)
        x = tl.where(columns < N, x - mean, 0.0)
        squares += x * x
    rstd = 1 / tl.sqrt(tl.sum(squares, axis=0) / N + eps)
    tl.store(mean_ptr + row, mean)
    tl.store(rstd_ptr + row, rstd)
    for start in range(0, N, BLOCK):
        columns = start + tl.arange(0, BLOCK)
        mask = columns < N
        w, b = tl.load(w_ptr + columns, mask=mask), tl.load(b_ptr + columns, mask=mask)
        x = tl.load(x_ptr + columns, mask=mask, other=0.0).to(tl.float32)
        tl.store(y_ptr + columns, (x - mean) * rstd * w + b, mask=mask)


@triton.jit
def norm_backward_kernel(
    dx_ptr, dy_ptr, dw_ptr, db_ptr, x_ptr, w_ptr, mean_ptr, rstd_ptr, lock_ptr, pitch, N, GROUPS: tl.constexpr, BLOCK: tl.constexpr
):  # fmt: skip
    """dx of a row; its share of dw and db is added to one of GROUPS partial sums, each of which has a lock."""
    row = tl.program_id(0)
    columns = tl.arange(0, BLOCK)
    mask = columns < N
    x_ptr += row * pitch
    dy_ptr += row * pitch
    dx_ptr += row * pitch
    group = row % GROUPS
    lock_ptr += group
    count_ptr = lock_ptr + GROUPS
    dw_ptrs = dw_ptr + group * N + columns
    db_ptrs = db_ptr + group * N + columns
    x = tl.load(x_ptr + columns, mask=mask, other=0).to(tl.float32)
    dy = tl.load(dy_ptr + columns, mask=mask, other=0).to(tl.float32)
    w = tl.load(w_ptr + columns, mask=mask).to(tl.float32)
    mean, rstd = tl.load(mean_ptr + row), tl.load(rstd_ptr + row)
    normal = tl.where(mask, (x - mean) * rstd, 0.0)
    wdy = tl.where(mask, w * dy, 0.0)
    c1, c2 = tl.sum(normal * wdy, axis=0) / N, tl.sum(wdy, axis=0) / N
    tl.store(dx_ptr + columns, (wdy - (normal * c1 + c2)) * rstd, mask=mask)
    dw, db = (dy * normal).to(w_ptr.dtype.element_ty), dy.to(w_ptr.dtype.element_ty)
    while tl.atomic_cas(lock_ptr, 0, 1) == 1:
        pass
    count = tl.load(count_ptr)
    if count == 0:
        tl.atomic_xchg(count_ptr, 1)
    else:
        dw += tl.load(dw_ptrs, mask=mask)
        db += tl.load(db_ptrs, mask=mask)
    tl.store(dw_ptrs, dw, mask=mask)
    tl.store(db_ptrs, db, mask=mask)
    tl.debug_barrier()
    tl.atomic_xchg(lock_ptr, 0)


@triton.jit
def norm_backward_sums_kernel(dw_ptr, db_ptr, out_dw_ptr, out_db_ptr, M, N, BM: tl.constexpr, BN: tl.constexpr):
    columns = tl.program_id(0) * BN + tl.arange(0, BN)
    dw, db = tl.zeros((BM, BN), tl.float32), tl.zeros((BM, BN), tl.float32)
    for first in range(0, M, BM):
        rows = first + tl.arange(0, BM)
        mask = (rows[:, None] < M) & (columns[None, :] < N)
        offsets = rows[:, None] * N + columns[None, :]
        dw += tl.load(dw_ptr + offsets, mask=mask, other=0.0)
        db += tl.load(db_ptr + offsets, mask=mask, other=0.0)
    tl.store(out_dw_ptr + columns, tl.sum(dw, axis=0), mask=columns < N)
    tl.store(out_db_ptr + columns, tl.sum(db, axis=0), mask=columns < N)
