"""The file of tuned plans: real processes write at once, one is killed, and older, newer and foreign files are opened."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest

from ptir.planning.shape_sets import ShapeSet
from ptir.tuning.errors import NotATunedFile
from ptir.tuning.store import APPLICATION, LONGEST, MIGRATIONS, VERSION, Key, Store, Trial, Tuned

KEY = Key("5f", "bf16,bf16->f32", "a100")
TUNED = Tuned(KEY, ShapeSet((128, 64), (100, 64), (200, 64), 7), '{"tile": [1, 2]}', "emulator", "ptir 1", 2e-6, 1e-6)
TRIAL = Trial("ab", "a100", "{}", "model", "ptir 1", "measured", "", 1e-6, 2e-6, '{"registers": 40}')

WRITER = """
import sys
from ptir.tuning.store import Key, Store, Trial, Tuned
from ptir.planning.shape_sets import ShapeSet
path, name, count = sys.argv[1], sys.argv[2], int(sys.argv[3])
with Store(path, write=True) as store:
    print("open", flush=True)
    for n in range(count):
        store.record(Trial(name, "a100", str(n), "model", "t", "measured", "", 1.0, float(n)))
        shapes = ShapeSet((n,), (n,), (n,))
        store.put(Tuned(Key(name, "", "a100"), shapes, "{}", "model", "t", 1.0, 1.0))
        store.put(Tuned(Key("shared", "", "a100"), ShapeSet((1,), (1,), (1,)), name, "gpu", "t", 1.0, float(name)))
        store.count_requests("p", {"B=1": 1})
        print(n, flush=True)
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "new" / "tuned.sqlite"


def test_what_is_written_is_read(path: Path):
    with Store(path, write=True) as store:
        store.put(TUNED)
        store.record(TRIAL)
        store.count_requests("p", {"B=1": 2, "B=8": 1})
        store.count_requests("p", {"B=1": 5})
    with Store(path) as store:
        assert store.sets(KEY) == store.everything() == [TUNED] and not store.sets(replace(KEY, machine="h100"))
        assert store.trials("ab", "a100", "model", "ptir 1") == {"{}": TRIAL}
        assert not store.trials("ab", "a100", "gpu", "ptir 1") and not store.trials("ab", "a100", "model", "ptir 2")
        assert store.requests("p") == {"B=1": 7, "B=8": 1}
        with pytest.raises(NotATunedFile, match="readonly"):
            store.record(TRIAL)


@pytest.mark.parametrize(
    ("changes", "kept"),
    [
        ({"seconds": 2e-6}, "old"),
        ({"seconds": 0.5e-6}, "new"),
        ({"seconds": 2e-6, "toolchain": "ptir 2"}, "new"),
        ({"seconds": 9e-6, "how": "gpu"}, "new"),
        ({"seconds": 0.1e-6, "how": "model"}, "old"),
    ],
)
def test_a_plan_is_replaced_by_a_better_one(path: Path, changes: dict[str, object], kept: str):
    new = replace(TUNED, plan='{"tile": [3, 4]}', **changes)  # pyright: ignore[reportArgumentType]
    with Store(path, write=True) as store:
        store.put(TUNED)
        store.put(new)
        assert store.sets(KEY) == [TUNED if kept == "old" else new]


def test_a_set_replaces_those_that_it_contains(path: Path):
    inner = replace(TUNED, shapes=ShapeSet((110, 64), (110, 64), (120, 64)), seconds=1e-9)
    other = replace(TUNED, shapes=ShapeSet((300, 64), (300, 64), (300, 64)))
    measured = replace(TUNED, shapes=ShapeSet((150, 64), (150, 64), (150, 64)), how="gpu")
    with Store(path, write=True) as store:
        for found in (inner, other, measured, TUNED):
            store.put(found)
        assert {found.shapes for found in store.sets(KEY)} == {TUNED.shapes, other.shapes, measured.shapes}


