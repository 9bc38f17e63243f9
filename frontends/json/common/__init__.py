"""Shared code of the JSON forms: decoding, positions in the text, errors, formatting."""

from __future__ import annotations
