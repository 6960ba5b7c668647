"""How a kernel's parameters become the run-time arguments of its code: tuples are flattened, tensor descriptors stand by their parts."""

from __future__ import annotations


def is_descriptor(signature):
    return isinstance(signature, str) and signature.startswith("tensordesc")


def has_descriptor(signature):
    return is_descriptor(signature) or isinstance(signature, tuple) and any(map(has_descriptor, signature))


def rank_of(signature):
    """Dimensions of `tensordesc<fp16[64, 64]>`."""
    return signature[signature.index("[") : signature.index("]")].count(",") + 1


def leaves(signature, path, parts=None):
    """Paths of the run-time arguments in a signature. `parts(signature)` says of how many a descriptor consists."""
    if is_descriptor(signature):
        yield from ((*path, index) for index in range(parts(signature) if parts else 2 + 4 * rank_of(signature)))
    elif isinstance(signature, tuple):
        for index, element in enumerate(signature):
            yield from leaves(element, (*path, index), parts)
    elif signature != "constexpr":
        yield path


def spell_out_descriptor(value):
    """A descriptor as code takes it that reads through pointers."""
    shape, strides = [int(extent) for extent in value.shape], [int(stride) for stride in value.strides]
    return (value.base, *shape, *strides, value.padding == "nan", *shape, *strides)


def spell_out(signature, value, descriptor=spell_out_descriptor):
    """Descriptors in an argument as the tuples of their parts."""
    if is_descriptor(signature):
        return descriptor(value)
    if isinstance(signature, tuple):
        return tuple(spell_out(part, element, descriptor) for part, element in zip(signature, value))
    return value


def layout(signature, slots, parts=None):
    """(path, type, offset) of each run-time argument, from the signature's types and what the compiler says of the code's arguments."""
    paths = [path for index, ty in enumerate(signature) for path in leaves(ty, (index,), parts)]
    assert len(paths) == len(slots), f"{len(paths)} run-time arguments, but the code takes {len(slots)}"
    return [(path, ty, offset) for path, (_, ty, offset, _) in zip(paths, slots)]


class DescriptorLauncher:
    """Launches kernels that take tensor descriptors: each is spelled out before the native launcher gets it."""

    def __init__(self, launcher, types, spell=spell_out):
        self.launcher = launcher
        self.types = types
        self.spell = spell

    def __call__(self, *arguments):
        launch, parameters = arguments[: -len(self.types)], arguments[-len(self.types) :]
        return self.launcher(*launch, *map(self.spell, self.types, parameters))
