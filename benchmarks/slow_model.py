"""The stand-in's answers, given as late as a real model gives them: so that a fault finds calls under way.

python -m benchmarks.slow_model --port 18080 --seed 7 --least 0.3 --most 2.0
"""

from __future__ import annotations

import argparse
import json
import random
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from atendimento.standin import protocol


class Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False

    def __init__(self, port: int, seed: int, least: float, most: float) -> None:
        self.chance = random.Random(seed)
        self.least, self.most = least, most
        super().__init__(("127.0.0.1", port), _Handler)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 120
    server: Server

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        time.sleep(self.server.chance.uniform(self.server.least, self.server.most))
        answer = json.dumps(protocol.chat(body)).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 -- the base class names it so
        """Says nothing: bodies hold what customers wrote."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, required=True)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.3, help="seconds")
    parser.add_argument("--most", type=float, default=2.0, help="seconds")
    options = parser.parse_args()
    Server(options.port, options.seed, options.least, options.most).serve_forever()


if __name__ == "__main__":
    main()
