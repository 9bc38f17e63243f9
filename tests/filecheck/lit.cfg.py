"""
lit's configuration: `lit tests/filecheck` from the repository's root, with the environment's `bin` on PATH.

RUN lines use `ptir-opt`, `ptir-run`, `filecheck` and lit's own `not`.
"""

import os
import sys

import lit.formats
import lit.util

HERE = os.path.dirname(os.path.abspath(__file__))

config.name = "ptir"  # noqa: F821
config.test_format = lit.formats.ShTest(execute_external=False)  # noqa: F821
config.suffixes = [".mlir"]  # noqa: F821
config.excludes = ["Inputs"]  # noqa: F821
config.test_source_root = HERE  # noqa: F821
config.test_exec_root = os.path.join(HERE, "..", "..", "build", "filecheck")  # noqa: F821

config.environment["NO_COLOR"] = "1"  # noqa: F821
config.environment["PYTHONWARNINGS"] = "ignore"  # noqa: F821
config.environment["PTIR_TUNED"] = ""  # noqa: F821  # the user's tuned plans

# The tools next to the Python that runs lit come first, whatever PATH says, and before them what asks for their forks.
sys.path.insert(0, HERE)
from forked import start  # noqa: E402

tools = [start(os.path.join(config.test_exec_root, "bin")), os.path.dirname(sys.executable)]  # noqa: F821
config.environment["PATH"] = os.pathsep.join([*tools, os.environ.get("PATH", "")])  # noqa: F821

# Time-outs need psutil, and lit drops them silently without it.
supported, reason = lit.util.killProcessAndChildrenIsSupported()
if not supported:
    lit_config.fatal(f"per-test time-outs are not available: {reason}")  # noqa: F821
config.maxIndividualTestTime = 60  # noqa: F821