def test_processes_write_at_once_and_one_is_killed(path: Path):
    """Nothing that a process has said to be written is lost, and the best plan of the shared key wins. Four processes take 3 seconds."""
    count = 30
    command = [sys.executable, "-c", WRITER, str(path)]
    processes = [
        subprocess.Popen([*command, name, str(n)], stdout=subprocess.PIPE, text=True)
        for name, n in (("3", count), ("2", count), ("5", 100_000))
    ]
    *whole, victim = processes
    assert victim.stdout is not None
    said = -1
    while said < 5 and (line := victim.stdout.readline()):
        said = int(line) if line.strip().isdigit() else said
    assert said == 5
    victim.send_signal(signal.SIGKILL)
    victim.wait()
    said = max([said, *(int(line) for line in victim.stdout.read().split("\n")[:-1] if line.isdigit())])
    assert [p.wait(60) for p in whole] == [0, 0]
    for process in processes:
        assert process.stdout is not None
        process.stdout.close()
    with Store(path, write=True) as store:
        for name in ("2", "3"):
            assert len(store.trials(name, "a100", "model", "t")) == len(store.sets(Key(name, "", "a100"))) == count
        left = len(store.trials("5", "a100", "model", "t"))
        assert left in (said + 1, said + 2)
        assert [found.plan for found in store.sets(Key("shared", "", "a100"))] == ["2"]
        assert store.requests("p")["B=1"] in (2 * count + said + 1, 2 * count + said + 2)
        store.put(TUNED)


def test_a_new_file_is_opened_by_several_writers_at_once(path: Path):
    """Whoever comes first makes the tables; SQLite itself does not wait where the journal is changed."""

    def write(number: int) -> int:
        with Store(path.with_stem(str(number // 8)), write=True) as store:
            return len(store.sets(KEY))

    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(write, range(160))) == [0] * 160


def old_file(path: Path) -> None:
    """Makes a file of version 1 with a plan and a trial."""
    path.parent.mkdir(parents=True)
    db = sqlite3.connect(path)
    db.executescript(MIGRATIONS[0])
    db.execute("INSERT INTO tuned VALUES ('5f', '', 'a100', '[4]', '[4]', '[8]', 3, '{}', 'gpu', 't', 1.0, 2.0)")
    db.execute("INSERT INTO trials VALUES ('r', 'a100', '{}', 'gpu', 't', 'measured', '', 1.0, 2.0)")
    db.executescript(f"PRAGMA application_id = {APPLICATION}; PRAGMA user_version = 1;")
    db.close()


def test_an_older_file_is_read_as_it_is_and_migrated_by_writers(path: Path):
    old_file(path)
    key = Key("5f", "", "a100")
    with Store(path) as store:
        (found,) = store.sets(key)
        assert found.shapes == ShapeSet((4,), (4,), (8,), 3) and store.requests("p") == {}
    with Store(path, write=True) as store:
        assert store.sets(key) == [found]
        assert store.trials("r", "a100", "gpu", "t")["{}"].facts == "{}"
        store.count_requests("p", {"B=1": 1})
    with Store(path) as store:
        assert store.requests("p") == {"B=1": 1}
    assert sqlite3.connect(path).execute("PRAGMA user_version").fetchone() == (VERSION,)


def test_rows_that_are_damaged_are_left_out(path: Path):
    with Store(path, write=True) as store:
        store.put(TUNED)
    db = sqlite3.connect(path)
    for boxes in (
        "'[4', '[4]', '[4]'",
        "'[4]', '[4, 4]', '[4]'",
        "'[true]', '[4]', '[4]'",
        "'{}', '{}', '{}'",
        "'[-1]', '[4]', '[4]'",
    ):
        db.execute(
            f"INSERT OR REPLACE INTO tuned VALUES ('5f', ?, 'a100', {boxes}, 1, '{{}}', 'gpu', 't', 1.0, 1.0)",
            (KEY.types,),
        )
    db.execute("UPDATE tuned SET how = 'guess' WHERE representative = '[128, 64]'")
    db.commit()
    db.close()
    with Store(path) as store:
        assert store.sets(KEY) == []


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (None, r"error\[PTIR0310\]: .*tuned.sqlite: there is no such file"),
        ("text", r"error\[PTIR0310\]: .*tuned.sqlite: file is not a database"),
        ("CREATE TABLE t (x)", r"error\[PTIR0310\]: .*tuned.sqlite: this database was not made by ptir-tune"),
        (
            f"PRAGMA user_version = {VERSION + 1}",
            rf"error\[PTIR0310\]: .*: its schema has version {VERSION + 1}, and this ptir knows {VERSION}",
        ),
    ],
)
@pytest.mark.parametrize("write", [False, True])
def test_other_files_are_refused(path: Path, content: str | None, message: str, write: bool):
    if content is None and write:
        return
    path.parent.mkdir()
    if content == "text":
        path.write_text("no database, but long enough to be one" * 40, "utf-8")
    elif content is not None:
        db = sqlite3.connect(path)
        if content.startswith("PRAGMA"):
            db.execute(f"PRAGMA application_id = {APPLICATION}")
        db.execute(content)
        db.commit()
        db.close()
    with pytest.raises(NotATunedFile, match=message):
        Store(path, write=write)
    assert content != "CREATE TABLE t (x)" or sqlite3.connect(path).execute("SELECT count(*) FROM t").fetchone() == (0,)


