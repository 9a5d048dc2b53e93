"""What a browser without the cookie gets: a page whose only script swaps the token for it."""

from pathlib import Path
from typing import Final

SCRIPT: Final = (Path(__file__).parent.parent / "static" / "enter.js").read_bytes()

PAGE: Final = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>unspool</title>
<script type="module" src="/static/enter.js"></script>
</head>
<body>
<main>
<h1>unspool</h1>
<p id="enter">Open the address that unspool printed when it started:
it ends in <code>#t=</code> and a token.</p>
</main>
</body>
</html>
"""
