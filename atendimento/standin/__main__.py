"""`python -m atendimento.standin --host 127.0.0.1 --port 8080` runs the stand-in until it is told to stop."""

from __future__ import annotations

import argparse
import signal
import sys
import threading
from types import FrameType

from atendimento.standin.protocol import MODEL
from atendimento.standin.server import Server


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m atendimento.standin", description="A stand-in for a language model.")
    parser.add_argument("--host", default="127.0.0.1")
    parser.add_argument("--port", type=int, default=8080)
    options = parser.parse_args()
    try:
        server = Server(options.host, options.port)
    except (OSError, OverflowError) as error:
        print(f"{options.host}:{options.port}: {error}", file=sys.stderr)  # noqa: T201 - a command speaks to its terminal
        return 1

    def stop(_: int, __: FrameType | None) -> None:
        # `shutdown` waits for the serving loop, which this very thread runs.
        threading.Thread(target=server.shutdown).start()

    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, stop)
    print(f"{MODEL} on http://{options.host}:{server.server_port}/v1", flush=True)  # noqa: T201
    server.serve_forever()
    server.server_close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
