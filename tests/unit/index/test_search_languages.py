"""Words of every language find their notes, and a note's name finds the note itself."""

import pytest

from daemon.index.search import Search
from tests.fakes.indexed_vault import IndexedVault

OTHERS = {
    "en": "Notes on the garden and what is in it. The bees are at the hives of the old house.",
    "de": "Das ist eine Notiz über den Garten, und die Bienen sind nicht in dem alten Haus.",
    "ru": "Это заметка о том, что было в саду, и как мы там были вчера с ним.",
    "ko": "오늘은 날씨가 좋아서 공원에 갔다. 친구와 함께 점심을 먹었다.",
    "zh": "今天天气很好，我们去公园散步。晚上回家看书。",
    "ja": "今日は天気がいいので公園に行きました。夜は本を読みます。",
    "th": "วันนี้อากาศดีมากเราไปเดินเล่นที่สวนสาธารณะ",
    "hi": "आज मौसम अच्छा है और हम बगीचे में घूमने गए थे।",
    "ar": "هذه ملاحظة عن الحديقة وما كان فيها من زهور.",
}


def by_words(vault: IndexedVault, query: str) -> list[str]:
    return [found.path for found in Search(vault.notes, None, None).search(query)]


@pytest.mark.parametrize(
    ("language", "text", "query"),
    [
        ("de", "Der Kaufvertrag wird mit dem Notar geschlossen.", "Vertrag"),
        ("de", "Viele Kaufverträge sind nicht gültig.", "Vertrag"),
        ("de", "Die Bücher sind aus Papier und nicht aus Stein.", "Buch"),
        ("de", "Das Buch ist aus Papier und nicht aus Stein.", "Bücher"),
        ("de", "Der Vertrag über den Kauf ist nicht unterschrieben.", "Kaufvertrag"),
        ("de", "Die Straße ist lang und nicht breit.", "strasse"),
        ("ru", "Вчера мы гуляли с собаками в парке.", "собака"),
        ("ru", "Мы читали про нейронные сети и обучение.", "нейронных сетях"),
        ("ru", "Ёлка стоит в углу.", "елка"),
        ("ko", "추천 시스템을 연구하는 방법을 정리한다.", "연구"),
        ("ko", "추천 시스템을 연구하는 방법을 정리한다.", "추천 시스템의"),
        ("zh", "推荐系统的冷启动问题很难解决。", "冷启动"),
        ("zh", "推荐系统的冷启动问题很难解决。", "系统冷启动"),
        ("ja", "機械学習の論文を読むときの注意点。", "機械学習"),
        ("ja", "コーヒーの淹れ方についてのメモ。", "コーヒー"),
        ("th", "การเรียนรู้ของเครื่องเป็นสาขาหนึ่งของปัญญาประดิษฐ์", "ปัญญาประดิษฐ์"),
        ("hi", "यंत्र अधिगम और भाषा के बारे में एक लेख।", "भाषा"),
        ("ar", "كِتَابٌ عن التعلم الآلي", "كتاب"),
        ("en", "Sørensen wrote about entropy.", "Sorensen"),
        ("en", "She jogged around Łódź.", "jogging Lodz"),
    ],
)
def test_a_word_finds_its_inflections_compounds_and_spellings(
    vault: IndexedVault, language: str, text: str, query: str
) -> None:
    for number in range(5):
        vault.write(f"{number}.md", OTHERS[language])
    vault.write("Sought.md", text)
    vault.sync()

    assert by_words(vault, query)[:1] == ["Sought.md"]


@pytest.mark.parametrize(
    ("note", "query"),
    [
        ("Café Müller", "cafe muller"),
        ("CRDT", "crdt"),
        ("💡推荐系统", "推荐系统"),
        ("Мой Проект", "мой проект"),
        ("C++", "C++"),
        ("weekly-review", "weekly review"),
    ],
)
def test_a_name_finds_its_note_first_however_often_others_say_it(
    vault: IndexedVault, note: str, query: str
) -> None:
    for number in range(30):
        vault.write(f"{note} {number}.md", f"# {note} {number}\n{f'{note} {query} ' * 9}")
    vault.write(f"deep/{note}.md", "nothing to do with it, a long text about other things " * 9)
    vault.sync()

    assert vault.search.search(query, 3)[0].path == f"deep/{note}.md"
    assert by_words(vault, query)[0] == f"deep/{note}.md"


def test_an_alias_finds_its_note_first(vault: IndexedVault) -> None:
    for number in range(10):
        vault.write(f"{number}.md", "Conflict-free replicated data types " * 5)
    vault.write(
        "CRDT.md", "---\naliases: [Conflict-free Replicated Data Types]\n---\nMerges by itself."
    )
    vault.sync()

    assert vault.search.search("conflict-free replicated data types")[0].path == "CRDT.md"


def test_a_stop_word_of_another_language_is_still_a_word(vault: IndexedVault) -> None:
    for number in range(5):
        vault.write(f"{number}.md", OTHERS["ru"])
    vault.write("Sought.md", "Москва")
    vault.sync()

    assert by_words(vault, "Москва")[:1] == ["Sought.md"]


def test_the_languages_of_a_vault_are_kept_and_follow_its_notes(vault: IndexedVault) -> None:
    vault.write("A.md", OTHERS["de"])
    vault.sync()
    assert vault.notes.languages.by_script() == {"en": ["de"]}
    assert vault.notes.languages.share_known({"en"}) == 0.0

    vault.write("B.md", OTHERS["zh"])
    vault.write("A.md", OTHERS["en"])
    vault.sync()
    assert vault.notes.languages.counts() == {"en": 1, "zh": 1}
    assert vault.notes.languages.share_known({"en"}) == 0.5
    assert vault.notes.languages.share_known({"en"}, "zh") == 0.0
    assert vault.notes.languages.share_known({"en"}, "ru") == 0.0
