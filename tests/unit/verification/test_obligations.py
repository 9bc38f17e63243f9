"""
Obligations with known answers: true, false, and those that no solver decides.

An independent oracle checks the table: no true statement has a counterexample among small sizes, and every false one has one there or at
the sizes of the model.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from itertools import product

import pytest

import ptir
from ptir.dialects.intent import symbols
from ptir.dialects.intent.symbols import ASSUMPTION, SIZE, Undefined
from ptir.verification.bounded import LARGEST
from ptir.verification.discharge import BUDGET, decide
from ptir.verification.obligations import Obligation, obligations
from ptir.verification.smt import Prover

# Statements about the sizes K, M, N, each with the assumptions and the answer.
STATEMENTS = """
M * N == N * M                                                      | PASS
M * (N + K) == M * N + K * M                                        | PASS
(M + N) * (M - N) == M * M - N * N                                  | PASS
(M + 1) * (M + 1) == M * M + 2 * M + 1                              | PASS
M + 1 >= 2                                                          | PASS
M * N >= 1                                                          | PASS
M * N >= M                                                          | PASS
M + N - 1 >= 1                                                      | PASS
M - 1 >= 0                                                          | PASS
M - 1 >= 1                                                          | FAIL
M - 1 >= 1                  if M > 1                                | PASS
M - 1 >= 1                  if M % 2 == 0                           | PASS
M - 1 >= 1                  if M % 2 == 1                           | FAIL
M - N >= 1                                                          | FAIL
M - N >= 1                  if M > N                                | PASS
M - N >= 1                  if M >= N                               | FAIL
M - N >= 1                  if M >= N and M != N                    | PASS
M - N >= 0                  if M >= N or N < 1                      | PASS
M - N >= 0                  if M >= N or N < 2                      | PASS
M - N >= 0                  if M >= N or N < 3                      | FAIL
M - N >= 0                  if not M < N                            | PASS
M // 2 >= 1                                                         | FAIL
M // 2 >= 1                 if M >= 2                               | PASS
M // 4 >= 1                 if M >= 4                               | PASS
M // 4 >= 1                 if M >= 3                               | FAIL
ceildiv(M, 4) >= 1                                                  | PASS
ceildiv(M, N) >= 1                                                  | PASS
ceildiv(M, 4) * 4 >= M                                              | PASS
ceildiv(M, 4) * 4 < M + 4                                           | PASS
ceildiv(M, 4) * 4 < M + 3                                           | FAIL
ceildiv(M, 4) == (M + 3) // 4                                       | PASS
ceildiv(M, 4) == M // 4                                             | FAIL
ceildiv(M, 4) == M // 4     if M % 4 == 0                           | PASS
ceildiv(M, 4) == M // 4 + 1 if M % 4 != 0                           | PASS
ceildiv(M, 4) == M // 4 + 1                                         | FAIL
M // 2 * 2 == M                                                     | FAIL
M // 2 * 2 == M             if M % 2 == 0                           | PASS
M // 2 * 2 == M             if M % 4 == 0                           | PASS
M // 4 * 4 == M             if M % 2 == 0                           | FAIL
M // 2 * 2 + M % 2 == M                                             | PASS
M // 3 * 3 + M % 3 == M                                             | PASS
M // 7 == M - M % 7                                                 | FAIL
(M // 2) // 3 == M // 6                                             | PASS
(M // 2) // 3 == M // 5                                             | FAIL
(2 * M) // 2 == M                                                   | PASS
(2 * M + 1) // 2 == M                                               | PASS
(2 * M - 1) // 2 == M                                               | FAIL
(2 * M - 1) // 2 == M - 1                                           | PASS
(M + N) // 2 >= 1                                                   | PASS
(M + 5) // 5 == M // 5 + 1                                          | PASS
M % 8 < 8                                                           | PASS
M % 8 < 7                                                           | FAIL
M % 8 >= 0                                                          | PASS
M % 8 == 0                  if M % 16 == 0                          | PASS
M % 16 == 0                 if M % 8 == 0                           | FAIL
M % 6 == 0                  if M % 2 == 0 and M % 3 == 0            | PASS
M % 6 == 0                  if M % 2 == 0 or M % 3 == 0             | FAIL
M % 2 != N % 2              if M == N + 1                           | PASS
M % 2 != N % 2              if M == N + 2                           | FAIL
(M - N) % 5 == 0            if M % 5 == N % 5                       | PASS
(N - M) % 4 == 3            if M == N + 1                           | PASS
(N - M) // 4 == 0 - 1       if M == N + 1                           | PASS
(N - M) // 4 == 0           if M == N + 1                           | FAIL
min(M, N) >= 1                                                      | PASS
min(M, N) == M                                                      | FAIL
min(M, N) == M              if M <= N                               | PASS
min(M, N) == M              if M < N + 1                            | PASS
max(M, N) == M              if M <= N                               | FAIL
max(M, N) + min(M, N) == M + N                                      | PASS
max(M, N) - min(M, N) >= 0                                          | PASS
max(M, N) - min(M, N) >= 1                                          | FAIL
max(M, N) - min(M, N) >= 1  if M != N                               | PASS
max(M, max(N, K)) >= K                                              | PASS
min(M, max(N, K)) >= K                                              | FAIL
min(max(M, 2), 4) < 5                                               | PASS
M - N != 0                                                          | FAIL
M - N != 0                  if M > N                                | PASS
M - N != 0                  if M != N                               | PASS
M + N != 0                                                          | PASS
M - 3 != 0                                                          | FAIL
M * N - 1 != 0                                                      | FAIL
M * N - 1 != 0              if M > 1                                | PASS
2 * M - 2 * N != 1                                                  | PASS
2 * M - 4 * N != 1                                                  | PASS
3 * M - 5 * N != 1                                                  | FAIL
6 * M + 10 * N != 31                                                | PASS
6 * M + 10 * N != 32                                                | FAIL
6 * M + 10 * N + 15 * K != 31                                       | FAIL
M * M != 2                                                          | PASS
M * M != 49                                                         | FAIL
M * M - M != 12                                                     | FAIL
M * M - M != 13                                                     | PASS
M * M + N * N != 65                                                 | FAIL
M * N != 221                if M > 1 and N > 1                      | FAIL
M * N != 13                 if M > 1 and N > 1                      | PASS
M == 300                    if M > 299 and M < 301                  | PASS
M < 1048577                                                         | PASS
M < 1048576                                                         | FAIL
M < 300                                                             | FAIL
N < 301                     if N % 100 == 0 and N <= 399            | PASS
M * N < 100                 if M < 10 and N <= 11                   | PASS
M * N < 98                  if M < 10 and N <= 11                   | FAIL
M // N >= 1                                                         | FAIL
M // N >= 1                 if M >= N                               | PASS
M * M * M + N * N * N != K * K * K                                  | UNKNOWN
M * M * M * M + N * N * N * N != K * K * K * K                      | UNKNOWN
"""


def rows() -> list[tuple[str, str, str]]:
    """Returns the statements, the assumptions and the answers."""
    found = []
    for line in STATEMENTS.strip().splitlines():
        statement, _, answer = line.rpartition("|")
        text, _, given = statement.partition(" if ")
        found.append((text.strip(), given.strip(), answer.strip()))
    return found


ROWS = rows()
MATRIX = "!intent.tensor<[M, N], f32>"


def obligation(text: str, given: str) -> tuple[Prover, Obligation]:
    contract = f'contract = {{level = "FULL", assumptions = ["{given}"]}}' if given else ""
    source = ptir.intent.load(
        f"intent.func @f(%x: {MATRIX}, %k: !intent.tensor<[K], f32>) attributes {{{contract}}} {{\nintent.return\n}}"
    )
    left, relation, right = re.split(" (==|>=|<|!=) ", text, maxsplit=1)
    stated = Obligation(source.function, "it", symbols.parse(left, SIZE), relation, symbols.parse(right, SIZE))  # type: ignore[arg-type]
    return Prover(source.function, BUDGET), stated


def holds(text: str, binding: Mapping[str, int]) -> bool:
    """Evaluates a statement; one without a value does not hold."""
    try:
        return bool(symbols.evaluate(symbols.parse(text, ASSUMPTION), binding))
    except Undefined:
        return False


def counterexample(text: str, given: str, most: int = 12) -> dict[str, int] | None:
    names = [s for s in "KMN" if s in text + given]
    for numbers in product(range(1, most + 1), repeat=len(names)):
        binding = dict(zip(names, numbers, strict=True))
        if (not given or holds(given, binding)) and not holds(text, binding):
            return binding
    return None


def test_there_are_a_hundred():
    assert len(ROWS) + len(OBLIGATIONS) >= 100
    assert min(Counter(answer for _, _, answer in ROWS).values()) >= 2


@pytest.mark.sampled(5)
@pytest.mark.parametrize(("text", "given", "answer"), ROWS, ids=[f"{t} if {g}" if g else t for t, g, _ in ROWS])
def test_statements_about_sizes(text: str, given: str, answer: str):
    pytest.importorskip("z3")
    verdict = (found := obligation(text, given))[0].verdict(found[1])
    assert verdict.status == answer, verdict.why
    if answer != "FAIL":
        assert counterexample(text, given) is None
        return
    binding = {**dict.fromkeys("KMN", 1), **{s: int(n) for s, n in re.findall(r"(\w) = (\d+)", verdict.why)}}
    assert not given or holds(given, binding)
    assert not holds(text, binding), verdict.why


@pytest.mark.sampled(11)
@pytest.mark.parametrize(("text", "given", "answer"), ROWS, ids=[f"{t} if {g}" if g else t for t, g, _ in ROWS])
def test_two_solvers_agree(text: str, given: str, answer: str):
    """bitwuzla finds a counterexample exactly if there is one up to its bound. It may run out of time on a proof."""
    pytest.importorskip("bitwuzla")
    from ptir.verification.bounded import search

    prover, stated = obligation(text, given)
    left, right = prover.term(stated.left), prover.term(stated.right)  # type: ignore[arg-type]
    relation = {"==": left == right, ">=": left >= right, "<": left < right, "!=": left != right}[stated.relation]
    status, model = search([*prover.given, *prover._guards], relation, ("K", "M", "N"))  # pyright: ignore[reportPrivateUsage]
    exists = counterexample(text, given, LARGEST) is not None
    assert status == ("sat" if exists else "unsat") or (status == "unknown" and not exists)
    if status == "sat":
        assert not holds(text, model) and (not given or holds(given, model))


# --- statements of ops --------------------------------------------------------------------------------

T = "!intent.tensor"
X = f"%x: {T}<[M, N], f32>"
OBLIGATIONS = [
    (X, "", f'%0 = intent.reshape %x : {T}<[M, N], f32> -> {T}<["N * M"], f32>', "PASS"),
    (X, "", f"%0 = intent.reshape %x : {T}<[M, N], f32> -> {T}<[N, N], f32>", "FAIL"),
    (X, "M == N", f"%0 = intent.reshape %x : {T}<[M, N], f32> -> {T}<[N, N], f32>", "PASS"),
    (X, "", f'%0 = intent.reshape %x : {T}<[M, N], f32> -> {T}<["M // 2", 2, N], f32>', "FAIL"),
    (X, "M % 2 == 0", f'%0 = intent.reshape %x : {T}<[M, N], f32> -> {T}<["M // 2", 2, N], f32>', "PASS"),
    (X, "", f'%0 = intent.const 1 : i64 : {T}<["M - 1"], f32>', "FAIL"),
    (X, "M > 1", f'%0 = intent.const 1 : i64 : {T}<["M - 1"], f32>', "PASS"),
    (X, "", f'%0 = intent.const 1 : i64 : {T}<["M // (N - 1) + 1"], f32>', "FAIL"),
    (X, "", f'%0 = intent.const expr "1 / (M - N)" : {T}<[], f32>', "FAIL"),
    (X, "M > N", f'%0 = intent.const expr "1 / (M - N)" : {T}<[], f32>', "PASS"),
    (f"{X}, %y: {T}<[K], f32>", "", f"%0 = intent.binary add %x, %y : ({T}<[M, N], f32>, {T}<[K], f32>) -> {T}<[M, N], f32>", "FAIL"),
    (f"{X}, %y: {T}<[K], f32>", "K == N", f"%0 = intent.binary add %x, %y : ({T}<[M, N], f32>, {T}<[K], f32>) -> {T}<[M, N], f32>", "PASS"),
    (f"{X}, %i: {T}<[K], i32>", "", f"%0 = intent.gather %x[%i, %i] : ({T}<[M, N], f32>, {T}<[K], i32>, {T}<[K], i32>) -> {T}<[K], f32>", "FAIL"),
    (
        f"{X}, %i: {T}<[K], i32>",
        "0 <= i < M and M <= N",
        f"%0 = intent.gather %x[%i, %i] : ({T}<[M, N], f32>, {T}<[K], i32>, {T}<[K], i32>) -> {T}<[K], f32>",
        "PASS",
    ),
    (f"%i: {T}<[K], i32>", "", f"%0 = intent.binary div %i, %i : ({T}<[K], i32>, {T}<[K], i32>) -> {T}<[K], i32>", "FAIL"),
    (f"%i: {T}<[K], i32>", "i > 0", f"%0 = intent.binary div %i, %i : ({T}<[K], i32>, {T}<[K], i32>) -> {T}<[K], i32>", "PASS"),
    (
        f"{X}, %i: {T}<[K], f32>",
        "0 <= i < M",
        f"%c = intent.cast %i : {T}<[K], f32> -> {T}<[K], i32>\n"
        f"%0 = intent.gather %x[%c, %c] : ({T}<[M, N], f32>, {T}<[K], i32>, {T}<[K], i32>) -> {T}<[K], f32>",
        "UNKNOWN",
    ),
    (
        f"%x: {T}<[N], f32>",
        "",
        f"%i = intent.iota axis 0 : {T}<[N], i8>\n%0 = intent.gather %x[%i] : ({T}<[N], f32>, {T}<[N], i8>) -> {T}<[N], f32>",
        "UNKNOWN",  # an i8 wraps
    ),
]  # fmt: skip


@pytest.mark.parametrize(("args", "assumes", "body", "want"), OBLIGATIONS)
def test_obligations_with_known_answers(args: str, assumes: str, body: str, want: str):
    pytest.importorskip("z3")
    contract = f'contract = {{level = "FULL", assumptions = ["{assumes}"]}}' if assumes else ""
    source = ptir.intent.load(f"intent.func @f({args}) attributes {{{contract}}} {{\n{body}\nintent.return\n}}")
    found = Counter(v.status for v in decide(source.function, list(obligations(source.function))))
    worst = next(status for status in ("FAIL", "UNKNOWN", "PASS") if found[status])
    assert worst == want, found
