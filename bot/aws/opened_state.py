"""The state that EC2_PICK_STATE names, opened: one SQLite file, or DynamoDB with SQS."""

import os
import sqlite3
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

from bot.store.location import (
    DEAD_LETTER_URL,
    QUEUE_URL,
    VARIABLE,
    StateLocationError,
    dynamodb_table,
    state_path,
)
from bot.store.store import Items, JobQueue, Store

if TYPE_CHECKING:
    from bot.store.dynamodb import Table
    from bot.store.sqlite import Database


class WakingQueue(JobQueue, Protocol):
    """A queue that tells when a job was added through it."""

    on_send: Callable[[], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Everything that is remembered. `close` ends the use of it."""

    store: Store
    items: Items
    queue: WakingQueue
    close: Callable[[], None]


def opened_state(environ: Mapping[str, str] = os.environ) -> State:
    """Return the state; on DynamoDB no call is made yet.

    Raises:
        StateLocationError: the variables name no place, or it cannot be opened.
    """
    table = dynamodb_table(environ)
    return _on_one_machine(environ) if table is None else _on_aws(table, environ)


def opened_items(environ: Mapping[str, str] = os.environ) -> Items:
    """Return the documents alone, for what needs neither claims nor a queue.

    Raises:
        StateLocationError: the variable names no place, or it cannot be opened.
    """
    table = dynamodb_table(environ)
    if table is None:
        from bot.store.sqlite import SqliteItems

        return SqliteItems(_database(environ))
    from bot.store.dynamodb_items import DynamoDbItems

    return DynamoDbItems(_open_table(table, environ))


def _database(environ: Mapping[str, str]) -> "Database":
    from bot.store.sqlite import Database

    try:
        return Database(state_path(environ))
    except (OSError, sqlite3.Error) as error:
        raise StateLocationError(
            f"the state cannot be opened: {error}; {VARIABLE} names another place"
        ) from error


def _open_table(name: str, environ: Mapping[str, str]) -> "Table":
    from bot.aws.client import AwsClient
    from bot.store.dynamodb import Table

    return Table(AwsClient("dynamodb", environ), name)


def _on_one_machine(environ: Mapping[str, str]) -> State:
    from bot.store.sqlite import SqliteItems, SqliteQueue, SqliteStore

    database = _database(environ)
    return State(
        store=SqliteStore(database),
        items=SqliteItems(database),
        queue=SqliteQueue(database),
        close=database.close,
    )


def _on_aws(table_name: str, environ: Mapping[str, str]) -> State:
    from bot.aws.client import AwsClient
    from bot.store.dynamodb import DynamoDbStore
    from bot.store.dynamodb_items import DynamoDbItems
    from bot.store.sqs_queue import SqsQueue

    missing = [name for name in (QUEUE_URL, DEAD_LETTER_URL) if not environ.get(name)]
    if missing:
        raise StateLocationError(
            f"state on DynamoDB needs its SQS queues: set {' and '.join(missing)} to their URLs"
        )
    table = _open_table(table_name, environ)
    items = DynamoDbItems(table)
    sqs = AwsClient("sqs", environ)
    queue = SqsQueue(sqs, environ[QUEUE_URL], environ[DEAD_LETTER_URL], items)
    return State(store=DynamoDbStore(table), items=items, queue=queue, close=sqs.close)
