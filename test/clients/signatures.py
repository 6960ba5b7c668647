"""Types and constants under which a kernel compiles, found without its callers.

Text says most of it: what loads and stores start from is a pointer, what `arange` ends at is a size, what an `if` asks is a flag; names say the rest.
Where the compiler objects, the arguments that the line at fault depends on are changed one by one, and a change stays if the error moves on.
A signature is a dict of texts: `*bf16`, `i32`, `fp32`, or a constant as `=64`.
"""

import ast
import inspect
import re
import textwrap
import time

import triton.language as tl

MEMORY = {"load", "store", "make_block_ptr", "make_tensor_descriptor"}
INTEGERS = re.compile(
    r"stride|ls_d|idx|ids\b|_ids|index|indices|table|lens?\b|_len|seqlen|offset|start|indptr|cu_|cnt|count|num_|slot|map|_loc|loc_|req|expert|"
    r"pos\b|position|sorted|pid|page|accepted|draft|sampled|cursor|lut|chunk|order|perm|slice|rank", re.I)  # fmt: skip
BYTES = re.compile(r"mask|packed|qweight|uint8|fp4|mxfp|bitmap|is_|has_|flag", re.I)
SINGLES = re.compile(r"scale|lse|logits|prob|temper|_m_|acc|rstd|mean", re.I)
REALS = re.compile(
    r"scale|eps|alpha|beta|theta|temp|prob|softcap|limit|factor|gamma|min_p|threshold|slope|sm_|momentum|rstd|inv_|clamp|cap\b",
    re.I,
)
SIZES = re.compile(
    r"BLOCK|TILE|SIZE|DIM|HEAD|CHUNK|PAGE|LEN|GROUP|RANK|WIDTH|POW2|PADDED|^B[A-Z]\d?$|^[KVHNMD]$|^D_|^BLK", re.I
)
FLAGS = re.compile(
    r"(USE|HAS|IS|ENABLE|STORE|WRITE|DO|WITH|SAVE|LOAD|APPLY|SKIP|ADD|NEED|EVEN|CAUSAL|MUL|REVERSE)_|.*(MASK|CAUSAL|FLAG)$",
    re.I,
)
DTYPES = {"float32", "bfloat16", "float16", "uint8", "int8", "int32", "float8e4nv"}


def value_of(text):
    """The constant that `=…` stands for."""
    return getattr(tl, text[4:]) if text[4:] in DTYPES and text.startswith("=tl.") else ast.literal_eval(text[1:])


def called(node):
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


