"""The words of Gluon. `import triton.experimental.gluon.language as gl`."""

from ...._C import libtriton as _libtriton
from ....language import core as _tl_core

from ....language import math as _tl_math
from ....language import standard as _tl_standard
from ....language.core import (
    base_type,
    base_value,
    bfloat16,
    block_type,
    constexpr,
    dtype,
    float8e4b8,
    float8e4b15,
    float8e4nv,
    float8e5,
    float8e5b16,
    float16,
    float32,
    float64,
    int1,
    int8,
    int16,
    int32,
    int64,
    pointer_type,
    static_range,
    tensor,
    to_tensor,
    tuple,
    tuple_type,
    uint8,
    uint16,
    uint32,
    uint64,
    void,
)
from . import _core, _standard, amd, extra, nvidia
from ._cache_policies import CachePolicy
from ._core import (
    allocate_shared_memory,
    arange,
    bank_conflicts,
    barrier,
    convert_layout,
    distributed_type,
    dot_fma,
    fp4_to_fp,
    full,
    histogram,
    inline_asm,
    load,
    num_ctas,
    num_warps,
    set_auto_layout,
    shared_memory_descriptor,
    shared_memory_descriptor_type,
    store,
    thread_barrier,
    to_linear_layout,
    warp_specialize,
)
from ._layouts import (
    AutoLayout,
    BlockedLayout,
    CoalescedLayout,
    DistributedLinearLayout,
    DotOperandLayout,
    NVMMADistributedLayout,
    NVMMASharedLayout,
    PaddedSharedLayout,
    SharedLinearLayout,
    SliceLayout,
    SwizzledSharedLayout,
)
from ._standard import full_like, zeros, zeros_like

# The functions that are the same whether the kernel says layouts or not: they take them from their operands. The compiler knows which.
for _module in (_tl_core, _tl_math, _tl_standard):
    for _name in _libtriton.language_names(_module.__name__):
        if _name not in globals() and _libtriton.language_entry(__name__, _name):
            globals()[_name] = getattr(_module, _name)
del _module, _name

__all__ = sorted(name for name in globals() if not name.startswith("_"))
