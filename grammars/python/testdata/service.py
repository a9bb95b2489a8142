#!/usr/bin/env python3
"""A sample service."""
from __future__ import annotations

import os, sys
from typing import (
    Any,
    Protocol,
)

# How long a token lives.
TTL: int = 300
host, (port, *rest) = "localhost", (1, 2)
left = right = None
declared: str

try:
    import redis
except ImportError:
    redis = None

if os.name == "nt":
    def platform_name():
        return "windows"
else:
    def platform_name():
        return "unix"


# Retries a call.
@decorator
# between
@other.decorator(
    attempts=3,
)
async def refresh(token, /, force=False, *, attempts: int = 3, **options) -> "Token":
    """Refreshes a token."""
    local = 1
    local_too: int = 2

    def backoff(n, *args):
        return 2 ** n

    async def inner():
        pass

    return lambda x: x


class Token(Base, metaclass=Meta):
    """A token."""

    kind = "bearer"
    value: str
    a, b = 1, 2

    # Says whether it is old.
    @property
    def expired(self) -> bool:
        return self.age > TTL

    @expired.setter
    def expired(self, value):
        self.age = value

    @staticmethod
    def parse(text: str, *parts): ...

    class Meta:
        ordering = ["value"]

        def describe(self): return "x"

    def __init__(self):
        self.age = 0


def outer():
    class Local:
        def method(self):
            pass
    return Local


handler = lambda event: None
Größe = 1

match sys.argv:
    case ["x"]:
        matched = 1


def last(): return 1
