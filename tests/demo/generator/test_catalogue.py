from __future__ import annotations

from unspool.demo.generator.catalogue import SCENES
from unspool.demo.generator.eras import ERAS


def test_every_scene_has_a_name_of_its_own() -> None:
    assert len({scene.name for scene in SCENES}) == len(SCENES)


def test_every_scene_plays_in_known_ages() -> None:
    assert {era for scene in SCENES for era in scene.eras} == set(ERAS)


def test_what_must_come_first_or_last_is_never_drawn_for_the_middle() -> None:
    assert not [scene.name for scene in SCENES if scene.weight and (scene.opens or scene.ends)]


def test_what_copies_its_session_is_never_drawn_for_one_without_a_tape() -> None:
    assert not [scene.name for scene in SCENES if scene.weight and scene.copies]
