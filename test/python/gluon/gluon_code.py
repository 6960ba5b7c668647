"""A Gluon kernel compiled for a GPU that need not be there."""

import re

import triton
from triton.backends.compiler import GPUTarget
from triton.experimental.gluon._runtime import GluonASTSource


def compile(kernel, signature, capability=90, **options):
    """Strings in `signature` are types of arguments, everything else constants. Pointers are known to be multiples of 16."""
    types = {name: value if isinstance(value, str) else "constexpr" for name, value in signature.items()}
    constants = {name: value for name, value in signature.items() if not isinstance(value, str)}
    attributes = {(i,): [["tt.divisibility", 16]] for i, type in enumerate(types.values()) if type[0] == "*"}
    source = GluonASTSource(kernel, types, constexprs=constants, attrs=attributes)
    return triton.compile(source, target=GPUTarget("cuda", capability, 32), options=options)


def ir(kernel, signature, capability=90, stage="ttgir", **options):
    """The text of a stage, without places."""
    text = compile(kernel, signature, capability, **options).asm[stage]
    return re.sub(r" loc\([^\n]*?\)$|^#loc.*\n", "", text, flags=re.MULTILINE)
