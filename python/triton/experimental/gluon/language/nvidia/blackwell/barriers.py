"""How many arrivals barriers of products wait for."""

from ......language.callables import constexpr_function

__all__ = ["tcgen05_mma_barrier_count"]


@constexpr_function
def tcgen05_mma_barrier_count(smems, multicast, two_ctas=False):
    """The arrivals that a barrier gets when products of `smems` are done.

    One; with `multicast`, one from each CTA (of pairs, from the first) that holds the same part of one of the buffers as the first CTA does.
    """
    if len(smems) > 4:
        raise ValueError(f"a product has at most 4 buffers, got {len(smems)}")
    if not multicast or not smems:
        return 1
    arriving = set()
    for smem in smems:
        copies = sum(1 << bit for bit, basis in enumerate(smem.layout.cga_layout) if not any(basis))
        arriving |= {cta for cta in range(copies + 1) if cta & ~copies == 0}
    return sum(1 for cta in arriving if not (two_ctas and cta % 2))
