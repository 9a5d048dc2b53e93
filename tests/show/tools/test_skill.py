from unspool.show.tools import skill
from unspool.show.tools.details import DetailBuilder, MarkdownDetail, PairsDetail


def test_a_skill_is_its_name_in_the_line_and_prose_on_the_page() -> None:
    input = {"skill": "pdf"}

    assert skill.summary(input, None) == "pdf"
    assert skill.details(input, "Launched", DetailBuilder()) == [
        PairsDetail((("skill", "pdf"),)),
        MarkdownDetail("Launched", "answer"),
    ]