def changed(path: Path, *statements: str) -> None:
    """Makes a file with a plan, a trial and requests, and runs statements on it."""
    with Store(path, write=True) as store:
        store.put(TUNED)
        store.record(Trial("r", "a100", "{}", "model", "t", "measured", "", 1.0, 1.0))
        store.count_requests("p", {"B=1": 3})
    db = sqlite3.connect(path)
    for statement in statements:
        db.execute(statement)
    db.commit()
    db.close()


ENDLESS = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c"


@pytest.mark.parametrize(
    "statements",
    [
        ["DROP TABLE trials"],
        ["DROP TABLE tuned", f"CREATE VIEW tuned AS {ENDLESS}"],
        [f"CREATE TRIGGER t BEFORE INSERT ON trials BEGIN INSERT INTO requests SELECT x, x, 1 FROM ({ENDLESS}); END"],
        ["ALTER TABLE tuned RENAME TO o", "CREATE TABLE tuned AS SELECT * FROM o", "DROP TABLE o", "UPDATE tuned SET plan = x'ff'"],
        ["ALTER TABLE requests ADD COLUMN further ANY"],
        ["PRAGMA user_version = 1"],
        ["PRAGMA user_version = -5"],
        ["PRAGMA user_version = 0"],
    ],
)  # fmt: skip
@pytest.mark.parametrize("write", [False, True])
def test_a_file_with_other_tables_is_refused(path: Path, statements: list[str], write: bool):
    """None of these may be read: a view or a trigger need not end, and columns of any type may hold anything."""
    changed(path, *statements)
    with pytest.raises(NotATunedFile, match=r"its tables are not those of version -?\d"):
        Store(path, write=write)


@pytest.mark.parametrize("write", [False, True])
def test_what_is_no_file_is_refused(tmp_path: Path, write: bool):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to(tmp_path / "loop")
    (tmp_path / "link").symlink_to(tmp_path / "no folder" / "file")
    for name, problem in (("", "it is a folder"), ("pipe", "no regular file"), ("loop", None), ("link", None)):
        with pytest.raises(NotATunedFile, match=problem):
            Store(tmp_path / name, write=write)


def test_a_link_to_a_file_is_the_file(path: Path, tmp_path: Path):
    changed(path)
    (tmp_path / "link.sqlite").symlink_to(path)
    with Store(tmp_path / "link.sqlite") as store:
        assert len(store.sets(KEY)) == 1


def test_values_that_are_damaged_cost_nothing(path: Path):
    deep = "[" * 100_000
    changed(
        path,
        f"UPDATE tuned SET low = '{deep}', high = '[99999999999999999999]'",
        f"UPDATE trials SET facts = '{deep}'",
        "UPDATE requests SET count = -3",
    )
    with Store(path) as store:
        assert store.sets(KEY) == [] and store.trials("r", "a100", "model", "t") == {} and store.requests("p") == {}


@pytest.mark.parametrize(
    ("statement", "message"),
    [
        (f"UPDATE tuned SET plan = printf('%.*c', {LONGEST + 1}, 'x')", "string or blob too big"),
        ("UPDATE tuned SET plan = CAST(x'fffe' AS TEXT)", "UTF-8"),
    ],
)
def test_values_that_cannot_be_read_are_an_error(path: Path, statement: str, message: str):
    changed(path, statement)
    with Store(path) as store, pytest.raises(NotATunedFile, match=message):
        store.sets(KEY)


def test_a_reader_does_not_wait_long_for_a_file_that_is_locked(path: Path, monkeypatch: pytest.MonkeyPatch):
    changed(path, "PRAGMA journal_mode = DELETE")
    monkeypatch.setattr("ptir.tuning.store.READERS_PATIENCE", 0.01)
    with closing(sqlite3.connect(path, isolation_level=None)) as db:
        db.execute("BEGIN EXCLUSIVE")
        with pytest.raises(NotATunedFile, match="database is locked"):
            Store(path)
        with pytest.raises(NotATunedFile, match="database is locked"):
            Store(path, write=True, patience=0.01)
    with Store(path) as store:
        assert store.sets(KEY)


def test_a_file_whose_end_is_cut_off_is_an_error(path: Path):
    changed(path)
    data = path.read_bytes()
    path.write_bytes(data[: len(data) // 2])
    with pytest.raises(NotATunedFile, match="malformed"):
        Store(path)
