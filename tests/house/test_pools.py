"""However many threads answer requests, the cache keeps as many connections as are used at once."""

from __future__ import annotations

import threading

from django.core.cache import cache

from atendimento import jobs


def test_threads_that_come_and_go_share_the_caches_connections(servers: None) -> None:
    def used() -> int:
        return len(jobs.connection().client_list())

    cache.set("known", 1)
    before = used()
    found: list[int] = []
    for _time in range(8):
        thread = threading.Thread(target=lambda: found.append(cache.get("known")))
        thread.start()
        thread.join()
    assert found == [1] * 8
    assert used() == before
