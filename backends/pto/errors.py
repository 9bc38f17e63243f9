"""Errors of tile programs that cannot be printed as C++."""

from __future__ import annotations

from ...errors import PtirError


class MemoryExhausted(PtirError):
    code = "PTIR0410"
    template = "the tiles of @{kernel} take {bytes:,} bytes in {location}, but {target} has {limit:,}"
    hint = "run pto-bufferize, which lets tiles share addresses, or choose smaller tiles"


class NotInPlace(PtirError):
    code = "PTIR0411"
    template = "{type} must be copied: {reason}"
    hint = "{help}"


class NotAView(PtirError):
    code = "PTIR0412"
    template = "{type} has no form as a GlobalTensor: {reason}"
    hint = "{help}"


class FlagPending(PtirError):
    code = "PTIR0414"
    template = "this op sets flag {id} from pipe {source} to pipe {target}, which is set already and not waited for yet"
    hint = "give one of the two events another eid, or none, or run pto-insert-events"


class EventIdsExhausted(PtirError):
    code = "PTIR0413"
    template = "more than {count} events from pipe {source} to pipe {target} are pending at a time"
    hint = "run pto-insert-events, which replaces what has no id by a barrier"
