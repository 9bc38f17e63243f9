"""
Edits that preserve most of a program: they replace something by another of its kind, or add or remove an operation.

Many of the results still parse and verify, and therefore reach the passes.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from .tokens import Pools, of_kind, phrases, put, surroundings, tokenize, types_of_values
from .values import INTEGERS, another

Edit = Callable[[Random, str, Pools], str]

ESCAPES = ("\\00", "\\ff", "\\n", "\\q", "\\", "\\22", "é", "\\E2\\80", " ", "%", "{}", "*/", "//")


def exchange_everywhere(rng: Random, text: str, pools: Pools) -> str:
    """Replaces a size, an element type, a type or a symbol by another one, at all of its occurrences."""
    found = of_kind(text, (rng.choice(("integer", "integer", "scalar", "symbol")),)) or phrases(text)
    if not found or rng.random() < 0.15:
        found = phrases(text) or found
    if not found:
        return text
    old = rng.choice(found)
    new = another(rng, old, pools)
    same = [t for t in (*tokenize(text), *phrases(text)) if t.kind == old.kind and t.text == old.text]
    for token in sorted(same, key=lambda t: -t.start):
        text = put(text, token, new)
    return text


def exchange_one(rng: Random, text: str, pools: Pools) -> str:
    """Replaces one token by another of its kind."""
    kinds = ("integer", "float", "scalar", "op", "word", "string", "symbol", "sigil", "block")
    found = of_kind(text, (rng.choice(kinds),)) or of_kind(text, kinds)
    return put(text, token := rng.choice(found), another(rng, token, pools)) if found else text


def exchange_phrase(rng: Random, text: str, pools: Pools) -> str:
    """Replaces a type or attribute by another of the same name, or sometimes of any name."""
    return put(text, token := rng.choice(found), another(rng, token, pools)) if (found := phrases(text)) else text


def exchange_value(rng: Random, text: str, pools: Pools) -> str:
    """Replaces a use of a value by a use of another value of the program, mostly of the same type."""
    found = of_kind(text, ("value",))
    if not found:
        return text
    token = rng.choice(found)
    types = types_of_values(text)
    same = [t for t in found if t.text != token.text and types.get(t.text) == types.get(token.text)]
    return put(text, token, rng.choice(same if same and rng.random() < 0.9 else found).text)


def exchange_peer(rng: Random, text: str, pools: Pools) -> str:
    """Replaces an operation's name, or a word, by another that occurs between the same kinds of tokens."""
    tokens = tokenize(text)
    choices = [
        (token, peers)
        for at, token in enumerate(tokens)
        if token.kind in ("op", "word") and len(peers := pools.peers.get(surroundings(text, tokens, at), [])) > 1
    ]
    if not choices:
        return text
    token, peers = rng.choice(choices)
    return put(text, token, rng.choice([peer for peer in peers if peer != token.text]))


def edit_string(rng: Random, text: str, pools: Pools) -> str:
    """Changes characters, escapes or numbers inside a string: isl texts, symbol names, plans."""
    found = of_kind(text, ("string", "symbol"))
    if not found:
        return text
    token = rng.choice(found)
    body = token.text.strip('@"')
    inner = tokenize(body)
    if inner and rng.random() < 0.7:
        part = rng.choice(inner)
        body = put(body, part, rng.choice(("", another(rng, part, pools), rng.choice(inner).text)))
    else:
        at = rng.randint(0, len(body))
        body = body[:at] + rng.choice(ESCAPES) + body[at:]
    return put(text, token, ("@" if token.kind == "symbol" else "") + f'"{body}"')


def delete_line(rng: Random, text: str, pools: Pools) -> str:
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return "".join(lines[:at] + lines[at + rng.choice((1, 1, 1, 2)) :])


def duplicate_line(rng: Random, text: str, pools: Pools) -> str:
    """Duplicates a line, with new names for its results."""
    lines = text.splitlines(keepends=True)
    at = rng.choice([i for i, line in enumerate(lines) if " = " in line] or range(len(lines)))
    head, equals, tail = lines[at].partition(" = ")
    again = head.replace("%", "%again_") + equals + tail if equals else lines[at]
    return "".join([*lines[: at + 1], again, *lines[at + 1 :]])


def move_line(rng: Random, text: str, pools: Pools) -> str:
    lines = text.splitlines(keepends=True)
    line = lines.pop(rng.randrange(len(lines)))
    lines.insert(rng.randint(0, len(lines)), line)
    return "".join(lines)


def splice_line(rng: Random, text: str, pools: Pools) -> str:
    """Inserts a line of any program, or replaces a line by it."""
    lines = text.splitlines(keepends=True)
    at = rng.randrange(len(lines))
    return "".join([*lines[:at], rng.choice(pools.lines) + "\n", *lines[at + rng.randint(0, 1) :]])


def insert_operation(rng: Random, text: str, pools: Pools) -> str:
    """Inserts an operation of any program, with operands of this program that probably have the right types."""
    types = types_of_values(text)
    choices = sorted(name for name, kind in types.items() if kind in pools.operations)
    if not choices:
        return text
    line, kinds = rng.choice(pools.operations[types[rng.choice(choices)]])
    _, equals, right = line.partition(" = ")
    body = right if equals else line
    tokens = [t for t in tokenize(body) if t.kind == "value"]
    used = [rng.choice([n for n in sorted(types) if types[n] == kind] or choices) for kind in kinds]
    for token, name in zip(reversed(tokens), reversed(used), strict=True):
        body = put(body, token, name)
    lines = text.splitlines(keepends=True)
    at = max(
        (i for i, other in enumerate(lines) if any(f"{n} = " in other or f"{n}:" in other for n in used)), default=0
    )
    return "".join([*lines[: at + 1], f"%new{at} = {body}\n" if equals else f"{body}\n", *lines[at + 1 :]])


def add_attribute(rng: Random, text: str, pools: Pools) -> str:
    """Adds a discardable attribute to an operation, or an entry to an existing dictionary."""
    some = [rng.choice(texts) for texts in (*pools.phrases.values(), pools.tokens.get("string", ()), INTEGERS) if texts]
    value, word = rng.choice(some), rng.choice(pools.tokens.get("word") or ["a"])
    name = rng.choice(("a", '"é"', '""', '"x y"', "sym_name", "value", "plan", word))
    braces = [t for t in tokenize(text) if t.text == "{"]
    if braces and rng.random() < 0.3:
        return put(text, rng.choice(braces), f"{{{name} = {value}, ")
    lines = text.splitlines(keepends=True)
    if typed := [i for i, line in enumerate(lines) if " : " in line]:
        at = rng.choice(typed)
        head, colon, tail = lines[at].rpartition(" : (" if " : (" in lines[at] else " : ")
        lines[at] = f"{head} {{{name} = {value}}}{colon}{tail}"
    return "".join(lines)


def join_programs(rng: Random, text: str, pools: Pools) -> str:
    """Puts two programs into one module."""
    short = [other for other in rng.choices(pools.texts, k=8) if len(other) < 2000]
    return f"{text}\n{short[0]}" if short else text


GENTLE: Sequence[tuple[Edit, int]] = (
    (exchange_everywhere, 34),
    (exchange_one, 9),
    (exchange_phrase, 2),
    (exchange_value, 10),
    (exchange_peer, 8),
    (edit_string, 8),
    (delete_line, 2),
    (duplicate_line, 9),
    (move_line, 4),
    (splice_line, 1),
    (insert_operation, 14),
    (add_attribute, 8),
    (join_programs, 5),
)
