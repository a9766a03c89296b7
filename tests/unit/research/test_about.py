"""Sentences that say something about a topic, and sentences that only mention it."""

import pytest

from daemon.research.about import (
    Aboutness,
    Place,
    Topic,
    about,
    begins_with,
    is_more_specific,
    is_sentence,
    setting_of,
)
from daemon.research.bm25 import terms


def _how(query: str, sentence: str, title: str = "", *, is_conclusion: bool = False) -> Aboutness:
    place = Place(sentence, frozenset(terms(sentence)), is_conclusion)
    (found,) = about(Topic(query, is_tagged=True), title, [place])
    return found


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        ("Asthma exacerbation", "Viruses are the main cause of asthma exacerbations in winter."),
        (
            "Asthma exacerbation",
            "No trial found a steroid worse in treating mild asthma exacerbations.",
        ),
        ("Foreign key", "It is an extension that a foreign key may refer to a unique index."),
        ("Acute lung injury", "Mortality in patients with an acute lung injury fell by half."),
    ],
)
def test_a_sentence_is_about_what_it_relates_to_something(topic: str, sentence: str) -> None:
    assert _how(topic, sentence) is Aboutness.STATES
    assert _how(topic, sentence, topic) is Aboutness.REPORTS


@pytest.mark.parametrize(
    ("topic", "sentence"),
    [
        ("Pulmonary embolism", "One of the patients died of a pulmonary embolism after surgery."),
        ("Acute lung injury", "Of 41 cases there were twelve who developed an acute lung injury."),
        ("Acute lung injury", "Severe diseases such as acute lung injury were seen in the ward."),
        ("Acute lung injury", "The acute injury of the liver was seen in most of the animals."),
        ("Foreign key", "In either case the foreign key is checked at the end of the statement."),
        ("Acute lung injury", "In mice, such an acute lung injury was the cause of the disease."),
    ],
)
def test_a_sentence_that_mentions_a_topic_in_passing_is_not_about_it(
    topic: str, sentence: str
) -> None:
    assert _how(topic, sentence) is Aboutness.NOT


@pytest.mark.parametrize(
    ("leans", "stands"),
    [
        (
            "When set to all, an acute lung injury is seen in ten patients.",
            "When it is severe, an acute lung injury is seen in ten patients.",
        ),
        (
            "An acute lung injury is seen in one of ten patients of group II.",
            "An acute lung injury is seen in one of ten patients of the group.",
        ),
        (
            "Another acute lung injury is seen in one of ten of those patients.",
            "An acute lung injury is seen in one of ten of those patients.",
        ),
        (
            "Acute lung injury was also rare among patients with the new drug.",
            "Acute lung injury was rare among patients with the new drug.",
        ),
        (
            'An acute lung injury is listed where the "mice" table has two of them.',
            "An acute lung injury is listed where the table has two of them.",
        ),
        (
            "Only list an acute lung injury where the films show two of them.",
            "An acute lung injury is listed where the films show two of them.",
        ),
    ],
)
def test_a_sentence_that_leans_on_its_page_is_not_about_a_topic(leans: str, stands: str) -> None:
    assert _how("Acute lung injury", leans) is Aboutness.NOT
    assert _how("Acute lung injury", stands) is not Aboutness.NOT


def test_the_conclusion_of_an_abstract_is_about_what_its_title_names() -> None:
    statement = "CONCLUSION: High levels of the enzyme go with a higher risk of death."
    title = "Do enzymes predict death in pulmonary embolism?"
    assert _how("Pulmonary embolism", statement, title, is_conclusion=True) is Aboutness.CONCLUDES
    assert _how("Pulmonary embolism", statement, title) is Aboutness.NOT
    assert _how("Chest pain", statement, title, is_conclusion=True) is Aboutness.NOT


def test_a_document_about_a_topic_is_quoted_for_its_informative_sentences() -> None:
    title = "How varroa mites travel between hives"
    result = "Within two months they took in 85 to 444 mites each, wherever they stood."
    opening = "Every decision of a keeper of bees begins with counting all of the mites."
    assert _how("Varroa", result, title) is Aboutness.REPORTS
    assert _how("Varroa", opening, title) is Aboutness.NOT
    assert _how("Varroa", result, "A year of beekeeping") is Aboutness.NOT


def test_what_a_topic_is_serves_only_where_the_vault_has_no_note_of_it() -> None:
    statement = "A phase response curve is the answer of the clock to light."
    place = Place(statement, frozenset(terms(statement)), is_conclusion=False)
    for is_missing, how in ((True, Aboutness.LEADS), (False, Aboutness.NOT)):
        topic = Topic("Phase response curve", is_tagged=False, is_missing=is_missing)
        assert list(about(topic, "", [place])) == [how]


