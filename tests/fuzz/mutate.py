"""
Mutants of the corpus. Mutant *i* depends only on *i*, the seed and the corpus.

Most mutants are made by one or a few gentle edits, the others by rough ones; `GENTLE` and `ROUGH` list these with weights.
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
    """A mutant: `text` is program `origin` after `edits`."""

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
        """Returns mutant `index`, whose text differs from its origin's."""
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
