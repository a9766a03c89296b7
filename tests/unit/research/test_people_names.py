import pytest

from daemon.research.people_names import are_same_people, is_same_writer, surnames


@pytest.mark.parametrize(
    "names",
    [
        ("Sørensen, P.", "Peter Sorensen", "Sørensen P", "Soerensen, P."),
        ("Wałęsa", "Lech Walesa", "Walesa, L"),
        ("Müller, H", "Mueller H", "H. Muller", "MÜLLER, H."),
        ("Đorđević, A", "Djordjevic A", "Dordevic, A."),
        ("Groß, K", "Gross K"),
        ("Иванов, И.", "Ivanov I", "Ivan Ivanov"),
        ("Παππάς, Γ.", "Pappas G"),
        ("王小明", "Wang, X."),
        ("van den Berg, Jan", "Jan van den Berg", "Berg JVD", "van den Berg J"),
        ("van den Berg, Jan", "Vandenberg, J."),
        ("García Márquez, Gabriel", "Gabriel García Márquez", "García-Márquez G"),
        ("O'Brien, K", "O’Brien K", "OBrien K"),
        ("Levin, A. S.", "Levin AS", "LEVIN, A.S.", "A. S. Levin"),
        ("Li, W", "LI W", "Wei Li"),
        ("King, Ada", "Ada B. King", "Ada King, PhD", "King A Jr"),
    ],
)
def test_one_person_is_one_however_the_name_is_written(names: tuple[str, ...]) -> None:
    for one in names:
        for other in names:
            assert not surnames(one).isdisjoint(surnames(other)), (one, other)


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Sørensen, P.", "Srensen, P."), ("Wałęsa, L.", "Waesa, L."), ("Bauer, K", "Braun, K"),
        ("van den Berg, J", "van den Bos, J"), ("de Souza, M", "de Silva, M"), ("Li, W", "Wu, L"),
        ("Anonymous", "Anonymous"), ("", ""),
    ],
)  # fmt: skip
def test_letters_are_folded_and_not_lost_and_particles_make_nobody_one(
    one: str, other: str
) -> None:
    assert surnames(one).isdisjoint(surnames(other))


def test_persons_of_one_family_name_differ_by_their_initials() -> None:
    assert is_same_writer("Wang, J.", "Jun Wang")
    assert not is_same_writer("Wang, J.", "Wang, L.")
    assert is_same_writer("Wang JL", "Wang, Jun")
    assert not is_same_writer("Jane Wang", "Jun Wang")
    assert not is_same_writer("Wang", "Wang, L.")


def test_lists_are_of_one_work_by_their_first_author_or_in_one_year_by_most() -> None:
    people = ["King, A", "Hall, B", "Ott, C", "Wu, D"]
    assert are_same_people(people, ["A. King", "et al."])
    assert are_same_people(people, ["Hall, B", "King, A"]) is False
    assert are_same_people(people, ["Hall, B", "King, A"], in_any_order=True)
    assert are_same_people(people, ["Hall, B", "Berg, E"], in_any_order=True) is False
    assert are_same_people(people, []) is None
    assert are_same_people(people, ["Anonymous"]) is None
