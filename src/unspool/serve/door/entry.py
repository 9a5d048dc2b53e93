"""What a browser without the cookie gets: a page whose only script swaps the token for it."""

from pathlib import Path
from typing import Final

_HERE: Final = Path(__file__).parent.parent / "static"
SCRIPT: Final = (_HERE / "enter.js").read_bytes()
STYLE: Final = (_HERE / "enter.css").read_bytes()

PAGE: Final = b"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>unspool</title>
<link rel="stylesheet" href="/static/enter.css">
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
