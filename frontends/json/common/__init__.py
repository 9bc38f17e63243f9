"""What the forms of JSON share: where the parts of a text stand, how it is decoded, what can be wrong with it."""

from __future__ import annotations
