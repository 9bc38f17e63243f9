"""Readers and writers of programs in other forms than IR."""
