"""What a report does not quote: sentences that only say where something is stated."""

import pytest

from daemon.model.finding import NoteLine
from daemon.reports.said import points_elsewhere, states_nothing


@pytest.mark.parametrize(
    "text",
    [
        "See `man git-show` for more details.",
        "For more information on the flags, see the manual page of git-log.",
        "Check out the docs on connection pooling for more examples.",
        "More details can be found in the release notes of version 12.",
        "Read more about this in the official guide to partitioning.",
        "See also: Local-first software.",
        "You can find more on that page of the wiki.",
        "Run git help stash to see all options.",
        "Siehe auch Kapitel 4.",
        "I can get more info about these config values by running npm help 7 config.",
        "详见官方文档。",
    ],
)
def test_a_sentence_that_only_points_elsewhere_is_no_content(text: str) -> None:
    assert points_elsewhere(text)


@pytest.mark.parametrize(
    "text",
    [
        "Git show prints the commit and its diff, which is enough for most reviews.",
        "The option --stat shows the changed files and how many lines each has lost.",
        "You see mites on the bees when more than three per cent are infested.",
        "Readers of the log see all merges unless --no-merges is given.",
        "The documentation of a decision must name its alternatives.",
        "For full backups the daemon stops writing for a moment.",
        "Visit the hive in August, because the winter brood begins then.",
    ],
)
def test_a_sentence_with_the_same_words_that_states_something_is_content(text: str) -> None:
    assert not points_elsewhere(text)


def test_a_sentence_that_is_torn_states_nothing() -> None:
    torn = (
        "The most common outcomes of all causes include This newly recognized coronavirus spreads."
    )
    assert states_nothing(NoteLine("A.md", torn))
    assert not states_nothing(NoteLine("A.md", "The novel It was read by all of us in that year."))
