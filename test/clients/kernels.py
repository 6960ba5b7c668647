"""Every kernel of packages that hold Triton kernels (fetch.py): compiled, or run and compared. README.md says how.

python test/clients/kernels.py [PACKAGE…] [--device cpu|cuda|sim:sm_90a] [--compile-only sm_90a] [--only NAME…] [--peer [PYTHON]] [--programs N] [--jobs N]
"""

import argparse
import json
import os
import re
import select
import signal
import subprocess
import sys
import time
from pathlib import Path

PATIENCE = 30  # seconds for one kernel
# Made-up arguments make these divide by zero, or turn infinities into integers.
UNDEFINED = set("""
compute_identity_kernel get_num_kv_splits_triton _score_shard _score_shard_packed _gather_candidate_blocks_kernel _fp4_index_logits_paged_kernel
_fp4_index_logits_kernel
""".split())  # fmt: skip


def parse():
    parser = argparse.ArgumentParser()
    parser.add_argument(
        "packages", nargs="*", metavar="PACKAGE", default=[], help="all that fetch.py knows, by default"
    )
    parser.add_argument("--device", default="cpu", help="cpu, cuda, or a simulated GPU: sim:sm_90a")
    parser.add_argument("--compile-only", metavar="ARCH")
    parser.add_argument("--only", nargs="*", default=[], help="parts of names of modules or kernels")
    parser.add_argument("--peer", nargs="?", const=sys.executable, help="a Python that finds another Triton")
    parser.add_argument("--programs", type=int, default=2, help="of a launch; 1: none that race with each other")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument(
        "--role", help=argparse.SUPPRESS
    )  # in the processes this one starts: search, interpreter, or a device
    parser.add_argument("--results", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args()


def modules(folders):
    for package, folder in folders.items():
        for path in sorted((folder / package).rglob("*.py")):
            text = path.read_text(errors="replace")
            if re.search(r"^\s*@(triton\.)?jit\b", text, re.M):
                yield ".".join(path.relative_to(folder).with_suffix("").parts).removesuffix(".__init__"), text


def is_launched(name, facts, text):
    """Not a function that other kernels call."""
    if facts.returns or not facts.stores:
        return False
    return bool(re.search(rf"\b{name}\s*\[", text)) or not re.search(rf"(?<!def )\b{name}\s*\(", text)


class Worker:
    """Does its part of the modules in a process of their own: when a kernel has crashed or hung, the next one goes on behind it."""

    def __init__(self, options, finder, known):
        self.options, self.finder, self.known = options, finder, known

    def do(self, module, text, skip, say):
        """In that process."""
        import signatures
        import torch

        torch.set_num_threads(1)
        if self.options.compile_only:
            import devices
            import triton

            target = devices.target_of(self.options.compile_only)
            triton.runtime.driver.set_active(devices.compile_only_driver(target))
        try:
            members = vars(self.finder.load(module))
        except Exception as error:
            return say(name=module, outcome="no module", why=f"{type(error).__name__}: {error}")
        for name, value in list(members.items()):
            kernel, full = signatures.kernel_in(value), f"{module}.{name}"
            if kernel is None or kernel.fn.__module__ != module or full in skip:
                continue
            if self.options.only and not any(part in full for part in self.options.only):
                continue
            if self.options.role == "search":
                looked_up = full in self.known and not self.options.compile_only
                if looked_up or not is_launched(name, signatures.Facts(kernel), text):
                    continue
            if self.options.role != "search" and not self.known.get(full):
                continue
            say(begin=full)
            began = time.monotonic()
            try:
                outcome = self.search(kernel, full, say) if self.options.role == "search" else self.run(kernel, full)
            except Exception as error:
                outcome = dict(outcome="failed", why=f"{type(error).__name__}: {error}"[-1500:])
            say(name=full, seconds=time.monotonic() - began, **outcome)
            if self.options.role == "cuda" and outcome["outcome"] == "failed" and is_lost():
                os._exit(0)

    def search(self, kernel, full, say):
        import signatures

        if self.known.get(full):
            compile_for_target(kernel, self.known[full])
            return dict(outcome="ok")

        def compile_and_report(kernel, signature):
            say(begin=full)
            compile_for_target(kernel, signature)

        signature, error = signatures.search(kernel, compile_and_report, small=full in self.small)
        if error is None:
            return dict(outcome="ok", signature=signature)
        objection = signatures.is_objection(error)
        last = list(signatures.causes(error))[-1]
        return dict(
            outcome="no signature" if objection else "failed",
            why=f"{type(last).__name__}: {last}"[-1500:],
            signature=None if objection else signature,
        )

    def run(self, kernel, full):
        import arguments
        import signatures
        import torch
        import triton

        if hasattr(kernel, "params") and signatures.Facts(kernel).loads_addresses:
            return dict(outcome="addresses in memory")
        device = "cuda" if self.options.role == "cuda" else "cpu"
        triton.set_allocator(lambda size, alignment, stream: torch.empty(size, dtype=torch.int8, device=device))
        written = arguments.call(kernel, self.known[full], device, self.options.programs)
        torch.save(written, self.options.results / f"{full}.pt")
        return dict(outcome="ok")

    def work(self, part, record):
        """Does the modules of `part` and hands what came out to `record`."""
        skip, finished, self.small = set(), set(), set()
        while part and self.once(part, skip, finished, record):
            pass

    def once(self, part, skip, finished, record):
        """Whether it must be called again, since a kernel ended the process."""
        readable, writable = os.pipe()
        child = os.fork()
        if child == 0:
            os.setsid()
            with open(os.devnull, "w") as null:
                os.dup2(null.fileno(), 1)
                os.dup2(null.fileno(), 2)
            pipe = os.fdopen(writable, "w", buffering=1)
            say = lambda **words: pipe.write(json.dumps(words) + "\n")
            try:
                for module, text in part:
                    if module not in finished:
                        say(loading=module)
                        self.do(module, text, skip, say)
                        say(finished=module)
            finally:
                os._exit(0)
        os.close(writable)
        rest, current, loading, heard, hung = b"", None, None, time.monotonic(), False
        known_before = len(skip)
        while True:
            if select.select([readable], [], [], 1)[0]:
                data = os.read(readable, 1 << 16)
                if not data:
                    break
                heard = time.monotonic()
                *lines, rest = (rest + data).split(b"\n")
                for words in map(json.loads, lines):
                    current = words.get("begin")
                    if "finished" in words:
                        finished.add(words["finished"])
                    elif "loading" in words:
                        loading = words["loading"]
                    elif current is None:
                        skip.add(words["name"])
                        record(words)
            elif time.monotonic() - heard > PATIENCE and not hung:
                hung = True
                os.killpg(child, signal.SIGKILL)
        os.close(readable)
        status = os.waitpid(child, 0)[1]
        if current is None:
            if loading not in finished and len(skip) == known_before:
                finished.add(loading)
                record(dict(name=loading, outcome="no module", why=f"the process ended with status {status}"))
            return len(finished) < len(part)
        if hung and self.options.role == "search" and current not in self.small and not self.known.get(current):
            self.small.add(current)  # tiles were too large, perhaps
            return True
        skip.add(current)
        record(
            dict(
                name=current,
                outcome="failed",
                why=f"no answer for {PATIENCE} s" if hung else f"the process ended with status {status}",
            )
        )
        return True


def is_lost():
    """Whether nothing more can run on the GPU in this process."""
    import torch

    try:
        torch.cuda.synchronize()
    except RuntimeError:
        return True
    return False


def compile_for_target(kernel, signature):
    import signatures
    import triton
    from triton.compiler import ASTSource

    types, constants, attributes = {}, {}, {}
    for index, (name, kind) in enumerate(signature.items()):
        types[name] = "constexpr" if kind.startswith("=") else kind
        if kind.startswith("="):
            constants[(index,)] = signatures.value_of(kind)
        elif kind.startswith("*") or "stride" in name:
            attributes[(index,)] = [["tt.divisibility", 16]]
    triton.compile(
        ASTSource(kernel, types, constants, attributes), target=triton.runtime.driver.active.get_current_target()
    )


def play(options):
    """One role: goes through all modules, `--jobs` at a time, and leaves what came out in the folder of results."""
    import arguments
    import fetch
    import stand_ins

    folders = {package: fetch.fetch(package) for package in options.packages or fetch.WHEELS}
    worker = Worker(options, stand_ins.install(folders), arguments.read_signatures(fetch.folder() / "signatures.json"))
    parts = [
        part
        for part in modules(folders)
        if not options.only or any(name in part[0] or name in part[1] for name in options.only)
    ]
    lanes = []
    for lane in range(options.jobs):
        lanes.append(os.fork())
        if lanes[-1] == 0:
            with open(options.results / f"{options.role}-{lane}.jsonl", "w", buffering=1) as file:
                worker.work(parts[lane :: options.jobs], lambda words: file.write(json.dumps(words) + "\n"))
            os._exit(0)
    for lane in lanes:
        os.waitpid(lane, 0)


def start(options, role, folder, python=sys.executable):
    """Plays a role in a process of its own; what came out, by kernel."""
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*"):
        old.unlink()
    environment = {**os.environ, "PYTORCH_NVML_BASED_CUDA_CHECK": "1"}
    if role in ("cpu", "interpreter"):
        environment["TRITON_DEFAULT_BACKEND"] = "cpu"
    if role == "interpreter":
        environment["TRITON_INTERPRET"] = "1"
    if role.startswith("sim:"):
        environment["TRITON_SIMULATE"] = role.removeprefix("sim:")
    if python != sys.executable or folder.name == "peer":
        environment.pop("PYTHONPATH", None)
    command = [
        python,
        __file__,
        *options.packages,
        "--role",
        role,
        "--results",
        str(folder),
        "--jobs",
        str(options.jobs),
    ]
    command += ["--programs", str(options.programs)]
    command += ["--compile-only", options.compile_only] if options.compile_only else []
    command += ["--only", *options.only] if options.only else []
    subprocess.run(command, env=environment, check=True)
    lines = (line for path in folder.glob("*.jsonl") for line in path.read_text().splitlines())
    return {words["name"]: words for words in map(json.loads, lines)}


def main():
    options = parse()
    here = Path(__file__).resolve().parent
    sys.path[:1] = [str(here), str(here.parent / "python")]
    if options.role:
        return play(options)
    import arguments
    import fetch

    store, results = fetch.folder() / "signatures.json", fetch.folder() / "results"
    for package in options.packages or fetch.WHEELS:
        fetch.fetch(package)
    known = arguments.read_signatures(store)
    verdicts = start(options, "search", results / "search")
    for name, words in verdicts.items():
        if words["outcome"] != "no module" and not known.get(name):
            known[name] = words.get("signature")
    store.write_text(json.dumps(dict(sorted(known.items())), indent=0))
    if not options.compile_only:
        verdicts = compared(options, results)
    counts = {}
    for name, words in sorted(verdicts.items()):
        counts[words["outcome"]] = counts.get(words["outcome"], 0) + 1
        why = words.get("why", "").strip().replace("\n", "\n    ")
        print(
            {"failed": "FAILED"}.get(words["outcome"], words["outcome"]), f"{words.get('seconds', 0):.2f} s", name, why
        )
    others = ", ".join(
        f"{count} with {outcome}" for outcome, count in counts.items() if outcome not in ("ok", "failed")
    )
    print(f"{counts.get('ok', 0)} passed, {counts.get('failed', 0)} failed" + (f", {others}" if others else ""))
    return 1 if counts.get("failed") else 0


def compared(options, results):
    import arguments
    import torch

    first = start(options, options.device, results / options.device)
    if options.peer:
        second, other = (
            start(options, options.device, results / "peer", options.peer),
            results / "peer",
        )
    else:
        role = "interpreter" if options.device == "cpu" else "cpu"
        second, other = start(options, role, results / role), results / role
    verdicts = {}
    for name, words in first.items():
        if words["outcome"] == "ok" and name.rsplit(".", 1)[1] not in UNDEFINED:
            if second.get(name, {}).get("outcome") != "ok":
                words = {**words, "outcome": "nothing to compare", "why": second.get(name, {}).get("why", "")[-200:]}
            else:
                one, two = (torch.load(folder / f"{name}.pt") for folder in (results / options.device, other))
                if found := arguments.differences(one, two):
                    words = {**words, "outcome": "failed", "why": "; ".join(found)}
        verdicts[name] = words
    return verdicts


if __name__ == "__main__":
    sys.exit(main())
