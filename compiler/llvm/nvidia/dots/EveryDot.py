"""Prints a module of dots of every type, in shapes from below one instruction to several, for four warps."""

TYPES = [
    ("f16", "f16", "f32"),
    ("f16", "f16", "f16"),
    ("bf16", "bf16", "f32"),
    ("i8", "i8", "i32"),
    ("f8E4M3FN", "f8E5M2", "f32"),
    ("f8E5M2", "f8E5M2", "f16"),
    ("f64", "f64", "f64"),
    ("f32", "f32", "f32"),
]
SHAPES = [
    (1, 16, 16, 32),
    (1, 1, 8, 64),
    (1, 16, 1, 32),
    (1, 64, 64, 32),
    (1, 64, 8, 128),
    (1, 128, 32, 32),
    (4, 32, 16, 32),
    (1, 8, 8, 8),
]
PRECISIONS = ["tf32", "ieee", "tf32x3", "bf16x3", "bf16x6"]


def tensor(shape, element):
    return f"tensor<{'x'.join(map(str, shape))}x{element}>"


def pointers(name, shape, element):
    size = 1
    for dim in shape:
        size *= dim
    pointer = tensor(shape, f"!tt.ptr<{element}>")
    print(f"  %{name}_range = tt.make_range {{start = 0 : i32, end = {size} : i32}} : tensor<{size}xi32>")
    print(f"  %{name}_offsets = tt.reshape %{name}_range : tensor<{size}xi32> -> {tensor(shape, 'i32')}")
    print(f"  %{name}_base = tt.splat %{name} : !tt.ptr<{element}> -> {pointer}")
    print(f"  %{name}_at = tt.addptr %{name}_base, %{name}_offsets : {pointer}, {tensor(shape, 'i32')}")
    return pointer


def kernel(name, types, shape, precision):
    batch, m, n, k = shape
    outer = [batch] if batch > 1 else []
    shapes = {"a": outer + [m, k], "b": outer + [k, n], "c": outer + [m, n]}
    elements = dict(zip("abc", types))
    arguments = ", ".join(f"%{x}: !tt.ptr<{elements[x]}> {{tt.divisibility = 16 : i32}}" for x in "abc")
    print(f"tt.func public @{name}({arguments}) {{")
    for x in "abc":
        pointer = pointers(x, shapes[x], elements[x])
        print(f"  %{x}_value = tt.load %{x}_at : {pointer}")
    a, b, c = (tensor(shapes[x], elements[x]) for x in "abc")
    print(f"  %d = tt.dot %a_value, %b_value, %c_value, inputPrecision = {precision} : {a} * {b} -> {c}")
    print(f"  tt.store %c_at, %d : {tensor(shapes['c'], '!tt.ptr<' + types[2] + '>')}")
    print("  tt.return\n}")


for i, types in enumerate(TYPES):
    for j, shape in enumerate(SHAPES):
        for precision in PRECISIONS if types[0] == "f32" and j == 3 else PRECISIONS[:1]:
            kernel(f"dot_{types[0]}_{types[2]}_{i}_{j}_{precision}", types, shape, precision)
