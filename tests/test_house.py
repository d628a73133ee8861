"""The house itself: what is loaded, what is exported, what the README promises."""

import ast
import importlib
import inspect
import os
import re
import resource
import shutil
import subprocess
import sys
import tomllib
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
        """Seconds of computing by processes that have ended; the clock would count their neighbors' too."""
        spent = resource.getrusage(resource.RUSAGE_CHILDREN)
        return spent.ru_utime + spent.ru_stime

    before = used()
    done = subprocess.run(
        [sys.executable, "-m", "ogive.cli", "--help"], capture_output=True, text=True, cwd=tmp_path, timeout=60
    )
    assert used() - before < 1.5
    assert done.returncode == 0
    assert all(word in done.stdout for word in ("inspect", "summary", "plot"))


def _private_imports(rooms: set[str]) -> list[str]:
    """Imports of what lies behind the face of one of these rooms, by anyone outside it."""
    root = Path(ogive.__file__).parent
    found = []
    for path in root.rglob("*.py"):
        here = path.relative_to(root).parts[0].removesuffix(".py")
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if not isinstance(node, ast.ImportFrom) or node.module is None:
                continue
            for full in (f"{node.module}.{alias.name}".split(".") for alias in node.names):
                if full[0] == "ogive" and full[1] in rooms - {here} and any(p.startswith("_") for p in full[2:]):
                    found.append(f"{path.relative_to(root)}:{node.lineno} {'.'.join(full)}")
    return found


def test_rooms_are_entered_through_their_faces_by_type_checkers_too():
    """import-linter does not look at imports for type checkers; the rooms are those that it protects."""
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    contracts = [c for c in settings["tool"]["importlinter"]["contracts"] if c["type"] == "protected"]
    rooms = {name.split(".")[1] for contract in contracts for name in contract["protected_modules"]}
    assert {"answers", "curves", "importers", "plots", "profiles", "report", "runner", "statistics", "store"} <= rooms
    assert not _private_imports(rooms)


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


@pytest.mark.parametrize(
    ("name", "room"),
    [
        ("leaders", "answers"), ("Outcome", "algorithms"), ("Series", "algorithms"), ("cycle", "study"), ("every", "study"),
        ("choice", "spaces"),
    ],
)  # fmt: skip
def test_what_few_need_is_in_its_room_and_not_on_the_face(name, room):
    assert name not in ogive.__all__
    assert not hasattr(ogive, name)
    assert hasattr(getattr(ogive, room), name)


def test_what_a_call_returns_has_a_name_on_the_face():
    assert {"Plan", "LearningCurves", "Trials", "Summary", "Comparison", "Ranking", "Profile"} <= set(ogive.__all__)


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
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
    for picture in re.findall(r"save\(\"([^\"]+)\"", block):
        assert (tmp_path / picture).stat().st_size > 0


def test_the_readmes_cross_validation_comes_to_an_answer(capsys):
    (block,) = [block for block in _python_blocks() if 'fold="fold"' in block]
    exec(compile(block, "README.md", "exec"), {"__name__": "__main__"})
    assert "A is better than B: its mean accuracy is higher by" in capsys.readouterr().out


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


NAMED = re.compile(r"\bogive((?:\.[A-Za-z]\w*)+)")


def _is_there(name: str) -> bool:
    held, path = ogive, "ogive"
    for part in name.strip(".").split("."):
        path = f"{path}.{part}"
        if not hasattr(held, part):
            try:
                held = importlib.import_module(path)
            except ImportError:
                return False
            continue
        held = getattr(held, part)
    return True


def test_every_name_of_ogives_that_pages_and_programs_speak_of_is_there():
    top = Path(__file__).parents[1]
    places = [
        top / "README.md",
        top / "CHANGELOG.md",
        *sorted((top / "docs").rglob("*.md")),
        *sorted((top / "src").rglob("*.py")),
    ]
    said = {
        (str(p.relative_to(top)), found[1]) for p in places for found in NAMED.finditer(p.read_text(encoding="utf-8"))
    }
    assert len(said) > 500
    assert [(place, name) for place, name in sorted(said) if not _is_there(name)] == []


# Halves, so that this list does not refuse itself.
BRITISH = re.compile(
    "|".join(
        f"{stem}{rest}" for rest, stems in {
            "is(?=e|ed|es|ing|er|ation)": ("normal", "equal", "recogn", "general", "summar", "standard", "initial", "minim",
                                           "maxim", "optim", "penal", "organ", "randomi?", "vector", "visual", "capital"),
            "our": ("col", "behavi", "fav", "neighb", "hon", "flav"), "yse": ("anal",), "tre(?=s|d|\\b)": ("cen",),
            "elled": ("lab", "mod"), "ey(?=\\b|s\\b)": ("\\bgr",), "ement": ("judg",),
        }.items() for stem in stems
    ),
    re.IGNORECASE,
)  # fmt: skip


