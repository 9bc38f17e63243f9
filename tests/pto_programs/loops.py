"""Random tile programs with loops, conditions, views, and tiles that loops carry and conditions return, as text."""

from __future__ import annotations

from random import Random

ROWS, COLUMNS = 8, 8
TILE = f"tile<{ROWS}x{COLUMNS}xf32>"
ARRAY = f"pto.memref<64x{COLUMNS}xf32>"
VIEW = f"pto.memref<32x{COLUMNS}xf32, strided<[{COLUMNS}, 1], offset: ?>>"
ARRAYS = 3
UNARY = ("abs", "neg", "relu")
BINARY = ("add", "sub", "max", "min")


class Program:
    """
    Writes a function @f of `ARRAYS` arrays and an index `%n`, which is at least 1. Loops have up to 6 iterations; their bounds are
    constants, or `%n`, which is at most 3. Conditions compare an index with a constant.
    """

    def __init__(self, seed: int, size: int = 12, *, depth: int = 2, conditions: bool = False) -> None:
        self.random = Random(seed)
        self.conditions = conditions
        self.names = 0
        self.lines: list[str] = []
        self.block(size, depth, [], ["%c0", "%c8"], "  ")
        arguments = ", ".join(f"%x{k}: !{ARRAY}" for k in range(ARRAYS))
        constants = "".join(f"  %c{c} = pto.constant {c} : index\n" for c in (0, 1, 2, 3, 4, 5, 6, 8))
        self.text = (
            f"func.func @f({arguments}, %n: index) {{\n{constants}" + "\n".join(self.lines) + "\n  func.return\n}\n"
        )

    def name(self) -> str:
        self.names += 1
        return f"%v{self.names}"

    def emit(self, indent: str, text: str) -> None:
        self.lines.append(indent + text)

    def place(self, indices: list[str], indent: str) -> tuple[str, str]:
        """Writes a view, perhaps, and returns an array and its type, with an offset that fits."""
        array = f"%x{self.random.randrange(ARRAYS)}"
        offset = self.random.choice([*indices, "8", "0", "16"])
        if self.random.random() < 0.3:
            view = self.name()
            start = self.random.choice([*indices, "0", "8"])
            self.emit(
                indent, f"{view} = pto.memref.subview {array}[{start}, 0] [32, {COLUMNS}] [1, 1] : {ARRAY} to {VIEW}"
            )
            return f"{view}[{offset}, 0]", VIEW
        return f"{array}[{offset}, 0]", ARRAY

    def block(self, size: int, depth: int, outer: list[str], indices: list[str], indent: str) -> list[str]:
        tiles, random = list(outer), self.random
        for _ in range(size):
            if depth and self.conditions and random.random() < 0.2:
                tiles += self.condition(size // 2, depth - 1, tiles, indices, indent)
                continue
            kind = random.random()
            if depth and kind < 0.15 and size > 2:
                tiles += self.loop(size // 2, depth - 1, tiles, indices, indent)
            elif kind < 0.4 or not tiles:
                place, array = self.place(indices, indent)
                tiles.append(self.name())
                self.emit(indent, f"{tiles[-1]} = pto.tile.load {place} : {array}, {TILE}")
            elif kind < 0.6:
                place, array = self.place(indices, indent)
                self.emit(indent, f"pto.tile.store {random.choice(tiles)}, {place} : {array}, {TILE}")
            elif kind < 0.75:
                value, tile = self.name(), random.choice(tiles)
                self.emit(indent, f"{value} = pto.tile.{random.choice(UNARY)} {tile} : {TILE}")
                tiles.append(value)
            else:
                value, a, b = self.name(), random.choice(tiles), random.choice(tiles)
                self.emit(indent, f"{value} = pto.tile.{random.choice(BINARY)} {a}, {b} : {TILE}")
                tiles.append(value)
        return tiles

    def condition(self, size: int, depth: int, tiles: list[str], indices: list[str], indent: str) -> list[str]:
        random = self.random
        count = random.randrange(3) if tiles else 0
        flag, result = self.name(), self.name()
        index, bound = random.choice([*indices, "%n"]), random.choice(["%c1", "%c2", "%c8"])
        self.emit(indent, f"{flag} = arith.cmpi {random.choice(['slt', 'sge', 'eq'])}, {index}, {bound} : index")
        types = ", ".join([f"!pto.{TILE}"] * count)
        number = f"{result}{f':{count}' if count > 1 else ''} = " if count else ""
        self.emit(indent, f"{number}scf.if {flag}{f' -> ({types})' if count else ''} {{")
        for branch in range(2):
            if branch:
                if not count and random.random() < 0.5:
                    break
                self.emit(indent, "} else {")
            inside = self.block(random.randrange(1, size + 2), depth, tiles, indices, indent + "  ")
            if count:
                self.emit(
                    indent + "  ", f"scf.yield {', '.join(random.choice(inside) for _ in range(count))} : {types}"
                )
        self.emit(indent, "}")
        return [] if not count else [result] if count == 1 else [f"{result}#{k}" for k in range(count)]

    def loop(self, size: int, depth: int, tiles: list[str], indices: list[str], indent: str) -> list[str]:
        random = self.random
        count = random.randrange(min(3, len(tiles)) + 1)
        inits = [random.choice(tiles) for _ in range(count)]
        arguments = [self.name() for _ in range(count)]
        index, result = self.name(), self.name()
        bound = random.choice(["%c0", "%c1", "%c2", "%c3", "%c5", "%c6", "%n"])
        carried = ", ".join(f"{a} = {i}" for a, i in zip(arguments, inits, strict=True))
        types = ", ".join([f"!pto.{TILE}"] * count)
        head = f" iter_args({carried}) -> ({types})" if count else ""
        number = f"{result}{f':{count}' if count > 1 else ''} = " if count else ""
        self.emit(indent, f"{number}scf.for {index} = %c0 to {bound} step %c1{head} {{")
        offset = self.name()
        self.emit(indent + "  ", f"{offset} = pto.muli {index}, {'%c4' if bound in ('%c5', '%c6') else '%c8'} : index")
        inside = self.block(size, depth, [*tiles, *arguments], [*indices, offset], indent + "  ")
        new = inside[len(tiles) :]
        if count:
            self.emit(indent + "  ", f"scf.yield {', '.join(random.choice(new) for _ in range(count))} : {types}")
        self.emit(indent, "}")
        return [] if not count else [result] if count == 1 else [f"{result}#{k}" for k in range(count)]
