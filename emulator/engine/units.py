"""
Maps PTX opcodes to the SASS instructions that they become: FFMA, IMAD, HMMA, LDSM …, or to a group of them: CVT, DIV, BITS …

ptxas folds and splits instructions, but multiplications, memory accesses and tensor-core instructions map one to one, so
that emulated counts can be compared with a disassembly.
"""

from __future__ import annotations

from functools import cache

_MATRIX = {"f16": "H", "bf16": "H", "tf32": "H", "s8": "I", "u8": "I", "s4": "I", "u4": "I", "f64": "D"}
_FLOAT = {"f32": "F", "f64": "D", "f16": "H", "bf16": "H", "f16x2": "H", "bf16x2": "H"}
_FLOAT_NAMES = {"fma": "FMA", "mad": "FMA", "add": "ADD", "sub": "ADD", "mul": "MUL", "min": "MNMX", "max": "MNMX"}
_MEMORY = {
    "ld": ("LD", {"global": "LDG", "shared": "LDS", "local": "LDL", "const": "LDC", "param": "LDC"}),
    "st": ("ST", {"global": "STG", "shared": "STS", "local": "STL"}),
    "atom": ("ATOM", {"global": "ATOMG", "shared": "ATOMS"}),
    "red": ("RED", {"global": "RED", "shared": "ATOMS"}),
}
_GROUPS = {
    "IMAD": "mul mad mad24 mul24 madc",
    "IADD": "add sub addc subc neg",
    "LOP3": "and or xor not cnot lop3",
    "SHF": "shl shr shf bfe bfi",
    "IMNMX": "min max",
    "IABS": "abs sad",
    "IDP": "dp4a dp2a",
    "MUFU": "ex2 lg2 rsqrt sin cos tanh",
    "DIV": "div rem",
    "SETP": "setp set testp",
    "SEL": "selp slct",
    "MOV": "mov cvta",
    "PRMT": "prmt",
    "CVT": "cvt",
    "LDSM": "ldmatrix",
    "STSM": "stmatrix",
    "BAR": "bar barrier",
    "MEMBAR": "membar fence",
    "SYNCS": "mbarrier",
    "SHFL": "shfl",
    "VOTE": "vote match activemask",
    "REDUX": "redux",
    "BRA": "bra brx call",
    "EXIT": "ret exit",
    "BITS": "popc clz bfind brev fns",
}
_NAMES = {word: name for name, words in _GROUPS.items() for word in words.split()}


@cache
def unit(opcode: str) -> str:
    """Returns `FFMA` for `fma.rn.f32`, `HMMA` for `mma.sync….bf16.bf16.f32`, or the PTX word if SASS has no equivalent."""
    word, *modifiers = opcode.split(".")
    type_ = modifiers[-1] if modifiers else ""
    if word in ("mma", "wgmma"):
        if word == "wgmma" and modifiers[:1] != ["mma_async"]:
            return "WARPGROUP"
        element = modifiers[-3] if word == "mma" else modifiers[-2]
        return _MATRIX.get(element, "Q") + ("MMA" if word == "mma" else "GMMA")
    if word in _MEMORY:
        plain, spaces = _MEMORY[word]
        return next((spaces[m.partition("::")[0]] for m in modifiers if m.partition("::")[0] in spaces), plain)
    if word == "cp":
        copies = "bulk" not in modifiers and any(m in ("ca", "cg") for m in modifiers)
        return "LDGSTS" if copies else "UBLKCP" if "bulk" in modifiers else "LDGDEPBAR"
    if type_ in _FLOAT and word in _FLOAT_NAMES:
        return _FLOAT[type_] + _FLOAT_NAMES[word]
    if word in ("rcp", "sqrt"):
        return "MUFU" if "approx" in modifiers else "DIV"
    return _NAMES.get(word, word)
