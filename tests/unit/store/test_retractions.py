from pathlib import Path

import pytest

from daemon.model.errors import SettingsError
from daemon.store.retractions import RetractionFile

HEAD = "Record ID,Title,RetractionDate,OriginalPaperDOI,OriginalPaperPubMedID,RetractionNature\n"


def _file(folder: Path, *rows: str, head: str = HEAD) -> RetractionFile:
    path = folder / "retraction_watch.csv"
    path.write_text("\ufeff" + head + "".join(f"{row}\n" for row in rows), encoding="utf-8")
    return RetractionFile(path)


def test_a_retracted_paper_is_found_by_its_doi_and_by_its_pubmed_id(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        '1,"Ileal, and more",2/6/2010 0:00,10.1016/S0140-6736(97)11096-0,9500320,Retraction',
    )
    ids = ["10.1016/s0140-6736(97)11096-0", "9500320", "10.1000/other"]
    assert file.find(ids) == dict.fromkeys(ids[:2], "Retraction Watch (2010-02-06)")


def test_a_correction_or_a_concern_takes_nothing_back(tmp_path: Path) -> None:
    file = _file(
        tmp_path,
        "1,A,1/1/2020 0:00,10.1000/a,0,Correction",
        "2,B,1/1/2020 0:00,10.1000/b,0,Expression of concern",
    )
    assert file.find(["10.1000/a", "10.1000/b", "0"]) == {}


def test_what_was_reinstated_last_is_not_retracted_in_whatever_order_it_stands(
    tmp_path: Path,
) -> None:
    reinstated = "2,A,3/1/2021 0:00,10.1000/a,0,Reinstatement"
    retracted = "1,A,12/1/2020 0:00,10.1000/a,0,Retraction"
    assert _file(tmp_path, reinstated, retracted).find(["10.1000/a"]) == {}
    again = "3,A,1/1/2022 0:00,10.1000/a,0,Retraction"
    found = _file(tmp_path, again, reinstated, retracted).find(["10.1000/a"])
    assert found == {"10.1000/a": "Retraction Watch (2022-01-01)"}


def test_a_day_that_is_none_does_not_hide_a_retraction(tmp_path: Path) -> None:
    assert _file(tmp_path, "1,A,?,10.1000/a,0,Retraction").find(["10.1000/A"]) == {
        "10.1000/a": "Retraction Watch"
    }


def test_without_a_file_nothing_is_known() -> None:
    assert RetractionFile(None).find(["10.1000/a"]) == {}


def test_a_missing_or_wrong_file_is_named_in_the_error(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="retraction_watch: No such file"):
        RetractionFile(tmp_path / "nothing.csv")
    with pytest.raises(SettingsError, match="no column OriginalPaperDOI"):
        _file(tmp_path, head="a,b\n")
