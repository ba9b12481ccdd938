"""Calls that start at the same moment."""

import threading


def race(contenders):
    """Run the calls at once in threads and return what they returned."""
    ready = threading.Barrier(len(contenders))
    results = []

    def run(contender):
        ready.wait()
        results.append(contender())

    threads = [threading.Thread(target=run, args=(contender,)) for contender in contenders]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return results
