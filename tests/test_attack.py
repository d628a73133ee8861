"""The attack on verdicts: its cells are few and named, its rule of judging is the binomial's, and it runs to the end."""

from dataclasses import replace
from types import SimpleNamespace

import attack_cells
import attack_verdicts
import numpy as np
import pytest
from attack_cells import CELLS, NULL, Answer, Call, Drawn, NotAsked
from attack_verdicts import BEGIN, END, judge, kept_section, load, main, tail, with_section
from scipy import stats

PLAIN = next(c for c in CELLS if c.name == "normal, 10 v 10")


def line(events, tables=2000, strength="approximate", cell=PLAIN, refused=0, **further):
    """A finished cell in which one call met so many events."""
    row = {
        "tables": tables, "refused": refused, "errors": 0, "events": events, "strengths": {strength: tables - refused},
        "events by": {strength: events}, "numbers": {}, **further,
    }  # fmt: skip
    return {"cell": cell.name, "tables": tables, "answers": {"mean": row}, "rivals": {}}


def judged(*arguments, **options):
    return judge(options.get("cell", PLAIN), "mean", line(*arguments, **options))


def test_there_are_at_most_eighty_cells_and_each_names_its_factor():
    assert 0 < len(CELLS) <= attack_cells.MOST_CELLS == 80
    assert len({c.name for c in CELLS}) == len(CELLS)
    assert all(c.factor and c.calls for c in CELLS)
    assert all(len({k.label for k in c.calls}) == len(c.calls) for c in CELLS)
    assert all(label in {k.label for k in c.calls} for c in CELLS for label in c.barred)


def test_tables_are_fewer_only_above_eight_methods_or_twenty_six_tasks():
    for cell in CELLS:
        samples = cell.table(0).samples
        many = len(samples) > 8 or max(len(by) for by in samples.values()) > 26
        assert cell.tables == (300 if many else 2000), cell.name


def test_equal_methods_are_drawn_equal_with_sizes_from_three_to_a_thousand():
    sizes, tasks, methods = set(), set(), set()
    for cell in (c for c in CELLS if c.section == NULL):
        drawn = cell.table(0)
        sizes |= {x.size for by in drawn.samples.values() for x in by.values()}
        tasks.add(len(next(iter(drawn.samples.values()))))
        methods.add(len(drawn.samples))
        if cell.factor == "tasks as a sample":
            continue
        means = np.array(
            [[next(iter(by.values())).mean() for by in cell.table(i).samples.values()] for i in range(100)]
        )
        gap = means[:, 0] - means[:, 1]
        assert abs(gap.mean()) <= 5.0 * gap.std() / 10.0 + 1e-12, cell.name
    assert (min(sizes), max(sizes)) == (3, 1000)
    assert (min(tasks), max(tasks), min(methods), max(methods)) == (1, 60, 2, 20)


def test_a_table_depends_on_the_name_of_its_cell_and_its_number_only():
    a, b = PLAIN.table(3).two
    again, _ = PLAIN.table(3).two
    other, _ = PLAIN.table(4).two
    renamed, _ = replace(PLAIN, name="another").table(3).two
    assert np.array_equal(a, again)
    assert not np.array_equal(a, b)
    assert not np.array_equal(a, other)
    assert not np.array_equal(a, renamed)


def test_the_tail_is_the_probability_of_at_least_so_many():
    assert tail(0, 10, 0.05) == 1.0
    assert tail(1, 2, 0.5) == pytest.approx(0.75)
    assert tail(10, 10, 0.5) == pytest.approx(0.5**10)
    assert tail(130, 2000, 0.05) == pytest.approx(stats.binomtest(130, 2000, 0.05, alternative="greater").pvalue)


@pytest.mark.parametrize(("strength", "rate", "alarm"), [("guaranteed", 0.05, 1e-6), ("approximate", 0.06, 1e-3)])
def test_a_rate_fails_exactly_where_its_tail_falls_below_the_alarm(strength, rate, alarm):
    first = next(k for k in range(2001) if stats.binom.sf(k - 1, 2000, rate) < alarm)
    assert judged(first, strength=strength) == "fails"
    assert judged(first - 1, strength=strength) == "holds"


def test_rates_of_the_past_fail_and_those_of_an_exact_level_hold():
    assert judged(880) == judged(880, strength="guaranteed") == "fails"
    assert judged(100) == judged(100, strength="guaranteed") == "holds"


