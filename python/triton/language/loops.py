"""The iterators of kernel loops. In kernels the compiler reads them; from Python they only hold what was asked for."""

from .._C import libtriton
from .constants import _unwrap_if_constexpr, constexpr
from .interpreted_numbers import scalar_range

_python_range = range


class _base_range:
    def __init__(self, arg1, arg2=None, step=None):
        self.step = constexpr(1) if step is None else step
        self.start, self.end = (constexpr(0), arg1) if arg2 is None else (arg1, arg2)

    def __iter__(self):
        if libtriton.interpreter.is_active():
            return self._interpret(*(_unwrap_if_constexpr(bound) for bound in (self.start, self.end, self.step)))
        raise RuntimeError(f"{type(self).__name__} can only be used in @triton.jit'd functions")

    __next__ = __iter__

    def _interpret(self, start, end, step):
        return scalar_range(start, end, step)


class static_range(_base_range):
    """A loop that is unrolled while the kernel is compiled; its bounds are compile-time integers."""

    def __init__(self, arg1, arg2=None, step=None):
        super().__init__(arg1, arg2, step)
        for name in ("start", "end", "step"):
            value = getattr(self, name)
            assert isinstance(_unwrap_if_constexpr(value), int), (
                f"{name} of tl.static_range must be a constexpr, got {value}"
            )

    def _interpret(self, start, end, step):
        return iter(_python_range(start, end, step))


class range(_base_range):
    """A loop with hints for the compiler: software pipelining, unrolling, flattening."""

    def __init__(
        self,
        arg1,
        arg2=None,
        step=None,
        num_stages=None,
        loop_unroll_factor=None,
        disallow_acc_multi_buffer=False,
        flatten=False,
        warp_specialize=False,
        disable_licm=False,
    ):
        super().__init__(arg1, arg2, step)
        self.num_stages = num_stages
        self.loop_unroll_factor = loop_unroll_factor
        self.disallow_acc_multi_buffer = disallow_acc_multi_buffer
        self.flatten = flatten
        self.warp_specialize = warp_specialize
        self.disable_licm = disable_licm


class condition:
    """A while-loop's condition with hints for the compiler: `while tl.condition(i < n, disable_licm=True):`"""

    def __init__(self, arg1, disable_licm=False):
        self.condition = arg1
        self.disable_licm = disable_licm

    def __bool__(self):
        return bool(self.condition)
