"""A kernel compiled for a GPU that need not be there, for tests that look at the code."""

import triton
from triton.backends.compiler import GPUTarget
from triton.compiler import ASTSource


def compile(kernel, signature, capability=90, **options):
    """Pointers and integers are known to be multiples of 16."""
    constants = {name: value for name, value in signature.items() if not isinstance(value, str)}
    types = {name: "constexpr" if name in constants else type for name, type in signature.items()}
    attributes = {(i,): [["tt.divisibility", 16]] for i, type in enumerate(types.values()) if type[0] in "*i"}
    source = ASTSource(kernel, types, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)
