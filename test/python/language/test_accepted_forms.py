"""Forms that programs are written in although the language does not ask for them, and the words of errors that programs look for."""

import traceback
import warnings

import pytest
import torch
import triton
import triton.language as tl
from triton._filecheck import run_parser
from triton.compiler import ASTSource


@triton.jit
def _wrapped(x, out, n, N: tl.constexpr):
    value = tl.load(x + tl.arange(0, N))
    mask = tl.constexpr(value > 1.0)
    inside = tl.constexpr(value)
    count = tl.constexpr(n)
    result = tl.where(mask, inside + 1, -inside)
    if count > 3:
        result = result * 2
    tl.store(out + tl.arange(0, N), result)


@pytest.mark.runs
@pytest.mark.parametrize("n", [2, 5])
def test_tensors_wrapped_as_constants_stay_tensors(n):
    x, out = torch.tensor([0.0, 1.0, 2.0, 3.0]), torch.zeros(4)
    _wrapped[(1,)](x, out, n, 4)
    expected = torch.where(x > 1, x + 1, -x)
    assert torch.equal(out, expected * 2 if n > 3 else expected)


@triton.jit
def _hinted(out, n, FLATTEN: tl.constexpr):
    total = 0
    for i in range(n, flatten=FLATTEN, num_stages=3):
        for j in range(0, i, warp_specialize=False):
            total += j
    tl.store(out, total)


@pytest.mark.runs
def test_pythons_range_takes_the_keywords_of_the_languages(device):
    out = torch.zeros(1, dtype=torch.int32)
    _hinted[(1,)](out, 6, True)
    assert out.item() == sum(sum(range(i)) for i in range(6))
    text = str(run_parser(_hinted, (out, 6, True)))
    assert "tt.num_stages = 3" in text and "tt.flatten" in text
    assert "tt.flatten" not in str(run_parser(_hinted, (out, 6, False)))


@triton.jit
def _ignored(out, n):
    total = 0
    for i in range(0, n, 2, nonsense=7):
        total += i
    tl.store(out, total)


@pytest.mark.runs
def test_other_keywords_of_range_are_ignored(fresh_triton_cache):
    out = torch.zeros(1, dtype=torch.int32)
    with pytest.warns(UserWarning, match=r"range\(\) ignores the keyword argument 'nonsense'"):
        _ignored[(1,)](out, 7)
    assert out.item() == 12


def refused(function, **signature):
    """The error of a compile."""
    names = list(signature)
    constants = {name: value for name, value in signature.items() if not isinstance(value, str)}
    types = {name: "constexpr" if name in constants else signature[name] for name in names}
    with pytest.raises(triton.CompilationError) as caught, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        triton.compile(
            ASTSource(fn=function, signature=types, constexprs={(names.index(n),): v for n, v in constants.items()})
        )
    return caught.value


def test_four_bounds_are_too_many():
    @triton.jit
    def kernel():
        for _ in range(1, 2, 3, 4):
            pass

    assert "range expected at most 3 arguments, got 4" in str(refused(kernel))


def test_sizes_are_said_beside_the_message():
    @triton.jit
    def ranged():
        tl.arange(2, 7)

    @triton.jit
    def shaped():
        tl.full((4, 33), 0, tl.int32)

    error = refused(ranged)
    assert str(error.__cause__) == "arange's range must be a power of 2"
    assert "it is 5; the next power of 2 is 8" in error.diagnostic
    error = refused(shaped)
    assert str(error.__cause__) == "Shape element 1 must be a power of 2" and "it is 33" in error.diagnostic


WORDS = {}


def says(words):
    def register(function):
        WORDS[words] = triton.jit(function)
        return function

    return register


@says("Cannot use /, // or % with int32 and uint32 because they have different signedness")
def _signs(a, b):
    a % b


@says("Cannot store to a constant pointer")
def _constant(c):
    tl.store(c, 1.0)


@says("Descriptor block shape must have at least 16 bytes")
def _descriptor(p):
    tl.make_tensor_descriptor(p, [8, 8], [8, 1], [1, 2])


@says("Cannot have `return` statements inside `while` or `for` statements in triton")
def _returns(a):
    while a > 0:
        return


@says("Ternary expression with dynamic condition has inconsistent type")
def _ternary(a, p, c):
    x = p if a > 0 else c
    tl.store(x, 1.0)


@pytest.mark.parametrize("words", WORDS)
def test_words(words):
    types = {"a": "i32", "b": "u32", "c": "*kfp32", "p": "*fp32"}
    kernel = WORDS[words]
    error = refused(kernel, **{name: types[name] for name in kernel.arg_names})
    assert words in (error.error_message or str(error.__cause__))


@pytest.mark.parametrize("lhs, rhs", [(8, 2), (4, 2), (2, 4)])
def test_scales_of_a_wrong_shape(lhs, rhs):
    @triton.jit
    def kernel(LHS: tl.constexpr, RHS: tl.constexpr):
        a = tl.full((32, 64), 0, tl.uint8)
        b = tl.full((64, 32), 0, tl.uint8)
        tl.dot_scaled(a, tl.full((32, LHS), 0, tl.uint8), "e5m2", b, tl.full((32, RHS), 0, tl.uint8), "e5m2")

    wrong, groups = ("lhs", lhs) if rhs == 2 else ("rhs", rhs)
    assert str(refused(kernel, LHS=lhs, RHS=rhs).__cause__) == (
        f"{wrong}_scale must be a tensor of shape [32, 2]. Got ['32', '{groups}']"
    )


@triton.must_use_result("It changes nothing.")
@triton.jit
def _double(x):
    return x * 2


