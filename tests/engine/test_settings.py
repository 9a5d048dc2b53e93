from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unspool.derive.alerts.rules import NOTICES
from unspool.engine.settings import Notify, UserSettings, decoded, findings, settings
from unspool.model.alerts import CostRule

WHOLE = """\
[notify]
command = ["notify-send", "{message}"]
timeout = 3
at_once = 4

[[alerts]]
when = "cost"
above = 5
"""
LINES = [*WHOLE.splitlines(), "[", "]", '"', "=", "[x", "[[alerts]]"]


def test_without_a_file_everything_is_as_it_comes(tmp_path: Path) -> None:
    assert settings(tmp_path) == UserSettings()


def test_what_is_settled_holds(tmp_path: Path) -> None:
    (tmp_path / "unspool.toml").write_text(WHOLE)

    made = settings(tmp_path)

    assert made.notify == Notify(command=("notify-send", "{message}"), timeout=3, at_once=4)
    assert made.rules == (CostRule(name="cost", above=5 * 10**12),)
    assert made.trouble == ()


def test_notices_of_every_kind_come_with_a_way_to_send_them() -> None:
    assert [one.name for one in decoded("[notify]\ndesktop = true").rules] == list(NOTICES)
    assert decoded("[notify]\ncommand = ['x']").rules == ()


def test_only_the_kinds_that_are_named_are_on() -> None:
    made = decoded("[notify]\nntfy = 'https://ntfy.sh/t'\nkinds = ['quota', 'waiting']")

    assert [one.name for one in made.rules] == ["waiting", "quota"]
    assert made.trouble == ()


@pytest.mark.parametrize(
    "address",
    [
        "ftp://host/secret", "file:///secret", "secret", "http://", "https://me:secret@host/x",
        "http://host:99999/secret", "http://host/se cret", "http://host/secr\\u00e9t",
        "//host/secret",
    ],
)  # fmt: skip
def test_an_address_that_cannot_be_used_is_told_by_its_line_and_not_shown(address: str) -> None:
    for key in ("webhook", "ntfy"):
        made = decoded(f'[notify]\n{key} = "{address}"')

        assert (made.notify.webhook, made.notify.ntfy, made.rules) == ("", "", ())
        assert [one[:21] for one in made.trouble] == ["unspool.toml line 2: "]
        assert "secr" not in made.trouble[0]


def test_what_a_hub_takes_is_the_least_where_it_cannot_be_read() -> None:
    assert [decoded(text).takes for text in ("", '[hub]\ntakes = "metadata"')] == [
        "raw",
        "metadata",
    ]
    for text in ('[hub]\ntakes = "all"', "[hub]\ntakes = true", "hub = true"):
        assert (decoded(text).takes, len(decoded(text).trouble)) == ("summary", 1)
    assert "line 2" in decoded('[hub]\ntakes = "all"').trouble[0]


@pytest.mark.parametrize("head", ["[hub]", " [ hub ]", '["hub"]'])
def test_a_table_that_is_left_out_keeps_all_projects_here(head: str) -> None:
    broken = decoded(f'{head}\nexclude = ["~/private/**"\n[notify]\nkinds = []')
    other = decoded('[hub]\nexclude = ["~/private/**"]\n[notify]\nkinds = [')

    assert (broken.private, broken.takes, len(broken.trouble)) == (("**",), "summary", 1)
    assert (other.private, other.takes, len(other.trouble)) == (("~/private/**",), "raw", 1)
    assert decoded("[notify]\nkinds = [").private == ()


def test_a_file_that_cannot_be_read_keeps_all_projects_here(tmp_path: Path) -> None:
    assert settings(tmp_path).private == ()
    (tmp_path / "unspool.toml").mkdir()
    found = settings(tmp_path)

    assert (found.private, found.takes, len(found.trouble)) == (("**",), "summary", 1)


