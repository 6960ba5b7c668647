"""Compares the names of this tree's packages with those of another Triton: what one can import, call and pass by name there and not here.

    python3 scripts/api_diff.py FOLDER [--ours FOLDER] [--package triton] [--module triton.language] [--out FILE]

FOLDER holds the peer's package, such as an unpacked wheel; ours is this tree's unless --ours says otherwise. Each is imported in a process of its own and
asked with `inspect`; no source is read. Prints what is missing, by module, less what test/conformance/known.toml excuses under [[names]]; the exit code is 1 where something
is left.
"""

import argparse
import collections
import importlib
import inspect
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# What every class has from Python itself says nothing about an interface.
OF_PYTHON = set(dir(type("", (), {}))) | {
    "__annotations__",
    "__match_args__",
    "__static_attributes__",
    "__firstlineno__",
}
OF_PYTHON |= {
    "__dataclass_fields__",
    "__dataclass_params__",
    "__replace__",
    "__orig_bases__",
    "__parameters__",
    "__set_name__",
}


# --- asked inside a process of each package


def modules_of(package):
    """The modules below a package that can be imported, by name."""
    found, broken = {}, {}

    def visit(name):
        try:
            module = importlib.import_module(name)
        except BaseException as error:  # also the exit of a module that is a program
            broken[name] = f"{type(error).__name__}: {error}".splitlines()[0]
            return
        found[name] = module
        for below in pkgutil.iter_modules(getattr(module, "__path__", [])):
            if below.name != "__main__":
                visit(f"{name}.{below.name}")

    visit(package)
    return found, broken


def parameters_of(function):
    """The names by which arguments can be passed; None where Python cannot say."""
    try:
        parameters = inspect.signature(function).parameters.values()
    except (TypeError, ValueError):
        return None
    if any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        return ["**"]
    kinds = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    return [parameter.name for parameter in parameters if parameter.kind in kinds and parameter.name != "self"]


def describe(value, module, package):
    """What a name of a module stands for; None where it is only imported there from elsewhere. A package's names are all meant."""
    if inspect.ismodule(value):
        return {"kind": "module"} if value.__name__.startswith(f"{module.__name__}.") else None
    kind = type(value).__module__.split(".")[0]
    if kind in ("typing", "types", "__future__") and not inspect.isroutine(value):
        return None
    home = getattr(value, "__module__", None)
    if isinstance(home, str) and (inspect.isclass(value) or callable(value)):
        if home.split(".")[0] != package or (home != module.__name__ and not hasattr(module, "__path__")):
            return None
    if inspect.isclass(value):
        return {"kind": "class", "members": sorted(set(dir(value)) - OF_PYTHON), "parameters": parameters_of(value)}
    if callable(value):
        # A jitted function is an object that calls; `inspect` follows it to the function below.
        return {"kind": "function", "parameters": parameters_of(value)}
    return {"kind": "value"}


def inventory(package):
    found, broken = modules_of(package)
    names, imported = {}, {}
    for name, module in found.items():
        visible = {each: value for each, value in vars(module).items() if not each.startswith("__")}
        described = {each: describe(value, module, package) for each, value in visible.items()}
        names[name] = {each: value for each, value in described.items() if value}
        imported[name] = sorted(set(visible) - set(names[name]))
        for each in getattr(module, "__all__", ()):
            names[name].setdefault(each, {"kind": "value"})
            names[name][each]["exported"] = True
    return {"modules": names, "imported": imported, "broken": broken}


# --- compared


def is_private(path):
    return any(part.startswith("_") and not part.startswith("__") for part in path.split("."))


def missing(ours, theirs):
    """Yields (kind, dotted path) of what `theirs` has and `ours` has not. A module that is missing is one line, not one for each name."""
    for module, names in sorted(theirs["modules"].items()):
        mine = ours["modules"].get(module)
        if mine is None:
            yield "module", module
            continue
        for name, value in sorted(names.items()):
            path = f"{module}.{name}"
            if name not in mine:
                if path not in theirs["modules"] and name not in ours["imported"][module]:
                    yield "exported name" if value.get("exported") else value["kind"], path
                continue
            for member in value.get("members", ()):
                if member not in mine[name].get("members", ()):
                    yield "member", f"{path}.{member}"
            wanted, given = value.get("parameters"), mine[name].get("parameters")
            if wanted and given is not None and given != ["**"]:
                for parameter in wanted:
                    if parameter not in given and not parameter.startswith("_") and parameter != "**":
                        yield "parameter", f"{path}({parameter})"


def ask(folder, package, code=""):
    """The inventory of the package in a folder, from a process that sees it first."""
    search = [str(folder), str(Path(__file__).resolve().parent), *filter(None, [os.environ.get("PYTHONPATH")])]
    variables = {**os.environ, "PYTHONPATH": os.pathsep.join(search), "PYTHONDONTWRITEBYTECODE": "1"}
    command = "import api_diff, json, sys; json.dump(api_diff.inventory(sys.argv[1]), open(sys.argv[2], 'w'))"
    read, write = os.pipe()
    with os.fdopen(read) as result:
        process = subprocess.Popen(
            [sys.executable, "-c", command, package, f"/dev/fd/{write}"],
            env=variables,
            pass_fds=[write],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        os.close(write)
        text = result.read()
        _, errors = process.communicate()
    if process.returncode:
        sys.exit(f"{package} of {folder} could not be asked:\n{errors[-3000:]}")
    found = json.loads(text)
    if package in found["broken"]:  # such as a wheel for another Python: nothing would be missing
        sys.exit(f"{package} of {folder} cannot be imported: {found['broken'][package]}")
    return found


def excused(path):
    """A function: does an entry [[names]] of the file name this path?"""
    from conformance import as_pattern, tomllib

    entries = tomllib.loads(Path(path).read_text()).get("names", []) if path else []
    patterns = [as_pattern(name) for entry in entries for name in entry["names"]]
    return lambda name: any(pattern.fullmatch(name) for pattern in patterns)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("peer", type=Path)
    parser.add_argument("--ours", type=Path, default=ROOT / "python")
    parser.add_argument("--package", default="triton")
    parser.add_argument("--module", default="", help="this module and those below it")
    parser.add_argument("--private", action="store_true", help="also names that begin with an underscore")
    parser.add_argument("--known", default=str(ROOT / "test" / "conformance" / "known.toml"))
    parser.add_argument("--out", type=Path, help="a file for the list as JSON")
    given = parser.parse_args()
    ours, theirs = ask(given.ours, given.package), ask(given.peer, given.package)
    is_excused = excused(given.known)
    found = [
        (kind, path)
        for kind, path in missing(ours, theirs)
        if (path + ".").startswith(given.module + "." if given.module else "")
        and (given.private or not is_private(path))
        and not is_excused(path)
    ]
    for name, message in ours["broken"].items():
        if name in theirs["modules"]:
            print(f"{name} cannot be imported here: {message}")
    by_module = collections.defaultdict(list)
    for kind, path in found:
        owner = max((module for module in theirs["modules"] if (path + ".").startswith(module + ".")), key=len)
        by_module[owner].append((kind, path.removeprefix(owner + ".")))
    for module, names in by_module.items():
        print(module)
        for kind, name in names:
            print(f"    {kind:14} {name if name != module else '(the whole module)'}")
    count = collections.Counter(kind for kind, _ in found)
    print(", ".join(f"{number} of kind {kind}" for kind, number in sorted(count.items())) or "nothing is missing")
    if given.out:
        given.out.write_text(json.dumps(found, indent=0))
    sys.exit(bool(found))


if __name__ == "__main__":
    main()
