"""Iterables for `for` and for `async for`."""
from __future__ import annotations

import asyncio
import threading
from typing import Any, AsyncIterator, Callable, Generic, Iterator, Tuple, TypeVar

Row = TypeVar("Row")


class Rows(Generic[Row]):
    """Rows that are made by an iterator, for `for` and for `async for`. Example: `Rows(lambda: iter([1, 2]))`."""

    def __init__(self, make: Callable[[], Iterator[Row]]) -> None:
        self._make = make

    def __iter__(self) -> Iterator[Row]:
        return self._make()

    async def __aiter__(self) -> AsyncIterator[Row]:
        rows = self._make()
        while True:
            is_there, row = await _in_thread(lambda: _next(rows))
            if not is_there:
                return
            yield row


def _next(rows: Iterator[Row]) -> Tuple[bool, Any]:
    # A StopIteration cannot leave a coroutine.
    for row in rows:
        return True, row
    return False, None


async def _in_thread(work: Callable[[], Any]) -> Any:
    """Runs what waits for the network in a thread that does not keep the program from ending.

    The threads of `asyncio.to_thread` do: after Ctrl+C the program would hang until the service answers.
    """
    loop = asyncio.get_running_loop()
    done: "asyncio.Future[Any]" = loop.create_future()

    def settle(set_outcome: Callable[[Any], None], outcome: Any) -> None:
        if not done.done():
            set_outcome(outcome)

    def run() -> None:
        try:
            outcome: Tuple[Callable[[Any], None], Any] = (done.set_result, work())
        except BaseException as failure:  # noqa: B036 - it goes on in the loop
            outcome = (done.set_exception, failure)
        try:
            loop.call_soon_threadsafe(settle, *outcome)
        except RuntimeError:
            pass  # the loop has ended meanwhile

    threading.Thread(target=run, daemon=True).start()
    return await done
