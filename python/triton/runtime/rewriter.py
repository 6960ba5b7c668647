"""Makes Python mean what kernel code means, for interpreter mode.

    acc = 0                  acc = __triton_assign__(0, 'acc')  numbers become typed scalars when they are bound to a name
    for i in range(n):       for i in __triton_range__(n):      loop variables are scalars
    not done                 __triton_not__(done)               tensors have a negation of their own
    a < b < c                __triton_chain__(a, (less, lambda: b), …)   so do two comparisons in one

Lines and columns stay where they are, so that debuggers and tracebacks show the file as it was written.
"""

import ast
import inspect
import textwrap

from .._C import libtriton


def _names_of(target):
    """`x` -> "x"; `a, b` -> ("a", "b"); None for targets of other kinds."""
    if isinstance(target, ast.Name):
        return target.id
    return tuple(map(_names_of, target.elts)) if isinstance(target, ast.Tuple) else None


def _parameters(arguments):
    return ast.arguments(posonlyargs=[], args=arguments, kwonlyargs=[], kw_defaults=[], defaults=[])


class KernelRewriter(ast.NodeTransformer):
    """Rewrites one function's tree."""

    def __init__(self):
        self.awaited = set()  # names annotated as constexpr that have no value yet

    def _call(self, function, value, *constants):
        arguments = [value, *map(ast.Constant, constants)]
        call = ast.Call(func=ast.Name(id=function, ctx=ast.Load()), args=arguments, keywords=[])
        return ast.fix_missing_locations(ast.copy_location(call, value))

    def visit_Assign(self, node):
        self.generic_visit(node)
        bound = {name.id for name in ast.walk(node.targets[-1]) if isinstance(name, ast.Name)} & self.awaited
        self.awaited -= bound
        kept = [tuple(bound)] if bound else []
        node.value = self._call("__triton_assign__", node.value, _names_of(node.targets[-1]), *kept)
        return node

    def visit_AnnAssign(self, node):
        self.generic_visit(node)
        if node.value is None and isinstance(node.target, ast.Name) and "constexpr" in ast.unparse(node.annotation):
            self.awaited.add(node.target.id)
        if node.value is not None and "constexpr" not in ast.unparse(node.annotation):
            node.value = self._call("__triton_assign__", node.value)
        return node

    def visit_NamedExpr(self, node):
        self.generic_visit(node)
        node.value = self._call("__triton_assign__", node.value, node.target.id)
        return node

    def visit_Compare(self, node):
        self.generic_visit(node)
        if len(node.ops) == 1:
            return node
        # Each comparison is a function of its two sides; what is on the right waits until it is asked for.
        steps = []
        for op, operand in zip(node.ops, node.comparators):
            sides = [ast.arg("left"), ast.arg("right")]
            names = [ast.Name(side.arg, ast.Load()) for side in sides]
            compare = ast.Lambda(_parameters(sides), ast.Compare(names[0], [op], [names[1]]))
            steps.append(ast.Tuple([compare, ast.Lambda(_parameters([]), operand)], ast.Load()))
        call = ast.Call(func=ast.Name("__triton_chain__", ast.Load()), args=[node.left, *steps], keywords=[])
        return ast.fix_missing_locations(ast.copy_location(call, node))

    def visit_Return(self, node):
        self.generic_visit(node)
        if node.value is not None and not libtriton.language_rule("ConstexprReturns"):
            node.value = self._call("__triton_assign__", node.value)
        return node

    def visit_UnaryOp(self, node):
        self.generic_visit(node)
        return (
            ast.copy_location(self._call("__triton_not__", node.operand), node)
            if isinstance(node.op, ast.Not)
            else node
        )

    def visit_For(self, node):
        self.generic_visit(node)
        call = node.iter
        if isinstance(call, ast.Call) and isinstance(call.func, ast.Name) and call.func.id == "range":
            call.func.id = "__triton_range__"
        return node


def rewrite(fn):
    """The code of `fn`, rewritten, as a function of the globals it runs with; None if its source is not to be had."""
    try:
        lines, first_line = inspect.getsourcelines(fn)
        tree = ast.parse(textwrap.dedent("".join(lines)))
    except (OSError, TypeError, SyntaxError):
        return None
    definition = tree.body[0]
    if not isinstance(definition, ast.FunctionDef):
        return None
    definition.decorator_list = []
    definition.returns = None
    arguments = definition.args
    for argument in arguments.posonlyargs + arguments.args + arguments.kwonlyargs:
        argument.annotation = None
    # Defaults are the original's own, evaluated once: those in the tree only keep the parameters' order legal.
    arguments.defaults = [ast.copy_location(ast.Constant(None), default) for default in arguments.defaults]
    arguments.kw_defaults = [
        default and ast.copy_location(ast.Constant(None), default) for default in arguments.kw_defaults
    ]
    if arguments.vararg:
        arguments.vararg.annotation = None
    rewriter = KernelRewriter()
    definition.body = [rewriter.visit(statement) for statement in definition.body]
    indent = len(lines[0]) - len(lines[0].lstrip())
    for node in ast.walk(tree):
        if hasattr(node, "col_offset"):
            node.col_offset += indent
            node.end_col_offset += indent
    ast.increment_lineno(tree, first_line - 1)
    code = compile(ast.fix_missing_locations(tree), inspect.getsourcefile(fn), "exec")

    def bind(namespace):
        exec(code, namespace)
        rewritten = namespace[fn.__name__]
        rewritten.__defaults__ = fn.__defaults__
        rewritten.__kwdefaults__ = fn.__kwdefaults__
        return rewritten

    return bind
