"""From the source of Triton kernels to the source of Gluon kernels.

    text = convert_triton_to_gluon([kernel])

The text is a module: each kernel, the jitted functions and constants it uses, written for `translator_helpers`. Kernels keep their names and parameters;
host descriptors are passed through `convert_host_descriptor`.
"""

import ast
import inspect
import textwrap

from ... import language as tl
from ...language.constants import constexpr
from ...runtime.jit import JITCallable

_HEADER = """import triton
from triton.experimental import gluon
from triton.experimental.gluon import language as gl
from triton.tools.triton_to_gluon_translater.translator_helpers import *
from triton.tools.triton_to_gluon_translater import translator_helpers as helpers
"""

# Triton's functions and methods that have a helper of their own, and those after which a result is converted.
_HELPERS = {name: f"helpers.tl_{name}" for name in ("arange", "full", "zeros", "expand_dims", "reshape", "trans", "split", "join", "dot")}  # fmt: skip
_HELPERS |= {"view": "helpers.tl_reshape", "permute": "helpers.tl_trans"}
_TAKE_SIZES = ("helpers.tl_reshape", "helpers.tl_trans")
_METHODS = {"load": "helpers.tl_obj_load", "store": "helpers.tl_obj_store"}
_DESCRIPTORS = {"load_tensor_descriptor": "helpers.tl_load_tensor_descriptor", "store_tensor_descriptor": "helpers.tl_store_tensor_descriptor"}  # fmt: skip
_CONVERTED = {"sum", "max", "min", "argmax", "argmin", "reduce", "xor_sum", "reduce_or", "softmax", "broadcast_to", "gather", "histogram", "sort"}  # fmt: skip


def _path(node):
    """`tl.extra.cuda` as ["tl", "extra", "cuda"]; None for anything else."""
    names = []
    while isinstance(node, ast.Attribute):
        names.append(node.attr)
        node = node.value
    return [node.id, *reversed(names)] if isinstance(node, ast.Name) else None


def _expression(text):
    return ast.parse(text, mode="eval").body


class TritonToGluonTransformer(ast.NodeTransformer):
    """Rewrites one function; lists the functions and constants it uses."""

    def __init__(self, scope):
        self.scope = scope
        self.functions = []
        self.constants = {}

    def _meaning(self, node):
        """The object that a name or a dotted path stands for outside of the kernel; None if it is not known."""
        path = _path(node)
        found = self.scope.get(path[0]) if path else None
        for name in path[1:] if path else ():
            found = getattr(found, name, None)
        return found

    def _language_name(self, node):
        """`sum` for `tl.sum`, under whatever name the language was imported; None for anything else."""
        path = _path(node)
        if not path or len(path) < 2 or self.scope.get(path[0]) is not tl:
            return None
        return ".".join(path[1:])

    def visit_Call(self, node):
        name = self._language_name(node.func)
        is_method = (
            name is None
            and isinstance(node.func, ast.Attribute)
            and not inspect.ismodule(self._meaning(node.func.value))
        )
        method = node.func.attr if is_method else None
        self_argument = [node.func.value] if is_method else []
        known = name or method
        helper = _HELPERS.get(known) or (_METHODS.get(method) if is_method else _DESCRIPTORS.get(name))
        if name in ("extra.cuda.num_threads", "num_threads"):
            return _expression("(gl.num_warps() * 32)")
        if helper is None and known in _CONVERTED:
            call = self.generic_visit(node)
            return ast.Call(_expression("helpers.reset_to_default_layout"), [call], [])
        if helper is None:
            return self.generic_visit(node)
        made = ast.Call(_expression(helper), [*self_argument, *node.args], node.keywords)
        made.args = [self.visit(each) for each in made.args]
        if helper in _TAKE_SIZES and len(made.args) > 2:  # x.reshape(16, 16)
            made.args[1:] = [ast.Tuple(made.args[1:], ast.Load())]
        made.keywords = [ast.keyword(each.arg, self.visit(each.value)) for each in node.keywords]
        return made

    def visit_Subscript(self, node):
        """`x[:, None]`: dimensions of size 1, each put in by itself."""
        self.generic_visit(node)
        parts = node.slice.elts if isinstance(node.slice, ast.Tuple) else [node.slice]
        is_whole = [isinstance(part, ast.Slice) and not (part.lower or part.upper or part.step) for part in parts]
        is_new = [isinstance(part, ast.Constant) and part.value is None for part in parts]
        if not all(whole or new for whole, new in zip(is_whole, is_new)):
            return node
        value = node.value
        for axis, new in enumerate(is_new):
            if new:
                value = ast.Call(_expression("helpers.tl_expand_dims"), [value, ast.Constant(axis)], [])
        return value

    def visit_Attribute(self, node):
        name = self._language_name(node)
        if name is not None:
            return _expression(f"gl.{name}")
        found = self._meaning(node)
        if isinstance(found, JITCallable) and not found.__module__.startswith("triton."):
            self.functions.append(found)
            return ast.Name(found.__name__, node.ctx)
        return self.generic_visit(node)

    def visit_Name(self, node):
        found = self.scope.get(node.id)
        if isinstance(node.ctx, ast.Load) and node.id in self.scope:
            if isinstance(found, JITCallable):
                self.functions.append(found)
                return ast.Name(found.__name__, node.ctx)
            if isinstance(found, (constexpr, int, float, bool, str, tl.dtype)):
                self.constants[node.id] = found
        return node


def _definition(function):
    """The `def` of a jitted function, and what its free names stand for."""
    tree = ast.parse(textwrap.dedent(function.src)).body[0]
    tree.decorator_list = [_expression("gluon.jit")]
    cells = inspect.getclosurevars(function.fn).nonlocals if hasattr(function, "fn") else {}
    return tree, {**function.fn.__globals__, **cells}


def unparse_original_assignments(constexpr_globals: dict) -> list[str]:
    """A line for each constant: `BLOCK = gl.constexpr(128)`."""
    lines = []
    for name, value in constexpr_globals.items():
        plain = value.value if isinstance(value, constexpr) else value
        text = f"gl.{plain!r}".replace("triton.language.", "") if isinstance(plain, tl.dtype) else repr(plain)
        lines.append(f"{name} = gl.constexpr({text})")
    return lines


def convert_triton_to_gluon(src: list[JITCallable]) -> str:
    """The text of a module with these kernels, and the jitted functions they call, in Gluon."""
    waiting, texts, constants = list(src), {}, {}
    while waiting:
        function = waiting.pop()
        if function.__name__ in texts:
            continue
        tree, scope = _definition(function)
        transformer = TritonToGluonTransformer(scope)
        tree.body = [transformer.visit(statement) for statement in tree.body]
        for parameter in [*tree.args.args, *tree.args.kwonlyargs]:
            parameter.annotation = parameter.annotation and transformer.visit(parameter.annotation)
        tree.args.defaults = [transformer.visit(default) for default in tree.args.defaults]
        tree.returns = None
        texts[function.__name__] = ast.unparse(ast.fix_missing_locations(tree))
        constants |= transformer.constants
        waiting += transformer.functions
    return "\n\n\n".join([_HEADER + "\n".join(unparse_original_assignments(constants)), *texts.values()]) + "\n"
