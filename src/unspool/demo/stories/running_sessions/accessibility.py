"""Sends an agent that runs axe, and fixes what it finds."""

from unspool.demo.script.steps import HAIKU, SONNET, Story, answer, prompt, say
from unspool.demo.script.tools import agent, bash, edit, grep, read

STORY = Story(
    name="accessibility-round",
    title="Accessibility of the web pages",
    model=SONNET,
    branch="accessibility",
    steps=[
        prompt(
            "Run axe over all pages and fix what it finds. One agent runs the check, you do the fixing.",
            after=5,
        ),
        agent(
            "general-purpose",
            "Run axe on every page",
            "Run axe with playwright on every route of the web application, light and dark, and list the violations by rule.",
            [
                bash(
                    "npx --prefix web playwright test axe --reporter=line",
                    "  2 failed\n    [light] /shipments › color-contrast: td.muted 3.9:1\n    [dark] /import › label: input[type=file] has no label\n  16 passed (31.0s)",
                    exit=1,
                    took=33.0,
                ),
                answer(
                    "Two violations: contrast of `td.muted` in the list (3.9:1, needs 4.5:1), and the file input of the import page has no label in dark mode."
                ),
            ],
            model=HAIKU,
        ),
        grep(r"\.muted", "web/src/app.css:71:.muted { color: #8a8a8a; }", path="web/src"),
        edit(
            "web/src/app.css", ".muted { color: #8a8a8a; }", ".muted { color: #6b6b6b; }", line=71
        ),
        say("The missing label in dark mode is strange: the label should not depend on the theme."),
        read(
            "web/src/app.css",
            "@media (prefers-color-scheme: dark) {\n  dialog label { display: none; }\n}",
            line=120,
            total=160,
        ),
        edit("web/src/app.css", "  dialog label { display: none; }\n", "", line=121),
        bash(
            "npx --prefix web playwright test axe --reporter=line", "  18 passed (30.4s)", took=32.0
        ),
        answer(
            "No violations left. The label was hidden in dark mode by a leftover rule from an experiment."
        ),
    ],
)