def test_a_sentence_about_another_thing_of_the_topic_is_not_about_the_topic() -> None:
    statement = "Every decision about varroa begins with a count that is read as exact."
    assert _how("Varroa", statement) is Aboutness.NOT


def test_a_topic_of_one_word_must_be_in_the_title_where_nobody_asked() -> None:
    place = Place("Fever lasted for two days in a third of them.", frozenset(), is_conclusion=False)
    for is_tagged, title, how in (
        (True, "Fever in children", Aboutness.REPORTS),
        (True, "A virus of mice", Aboutness.STATES),
        (False, "Fever in children", Aboutness.REPORTS),
        (False, "A virus of mice", Aboutness.NOT),
    ):
        assert list(about(Topic("Fever", is_tagged), title, [place])) == [how]


@pytest.mark.parametrize(
    ("title", "how"),
    [
        ("Choosing a theme", Aboutness.REPORTS),
        ("Themes for a site", Aboutness.REPORTS),
        ("Theme development", Aboutness.NOT),
    ],
)
def test_a_word_before_another_noun_is_no_subject_of_a_title_where_nobody_asked(
    title: str, how: Aboutness
) -> None:
    result = "Navigation is limited to two levels, and cannot have more than 40 entries."
    place = Place(result, frozenset(terms(result)), is_conclusion=False)
    assert list(about(Topic("Theme", is_tagged=False), title, [place])) == [how]
    near = Place(result, frozenset(terms(result)), is_conclusion=False, near=0.5)
    assert list(about(Topic("Theme", is_tagged=False), title, [near])) == [Aboutness.REPORTS]


def test_a_sentence_that_only_repeats_its_title_says_nothing() -> None:
    statement = "Plot the surfaces of random forests on the iris data."
    assert (
        _how("Random forest", statement, "Plot surfaces of random forests on iris data")
        is Aboutness.NOT
    )


def test_of_a_name_that_reads_as_a_sentence_a_word_may_be_missing() -> None:
    statement = "Sets only the first URL of a remote that matches a pattern."
    assert _how("Update the URL of a remote", statement) is Aboutness.LEADS
    assert is_sentence("Update the URL of a remote")
    assert not is_sentence("Acute respiratory distress syndrome")


@pytest.mark.parametrize(
    ("topic", "how"),
    [
        ("Add A Check Constraint To A Table", Aboutness.LEADS),
        ("Add A Check Constraint To A View", Aboutness.NOT),
        ("The Check Constraint Of A Table", Aboutness.LEADS),
        ("Create A Constraint", Aboutness.NOT),
    ],
)
def test_where_nobody_asked_only_the_verb_of_a_long_name_may_be_missing(
    topic: str, how: Aboutness
) -> None:
    text = "A check constraint of a column should refer to its value only, one of a table to more."
    place = Place(text, frozenset(), is_conclusion=False)
    assert list(about(Topic(topic, is_tagged=False), "", [place])) == [how]


def test_what_the_note_says_already_is_not_said_again() -> None:
    note = frozenset(terms("Staling of bread is fastest just above the freezing point."))
    statement = "Bread staling is fastest just above freezing."
    again = Place(statement, frozenset(terms(statement)), is_conclusion=False)
    (how,) = about(Topic("bread staling", is_tagged=True, known=note), "", [again])
    assert how is Aboutness.NOT
    assert is_more_specific(terms("staling slows with fat and sugar"), note)


def test_a_note_in_a_folder_that_it_names_asks_only_documents_that_name_it() -> None:
    setting = setting_of("tools/vim/match-words.md", "The start of a word in Vim is an atom.")
    topic = Topic("Match words", is_tagged=True, setting=setting)
    for statement, how in (
        ("Match words at their boundary with this option.", Aboutness.NOT),
        ("Match words of Vim with an atom for their start.", Aboutness.LEADS),
    ):
        assert list(about(topic, "", [Place(statement, frozenset(terms(statement)), False)])) == [
            how
        ]
    assert not setting_of("ideas/bread.md", "There are ideas about bread in here.")


TELLS = "Only one in five of 41 patients needed more than a week of treatment."


def test_a_secondary_subject_of_a_title_must_occur_in_the_sentence() -> None:
    assert _how("Melatonin", TELLS, "The dose of melatonin") is Aboutness.REPORTS
    assert (
        _how("Melatonin", TELLS, "Phase response curves for light and melatonin") is Aboutness.NOT
    )
    named = "Melatonin moved the clock by 40 minutes in 12 of 41 patients."
    title = "Phase response curves for light and melatonin"
    assert _how("Melatonin", named, title) is Aboutness.REPORTS


