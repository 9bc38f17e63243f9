"""The disk cache: its size is bounded, and entries are complete or absent, despite concurrent writers and crashed processes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from ptir.backends.cuda import disk_cache, nvrtc
from ptir.backends.cuda.disk_cache import DiskCache
from ptir.errors import InvalidAttributeValue


def files(folder: Path) -> list[Path]:
    return [p for p in folder.rglob("*") if p.is_file()]


def test_what_was_used_longest_ago_goes_first(tmp_path: Path):
    cache = DiskCache(tmp_path, 10_000)
    for k in range(8):
        cache.put(f"key {k}", bytes([k]) * 1_000)
        for path in files(tmp_path):  # makes all entries a second older
            os.utime(path, (path.stat().st_atime, path.stat().st_mtime - 1))
    assert cache.get("key 0") == bytes(1_000)
    cache.put("key 8", bytes([8]) * 2_500)
    kept = [k for k in range(9) if cache.get(f"key {k}") is not None]
    assert 0 in kept and 8 in kept and 1 not in kept
    assert sum(path.stat().st_size for path in files(tmp_path)) <= 10_000


def test_a_value_larger_than_the_cache_is_not_kept(tmp_path: Path):
    cache = DiskCache(tmp_path, 100)
    cache.put("k", bytes(1_000))
    assert cache.get("k") is None and not files(tmp_path)


def test_damage_is_seen(tmp_path: Path):
    cache = DiskCache(tmp_path, 1 << 20)
    cache.put("k", b"value")
    (path,) = files(tmp_path)
    data = path.read_bytes()
    for damaged in (b"", data[:10], data[:-1], data[:-1] + b"x", data + b"x"):
        path.write_bytes(damaged)
        assert cache.get("k") is None
    cache.put("k", b"value")
    assert cache.get("k") == b"value"


def test_what_is_no_file_is_not_read(tmp_path: Path):
    """A pipe would block the reader, and an endless device fill the memory."""
    cache = DiskCache(tmp_path, 1 << 20)
    cache.put("k", b"value")
    (path,) = files(tmp_path)
    path.unlink()
    os.mkfifo(path)
    found: list[bytes | None] = []
    reader = Thread(target=lambda: found.append(cache.get("k")), daemon=True)
    reader.start()
    reader.join(10)
    assert found == [None]
    cache.put("k", b"value")
    assert cache.get("k") == b"value"


def test_a_value_under_another_key_is_not_taken(tmp_path: Path):
    cache = DiskCache(tmp_path, 1 << 20)
    cache.put("k", b"value")
    (first,) = files(tmp_path)
    cache.put("l", b"other")
    (second,) = set(files(tmp_path)) - {first}
    second.write_bytes(first.read_bytes())
    assert cache.get("l") is None and cache.get("k") == b"value"


def test_a_write_that_fails_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    cache = DiskCache(tmp_path, 1 << 20)

    def full(source: str, target: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "replace", full)
    cache.put("k", b"value")
    assert cache.get("k") is None and not files(tmp_path)


def test_another_release_of_nvrtc_has_its_own_entries(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    source = 'extern "C" __global__ void k(int* x) { *x = 1; }'
    nvrtc.compile_cuda(source, "sm_80")
    monkeypatch.setattr(nvrtc, "_release", lambda: "13.0.999")
    nvrtc.compile_cuda(source, "sm_80")
    assert len(files(tmp_path)) == 2


SOURCE = 'extern "C" __global__ void k(int* x) { *x = 1; }'


def damaged(entry: bytes) -> Iterator[bytes]:
    """Yields entries that are not compiled programs, although some are JSON: truncated, or with other shapes, types or fields."""
    yield from (entry[:cut] for cut in range(0, len(entry), max(1, len(entry) // 50)))
    yield from (b"[]", b"null", b"7", b"{}", b"\xff\xfe", b"[" * 100_000, b'{"ptx":' + b"[" * 100_000, b'"\\ud800"')
    fields = json.loads(entry)
    for name in set(fields) - {"remarks"}:  # `remarks` may be missing
        yield json.dumps({k: v for k, v in fields.items() if k != name}).encode()
    for name in fields:
        for value in (None, 7, 1.5, "%", [7], ["x"], {"x": 7}, {"k": {"registers": "x"}}, [{"number": 7}], [{}]):
            if isinstance(value, str) and isinstance(fields[name], str) and name != "cubin":
                continue  # any text may be PTX
            yield json.dumps({**fields, name: value}).encode()


def test_an_entry_that_is_no_program_is_compiled_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """The entry's checksum is right, so that only its contents reveal the damage."""
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    right = nvrtc.compile_cuda(SOURCE, "sm_80")
    monkeypatch.setattr(nvrtc, "_compile", lambda *_: right)
    key, cache = nvrtc._key(SOURCE, ("-arch=sm_80", *nvrtc.STANDARD_OPTIONS)), nvrtc._cache()
    whole = cache.get(key)
    assert whole is not None
    for entry in damaged(whole):
        cache.put(key, entry)
        assert nvrtc.compile_cuda(SOURCE, "sm_80") == right
        assert cache.get(key) == whole, entry[:200]


WRITER = """
import sys
from pathlib import Path
from ptir.backends.cuda.disk_cache import DiskCache
cache = DiskCache(Path(sys.argv[1]), 3_000_000)
print("ready", flush=True)
for k in range(int(sys.argv[2])):
    value = bytes([k % 7]) * 200_000
    cache.put(f"key {k % 7}", value)
    got = cache.get(f"key {k % 7}")
    assert got is None or got == value, k
"""


def writer(folder: Path, rounds: int) -> subprocess.Popen[str]:
    return subprocess.Popen([sys.executable, "-c", WRITER, str(folder), str(rounds)], stdout=subprocess.PIPE, text=True)


def test_processes_at_the_same_keys_and_one_killed(tmp_path: Path):
    victim, others = writer(tmp_path, 1_000_000), [writer(tmp_path, 100) for _ in range(2)]
    assert victim.stdout is not None and victim.stdout.readline() == "ready\n"
    time.sleep(0.3)
    victim.send_signal(signal.SIGKILL)
    assert [process.wait() for process in (victim, *others)] == [-signal.SIGKILL, 0, 0]
    cache = DiskCache(tmp_path, 3_000_000)
    assert all(cache.get(f"key {k}") in (None, bytes([k]) * 200_000) for k in range(7))


def test_what_a_dead_process_left_goes_after_a_while(tmp_path: Path):
    cache = DiskCache(tmp_path, 1 << 20)
    cache.put("k", b"value")
    (path,) = files(tmp_path)
    old, new = path.parent / ".old", path.parent / ".new"
    for left in (old, new):
        left.write_bytes(b"half")
    os.utime(old, (0, 0))
    disk_cache._unscanned.clear()  # simulates another process
    cache.put("l", b"value")
    assert not old.exists() and new.exists() and cache.get("k") == b"value"


def test_the_size_comes_from_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setenv("PTIR_CACHE_DIR", str(tmp_path))
    monkeypatch.setenv("PTIR_CACHE_MIB", "0")
    source = 'extern "C" __global__ void k(int* x) { *x = 1; }'
    assert nvrtc.compile_cuda(source, "sm_80").cubin and not files(tmp_path)
    monkeypatch.setenv("PTIR_CACHE_MIB", "many")
    with pytest.raises(InvalidAttributeValue, match="'PTIR_CACHE_MIB' is 'many'"):
        nvrtc.compile_cuda(source, "sm_80")
