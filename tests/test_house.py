"""The house itself: what is loaded, what is exported, what the README promises."""

import ast
import os
import re
import resource
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

import ogive

HEAVY = (
    "scipy.stats",
    "pandas",
    "pyarrow",
    "numba",
    "sklearn",
    "matplotlib",
    "plotly",
    "typer",
    "rich",
    "optuna",
    "polars",
)


def loaded(program: str, cwd: Path) -> set[str]:
    """Modules that a fresh interpreter holds after a program."""
    code = f"import sys\n{program}\nprint('\\n'.join(sys.modules), file=sys.stderr)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=cwd, check=True, timeout=60)
    return set(done.stderr.split())


def test_importing_ogive_loads_nothing_heavy(tmp_path: Path):
    assert loaded("import ogive", tmp_path).isdisjoint(HEAVY)


def test_a_summary_on_the_command_line_loads_no_more_than_it_needs(tmp_path: Path):
    (tmp_path / "small.csv").write_text("model,score\n" + "".join(f"a,{i}\nb,{i + 1}\n" for i in range(12)))
    program = "from ogive.cli import main\nassert main(['summary', 'small.csv', '--quiet']) == 0"
    assert loaded(program, tmp_path).isdisjoint({"numba", "sklearn", "plotly", "matplotlib", "optuna", "polars"})


def test_the_help_answers_at_once(tmp_path: Path):
    def used() -> float:
        """Seconds of computing by processes that have ended; the clock would count their neighbours' too."""
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    before = used()
    done = subprocess.run(
        [sys.executable, "-m", "ogive.cli", "--help"], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert used() - before < 1.5
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("inspect", "summary", "plot"))


def _names_for_type_checkers() -> set[str]:
    tree = ast.parse(Path(ogive.__file__).read_text(encoding="utf-8"))
    blocks = [n for n in tree.body if isinstance(n, ast.If) and getattr(n.test, "id", "") == "TYPE_CHECKING"]
    return {
        alias.asname or alias.name
        for block in blocks
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_exported_names_are_sorted_and_the_same_everywhere():
    assert ogive.__all__ == sorted(ogive.__all__)
    assert set(ogive.__all__) == set(ogive._HOME)
    assert set(ogive.__all__) == _names_for_type_checkers()


@pytest.mark.parametrize("name", ogive.__all__)
def test_every_exported_name_is_there(name):
    assert getattr(ogive, name) is not None
    assert name in dir(ogive)


def test_a_name_that_is_not_exported_is_an_attribute_error():
    with pytest.raises(AttributeError, match="module 'ogive' has no attribute 'sumarize'"):
        _ = ogive.sumarize


def _python_blocks() -> list[str]:
    readme = (Path(__file__).parents[1] / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^```python\n(.*?)^```$", readme, flags=re.DOTALL | re.MULTILINE)


def test_the_readme_shows_python():
    assert _python_blocks()


def _python_blocks_to_run() -> list:
    """Each block with its workers in this process, which spares their start; and, slowly, as it is written."""
    blocks = _python_blocks()
    as_written = [pytest.param(block, marks=pytest.mark.slow) for block in blocks if "workers=" in block]
    return [*(re.sub(r"\bworkers=\d+", "workers=0", block) for block in blocks), *as_written]


@pytest.mark.parametrize("block", _python_blocks_to_run())
def test_the_readmes_python_runs(block, tmp_path: Path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    exec(compile(block, "README.md", "exec"), {"__name__": "readme"})
    for picture in re.findall(r"save\(\"([^\"]+)\"", block):
        assert (tmp_path / picture).stat().st_size > 0


def test_the_readmes_verdict_is_what_the_command_prints(repository: Path, monkeypatch, capsys):
    from ogive.cli import main

    readme = (repository / "README.md").read_text(encoding="utf-8")
    (command, printed), *_ = re.findall(
        r"^```\n\$ ogive (compare examples.+)\n((?:.*\n)+?)```$", readme, flags=re.MULTILINE
    )
    monkeypatch.chdir(repository)
    assert main(command.split()) == 0
    assert capsys.readouterr().out == printed


def test_the_readmes_example_runs(repository: Path, tmp_path: Path, monkeypatch, capsys):
    from ogive.cli import main

    monkeypatch.chdir(tmp_path)
    table = str(repository / "examples" / "scores.csv")
    assert main(["summary", table]) == 0
    assert main(["plot", table, "--out", "results/demo.png"]) == 0
    assert Path("results/demo.png").stat().st_size > 0


@pytest.mark.slow
def test_the_layers_hold(repository: Path):
    linter = shutil.which("lint-imports", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
    if linter is None:
        pytest.skip("import-linter is not installed")
    done = subprocess.run([linter, "--no-cache"], cwd=repository, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stdout


# Text that comes from outside, or is no prose: each with what is cut there.
CUT_ON_PURPOSE = {
    ("report/_page.py", "replace"): "attributes of HTML elements, and characters that end a script",
    ("report/_sections.py", "startswith"): "keys of a picture's layout",
    ("report/_figures.py", "replace"): "line breaks of a label, for plotly",
    ("report/_methods.py", "split"): "usual sources of variation, looked for among what the user said varied",
    ("report/_write.py", "split"): "names of sources, as `read` joins them",
    ("answers/_sources_draws.py", "removesuffix"): "names of columns",
    ("answers/_sources_draws.py", "replace"): "names of columns",
    ("answers/_inspection.py", "replace"): "two spaces where a word is left out",
    ("answers/_wording.py", "startswith"): "the scope of a task, as it was declared; the sign of a number",
    ("answers/_wording.py", "endswith"): "the plural of a unit's name",
    ("plots/_matrix.py", "replace"): "line breaks of a narrow cell",
    ("plots/_page.py", "replace"): "spaces at which no line may break",
    ("plots/_best_of.py", "replace"): "what varied, as the user named it",
}


def test_no_answer_picture_or_page_cuts_a_sentence():
    """Facts first, words last: what a program needs to know it asks of an object, not of a text that it made."""
    cutting = {"split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "startswith", "endswith", "replace"}  # fmt: skip
    house = Path(ogive.__file__).parent
    found = set()
    for room in ("answers", "plots", "report"):
        for source in sorted((house / room).glob("*.py")):
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in cutting:
                    found.add((f"{room}/{source.name}", node.func.attr))
    assert found - set(CUT_ON_PURPOSE) == set()
    assert set(CUT_ON_PURPOSE) - found == set()
