"""An address -> the reader's browser, where there is one to be seen."""

import os
import sys
import webbrowser
from threading import Thread


def has_screen() -> bool:
    """Without a screen a browser would draw over this terminal."""
    if os.environ.get("BROWSER"):
        return True
    if sys.platform in ("darwin", "win32"):
        return not os.environ.get("SSH_CONNECTION")
    return bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def open_beside(address: str) -> Thread:
    """Open it beside whatever else goes on; some browsers come back only when they are closed."""
    made = Thread(target=webbrowser.open, args=(address,), daemon=True)
    made.start()
    return made