def test_results_that_must_be_used():
    @triton.jit
    def kernel(a):
        _double(a)

    assert (
        str(refused(kernel, a="i32")).splitlines()[-1] == "The result of _double is not being used. It changes nothing."
    )


@tl.core._aggregate
class _Number:
    x: tl.tensor

    @triton.constexpr_function
    def __init__(self, x):
        self.x = x

    @triton.must_use_result
    @triton.constexpr_function
    def power(self):
        return 2

    @triton.must_use_result
    @triton.jit
    def square(self):
        return self.x * self.x


def test_results_of_methods_that_must_be_used():
    @triton.jit
    def power(a):
        number = _Number(a)
        number.power()

    @triton.jit
    def square(a):
        number = _Number(a)
        number.square()

    assert "The result of number.power is not being used" in str(refused(power, a="i32"))
    assert "The result of number.square is not being used" in str(refused(square, a="i32"))


def test_an_operator_that_tuples_lack_has_no_other_cause():
    @triton.jit
    def kernel():
        not (0, 0)

    error = refused(kernel)
    assert error.__cause__ is None and "operator 'not' is not implemented for tuple" in str(error)


def test_what_a_builtin_refuses_leads_to_its_module():
    @triton.jit
    def kernel():
        tl.expand_dims(None, -1)

    cause = refused(kernel).__cause__
    assert "core.py" in "".join(traceback.format_exception(type(cause), cause, cause.__traceback__))


@triton.jit
def _callee(x, k: tl.constexpr):
    return x + k


@triton.jit
def _caller(p):
    tl.store(p, _callee(tl.load(p), 4))


NAMES = {"3.6": "_callee__fp32__(1,)cconstexpr_4_", "3.7": "_callee__fp32_c4"}


@pytest.mark.parametrize("version", NAMES)
def test_names_of_functions_hold_types_and_constants(version, monkeypatch):
    monkeypatch.setenv("TRITON_LANGUAGE_VERSION", version)
    text = str(run_parser(_caller, (torch.zeros(1),)))
    assert NAMES[version] in text and text.count("_callee__") == 2


@triton.jit
def _takes_all(values: tl.constexpr):
    pass


@triton.jit
def _passes_all():
    _takes_all((_callee, tl.float32, "a.b", 2.5))
    _takes_all(_callee)
    _takes_all("text")


def test_names_of_functions_hold_tuples_and_functions(monkeypatch):
    text = str(run_parser(_passes_all))
    assert f"_takes_all__TcJITFunction({__name__}:_callee)_cfp32_c_sq_a.b_sq__c2.5T" in text
    assert f"_takes_all__cJITFunction({__name__}:_callee)" in text and "_takes_all__c_sq_text_sq_" in text
    monkeypatch.setenv("TRITON_LANGUAGE_VERSION", "3.6")
    text = str(run_parser(_passes_all))
    function = f"JITFunction({__name__}:_callee)".replace(".", "_d_")
    assert (
        f"(0, 0)c{function}_(0, 1)ctriton_d_language_d_float32_(0, 2)cconstexpr_a_d_b__(0, 3)cconstexpr_2_d_5_" in text
    )
    assert f"_takes_all____(0,)cconstexpr_{function}_" in text
    assert "_takes_all____(0,)cconstexpr_text_" in text


@tl.core._aggregate
class _Pair:
    first: tl.tensor
    second: tl.constexpr

    @triton.constexpr_function
    def __init__(self, first, second):
        self.first, self.second = first, tl.constexpr(second)


@triton.jit
def _sum_of(pair):
    return pair.first + pair.second


@triton.jit
def _aggregate_caller(p):
    tl.store(p, _sum_of(_Pair(tl.load(p), 42)))


def test_names_of_functions_hold_classes():
    text = str(run_parser(_aggregate_caller, (torch.zeros(1),)))
    assert "_sum_of__" in text and "._Pair<fp32, c42>" in text


def test_loops_carry_names_in_the_order_they_were_bound():
    @triton.jit
    def kernel(n):
        first = 1.0
        second = 2
        while second < n:
            second += 1
            first += 1.0

    text = str(run_parser(kernel, (5,)))
    assert "-> (f32, i32)" in text


def test_constraints_may_have_spaces():
    @triton.jit
    def kernel(x, y):
        tl.store(y, tl.inline_asm_elementwise("add.s32 $0, $1, $2;", "=r, r, r", [tl.load(x), 1], tl.int32, True, 1))

    text = str(run_parser(kernel, (torch.zeros(1, dtype=torch.int32), torch.zeros(1, dtype=torch.int32))))
    assert 'constraints = "=r,r,r"' in text


@triton.jit
def _compares_types(value: tl.constexpr, pair: tl.constexpr):
    local: tl.constexpr = 10
    tl.static_assert(local.type == tl.core.constexpr_type(10))
    tl.static_assert(value.type == tl.core.constexpr_type(2.5) and value.type != tl.core.constexpr_type(2))
    tl.static_assert(pair.type == tl.core.constexpr_type((5, 6)) and pair.type != tl.core.constexpr_type((5, 7)))


def test_types_of_constants_can_be_made_in_kernels():
    run_parser(_compares_types, (2.5, (5, 6)))


@triton.jit
def _compares_types_of_tuples(n):
    pair = (n, n)
    tl.static_assert(pair.type == tl.tuple_type([tl.int32, tl.int32]))
    tl.static_assert(pair.type != tl.tuple_type([tl.int32, tl.int64]))


def test_types_of_tuples_can_be_made_in_kernels():
    run_parser(_compares_types_of_tuples, (5,))
