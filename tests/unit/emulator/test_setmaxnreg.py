"""`setmaxnreg`: a CTA's pool of registers."""

from __future__ import annotations

from typing import Any

import pytest

from ptir.emulator import Memory, errors, launch, parse

DEC, INC = "setmaxnreg.dec.sync.aligned.u32 {};", "setmaxnreg.inc.sync.aligned.u32 {};"
REGISTERS: dict[str, tuple[str, str, str, Any]] = {
    "given and taken": (DEC.format(40), INC.format(232), "", None),
    "exactly": (DEC.format(24), INC.format(240), "", None),
    "too many": (DEC.format(40), INC.format(240), "", errors.Deadlock),
    "never given": ("", INC.format(176), "", errors.Deadlock),
    "given late": ("bar.sync 1, 384; " + DEC.format(40), "bar.sync 1, 384; " + INC.format(232), "", None),
    "given too late": ("bar.sync 1, 384; " + DEC.format(40), INC.format(232) + " bar.sync 1, 384;", "", errors.Deadlock),
    "raised by dec": (DEC.format(176), "", "", errors.RegisterPool),
    "lowered by inc": (DEC.format(40), INC.format(160), "", errors.RegisterPool),
    "not a multiple of 8": (DEC.format(44), "", "", errors.BadOperand),
    "too few": (DEC.format(16), "", "", errors.BadOperand),
    "part of a warpgroup": (DEC.format(40), "", "@part bra WORK;", (errors.DivergentWarp, errors.Deadlock)),
    "given back": (DEC.format(40), INC.format(232) + DEC.format(160) + INC.format(232), "", None),
}  # fmt: skip


@pytest.mark.parametrize("seed", [None, 0, 1])
@pytest.mark.parametrize("name", REGISTERS)
def test_register_pool(name: str, seed: int | None):
    """384 threads of 168 registers: a producer warpgroup and two that work."""
    first, others, part, fault = REGISTERS[name]
    text = f""".version 8.0
.target sm_90a
.address_size 64
.visible .entry k() .maxntid 384 .minnctapersm 1
{{ .reg .pred p, part; .reg .u32 t;
  mov.u32 t, %tid.x; setp.ge.u32 p, t, 128; setp.lt.u32 part, t, 32;
  {part}
  @p bra WORK; {first} ret;
WORK: {others} ret; }}"""
    run = {"grid": 2, "block": 384, "args": [], "memory": Memory(), "seed": seed}
    if fault:
        with pytest.raises(fault) as caught:
            launch(parse(text), "k", **run)
        if fault is errors.Deadlock:
            assert "registers of the CTA's pool" in caught.value.message
    else:
        launch(parse(text), "k", **run)


def test_registers_of_the_launch():
    """The caller may say what ptxas gave a thread; `.maxnreg` says it too."""
    text = """.version 8.0
.target sm_90a
.address_size 64
.visible .entry k() {} {{ setmaxnreg.inc.sync.aligned.u32 128; ret; }}"""
    run: dict[str, Any] = {"grid": 1, "block": 128, "args": [], "memory": Memory()}
    launch(parse(text.format("")), "k", **run)  # nothing is known
    launch(parse(text.format("")), "k", registers=128, **run)
    with pytest.raises(errors.Deadlock):
        launch(parse(text.format("")), "k", registers=120, **run)
    with pytest.raises(errors.RegisterPool):
        launch(parse(text.format(".maxnreg 136")), "k", **run)
