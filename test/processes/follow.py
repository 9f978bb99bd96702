"""Follows the change feed with the client, and appends each sequence to a file when it is handled."""
import asyncio
import sys

from filing_events import Client, file_cursor

address, key, state, handled, kind = sys.argv[1:]
changes = Client(address, key).changes(since="2026-01-01", form="8-K").follow(cursor=file_cursor(state))


def handle(change):
    with open(handled, "a") as file:
        file.write(f"{change['sequence']}\n")


async def follow():
    async for change in changes:
        handle(change)


if kind == "async":
    asyncio.run(follow())
for change in changes:
    handle(change)