def _prose() -> dict[str, str]:
    """What people read: the pages, and every text in the program that is no docstring; by place."""
    top = Path(__file__).parents[1]
    pages = [
        top / "README.md",
        top / "CHANGELOG.md",
        *sorted((top / "changelog").glob("*.md")),
        *sorted((top / "docs").rglob("*.md")),
    ]
    found = {str(page.relative_to(top)): page.read_text(encoding="utf-8") for page in pages}
    for source in sorted((top / "src").rglob("*.py")):
        tree = ast.parse(source.read_text(encoding="utf-8"))
        bodies = [n.body for n in ast.walk(tree) if isinstance(n, (ast.Module, ast.ClassDef, ast.FunctionDef))]
        docstrings = {id(body[0].value) for body in bodies if body and isinstance(body[0], ast.Expr)}
        for node in ast.walk(tree):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in docstrings:
                place = f"{source.relative_to(top)}:{node.lineno}"
                found[place] = f"{found.get(place, '')}\n{node.value}"  # the parts of an f-string share a place
    return found


def test_what_people_read_is_spelled_the_american_way():
    assert {place: BRITISH.findall(text) for place, text in _prose().items() if BRITISH.search(text)} == {}


def _public_names() -> set[str]:
    """Names that faces export, with their arguments and attributes."""
    names: set[str] = set(ogive.__all__)
    for room in (r for r in ogive.__all__ if ogive._HOME[r] is None):
        face = getattr(ogive, room)
        for name in getattr(face, "__all__", ()):
            held = getattr(face, name)
            names |= {name, *(n for n in dir(held) if isinstance(held, type) and not n.startswith("_"))}
            try:
                names |= set(inspect.signature(held).parameters)
            except (TypeError, ValueError):
                continue
    return names


def test_public_names_are_spelled_the_american_way():
    assert {name for name in _public_names() if BRITISH.search(name)} == set()


def test_the_spelling_test_notices_british_words():
    assert all(
        BRITISH.search(word) for word in ("normal" + "ise", "Col" + "our", "cen" + "tred", "gr" + "ey", "anal" + "yse")
    )
    assert not any(
        BRITISH.search(word) for word in ("optimism", "parallelism", "they", "our", "centers", "modeled", "promise")
    )


# Text that comes from outside, or is no prose: each with what is cut there.
CUT_ON_PURPOSE = {
    ("report/_page.py", "replace"): "attributes of HTML elements, and characters that end a script",
    ("report/_static.py", "startswith"): "keys of a picture's layout, and names of marks",
    ("report/_static.py", "split"): "line breaks of a note, as plotly gets them",
    ("report/_static.py", "replace"): "line breaks of a label, as plotly gets them; the sign of a number",
    ("report/_static.py", "removesuffix"): "numbers without a tenth",
    ("report/_figures.py", "replace"): "line breaks of a label, for plotly",
    ("report/_curves.py", "split"): "arrays",
    ("report/_methods.py", "split"): "usual sources of variation, looked for among what the user said varied",
    ("report/_write.py", "split"): "names of sources, as `read` joins them",
    ("answers/_sources.py", "removesuffix"): "names of columns",
    ("answers/_sources.py", "replace"): "names of columns",
    ("answers/verdicts/_ranking.py", "split"): "arrays",
    ("answers/_inspection.py", "replace"): "two spaces where a word is left out",
    ("answers/verdicts/_wording.py", "startswith"): "the scope of a task, as it was declared; the sign of a number",
    ("answers/verdicts/_wording.py", "endswith"): "the plural of a unit's name",
    ("plots/_pairs.py", "replace"): "line breaks of a narrow cell",
    ("plots/_page.py", "replace"): "spaces at which no line may break",
    ("plots/_best_of.py", "replace"): "what varied, as the user named it",
}


def test_no_answer_picture_or_page_cuts_a_sentence():
    """Facts first, words last: what a program needs to know it asks of an object, not of a text that it made."""
    cutting = {"split", "rsplit", "partition", "rpartition", "removeprefix", "removesuffix", "startswith", "endswith", "replace"}  # fmt: skip
    house = Path(ogive.__file__).parent
    found = set()
    for room in ("answers", "plots", "report"):
        for source in sorted((house / room).rglob("*.py")):
            for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
                if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in cutting:
                    found.add((source.relative_to(house).as_posix(), node.func.attr))
    assert found - set(CUT_ON_PURPOSE) == set()
    assert set(CUT_ON_PURPOSE) - found == set()


# What is said in one way everywhere, and how another way would look: who writes it anew forgets what was learned there.
ONCE = {
    # `:g` rounds 99.99996 up to "100 % confidence".
    "a confidence in percent is written by `percent_sure`": (
        r"100(\.0)? ?\* ?[^}\n]*confidence|\b(percent|share)\([^()]*confidence\)",
        "words.py",
    ),
    "text for a terminal is made by `words.printable`": (r"def _?printable\(|if \w+\.isprintable\(\) else", "words.py"),
    "an address is found by `canonical.ADDRESS`": (r"0x\[0-9a-f", "canonical.py"),
    "a dictionary is a result of a command as it is": (r"A dictionary as a result", ""),
    "a file is kept on the disk by `writing.sync`": (r"os\.fsync\(", "writing.py"),
}


@pytest.mark.parametrize("rule", ONCE)
def test_what_is_said_in_one_way_is_written_once(rule, repository: Path):
    pattern, home = ONCE[rule]
    source = repository / "src" / "ogive"
    found = {
        f"{path.relative_to(source)}:{number}: {line.strip()}"
        for path in source.rglob("*.py")
        if str(path.relative_to(source)) != home
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1)
        if re.search(pattern, line)
    }
    assert found == set(), rule
