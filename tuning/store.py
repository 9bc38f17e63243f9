"""
The file of tuned plans, an SQLite database. It holds data only: plans are text, and are parsed and verified as any other plan.

- `trials`: every candidate that was tried, so that a search that was interrupted goes on where it was, with its outcome and the reason
  if it was left out;
- `tuned`: the best plan of each shape set, by the kernel's structure, its element types and the machine;
- `requests`: how often programs with dynamic sizes were called with which sizes.

Writers use transactions and the write-ahead log: readers never wait, concurrent writers wait for each other, and a writer that is killed
leaves what it had committed. `user_version` is the version of the schema; an older file is migrated when it is opened for writing, and
read as it is otherwise. A newer one is refused. Spec: `tensor-compiler.ja §6`, `§8`.
"""

from __future__ import annotations

import json
import os
import sqlite3
import time
from collections.abc import Generator, Iterable, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Annotated, Any

import msgspec

from ..planning.shape_sets import ShapeSet, Sizes
from .errors import NotATunedFile

APPLICATION = 0x50544952
"""The application id in the header of the file: `PTIR`."""
MIGRATIONS = (
    """
    CREATE TABLE trials (
      region TEXT NOT NULL, machine TEXT NOT NULL, plan TEXT NOT NULL, how TEXT NOT NULL, toolchain TEXT NOT NULL,
      outcome TEXT NOT NULL, reason TEXT NOT NULL, estimate REAL NOT NULL, seconds REAL,
      PRIMARY KEY (region, machine, plan, how, toolchain)) STRICT;
    CREATE TABLE tuned (
      structure TEXT NOT NULL, types TEXT NOT NULL, machine TEXT NOT NULL, representative TEXT NOT NULL,
      low TEXT NOT NULL, high TEXT NOT NULL, requests INTEGER NOT NULL,
      plan TEXT NOT NULL, how TEXT NOT NULL, toolchain TEXT NOT NULL, estimate REAL NOT NULL, seconds REAL NOT NULL,
      PRIMARY KEY (structure, types, machine, representative)) STRICT;
    """,
    """
    CREATE TABLE requests (
      program TEXT NOT NULL, sizes TEXT NOT NULL, count INTEGER NOT NULL, PRIMARY KEY (program, sizes)) STRICT;
    ALTER TABLE trials ADD COLUMN facts TEXT NOT NULL DEFAULT '{}';
    """,
)
"""The statements that lead from each version of the schema to the next one; a new file runs all of them."""
VERSION = len(MIGRATIONS)
PATIENCE = 60.0
"""How long a writer waits for others, in seconds."""
READERS_PATIENCE = 2.0
"""How long a reader waits: only for a process that locks the whole file, as readers do not wait for writers."""
LONGEST = 1 << 24
"""Maximum number of bytes of a value: a plan has hundreds, a module that is tuned is not in the file."""
TRUST = {"model": 0, "emulator": 1, "gpu": 2}
"""Ways to measure, the less trusted one first: a plan is not replaced by one that was measured in a less trusted way."""


@dataclass(frozen=True)
class Key:
    """A kernel without its sizes, on a machine: the hash of its structure, and its element types such as `bf16,bf16->f32`."""

    structure: str
    types: str
    machine: str


@dataclass(frozen=True)
class Trial:
    """A candidate that was tried. `region` is the structural hash of the kernel; `outcome` is a word of `tuning/trial.py`."""

    region: str
    machine: str
    plan: str
    how: str
    toolchain: str
    outcome: str
    reason: str
    estimate: float
    """Predicted time, in seconds."""
    seconds: float | None
    """Measured time, or None if the candidate was left out."""
    facts: str = "{}"


@dataclass(frozen=True)
class Tuned:
    """The best plan of a shape set, as JSON, and how it was found."""

    key: Key
    shapes: ShapeSet
    plan: str
    how: str
    toolchain: str
    estimate: float
    seconds: float


