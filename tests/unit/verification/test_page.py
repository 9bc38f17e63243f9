"""`docs/verifying.md`: its commands print what the page says, but for times and counts (`…`)."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
from contextlib import redirect_stdout, suppress
from io import StringIO
from pathlib import Path

import pytest

from ptir.tools import ptir_verify

DOCS = Path(__file__).resolve().parents[3] / "docs"
PAGE = (DOCS / "verifying.md").read_text("utf-8")
BLOCKS = re.findall(r"```console\n(.*?)```", PAGE, re.DOTALL)

LONG = pytest.mark.campaign
"""These run on many cases."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return Path(shutil.copytree(DOCS / "verifying", tmp_path_factory.mktemp("page") / "verifying"))


def printed(command: str) -> str:
    out = StringIO()
    with redirect_stdout(out), suppress(SystemExit):
        ptir_verify.main(command.split()[1:])
    return out.getvalue()


@pytest.mark.parametrize(
    "number",
    [pytest.param(k, marks=LONG if "--cases" in text or "longer" in text else ()) for k, text in enumerate(BLOCKS)],
)
def test_a_command_prints_what_the_page_says(number: int, folder: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(folder)
    commands = [line[2:] for line in BLOCKS[number].splitlines() if line.startswith("$ ")]
    for command in commands[:-1]:
        assert command.startswith("sed '")
        subprocess.run(command, shell=True, check=True)  # a command of the page, in a copy of the folder
    if "--case found.json" in commands[-1] and not (folder / "found.json").exists():
        found = {"x": {"dtype": "float32", "shape": [1, 3], "values": [0.0, 0.0, 1.0]}}
        (folder / "found.json").write_text(json.dumps({"binding": {"M": 1, "N": 3}, "arguments": found}), "utf-8")
    want = "\n".join(line for line in BLOCKS[number].splitlines() if not line.startswith("$ "))
    pattern = re.escape(want).replace("…", "[^\n]*")
    pattern = re.sub(r"(\\ )+\d+\\\.\d\d\\ s", r" +[0-9.]+ s", pattern)
    assert re.fullmatch(pattern, text := printed(commands[-1]).strip()), text


def test_the_files_are_those_of_the_page():
    for name, language in (("softmax.json", "json"), ("softmax.launch.json", "json"), ("row_sums.cu", "cuda")):
        assert f"```{language}\n{(DOCS / 'verifying' / name).read_text('utf-8')}```" in PAGE, name
    kernel = re.search(r"@triton.jit\n.*?\n\n", (DOCS / "verifying" / "softmax.py").read_text("utf-8"), re.DOTALL)
    assert kernel is not None and kernel[0].strip() in PAGE
