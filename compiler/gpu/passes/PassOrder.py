"""Fails unless passes are defined, in the given Passes.td, in the order in which the given Pipeline.cpp first adds them. Those behind the line "Those that
change nothing" may run anywhere, or nowhere."""

import re
import sys

definitions, pipeline = (open(path).read() for path in sys.argv[1:])
in_order, looking = (
    re.findall(r"^def (\w+) :", part, re.M) for part in definitions.split("// Those that change nothing")
)
added = list(dict.fromkeys(re.findall(r"addPass\(create(\w+)\(", pipeline)))
added = [name for name in added if name in in_order or name not in looking + ["CSEPass"]]
if added != in_order:
    sys.exit(f"Passes.td:    {' '.join(in_order)}\nPipeline.cpp: {' '.join(added)}")
print("in order")