@pytest.mark.parametrize(("near", "expected"), [(0.5, Aboutness.STATES), (0.3, Aboutness.NOT)])
def test_an_informative_sentence_similar_to_the_note_need_only_name_the_topic(
    near: float, expected: Aboutness
) -> None:
    sentence = "Evening light of 6 to 350 lux halves melatonin in 55 healthy adults."
    place = Place(sentence, frozenset(terms(sentence)), is_conclusion=False, near=near)
    (found,) = about(Topic("Melatonin", is_tagged=False), "Daylight in numbers", [place])
    assert found is expected


def test_how_frequent_a_topic_is_says_something_of_it() -> None:
    share = "Of the cases there were twelve (32%) who developed an acute lung injury."
    assert _how("Acute lung injury", share) is Aboutness.STATES


def test_a_title_begins_with_its_topic() -> None:
    topic = Topic("Rich-text CRDTs", is_tagged=False)
    assert begins_with(topic, "Rich-text CRDTs: how to merge bold")
    assert not begins_with(topic, "How to merge bold in rich-text CRDTs")


@pytest.mark.parametrize(
    "empty",
    [
        "The commits on a branch are listed by this program.",
        'List the commits on the branch "mhf" unless told otherwise.',
    ],
)
def test_a_how_to_question_is_answered_by_an_informative_sentence(empty: str) -> None:
    assert _how("List commits on a branch", empty) is Aboutness.NOT
    statement = "Commits on a branch are listed only up to the limit."
    assert _how("List commits on a branch", statement) is Aboutness.LEADS


def test_of_a_conclusion_what_only_asks_for_research_is_not_quoted() -> None:
    title = "Oral steroids in asthma exacerbations"
    asks = "However, more research is needed to see who needs them."
    statement = "CONCLUSION: Two days of the new drug are an alternative to five."
    assert _how("Asthma exacerbations", asks, title, is_conclusion=True) is Aboutness.NOT
    assert _how("Asthma exacerbations", statement, title, is_conclusion=True) is Aboutness.CONCLUDES


def test_a_title_may_name_a_topic_in_passing_where_the_document_is_close_to_the_note() -> None:
    title = "Is atropine needed with ketamine sedation?"
    for near, how in ((0.5, Aboutness.REPORTS), (0.1, Aboutness.NOT)):
        place = Place(TELLS, frozenset(terms(TELLS)), is_conclusion=False, near=near)
        assert list(about(Topic("Ketamine", is_tagged=False), title, [place])) == [how]


def test_next_to_the_conclusion_of_an_abstract_only_what_names_the_topic_is_a_result() -> None:
    texts = [
        "Factor analysis gave 4 factors that explain 70 % of the variance in the data.",
        "Alcohol withdrawal lowered the level in 12 of 30 patients.",
        "CONCLUSION: A low level in alcohol withdrawal may contribute to anxiety.",
    ]
    places = [Place(each, frozenset(terms(each)), at == 2) for at, each in enumerate(texts)]
    found = list(about(Topic("Alcohol withdrawal", is_tagged=False), "Alcohol withdrawal", places))
    assert found == [Aboutness.NOT, Aboutness.REPORTS, Aboutness.CONCLUDES]
    assert next(
        about(Topic("Alcohol withdrawal", is_tagged=False), "Alcohol withdrawal", places[:1])
    ) is (Aboutness.REPORTS)


def test_the_words_of_a_short_topic_must_be_together() -> None:
    apart = "If the table is a partitioned table, then all its clone triggers are renamed as well."
    together = "Renaming a table keeps its indexes, but not the names of its constraints."
    assert _how("Renaming a table", apart) is Aboutness.NOT
    assert _how("Renaming a table", together) is Aboutness.LEADS


def test_a_document_far_from_the_note_behind_a_word_means_another_thing_by_it() -> None:
    said = "The quorum is lost if more than half of the votes are missing at once."
    for near, expected in ((0.44, Aboutness.NOT), (0.45, Aboutness.REPORTS)):
        place = Place(said, frozenset(terms(said)), is_conclusion=False, near=near)
        assert list(about(Topic("Quorum", is_tagged=True), "Quorum", [place])) == [expected]


def test_a_sentence_that_only_repeats_a_topic_says_nothing() -> None:
    topic = "Partial index"
    for said, expected in (
        ("The use of a partial index is described under partial index.", Aboutness.NOT),
        ("The use of a partial index shortens each scan of a table.", Aboutness.STATES),
    ):
        assert _how(topic, said) is expected