def test_reads_through_a_hub_are_allowed_by_a_plain_yes_alone() -> None:
    assert decoded("[hub]\nallow_reads = true").allow_reads
    for text in ("", "[hub]\nallow_reads = false", "hub = true"):
        assert not decoded(text).allow_reads
    wrong = decoded('[hub]\nallow_reads = "yes"')
    assert (wrong.allow_reads, len(wrong.trouble)) == (False, 1)
    assert "line 2" in wrong.trouble[0]


def test_ntfy_needs_a_topic() -> None:
    assert decoded("[notify]\nntfy = 'https://ntfy.sh/'").notify.ntfy == ""


def test_projects_are_names_with_paths_in_their_order() -> None:
    made = decoded('[projects]\nweb = ["~/mono/web"]\n"my mono" = "~/mono"\nodd = ["/a", 3]\n')

    assert made.projects == (("web", ("~/mono/web",)), ("my mono", ("~/mono",)))
    assert len(made.trouble) == 1


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("\nmax_lines = 3", "line 2: unknown setting 'max_lines'; use one of alerts,"),
        ("[notify]\nshell = 'x'", "line 2: unknown setting 'shell'; use one of command,"),
        ("[notify]\ncommand = 'notify-send x'", "line 2: command must be a list of words"),
        ("[notify]\ntimeout = 0", "line 2: timeout must be a whole number of at least 1; using 10"),
        ("[notify]\nat_once = 'x'", "line 2: at_once must be a whole number"),
        ("notify = 3", "line 1: notify must be a table"),
        ("[notify]\ndesktop = 'yes'", "line 2: desktop must be true or false"),
        (
            "[notify]\n\nwebhok = 'https://x/y'",
            "line 3: unknown setting 'webhok'; use one of command,",
        ),
        ("[notify]\ndesktop = true\nkinds = 'waiting'", "line 3: kinds must be a list"),
        (
            "[notify]\ndesktop = true\nkinds = ['wating']",
            "line 3: unknown kind 'wating'; use one of",
        ),
        ("projects = 3", "line 1: projects must be a table"),
        ("[projects]\na = 'x'\nb = 3", "line 3: project 'b' must be a name with a list of paths"),
        ("[projects]\n'a/b' = 'x'", "line 2: project 'a/b' must be a name with a list of paths"),
        ("alerts = 3", "line 1: alerts is not a list of rules"),
        (
            "[[alerts]]\nuse = 'tool-error'\n\n[[alerts]]\nwhen = 'never'",
            "line 4: Alert 2 has when",
        ),
    ],
)
def test_what_cannot_be_used_is_said_in_a_sentence_with_its_line(text: str, said: str) -> None:
    trouble = decoded(text).trouble

    assert len(trouble) == 1
    assert f"unspool.toml {said}" in trouble[0]


@pytest.mark.parametrize("broken", ["timeout = = 3", "command = [", 'command = "x'])
def test_a_broken_table_is_left_out_and_the_others_are_read(broken: str) -> None:
    made = decoded(f"[notify]\n{broken}\n[[alerts]]\nuse = 'busy-file'\n")

    assert (len(made.rules), made.notify) == (1, Notify())
    assert "unspool.toml line " in made.trouble[0]


def test_a_file_that_is_no_text_is_said(tmp_path: Path) -> None:
    (tmp_path / "unspool.toml").mkdir()

    assert settings(tmp_path).trouble == ("unspool.toml cannot be read.",)


@given(st.text() | st.lists(st.sampled_from(LINES)).map("\n".join))
def test_any_text_gives_settings(text: str) -> None:
    assert isinstance(decoded(text), UserSettings)


def test_the_doctor_names_rules_that_cannot_be_used(tmp_path: Path) -> None:
    (tmp_path / "unspool.toml").write_text("[[alerts]]\nwhen = 'input'\nmatches = '(?=a)b'")

    found = list(findings(tmp_path))

    assert [one.grade for one in found] == ["wrong"]
    assert "look-arounds are not supported" in found[0].details[0]


def test_the_doctor_has_nothing_to_say_where_all_is_well(tmp_path: Path) -> None:
    assert not list(findings(tmp_path))