class Facts:
    """What the text of a jitted function says about its parameters."""

    def __init__(self, jitted, depth=0):
        text = textwrap.dedent(inspect.getsource(jitted.fn))
        tree = ast.parse(text)
        self.loads_addresses = "pointer_type(" in text
        self.node = next(node for node in ast.walk(tree) if isinstance(node, ast.FunctionDef))
        self.params = [param.name for param in jitted.params]
        self.constants = {param.name for param in jitted.params if param.is_constexpr}
        self.defaults = {
            param.name: param.default for param in jitted.params if param.default is not inspect.Parameter.empty
        }
        self.assigned, self.strings, self.stores = {}, {}, False
        self.pointers, self.flags, self.dtypes, self.optional, self.sizes, self.counts = (set() for _ in range(6))
        nodes = list(ast.walk(self.node))
        self.returns = any(isinstance(node, ast.Return) and node.value is not None for node in nodes)
        for node in nodes:
            if isinstance(node, (ast.Assign, ast.AugAssign)):
                target = node.targets[0] if isinstance(node, ast.Assign) else node.target
                if isinstance(target, ast.Name):
                    self.assigned.setdefault(target.id, []).append(node.value)
        for node in nodes:
            if isinstance(node, ast.Call):
                self.read_call(node, jitted, depth)
            elif isinstance(node, (ast.If, ast.IfExp)):
                self.read_test(node.test)
            elif isinstance(node, ast.Compare) and isinstance(node.left, ast.Name):
                self.read_comparison(node.left.id, node.comparators[0])

    def read_call(self, node, jitted, depth):
        name = called(node)
        if name in MEMORY or name.startswith("atomic_"):
            self.stores |= name.startswith(("store", "atomic"))
            bases = node.args[:1] + [keyword.value for keyword in node.keywords if keyword.arg in ("base", "pointer")]
            for base in bases:
                self.read_address(base, set())
        if name in ("arange", "zeros", "full"):
            for argument in node.args if name == "arange" else node.args[:1]:
                self.sizes |= {each.id for each in ast.walk(argument) if isinstance(each, ast.Name)}
        if name in ("static_range", "range"):
            self.counts |= {
                each.id for argument in node.args for each in ast.walk(argument) if isinstance(each, ast.Name)
            }
        types = (
            node.args if name == "to" else node.args[-1:] if name in ("zeros", "full") and len(node.args) > 1 else []
        )
        types = types + [keyword.value for keyword in node.keywords if keyword.arg in ("dtype", "out_dtype")]
        self.dtypes |= {each.id for each in types if isinstance(each, ast.Name)}
        inner = kernel_in(jitted.fn.__globals__.get(getattr(node.func, "id", None)))
        if inner is None or inner is jitted or depth == 2:
            return
        facts = Facts(inner, depth + 1)
        self.stores |= facts.stores
        self.loads_addresses |= facts.loads_addresses
        for param, value in [
            *zip(facts.params, node.args),
            *((keyword.arg, keyword.value) for keyword in node.keywords),
        ]:
            if param in facts.pointers:
                self.read_address(value, set())
            if isinstance(value, ast.Name):
                for kind in ("flags", "dtypes", "optional", "sizes", "counts"):
                    if param in getattr(facts, kind):
                        getattr(self, kind).add(value.id)
                if param in facts.strings:
                    self.strings[value.id] = facts.strings[param]

    def read_test(self, test):
        if isinstance(test, ast.Name):
            self.flags.add(test.id)
        for part in getattr(test, "values", [test.operand] if isinstance(test, ast.UnaryOp) else []):
            self.read_test(part)

    def read_comparison(self, name, other):
        if isinstance(other, ast.Constant) and isinstance(other.value, str):
            self.strings[name] = other.value
        elif isinstance(other, ast.Constant) and other.value is None:
            self.optional.add(name)
        elif isinstance(other, ast.Attribute) and other.attr in DTYPES:
            self.dtypes.add(name)

    def read_address(self, node, seen):
        """Notes the parameter an address starts from, and says whether there is one."""
        if isinstance(node, ast.Name):
            if node.id in self.params:
                self.pointers.add(node.id)
                return True
            values = self.assigned.get(node.id, ()) if node.id not in seen and len(seen) < 12 else ()
            return any([self.read_address(value, seen | {node.id}) for value in values])
        if isinstance(node, ast.BinOp) and isinstance(node.op, (ast.Add, ast.Sub)):
            return self.read_address(node.left, seen) or self.read_address(node.right, seen)
        if isinstance(node, ast.IfExp):
            return any([self.read_address(node.body, seen), self.read_address(node.orelse, seen)])
        if isinstance(node, ast.Call):
            if called(node) == "to" and isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name):
                return self.read_address(node.func.value, seen)
            if called(node) in ("advance", "make_block_ptr", "multiple_of", "max_contiguous", "cast") and node.args:
                return self.read_address(node.args[0], seen)
        return False


def kernel_in(value):
    """The jitted function inside what autotuners and heuristics make of it."""
    for _ in range(8):
        if type(value).__name__ in ("JITFunction", "InterpretedFunction"):
            return value
        value = getattr(value, "fn", None)
    return None


def pointer_type(name, floats):
    if floats != "mixed":
        return floats
    if SINGLES.search(name):
        return "*fp32"
    if INTEGERS.search(name):
        return "*i64" if "64" in name or "slot_mapping" in name else "*i32"
    return "*u8" if BYTES.search(name) else "*bf16"


def constant(name, facts, flag, size):
    if name in facts.defaults:
        default = facts.defaults[name]
        default = getattr(default, "value", default)
        return f"=tl.{default.name}" if isinstance(default, tl.dtype) else f"={default!r}"
    if name in facts.strings:
        return f"={facts.strings[name]!r}"
    if name in facts.dtypes and not SIZES.search(name) or re.search(r"dtype|_type$", name, re.I):
        return "=tl.float32" if re.search("compute|acc", name, re.I) else "=tl.bfloat16"
    if name in facts.flags or FLAGS.match(name):
        return f"={flag}"
    if (name in facts.sizes or SIZES.search(name)) and not re.search("shift", name, re.I):
        return "=4" if re.search("width", name, re.I) else f"={size}"
    if name in facts.optional and not flag:
        return "=None"
    if "stride" in name:
        return "=64"
    if re.search("shift", name, re.I):
        return "=3"
    if name in facts.counts or re.search(r"num|count|top_?k|stages|split|n_", name, re.I):
        return "=4"
    return "=1.0" if REALS.search(name) else f"={size}"