class Store:
    """An open file of tuned plans. Raises `NotATunedFile`."""

    def __init__(self, path: str | Path, *, write: bool = False, patience: float | None = None) -> None:
        self.path = os.fspath(path)
        self.write = write
        if os.path.exists(self.path) and not os.path.isfile(self.path):
            raise self._error("it is a folder" if os.path.isdir(self.path) else "it is no regular file", "name a file")
        if write:
            with self._explained():
                Path(self.path).parent.mkdir(parents=True, exist_ok=True)
        elif not os.path.exists(self.path):
            raise self._error("there is no such file", "ptir-tune makes one")
        patience = patience if patience is not None else PATIENCE if write else READERS_PATIENCE
        with self._explained():
            mode = "" if write else "?mode=ro"
            if not write and not os.access(Path(self.path).absolute().parent, os.W_OK):
                mode += (
                    "&immutable=1"  # there, SQLite cannot make the files beside a database that has a write-ahead log
                )
            uri = Path(self.path).absolute().as_uri() + mode
            # Trials finish in other threads; `_transaction` holds SQLite's own lock.
            self._db = sqlite3.connect(uri, uri=True, timeout=patience, isolation_level=None, check_same_thread=False)
            try:
                self._open(patience)
            except BaseException:
                self._db.close()
                raise

    def _open(self, patience: float) -> None:
        self._db.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, LONGEST)
        self._db.execute("PRAGMA trusted_schema = OFF")
        self._db.execute("BEGIN")  # one state of the file, which another process may be making
        version = self._require_ours()
        self._db.execute("COMMIT")
        if not self.write:
            return
        self._use_write_ahead_log(patience)
        self._db.execute("PRAGMA synchronous = NORMAL")
        if version < VERSION:
            with self._transaction():
                _migrate(self._db, self._require_ours(), VERSION)  # another process may have migrated it meanwhile
                self._db.execute(f"PRAGMA application_id = {APPLICATION}")
                self._db.execute(f"PRAGMA user_version = {VERSION}")

    def _use_write_ahead_log(self, patience: float) -> None:
        """Changes the journal of a new file. SQLite does not wait for the lock that this takes."""
        deadline = time.monotonic() + patience
        while True:
            try:
                self._db.execute("PRAGMA journal_mode = WAL")
                return
            except sqlite3.OperationalError as e:
                if e.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                    raise
                time.sleep(0.01)

    def _require_ours(self) -> int:
        """
        Returns the version of the schema, 0 for an empty file. Raises `NotATunedFile` for another program's file, a newer one, and one with
        other tables: views and triggers could compute forever, and tables that are not `STRICT` may hold values of any type.
        """
        version, owner = (
            int(self._db.execute(f"PRAGMA {name}").fetchone()[0]) for name in ("user_version", "application_id")
        )
        empty = not self._db.execute("SELECT count(*) FROM sqlite_master").fetchone()[0]
        if owner != APPLICATION and not (empty and owner == version == 0 and self.write):
            raise self._error("this database was not made by ptir-tune", "name another file")
        if version > VERSION:
            raise self._error(f"its schema has version {version}, and this ptir knows {VERSION}", "use a newer ptir")
        if not empty and (version < 1 or _schema(self._db) != schema_of(version)):
            raise self._error(f"its tables are not those of version {version}", "name another file, or remove this one")
        return version

    # --- writing ----------------------------------------------------------------------------------

    def record(self, trial: Trial) -> None:
        """Stores the outcome of a trial, instead of an earlier one of the same candidate."""
        names = list(Trial.__dataclass_fields__)
        with self._transaction():
            self._db.execute(
                f"INSERT OR REPLACE INTO trials ({', '.join(names)}) VALUES ({', '.join('?' * len(names))})",
                [getattr(trial, name) for name in names],
            )

    def put(self, found: Tuned) -> None:
        """
        Stores the plan of a shape set, and removes those of sets that it contains. A plan that was measured in a more trusted way, or the
        same way with the same compiler and is faster, is kept.
        """
        columns = _columns(found)
        with self._transaction():
            for old in self._sets(found.key):
                same = old.shapes.representative == found.shapes.representative
                kept = TRUST[old.how] > TRUST[found.how] or (same and _better(old, found))
                if found.shapes.contains(old.shapes.representative) and not kept:
                    where = "structure = ? AND types = ? AND machine = ? AND representative = ?"
                    self._db.execute(
                        f"DELETE FROM tuned WHERE {where}", [*_key(old.key), _text(old.shapes.representative)]
                    )
            self._db.execute(
                f"INSERT OR IGNORE INTO tuned ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})",
                list(columns.values()),
            )

    def count_requests(self, program: str, histogram: Mapping[str, int]) -> None:
        """Adds to the numbers of calls of a program, by the text of its sizes (`B=8,S=128`)."""
        with self._transaction():
            self._db.executemany(
                "INSERT INTO requests VALUES (?, ?, ?) ON CONFLICT DO UPDATE SET count = count + excluded.count",
                [(program, sizes, count) for sizes, count in histogram.items()],
            )

    # --- reading ----------------------------------------------------------------------------------

    def trials(self, region: str, machine: str, how: str, toolchain: str) -> dict[str, Trial]:
        """Returns the trials of a kernel by their plans. Those whose facts are damaged are left out, and are run again."""
        names = list(Trial.__dataclass_fields__)
        where = "region = ? AND machine = ? AND how = ? AND toolchain = ?"
        rows = self._rows(f"SELECT {', '.join(names)} FROM trials WHERE {where}", (region, machine, how, toolchain))
        return {trial.plan: trial for trial in (Trial(*row) for row in rows) if _is_object(trial.facts)}

    def sets(self, key: Key) -> list[Tuned]:
        """Returns the tuned plans of a kernel on a machine. Rows that are damaged are left out."""
        with self._explained():
            return self._sets(key)

    def _sets(self, key: Key) -> list[Tuned]:
        return [
            found
            for row in self._select("WHERE structure = ? AND types = ? AND machine = ?", _key(key))
            if (found := _tuned(row)) is not None
        ]

    def everything(self) -> list[Tuned]:
        """Returns all tuned plans in a fixed order."""
        with self._explained():
            rows = self._select("ORDER BY structure, types, machine, representative", ())
            return [found for row in rows if (found := _tuned(row)) is not None]

    def requests(self, program: str) -> dict[str, int]:
        """Returns how often a program was called, by the text of its sizes; empty for a file of the first version."""
        if not self._rows("SELECT 1 FROM sqlite_master WHERE name = 'requests'"):
            return {}
        where = "program = ? AND count > 0"
        return dict(self._rows(f"SELECT sizes, count FROM requests WHERE {where} ORDER BY sizes", (program,)))

    def _select(self, rest: str, values: Iterable[Any]) -> list[tuple[Any, ...]]:
        names = (
            "structure, types, machine, representative, low, high, requests, plan, how, toolchain, estimate, seconds"
        )
        return self._db.execute(f"SELECT {names} FROM tuned {rest}", tuple(values)).fetchall()

    def _rows(self, statement: str, values: Iterable[Any] = ()) -> list[Any]:
        with self._explained():
            return self._db.execute(statement, tuple(values)).fetchall()

    def close(self) -> None:
        self._db.close()

    def __enter__(self) -> Store:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @contextmanager
    def _transaction(self) -> Generator[None]:
        """A transaction that holds the lock for writing from its beginning, so that what it reads is still so when it writes."""
        with self._explained():
            self._db.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._db.execute("COMMIT")
            except BaseException:
                if self._db.in_transaction:  # SQLite itself rolls back, for example if the disk is full
                    self._db.execute("ROLLBACK")
                raise

    @contextmanager
    def _explained(self) -> Generator[None]:
        """Converts the errors of SQLite and of the file system to `NotATunedFile`."""
        try:
            yield
        except (sqlite3.Error, OSError) as error:
            raise self._error(str(error), "name another file, or remove this one") from error

    def _error(self, problem: str, help: str) -> NotATunedFile:
        return NotATunedFile(path=self.path, problem=problem, help=help)