def test_heuristic_answers_and_refusals_are_named_and_not_judged():
    assert judged(1000, strength="heuristic") == "heuristic"
    assert judged(0, refused=2000) == "refused"
    mixed = line(300, strengths={"heuristic": 1000, "approximate": 1000}, **{"events by": {"heuristic": 300}})
    assert judge(PLAIN, "mean", mixed) == "holds"
    mixed["answers"]["mean"]["events by"] = {"approximate": 300}
    assert judge(PLAIN, "mean", mixed) == "fails"


def test_an_answer_of_unknown_strength_is_judged_as_approximate():
    assert judged(300, strength="not said") == "fails"


def test_a_gate_is_judged_whatever_its_strength():
    gate = replace(PLAIN, level=0.05)
    assert judged(200, strength="heuristic", cell=gate) == "fails"
    assert judged(90, strength="heuristic", cell=gate) == "holds"


def test_a_law_is_broken_by_one_table():
    law = replace(PLAIN, kind="law")
    assert judged(0, cell=law) == "holds"
    assert judged(1, cell=law) == "fails"


def test_power_is_held_against_the_rival_in_points_or_by_a_factor():
    found = line(960, tables=1000)
    found["rivals"] = {"McNemar": line(985, tables=1000)["answers"]["mean"]}
    points = replace(PLAIN, kind="power", least=("McNemar", -0.02), barred=("mean",))
    assert judge(points, "mean", found) == "fails"
    assert judge(replace(points, least=("McNemar", -0.03)), "mean", found) == "holds"
    assert judge(replace(points, least=("McNemar", 1.08)), "mean", found) == "fails"
    assert judge(replace(points, barred=()), "mean", found) == "shown"


def test_a_stated_probability_is_held_against_the_truth():
    said = replace(PLAIN, kind="said")
    assert judged(160, cell=said, numbers={"said": (400.0, 2000)}) == "fails"
    assert judged(400, cell=said, numbers={"said": (400.0, 2000)}) == "holds"
    assert judged(400, cell=said) == "not said"


def test_a_false_claim_counts_with_the_strongest_strength_that_made_it():
    drawn = Drawn(samples={})
    found = attack_cells.any_direction(
        Answer((("cannot tell", "guaranteed"), ("worse", "heuristic"), ("better", "approximate"))), drawn
    )
    assert (found.event, found.strength) == (1.0, "approximate")
    assert "beside" not in found.numbers
    over = attack_cells.any_direction(
        Answer((("cannot tell", "approximate"), ("worse", "approximate")), over_tasks=True), drawn
    )
    assert (over.event, over.numbers["task by task"]) == (0.0, 1.0)
    none = attack_cells.any_direction(Answer((("not worse", "guaranteed"), ("cannot tell", "heuristic"))), drawn)
    assert (none.event, none.strength) == (0.0, "heuristic")


def test_answers_of_both_versions_are_read_alike():
    def comparison(conclusion, **parts):
        return SimpleNamespace(conclusion=conclusion, **parts)

    interval = SimpleNamespace(guarantee="conservative")
    one = comparison("better", primary=interval)
    old = SimpleNamespace(conclusion="worse", items=(one,), overall=SimpleNamespace(primary=interval))
    new = comparison("worse", primary=interval, strength="guaranteed", tasks=(one,))
    expected = (("worse", "guaranteed"), ("better", "guaranteed"))
    assert attack_cells.verdicts_of(old) == attack_cells.verdicts_of(new) == expected
    assert attack_cells.verdicts_of(comparison("better", primary=interval, tasks=())) == expected[1:]


def test_questions_beside_the_primary_one_are_counted_apart_and_heuristic_ones_again():
    def question(criterion, conclusion, guarantee):
        return SimpleNamespace(
            criterion=criterion, conclusion=conclusion, interval=SimpleNamespace(guarantee=guarantee)
        )

    primary = SimpleNamespace(guarantee="approximate")
    asked = {"x": question("mean", "better", "approximate"), "y": question("worst_0.1", "worse", "heuristic")}
    found = SimpleNamespace(conclusion="better", criterion="mean", primary=primary, questions=asked, tasks=())
    numbers = attack_cells.any_direction(attack_cells._compared(found), Drawn(samples={})).numbers
    assert (numbers["beside"], numbers["beside, heuristic"]) == (0.0, 1.0)
    asked["y"].interval = None
    assert attack_cells._compared(found).sides == ()


