"""
Mutants of the corpus: mutant *i* of a seed is a function of the two and of the corpus, and of nothing else.

Most take one gentle edit or a few, the others rough ones; `GENTLE` and `ROUGH` list them with their weights.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from random import Random

from .corpus import Program
from .gentle import GENTLE
from .rough import ROUGH
from .tokens import Pools


@dataclass(frozen=True)
class Mutant:
    """`text` is program `origin` after `edits`."""

    index: int
    origin: Program
    text: str
    edits: tuple[str, ...]


@dataclass(frozen=True)
class Mutator:
    """The mutants of a corpus under a seed."""

    programs: tuple[Program, ...]
    seed: int

    @cached_property
    def pools(self) -> Pools:
        return Pools(tuple(program.text for program in self.programs))

    def mutant(self, index: int) -> Mutant:
        """Mutant `index`; its text differs from that of its origin."""
        rng = Random(f"{self.seed}:{index}")
        origin = self.programs[index % len(self.programs)]
        while True:
            text, names = origin.text, list[str]()
            gentle = rng.random() < 0.88
            for _ in range(rng.choices((1, 2, 3), (8, 2, 1))[0]):
                table = GENTLE if gentle else ROUGH
                (edit,) = rng.choices([e for e, _ in table], [weight for _, weight in table])
                text = edit(rng, text, self.pools)
                names.append(edit.__name__)
            if text != origin.text:
                return Mutant(index, origin, text, tuple(names))
