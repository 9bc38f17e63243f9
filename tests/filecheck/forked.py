"""
The tools of RUN lines, forked from processes that have imported them.

lit starts about a thousand tools, each of which imports for longer than it works. So `tests/filecheck/lit.cfg.py` starts this
file twice as a server: one imports every module of ptir; the other one only `filecheck`, so that its forks have little to copy.
Before the tools on PATH it puts a `client` of each name. A client hands its arguments, directory, environment and open files to
its server, which forks; the fork runs the tool's entry point as the installed script would, and the client ends with its
status. Where there is no server, or it cannot be asked, the client becomes the installed tool.
"""

from __future__ import annotations

import gc
import marshal
import os
import select
import signal
import socket
import subprocess
import sys
import tempfile
import traceback
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from pkgutil import walk_packages

TOOLS = {
    "ptir-opt": "ptir.tools.ptir_opt:main",
    "ptir-conform": "ptir.tools.ptir_conform:main",
    "ptir-run": "ptir.tools.ptir_run:main",
    "ptir-translate": "ptir.tools.ptir_translate:main",
    "ptir-tune": "ptir.tools.ptir_tune:main",
    "ptir-verify": "ptir.tools.ptir_verify:main",
    "filecheck": "filecheck.main:main",
}

CLIENT = """#!{python} -IS
import _socket, marshal, posix, sys
name = sys.argv[0].rpartition("/")[2]
try:
    to = _socket.socket(_socket.AF_UNIX)
    to.connect({address!r})
    request = marshal.dumps([name, sys.argv[1:], posix.getcwd(), posix.environ])
    descriptors = b"".join(file.to_bytes(4, sys.byteorder) for file in (0, 1, 2))
    to.sendmsg([len(request).to_bytes(4, "little")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, descriptors)])
    to.sendall(request)
except OSError:
    posix.execv({installed!r} + "/" + name, sys.argv)
status = to.recv(1)
posix._exit(status[0] if status else 134)
"""
"""`socket`, `json` and `os` take 13 ms to import, a client without them 8 ms in all."""


def start(folder: str) -> str:
    """Starts the servers, which end with this process, and gives the folder of their clients."""
    os.makedirs(folder, exist_ok=True)
    sockets = tempfile.mkdtemp()
    alive, _ = os.pipe()  # whose other end closes when this process ends, however it does
    for package in ("ptir", "filecheck"):
        address = os.path.join(sockets, package)
        listening = socket.socket(socket.AF_UNIX)
        listening.bind(address)
        listening.listen(64)
        descriptors = (listening.fileno(), alive)
        arguments = ["-P", __file__, package, *map(str, descriptors)]  # -P: beside this file is a folder called ptir
        subprocess.Popen([sys.executable, *arguments], pass_fds=descriptors, stdin=subprocess.DEVNULL)
        for name in (name for name, entry in TOOLS.items() if entry.startswith(package)):
            text = CLIENT.format(python=sys.executable, address=address, installed=os.path.dirname(sys.executable))
            client = Path(folder, name)
            client.write_text(text)
            client.chmod(0o755)
    return folder


def serve(package: str, listening: socket.socket, alive: int) -> None:
    if package == "ptir":
        path = import_module("ptir").__path__
        for name in ("xdsl.transforms.canonicalize", *(m.name for m in walk_packages(path, "ptir."))):
            import_module(name)
        warm_up()
    else:
        import_module("filecheck.main")
    gc.freeze()
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    while alive not in select.select([listening, alive], [], [])[0]:
        connection, _ = listening.accept()
        if os.fork() == 0:
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            connection.sendall(bytes([answer(connection)]))
            os._exit(0)
        connection.close()


def warm_up() -> None:
    """Compiles a small program, so that the forks find the caches of types and passes filled."""
    program = Path(__file__).with_name("pto_to_nv") / "convolutions.mlir"
    sys.argv = ["ptir-opt", str(program), "-p", "ptir-to-cuda{arch=sm80}", "--split-input-file", "-o", os.devnull]
    with suppress(SystemExit):
        import_module("ptir.tools.ptir_opt").main()


def answer(connection: socket.socket) -> int:
    """Runs the tool that is asked for in this process, and gives its status."""
    size, files, _, _ = socket.recv_fds(connection, 4, 3)
    request = connection.makefile("rb").read(int.from_bytes(size, "little"))
    name, arguments, directory, environment = marshal.loads(request)
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    sys.stdin, sys.stdout, sys.stderr = (
        open(number, mode, encoding="utf-8", errors=errors, buffering=1)  # noqa: SIM115
        for number, mode, errors in ((0, "r", "strict"), (1, "w", "strict"), (2, "w", "backslashreplace"))
    )
    os.chdir(directory)
    os.environb.clear()
    os.environb.update(environment)
    sys.argv = [name, *arguments]
    module, _, function = TOOLS[name].partition(":")
    try:
        sys.exit(getattr(import_module(module), function)())
    except SystemExit as e:
        status = e.code if isinstance(e.code, int) else int(e.code is not None)
    except BaseException:
        traceback.print_exc()
        status = 1
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):
            stream.close()
    return status


if __name__ == "__main__":
    serve(sys.argv[1], socket.socket(fileno=int(sys.argv[2])), int(sys.argv[3]))
