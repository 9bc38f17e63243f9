"""
Compiles, runs and compares one kernel of each family with every release of NVRTC 13.

    python -m tests.nvrtc_versions --report tests/nvrtc_versions/results/2026-11-22.json
    python -m tests.nvrtc_versions --only 13.5.37

Each release is installed from PyPI into a folder of its own below `build/`. The report says whether the emulator executes
its PTX and gets NumPy's results, and how PTX and registers differ from those of the release that `constraints.txt` pins.
The exit status is 1 if a result is wrong or a kernel does not compile.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = "nvidia-cuda-nvrtc"
PIP = (sys.executable, "-m", "pip", "--disable-pip-version-check")


def pinned() -> str:
    """Returns the release that `constraints.txt` pins."""
    (found,) = re.findall(rf"^{PACKAGE}==(\S+)", (ROOT / "constraints.txt").read_text("utf-8"), re.MULTILINE)
    return found


def released() -> list[str]:
    """Returns all releases of major version 13 on PyPI, oldest first."""
    text = subprocess.run([*PIP, "index", "versions", PACKAGE], capture_output=True, text=True, check=True).stdout
    found = re.search(r"Available versions: (.*)", text)
    versions = found[1].split(", ") if found else []
    return sorted((v for v in versions if v.startswith("13.")), key=lambda v: [int(part) for part in v.split(".")])


def measure(release: str, folder: Path) -> dict[str, Any]:
    """Returns the facts of `kernel_facts.py` about a release. Installs the release into `folder` if it is not there yet."""
    home = folder / release
    if not home.exists():
        command = [*PIP, "install", "--quiet", "--no-deps", "--target", str(home), f"{PACKAGE}=={release}"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
    path = os.pathsep.join([str(home), *filter(None, [os.environ.get("PYTHONPATH")])])
    environment = os.environ | {"PYTHONPATH": path, "PTIR_CACHE_DIR": str(folder / "cache")}
    command = [sys.executable, "-m", "tests.nvrtc_versions.kernel_facts", str(home)]
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    if done.returncode:
        return {"release": release, "kernels": {"all": {"problem": done.stderr.strip().splitlines()[-1]}}}
    return {"release": release, **json.loads(done.stdout)}


def differences(base: dict[str, Any], other: dict[str, Any]) -> dict[str, str]:
    """Maps each opcode that does not occur equally often to its counts, as "before to after"."""
    counts = [kernel.get("opcodes", {}) for kernel in (base, other)]
    both = ((name, *(count.get(name, 0) for count in counts)) for name in sorted({*counts[0], *counts[1]}))
    return {name: f"{before} to {after}" for name, before, after in both if before != after}


def page(report: dict[str, Any]) -> str:
    """Returns the report as Markdown."""
    lines = [
        "# Releases of NVRTC 13",
        "",
        "`python -m tests.nvrtc_versions`: each release compiles one kernel of each family, the emulator executes it, and the",
        "result is compared with NumPy's bit for bit. Opcodes are counted in the text of the PTX and compared with those of",
        f"{report['pinned']}, which `constraints.txt` pins.",
        "",
        "| release | kernel | PTX ISA | registers | bytes spilled | result | opcodes that occur more or less often |",
        "| --- | --- | --- | --- | ---: | --- | --- |",
    ]
    for entry in report["releases"]:
        for name, kernel in entry["kernels"].items():
            registers = ", ".join(map(str, kernel.get("registers", [])))
            cells = [entry["release"], name, kernel.get("ptx", ""), registers, kernel.get("spilled bytes", "")]
            changed = (f"`{opcode}` {change}" for opcode, change in kernel.get("differences", {}).items())
            cells += [kernel["problem"] or "equal", ", ".join(changed)]
            lines.append("| " + " | ".join(map(str, cells)) + " |")
    return "\n".join(lines) + "\n"


def main(args: Sequence[str] | None = None) -> int:
    """Entry point; returns the exit status."""
    parser = argparse.ArgumentParser(prog="python -m tests.nvrtc_versions", description=__doc__)
    parser.formatter_class = argparse.RawDescriptionHelpFormatter
    parser.add_argument(
        "--only", action="append", metavar="RELEASE", help="this release instead of all; may be repeated"
    )
    parser.add_argument("--folder", type=Path, default=ROOT / "build" / "nvrtc_versions", help="where releases go")
    parser.add_argument(
        "--report", type=Path, metavar="FILE", help="write the report as JSON, and beside it as Markdown"
    )
    options = parser.parse_args(args)
    base = measure(pinned(), options.folder)
    entries = list[dict[str, Any]]()
    for release in options.only or released():
        entry = base if release == base["release"] else measure(release, options.folder)
        for name, kernel in entry["kernels"].items():
            kernel["differences"] = differences(base["kernels"].get(name, {}), kernel)
        entries.append(entry)
        print(release, {name: kernel["problem"] or "equal" for name, kernel in entry["kernels"].items()})
    for entry in entries:  # after the last comparison
        if entry is not base:
            for kernel in entry["kernels"].values():
                kernel.pop("opcodes", None)
    report = {"pinned": base["release"], "releases": entries}
    if options.report is not None:
        options.report.write_text(json.dumps(report, indent=1) + "\n", "utf-8")
        options.report.with_suffix(".md").write_text(page(report), "utf-8")
    return int(any(kernel["problem"] for entry in entries for kernel in entry["kernels"].values()))


if __name__ == "__main__":
    sys.exit(main())
