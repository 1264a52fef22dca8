"""A server for the folder of the page; the files of the engine can be late or missing."""

from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Event, Thread
from typing import Any, ClassVar, Final

__all__ = ["DROP", "PageHandler", "serve_page"]

_PATIENCE: Final = 600  # seconds to wait for the engine's gate

DROP: Final = """([bytes, name]) => {
  const data = new DataTransfer();
  data.items.add(new File([new Uint8Array(bytes)], name));
  for (const kind of ["dragover", "drop"])
    document.body.dispatchEvent(
      new DragEvent(kind, { dataTransfer: data, bubbles: true, cancelable: true }));
}"""
"""JavaScript that drops a file, given as bytes and name, on a page."""


class PageHandler(SimpleHTTPRequestHandler):
    """A request handler that sends the files of a folder."""

    engine_gate: ClassVar = Event()  # the engine's files wait until this is set
    engine_gate.set()
    has_engine: ClassVar = True

    def do_GET(self) -> None:
        """Send a file; those of the engine can be late, or missing."""
        if "/engine/" in self.path:
            self.engine_gate.wait(_PATIENCE)
            if not self.has_engine:
                self.send_error(503)
                return
        super().do_GET()

    def guess_type(self, path: Any) -> str:
        """Return the media type that browsers insist on, independent of this system."""
        media_types = {
            ".mjs": "text/javascript",
            ".js": "text/javascript",
            ".wasm": "application/wasm",
        }
        return media_types.get(Path(path).suffix) or super().guess_type(path)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


@contextmanager
def serve_page(folder: Path) -> Iterator[str]:
    """Serve a folder on a free port; yield the address of the page in it."""
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(PageHandler, directory=folder))
    Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/index.html"
    server.shutdown()
    server.server_close()