def guesses(facts, small):
    """Signatures to try, the likeliest first."""
    tries = [("mixed", flag, size) for size in ((16, 8) if small else (64, 128, 32, 16)) for flag in (False, True)]
    for floats, flag, size in tries + [
        (kind, flag, 16 if small else 64) for kind in ("*fp16", "*fp32", "*i32", "*u8") for flag in (False, True)
    ]:
        signature = {}
        for name in facts.params:
            if name in facts.constants:
                signature[name] = constant(name, facts, flag, size)
            elif "stride" in name.lower() and not re.search(r"ptrs?$", name):
                signature[name] = "i32"
            elif name in facts.pointers or re.search(r"_ptrs?$|^p_|_ptr_|Ptr$", name):
                signature[name] = pointer_type(name, floats)
            elif name in facts.optional and not flag:
                signature[name] = "=None"
            else:
                signature[name] = (
                    "fp32" if REALS.search(name) and not re.search("num|size|group|block", name, re.I) else "i32"
                )
        yield signature


POINTERS = "*i32 *i64 *u8 *u64 *bf16 *fp32 *u16 *u32 *fp8e4nv *i1 *i8 =None".split()
SCALARS = "i32 *i64 *bf16 fp32 =None i1 *u8 *fp32 *u64".split()
CONSTANTS = "=64 =True =False =None =1 =2 =4 =8 =16 =32 =128 =256 =512 =3 =tl.bfloat16 =tl.float32 =tl.float8e4nv =tl.uint8 =1.0 ='ieee' =(4,4)".split()


def causes(error):
    while error is not None:
        yield error
        error = error.__cause__


def is_objection(error):
    """Whether it is about the kernel's arguments, as far as one can tell: not about what becomes of code that was accepted."""
    names = ("CompilationError", "CompileTimeAssertionFailure", "UnsupportedLanguageConstruct", "OutOfResources")
    return any(type(cause).__name__ in names for cause in causes(error))


def place(error):
    found = (re.search(r"at (\d+):(\d+):", str(cause)) for cause in causes(error))
    return tuple((int(match[1]), int(match[2])) for match in found if match)


def suspects(error, facts):
    """Parameters that the lines at fault depend on, innermost line first."""
    names = []
    for cause in reversed(list(causes(error))):
        lines = str(cause).splitlines()
        carets = [number for number, line in enumerate(lines) if line.strip() == "^"]
        if carets:
            names += re.findall(r"[A-Za-z_]\w*", "\n".join(reversed(lines[max(carets[-1] - 3, 0) : carets[-1]])))
    found, seen = [], set()
    for _ in range(4):
        following = []
        for name in names:
            if name not in seen:
                seen.add(name)
                found += [name] if name in facts.params else []
                for value in facts.assigned.get(name, ()):
                    following += [node.id for node in ast.walk(value) if isinstance(node, ast.Name)]
        names = following
    return found


def search(jitted, compile, small=False, seconds=12.0):
    """The first signature that compiles, and None; or the one that came farthest, and its error. `small`: where larger tiles took too long."""
    facts, began, tried = Facts(jitted), time.monotonic(), set()

    def attempt(signature):
        tried.add(tuple(signature.items()))
        try:
            compile(jitted, signature)
        except Exception as error:
            return error
        return None

    best = None
    for signature in guesses(facts, small):
        error = attempt(signature)
        if error is None or not is_objection(error):
            return signature, error
        if best is None or place(error) > place(best[1]):
            best = signature, error
    while True:
        signature, error = best
        for name in suspects(error, facts):
            options = CONSTANTS if name in facts.constants else POINTERS if signature[name].startswith("*") else SCALARS
            for option in options:
                changed = {**signature, name: option}
                if tuple(changed.items()) in tried:
                    continue
                if time.monotonic() - began > seconds:
                    return best
                other = attempt(changed)
                if other is None or not is_objection(other):
                    return changed, other
                if place(other) > place(error):
                    best = changed, other
                    break
            if best[0] is not signature:
                break
        else:
            return best
