import json
from pathlib import Path

from tests.support.commands import Run
from tetrisprinter.triplex.levels import parse_levels


def test_generate_show_and_check_agree(run: Run, tmp_path: Path) -> None:
    text = run("triplex generate 4x3").stdout
    assert text.split("\n\n")[-1] == (
        "4x3 I2h I2v*2 V1 V2 rotatable=I2h turns=1 difficulty=26\nAABB\nCABD\nCEED\n"
    )
    assert run("triplex generate 3x4 -o a.json").stdout == "a.json: 4 levels of 3x4\n"
    (tmp_path / "a.txt").write_text(text)
    levels = parse_levels(text)
    assert parse_levels((tmp_path / "a.json").read_text()) == levels
    assert json.loads(run("triplex show a.txt --json").stdout) == [
        level.to_data() for level in levels
    ]
    shown = run("triplex show a.json --number 4").stdout
    assert shown == (
        "4x3 I2h I2v*2 V1 V2 arrangements=60 difficulty=26 rotatable=I2h turns=1\n"
        "1 x ##   2 x #   1 x ##   1 x ##\n"
        "             #       #         #\n"
        "\nAABB\nCABD\nCEED\n"
    )
    assert "AABB" not in run("triplex show a.json --no-solution").stdout
    checked = run("triplex check a.txt").stdout
    assert checked.count(": a level, ") == 4
    assert "difficulty 26, 60 arrangements; pieces that may be rotatable: I2h\nAABB\n" in checked
    other = run("triplex generate 4x3 --seed 1 --json").stdout
    assert [lv.puzzle for lv in parse_levels(other)] == [lv.puzzle for lv in levels]
    assert parse_levels(other) != levels


def test_why_it_is_not_a_level(run: Run, tmp_path: Path) -> None:
    (tmp_path / "theirs.txt").write_text(
        "4x3 I2h*2 I2v V0 V2\n\n4x3 6,0,0,0,0,0,0,0\n\n# impossible\n4x3 I3h*4\n\n"
        # This one claims that another piece may be turned.
        "4x3 I2h I2v*2 V1 V2 rotatable=V1 turns=1 difficulty=26\nAABB\nCABD\nCEED\n"
    )
    output = run("triplex check theirs.txt", code=1).stdout
    assert output.startswith("4x3 I2h*2 I2v V0 V2: not a level: it has more than one solution\n")
    first, second, rest = output.split("\n", 1)[1].split("\n\n", 2)
    assert len(first.split("\n")) == len(second.split("\n")) == 3
    assert first != second
    assert "its solution has a straight cut between columns 2 and 3\nAABB\nCCDD" in rest
    assert "4x3 I3h*4: not a level: it has no solution\n4x3" in rest
    assert "not a level: its V1 must not be rotatable" in rest
    answer = json.loads(run("triplex check", "3x2 I3h*2", "--json", code=1).stdout)["results"]
    assert answer[0]["faults"] == [
        "its solution has a straight cut between rows 1 and 2",
        "it has fewer than 3 pieces",
    ]
    assert answer[0]["solutions"] == [["AAA", "BBB"]]


def test_solve_and_page(run: Run, tmp_path: Path) -> None:
    (tmp_path / "two.txt").write_text("3x2 I2h*2 I2v\n\n3x3 V0*3\n")
    output = run("triplex solve two.txt", code=1).stdout
    assert "3x2 I2h*2 I2v: 2 solutions or more, " in output
    assert "3x3 V0*3: 0 solutions, " in output
    answer = json.loads(run("triplex solve", "3x2 I2h*2 I2v", "--limit", 9, "--json").stdout)
    assert [len(result["solutions"]) for result in answer["results"]] == [2]
    run("triplex generate 5x2 -o five.json")
    assert run("triplex generate 6x2").stderr == "there are no levels of 6x2\n"
    assert run("triplex page --levels five.json -o q.html").stdout == "q.html: 1 level\n"
    repeated = run("triplex page 5x2 2x5 --levels five.json -o r.html").stdout
    assert repeated == "r.html: 1 level\n"
    assert (tmp_path / "r.html").read_text() == (tmp_path / "q.html").read_text()
