"""A client of the service, with what the newer syntax offers."""
import asyncio
import collections.abc as abc
import os.path
from contextlib import asynccontextmanager, suppress as ignoring
from dataclasses import dataclass, field
from typing import Annotated, Generic, Literal, TypeVar

from . import errors
from .session import Session, open_session as connect
from ..shared.models import *

T = TypeVar("T")
type Handler[K] = abc.Callable[[K, Session], "Reply"]
LIMITS: dict[str, int] = {"hour": 60, "day": 600}


@dataclass(frozen=True, slots=True)
class Reply(Generic[T], errors.Traced):
    status: Literal["ok", "bad"]
    body: T | None = None
    headers: dict[str, list[str]] = field(default_factory=dict)

    @classmethod
    def empty(cls) -> "Reply[T]":
        return cls(status="ok")


class Client:
    timeout: float = 1.5

    def __init__(self, session: Session, *hooks: Handler, retries=3, **options: str):
        self.session = session
        self.pool: Pool | None = None
        self.cache = None
        self.low, self.high = 0, 10
        self.timeout = 3.0
        self._hooks = list(hooks)
        self.retries = retries

    async def get(self, path: str, /, *, params: abc.Mapping[str, int] | None = None) -> Reply[bytes]:
        if self.cache is None:
            self.cache = Cache(limit=LIMITS["hour"])
        if (hit := self.cache.find(path)) is not None:
            return hit.reply
        async with connect(self.session) as conn, self.pool.lock:
            raw = await conn.send("GET", path, **(params or {}))
        for hook, (name, *rest) in zip(self._hooks, raw.pairs()):
            hook(raw).apply(name, rest)
        return Reply[bytes]("ok", raw.body)

    def lines(self, data: bytes):
        total = 0
        rows = [row.strip() for row in data.splitlines() if row]
        index = {key: value for key, value in pairs(rows)}
        longest = max((len(r) for r in rows), key=lambda n: n)
        first, second = rows[0], Reply.empty()
        second.headers.update(index)
        try:
            total += int(first.title())
        except (ValueError, errors.Parse) as err:
            raise errors.Bad(total) from err
        except* OSError as group:
            log(group.exceptions)
        with open(os.path.join("a", "b")) as (left, right), ignoring(KeyError):
            left.write(right.read())
        return total, longest

    class Builder:
        def __init__(self):
            self.parts = []

        def add(self, part):
            def late():
                self.parts.append(part)
            self.done = late
            return self


@asynccontextmanager
async def session(url: Annotated[str, "where"], retry: "Retry" = None):
    def inner[S: Client, U](of: S, other: U) -> S:
        nonlocal retry
        return of.clone(other)

    yield await inner(Client(Session(url)), retry)


def describe(value):
    match value:
        case Reply(status="ok", body=content):
            return content.decode()
        case [Client() as client, *others]:
            return client.get(others)
        case {"kind": kind, **more}:
            return kind, more
        case errors.LOW | Level.HIGH:
            return value.level
        case other:
            return str(other)


if __name__ == "__main__":
    main = asyncio.run(describe(Reply.empty()))
    for code in sorted(LIMITS):
        print(f"{code:>10} {main!r}", file=errors.stream)
