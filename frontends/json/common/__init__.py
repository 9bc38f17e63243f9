"""What the JSON forms share: decoding, positions in the text, errors, formatting."""

from __future__ import annotations