def _migrate(db: sqlite3.Connection, old: int, new: int) -> None:
    """Leads the schema of a database from a version to a newer one."""
    for statement in ";".join(MIGRATIONS[old:new]).split(";"):
        db.execute(statement)


def _schema(db: sqlite3.Connection) -> list[tuple[str, str, str]]:
    """Returns the types, names and definitions of what a database has, indices of primary keys aside."""
    return db.execute("SELECT type, name, sql FROM sqlite_master WHERE sql NOT NULL ORDER BY type, name").fetchall()


@cache
def schema_of(version: int) -> list[tuple[str, str, str]]:
    """Returns the schema of files of a version."""
    with closing(sqlite3.connect(":memory:")) as db:
        _migrate(db, 0, version)
        return _schema(db)


def _better(old: Tuned, new: Tuned) -> bool:
    return (old.how, old.toolchain) == (new.how, new.toolchain) and old.seconds <= new.seconds


def _key(key: Key) -> tuple[str, str, str]:
    return key.structure, key.types, key.machine


def _text(sizes: Sizes) -> str:
    return json.dumps(list(sizes))


def _columns(found: Tuned) -> dict[str, Any]:
    shapes = found.shapes
    return {
        **dict(zip(("structure", "types", "machine"), _key(found.key), strict=True)),
        **{name: _text(getattr(shapes, name)) for name in ("representative", "low", "high")},
        "requests": shapes.requests,
        **{name: getattr(found, name) for name in ("plan", "how", "toolchain", "estimate", "seconds")},
    }


def _is_object(text: str) -> bool:
    """Returns whether a text is a JSON object."""
    try:
        msgspec.json.decode(text, type=dict[str, Any])
    except (ValueError, RecursionError):
        return False
    return True


_Row = tuple[str, str, str, str, str, str, int, str, str, str, float, float]
_Size = Annotated[int, msgspec.Meta(ge=0, le=1 << 60)]


def _tuned(row: tuple[Any, ...]) -> Tuned | None:
    """Returns the entry of a row, or None if it does not hold one."""
    try:
        structure, types, machine, *boxes, requests, plan, how, toolchain, estimate, seconds = msgspec.convert(
            row, _Row
        )
        sizes = [msgspec.json.decode(text, type=list[_Size]) for text in boxes]
    except (ValueError, RecursionError):
        return None
    if len({len(box) for box in sizes}) != 1 or how not in TRUST:
        return None
    representative, low, high = map(tuple, sizes)
    shapes = ShapeSet(representative, low, high, requests)
    return Tuned(Key(structure, types, machine), shapes, plan, how, toolchain, estimate, seconds)
