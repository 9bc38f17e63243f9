"""Edits that mostly break the syntax, by changing tokens, brackets, quotes, characters or halves of programs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random

from .tokens import Pools, put, tokenize

Edit = Callable[[Random, str, Pools], str]

CHARACTERS = (
    *("\x00", "\x7f", "\r", "\v", "\t", "²", "٣", "é", "\ufeff", "\u2028", "𝔸", "\ud800"),
    *("`", "$", "\\", '"', "'", "~"),
)
BRACKETS = "<>()[]{}"


def delete_token(rng: Random, text: str, pools: Pools) -> str:
    return put(text, rng.choice(found), "") if (found := tokenize(text)) else text


def duplicate_token(rng: Random, text: str, pools: Pools) -> str:
    return put(text, token := rng.choice(found), f"{token.text} {token.text}") if (found := tokenize(text)) else text


def swap_tokens(rng: Random, text: str, pools: Pools) -> str:
    found = tokenize(text)
    if len(found) < 2:
        return text
    if rng.random() < 0.5:
        at = rng.randrange(len(found) - 1)
        first, second = found[at], found[at + 1]
    else:
        first, second = sorted(rng.sample(found, 2), key=lambda t: t.start)
    return put(put(text, second, first.text), first, second.text)


def insert_token(rng: Random, text: str, pools: Pools) -> str:
    kind = rng.choice(sorted(pools.tokens))
    at = rng.choice(found).start if (found := tokenize(text)) else 0
    return f"{text[:at]}{rng.choice(pools.tokens[kind])} {text[at:]}"


def truncate(rng: Random, text: str, pools: Pools) -> str:
    return text[: rng.randint(0, max(0, len(text) - 1))]


def flip_bracket(rng: Random, text: str, pools: Pools) -> str:
    found = [t for t in tokenize(text) if t.text in BRACKETS]
    return put(text, rng.choice(found), rng.choice(BRACKETS)) if found else text


def drop_quote(rng: Random, text: str, pools: Pools) -> str:
    """Removes or inserts a quotation mark."""
    quotes = [i for i, character in enumerate(text) if character == '"']
    if quotes and rng.random() < 0.7:
        at = rng.choice(quotes)
        return text[:at] + text[at + 1 :]
    at = rng.randint(0, len(text))
    return text[:at] + '"' + text[at:]


def insert_character(rng: Random, text: str, pools: Pools) -> str:
    at = rng.randint(0, len(text))
    character = rng.choice((rng.choice(CHARACTERS), chr(rng.randrange(0x20, 0x7F))))
    return text[:at] + character + text[at + rng.randint(0, 1) :]


def splice_halves(rng: Random, text: str, pools: Pools) -> str:
    """Joins the first lines of this program and the last lines of another."""
    lines, others = text.splitlines(keepends=True), rng.choice(pools.texts).splitlines(keepends=True)
    return "".join(lines[: rng.randint(0, len(lines))] + others[rng.randint(0, len(others)) :])


def nest(rng: Random, text: str, pools: Pools) -> str:
    """Repeats an opening bracket, or another prefix that nests, up to thousands of times."""
    found = [t for t in tokenize(text) if t.text in "<([{"]
    if not found:
        return text
    token = rng.choice(found)
    opened = rng.choice((token.text, "tensor<", "tuple<", "[", '"a.b"() ({', "{a = "))
    return put(text, token, opened * rng.choice((2, 10, 300, 5000)))


ROUGH: Sequence[tuple[Edit, int]] = (
    (delete_token, 5),
    (duplicate_token, 3),
    (swap_tokens, 4),
    (insert_token, 4),
    (truncate, 2),
    (flip_bracket, 3),
    (drop_quote, 2),
    (insert_character, 4),
    (splice_halves, 3),
    (nest, 1),
)
