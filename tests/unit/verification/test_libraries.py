"""C functions in a shared library as candidates: calls, and what they do wrong."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import numpy as np
import pytest

import ptir
from ptir.errors import InvalidAttributeValue
from ptir.verification import libraries
from ptir.verification.candidates import CallFailed
from ptir.verification.launches import Launch, Parameters
from ptir.verification.libraries import LibraryCandidate, LibraryUnusable

SOURCE = r"""
#include <stddef.h>
void sums(const float *x, float *y, const float *p, int m, int n) {
  for (int i = 0; i < m; i++) { float s = 0; for (int j = 0; j < n; j++) s += x[i * n + j]; y[i] = s * *p; }
}
void by_value(size_t m, const float *x, float p, float *y, unsigned char n) {
  for (size_t i = 0; i < m; i++) { float s = 0; for (int j = n; j-- > 0;) s += x[i * n + j]; y[i] = s * p; }
}
void one_too_far(const float *x, float *y, const float *p, int m, int n) { volatile float s = x[m * n]; sums(x, y, p, m, n); }
void before(const float *x, float *y, const float *p, int m, int n) { sums(x, y, p, m, n); y[-1] = 0; }
void changes(float *x, float *y, const float *p, int m, int n) { sums(x, y, p, m, n); x[0] += 1; }
void forgets(const float *x, float *y, const float *p, int m, int n) { sums(x, y, p, m - 1, n); }
void endless(const float *x, float *y, const float *p, int m, int n) { for (volatile int i = 0;; i++); }
void exits(const float *x, float *y, const float *p, int m, int n) { extern void exit(int); exit(3); }
"""
SUMS = {
    "name": "sums",
    "tensors": {"x": {"dtype": "f32", "shape": ["M", "N"]}, "p": {"dtype": "f32", "shape": []}},
    "ops": [
        {"op": "reduce_sum", "inputs": ["x"], "output": "s", "attrs": {"axes": [1]}},
        {"op": "mul", "inputs": ["s", "p"], "output": "y"},
    ],
    "outputs": ["y"],
}
CALL = Launch(args=("x", "y", "p", "M", "N"))


@pytest.fixture(scope="module")
def source() -> ptir.intent.Intent:
    return ptir.intent.load(json.dumps(SUMS))


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> str:
    if (compiler := shutil.which("cc")) is None:
        pytest.skip("no C compiler")
    folder: Path = tmp_path_factory.mktemp("library")
    (folder / "sums.c").write_text(SOURCE, "utf-8")
    subprocess.run([compiler, "-shared", "-fPIC", "-o", folder / "sums.so", folder / "sums.c"], check=True)
    return str(folder / "sums.so")


@pytest.mark.campaign
def test_correct_functions_pass(library: str, source: ptir.intent.Intent):
    for function, call in (("sums", CALL), ("by_value", Launch(args=("M: u64", "x", "*p", "out0", "N: u8")))):
        candidate = LibraryCandidate(library, function, call, source.function)
        report = source.verify(candidate, cases=4, layers=("differential",), sizes={"M": 3, "N": 7})
        assert report.status == "PASS", report.text()


@pytest.mark.parametrize(
    ("function", "problem"),
    [
        ("one_too_far", "ends by SIGSEGV: an access behind an array"),
        ("before", "writes before out0"),
        ("changes", "changes the argument x"),
        ("endless", "does not end within 0.2 s"),
        ("exits", "ends the process with status 3"),
    ],
)
def test_what_a_function_does_wrong(
    function: str, problem: str, library: str, source: ptir.intent.Intent, monkeypatch: pytest.MonkeyPatch
):
    if function == "endless":
        monkeypatch.setattr(libraries, "SECONDS", 0.2)
    candidate = LibraryCandidate(library, function, CALL, source.function)
    with pytest.raises(CallFailed, match=problem):
        candidate([np.ones((2, 3), np.float32), np.array(1, np.float32)], {"M": 2, "N": 3})


def test_results_that_are_not_stored_have_another_pattern_each_time(library: str, source: ptir.intent.Intent):
    report = source.verify(LibraryCandidate(library, "forgets", CALL, source.function), layers=("determinism",))
    assert report.status == "FAIL" and "change from run to run" in report.text()


def test_libraries_and_parameters_are_checked(library: str, source: ptir.intent.Intent):
    with pytest.raises(LibraryUnusable) as error:
        LibraryCandidate(library, "nothing", CALL, source.function)
    assert "error[PTIR0588]" in str(error.value) and "it has no function nothing" in str(error.value)
    with pytest.raises(LibraryUnusable):
        LibraryCandidate("nothing.so", "sums", CALL, source.function)
    big = LibraryCandidate(library, "sums", Launch(args=("x", "y", "p", "M * 2000000000", "N")), source.function)
    with pytest.raises(CallFailed, match="does not fit: write a type"):
        big([np.ones((2, 3), np.float32), np.array(1, np.float32)], {"M": 2, "N": 3})


@pytest.mark.parametrize(
    ("launch", "problem"),
    [
        (Launch(args=("z",)), "'args' has 'z', but z is no symbol, argument or result"),
        (Launch(args=("M +",)), r"'args' has 'M \+': it is not an expression"),
        (Launch(args=("*x",)), r"'args' has '\*x', which is no argument of rank 0"),
        (Launch(args=("M: f32",)), "'args' has 'M: f32' of an unknown type"),
        (Launch(args=(), grid=("x",), block=(32,)), "'grid' has 'x', but x is no symbol"),
        (Launch(args=(), grid=("M",)), "'block' is missing"),
    ],
)
def test_calls_that_are_not_possible(launch: Launch, problem: str, source: ptir.intent.Intent):
    with pytest.raises(InvalidAttributeValue, match=problem):
        Parameters(source.function, launch, kernel=bool(launch.grid))