def test_an_older_version_is_asked_in_its_own_words(monkeypatch):
    one = PLAIN.table(0)
    sure, median = (
        Call("", options={"criterion": "mean", "guaranteed": True}),
        Call("", options={"criterion": "median"}),
    )
    monkeypatch.setattr(attack_cells, "SAYS_CRITERION", True)
    assert attack_cells.options_for(sure, one) == sure.options
    monkeypatch.setattr(attack_cells, "SAYS_CRITERION", False)
    assert attack_cells.options_for(median, one) == {"statistic": "median"}
    for call in (sure, Call("", "rank", {"criterion": "median"}), Call("", options={"over": "sample"})):
        with pytest.raises(NotAsked):
            attack_cells.options_for(call, one)


def test_the_margin_of_the_worst_tenth_is_the_true_drop():
    rng = np.random.default_rng(0)
    n = 2_000_000
    worst = [np.partition(attack_cells.collapsing(rng, n, s), n // 10)[: n // 10].mean() for s in (0.0, 0.02)]
    assert attack_cells.worst_drop(0.02) == pytest.approx(worst[0] - worst[1], abs=0.004)


def test_rivals_are_the_textbook_ones():
    a, b = np.array([1.0] * 40 + [0.0] * 10), np.array([0.0] * 40 + [1.0] * 10)
    assert attack_cells.mcnemar(a, b) == pytest.approx(2.4e-5, rel=0.02)
    drawn = Drawn(samples={"a": {"t": a}, "b": {"t": b}})
    assert attack_cells.rejects(attack_cells.mcnemar)(drawn).event == 1.0
    assert (
        attack_cells.rejects(attack_cells.mcnemar)(replace(drawn, samples={"b": {"t": b}, "a": {"t": a}})).event == 0.0
    )


def test_one_cell_runs_to_the_end_and_is_not_run_again(tmp_path, capsys):
    out = tmp_path / "found.jsonl"
    out.write_text('{"cell": "half a li', encoding="utf-8")
    asked = ["--out", str(out), "--cells", "normal, 5 v 5", "--tables", "4"]
    assert main(asked) == 0
    found = load(out)["normal, 5 v 5"]
    assert found["tables"] == 4
    assert all(row["tables"] == 4 and not row["errors"] for row in found["answers"].values())
    assert main([*asked, "--judge", str(out)]) == 0
    assert "0 to do" in capsys.readouterr().out
    assert len(out.read_text(encoding="utf-8").splitlines()) == 2


def test_a_stopped_run_keeps_its_finished_cells(tmp_path, monkeypatch, capsys):
    out, ran = tmp_path / "found.jsonl", []

    def stop(cell, tables, seconds):
        ran.append(cell.name)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return {**line(0, cell=cell), "seconds": 0.0}

    monkeypatch.setattr(attack_verdicts, "run_cell", stop)
    assert main(["--out", str(out), "--cells", "10 v 10"]) == 130
    assert list(load(out)) == ran[:1]
    assert "goes on" in capsys.readouterr().err


def test_crashes_and_refusals_are_findings_and_do_not_end_a_cell():
    def crashes(answer, drawn):
        raise ZeroDivisionError("planted")

    found = attack_verdicts.run_cell(replace(PLAIN, count=crashes, calls=PLAIN.calls[:1]), tables=2)
    assert found["answers"]["default"]["errors"] == 2
    assert judge(PLAIN, "default", found) == "error"
    single = replace(PLAIN, draw=lambda rng: Drawn(samples={"a": {"t": np.ones(3)}}), calls=(Call("default", "rank"),))
    refused = attack_verdicts.run_cell(single, tables=2)["answers"]["default"]
    assert refused["refused"] == 2
    assert refused["why"]


def test_the_section_is_written_before_the_others_and_replaced_in_its_place():
    page = "# Title\n\nIntroduction.\n\n## Others\n\ntext\n"
    first = with_section(page, [BEGIN, "one", END, ""])
    assert first == f"# Title\n\nIntroduction.\n\n{BEGIN}\none\n{END}\n\n## Others\n\ntext\n"
    second = with_section(first, [BEGIN, "two", "three", END, ""])
    assert second == first.replace("one", "two\nthree")
    assert kept_section(second) == [BEGIN, "two", "three", END, ""]
    assert kept_section(page) == []


def test_every_cell_has_a_row_in_the_section_with_the_figures_before():
    before = load(attack_verdicts.BEFORE)
    assert set(before) == {c.name for c in CELLS}
    text = "\n".join(attack_verdicts.section(before, {}))
    assert all(f"| {c.name} |" in text for c in CELLS)
    assert "**0." in text
    assert not any(row.get("errors") for found in before.values() for row in found["answers"].values())
