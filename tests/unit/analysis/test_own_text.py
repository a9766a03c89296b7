"""What of a note is its owner's own text."""

from daemon.analysis.own_text import own_chunk, own_text
from daemon.analysis.vault_names import Names

GARDEN = """tags
: [Unsupervised Learning]({{< relref "unsupervised_learning" >}})

SimCLR learns [representations]({{< relref "x" >}}) (Chen et al., 2020).

{{< figure src="/ox-hugo/shot.png" >}}

## Data Augmentation {#data-augmentation}

modality
: the way in which something happens

## References {#references}

Chen, T., A simple framework

### Papers

More

## Contrastive loss

It pulls pairs together.
"""


def test_shortcodes_filing_lines_and_sections_that_list_pages_are_excluded() -> None:
    reported = " ".join(own_text(GARDEN).split())
    assert reported == (
        "SimCLR learns [representations]() . ## Data Augmentation modality : the way in which"
        " something happens ## Contrastive loss It pulls pairs together."
    )


def test_what_org_leaves_and_inline_properties_are_excluded() -> None:
    org = "#+title: Bees\n:PROPERTIES:\n:ID: 1\n:END:\ntags :: [[hives]]\n- source:: book\n\nBees."
    assert own_text(org).split() == ["Bees."]


def test_code_stays_as_it_is() -> None:
    code = "```sh\n# References\ntags: x\n```\nBees"
    assert own_text(code) == code


def test_a_chunk_under_such_a_heading_says_nothing_and_one_that_ends_with_it_its_beginning() -> (
    None
):
    assert own_chunk("Bibliography", "Chen, T., A simple framework") == ""
    assert own_chunk("Loss", "It pulls pairs.\n\nSee also\n\nOther").strip() == "It pulls pairs."


def test_a_section_that_every_note_may_have_is_no_name() -> None:
    names = Names((), ["Bibliography", "Siehe auch", "Contrastive loss"])
    assert "Contrastive loss" in names
    assert "Bibliography" not in names
    assert "Siehe auch" not in names
