"""The page of `triton.explain`: its data, and what a real browser makes of it."""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import triton
import triton.language as tl
from places import PACKAGES, ROOT
from triton._C import libtriton
from triton.backends.compiler import GPUTarget
from triton.backends.cpu.driver import CPUDriver
from triton.explain import explain_source, lines, write_page
from triton.explain.__main__ import main

# Where the Triton under test lies: a bundle is elsewhere.
CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
KERNELS = ROOT / "test" / "aot" / "kernels.py"
MATMUL = "*fp32:16, *fp32:16, *fp32:16, i32, i32, i32, i32, i32, 32, 32, 16"


@triton.jit
def helper(x):
    return x * 3 + 1


@triton.jit
def sample(x_ptr, out_ptr, n, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    value = tl.load(x_ptr + offsets, mask=offsets < n)
    tl.store(out_ptr + offsets, helper(value), mask=offsets < n)


def line_of(text):
    source = Path(__file__).read_text().splitlines()
    return next(number for number, line in enumerate(source, 1) if text in line)


@pytest.fixture(scope="module", params=["cpu", "cuda"])
def kernel(request):
    target = CPUDriver().get_current_target() if request.param == "cpu" else GPUTarget("cuda", 90, 32)
    signature = {"x_ptr": "*fp32", "out_ptr": "*fp32", "n": "i32", "BLOCK": "constexpr"}
    source = triton.compiler.ASTSource(sample, signature, {"BLOCK": 64})
    return explain_source(source, target, {})


def stage(kernel, name):
    return next(stage["lines"] for stage in kernel["stages"] if stage["name"] == name)


def test_lines_of_every_stage(kernel):
    on_gpu = dict(kernel["figures"])["target"] == "cuda 90"
    names = ["source", "ttir", "ttgir", "llir", "ptx"] if on_gpu else ["source", "ttir", "llir", "asm"]
    # Where the toolkit's disassembler is found, there is one more.
    assert [stage["name"] for stage in kernel["stages"] if stage["name"] != "sass"] == names
    load, add = line_of("value = tl.load("), line_of("return x * 3 + 1")
    for name in names[: names.index("llir")]:
        assert [line for text, line in stage(kernel, name) if "tt.load" in text] == [load]
        assert add in {line for text, line in stage(kernel, name) if "arith.addf" in text or "arith.mulf" in text}
        assert not any("loc(" in text for text, _ in stage(kernel, name))
    for name in names[names.index("llir") :]:
        found = {line for _, line in stage(kernel, name)}
        assert {load, add} <= found and not any("!dbg" in text or ".loc" in text for text, _ in stage(kernel, name))
    shown = dict(kernel["source"])
    assert shown[load].strip().startswith("value = tl.load") and "return x * 3 + 1" in shown[add]


def test_figures_and_times(kernel):
    figures = dict(kernel["figures"])
    assert "bytes" in figures["code"] and figures["num_warps"] == "4"
    if figures["target"] == "cuda 90":
        assert figures["threads"] == "128"
        if not triton.knobs.runtime.simulate:  # which nothing is assembled for
            assert figures["occupancy"].startswith("100%")
        stages = ["source", "ttir", "ttgir", "llir", "ptx", "cubin"]
    else:
        assert figures["target"].startswith("cpu ")
        stages = ["source", "ttir", "llir", "asm", "obj"]
    assert [name for name, time in kernel["times"] if time > 0] == stages
    assert kernel["request"]["constants"] == {"BLOCK": "64"}


def test_occupancy():
    occupancy = libtriton.cuda.occupancy
    assert occupancy("sm_90", 32, 0, 256) == (1.0, "registers")
    assert occupancy("sm_90", 255, 0, 128) == (0.125, "registers")
    assert occupancy("sm_90", 16, 100 * 1024, 128) == (0.125, "shared memory")
    assert occupancy("sm_86", 16, 0, 32) == (1 / 3, "blocks")


def test_locations_in_ir():
    text = '#loc = loc("f.py":3:1)\n#loc1 = loc("f.py":7:2)\n#loc2 = loc("x"(#loc1))\n#loc3 = loc(callsite(#loc2 at #loc))\nop1 loc(#loc2)\nop2 loc(#loc3)\nop3 loc(unknown)\nop4\n'
    assert lines.of_mlir(text) == (["op1", "op2", "op3", "op4"], [("f.py", 7), ("f.py", 7), None, None])


def test_command_for_a_program(tmp_path):
    program = tmp_path / "program.py"
    program.write_text(
        "import sys\nimport numpy as np\nimport triton\nimport triton.language as tl\n\n\n@triton.jit\ndef twice(p, N: tl.constexpr):\n"
        "    tl.store(p + tl.arange(0, N), tl.load(p + tl.arange(0, N)) * 2)\n\n\nif __name__ == '__main__':\n"
        "    x = np.ones(16, np.float32)\n    for size in (8, 16):\n        twice[(1,)](x, size)\n    assert sys.argv[1:] == ['seven']\n"
    )
    page = tmp_path / "page.html"
    environment = {**os.environ, "PYTHONPATH": PACKAGES, "TRITON_CACHE_DIR": str(tmp_path / "cache")}
    for _ in range(2):  # compiled, then from the cache
        command = [sys.executable, "-m", "triton.explain", program, "-o", page, "seven"]
        result = subprocess.run(command, env=environment, capture_output=True, text=True)
        assert result.returncode == 0, result.stderr
        data = json.loads(re.search(r'type="application/json">(.*?)</script>', page.read_text(), re.DOTALL)[1])
        assert [kernel["request"]["constants"]["N"] for kernel in data] == ["8", "16"]
    entry = os.listdir(tmp_path / "cache")[0]
    result = subprocess.run([*command[:3], entry, "-o", page], env=environment, capture_output=True, text=True)
    assert result.returncode == 0 and "tt.load" in page.read_text(), result.stderr
    data = json.loads(re.search(r'type="application/json">(.*?)</script>', page.read_text(), re.DOTALL)[1])
    assert data[0]["source"][0] == [8, "def twice(p, N: tl.constexpr):"] and data[0]["file"] == "program.py"


def test_nothing_to_explain(tmp_path, capsys):
    (tmp_path / "empty.py").write_text("")
    with pytest.raises(SystemExit, match="compiled no kernel"):
        main([str(tmp_path / "empty.py")])
    for wrong, words in ((tmp_path, "is a folder"), (tmp_path / "none.py", "there is no file")):
        with pytest.raises(SystemExit):
            main([str(wrong)])
        assert words in capsys.readouterr().err


def test_page_needs_nothing_else(kernel, tmp_path):
    text = Path(write_page([kernel], tmp_path / "page.html")).read_text()
    assert not re.search(r"(src|href)\s*=|@import|url\(|https?://", text.split('type="application/json"')[0])
    hostile = {**kernel, "name": "</script><b>", "source": [[1, "x = '</script><script>'"]]}
    text = Path(write_page([hostile], tmp_path / "page.html")).read_text()
    assert text.count("</script>") == 2 and "<title>&lt;/script&gt;" in text


def browse(page, script="", size="1400,1000"):
    """The page's elements after it has run, and after `script` has."""
    if CHROMIUM is None:
        pytest.skip("no browser")
    text = page.read_text().replace("</body>", f"<script>(() => {{{script}}})();</script></body>")
    page.write_text(text)
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu", f"--window-size={size}", "--dump-dom", f"file://{page}"]  # fmt: skip
    result = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert 'data-ready="yes"' in result.stdout, result.stderr[-2000:]
    return result.stdout


def test_browser_links_lines(kernel, tmp_path):
    page = tmp_path / "page.html"
    write_page([kernel], page)
    load = line_of("value = tl.load(")
    script = f"""
      const row = document.querySelector('#source .row[data-line="{load}"]');
      row.dispatchEvent(new MouseEvent("mouseover", {{bubbles: true}}));
      const hovered = [...document.querySelectorAll(".row.on")].map(row => row.parentNode.id);
      document.querySelector("#source").dispatchEvent(new MouseEvent("mouseleave"));
      const left = document.querySelectorAll(".row.on").length;
      row.dispatchEvent(new MouseEvent("click", {{bubbles: true}}));
      const body = document.querySelector("#stage2"), first = body.querySelector(".row.pinned").getBoundingClientRect(), box = body.getBoundingClientRect();
      const choice = document.querySelectorAll(".pane select")[1];
      choice.value = "llir";
      choice.dispatchEvent(new Event("change"));
      const again = document.querySelectorAll("#stage2 .row.pinned").length;
      document.body.dataset.answer = JSON.stringify({{panes: [...new Set(hovered)], left, visible: first.top >= box.top && first.bottom <= box.bottom,
        texts: [...document.querySelectorAll("#stage1 .row.pinned")].map(row => row.textContent), again,
        overlap: document.querySelector("#facts").getBoundingClientRect().top >= document.querySelector("#panes").getBoundingClientRect().bottom}});
    """
    answer = json.loads(html.unescape(re.search(r'data-answer="([^"]*)"', browse(page, script))[1]))
    assert answer["panes"] == ["source", "stage1", "stage2"] and answer["left"] == 0 and answer["visible"]
    assert any("tt.load" in text for text in answer["texts"]) and answer["again"] > 0 and answer["overlap"]


def test_browser_draws_layouts(tmp_path):
    page = tmp_path / "page.html"
    main([str(KERNELS), "-n", "add", "-s", "*fp32, *fp32, *fp32, i32, 256", "-t", "cuda:90:32", "-o", str(page)])
    script = """
      const canvas = document.querySelector("#layouts canvas"), box = canvas.getBoundingClientRect();
      canvas.dispatchEvent(new MouseEvent("mousemove", {bubbles: true, clientX: box.left + 1, clientY: box.top + 1}));
      const pixels = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height).data, colours = new Set();
      for (let i = 0; i < pixels.length; i += 4) colours.add(pixels.slice(i, i + 3).join());
      document.body.dataset.answer = JSON.stringify({owner: document.querySelector(".owner").textContent, colours: colours.size});
    """
    answer = json.loads(html.unescape(re.search(r'data-answer="([^"]*)"', browse(page, script))[1]))
    assert answer["owner"].startswith("[0]: warp 0 lane 0 register 0") and answer["colours"] > 32
