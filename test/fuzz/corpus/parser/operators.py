x += 0xFF_f + 0b1 + 0o7 + 1_0.5e-3j if not a else b or c and d < e <= f is not g not in h @ i ** -j // ~k
