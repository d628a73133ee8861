"""One spelling for one content; what defines a function: everything that changes what it does, and nothing else."""

import functools
import json
import linecache
import subprocess
import sys
from itertools import count
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ogive.canonical import canonical, content, digest, function_definition
from ogive.errors import InputError

NUMBERS = count()
PROGRAM = """
import dataclasses
SCALE = {"a": 1.5, "b": (2, 3)}
NAMES = {"x", "yy", "zzz"}
def helper(x):
    return x * SCALE["a"]
@dataclasses.dataclass
class Model:
    depth: int = 3
    def fit(self, x):
        return helper(x) + self.depth
class Named(Model):
    def fit(self, x):
        return super().fit(x)
def make(k):
    return lambda config, rng, w=k: k * w
def f(config, rng, *, model=Named(4)):
    return model.fit(rng.random()) if config["x"] in {"p", "q", "r"} else len(NAMES)
g, h = make(1), [lambda config, rng: config["x"] in {"p", "q", "r"}, lambda config, rng: 2][0]
"""


def loaded(text, module="mine", name=None):
    """The names that a program makes, with its text where debuggers look for it."""
    path = name or f"<program {next(NUMBERS)}>"
    linecache.cache[path] = (len(text), None, text.splitlines(keepends=True), path)
    names = {"__name__": module}
    exec(compile(text, path, "exec"), names)
    return names


def definition(text, **options):
    return function_definition(loaded(text, **options)["f"])


@pytest.mark.parametrize(
    ("text", "was", "now"),
    [
        ("def f(config, rng): return 1", "1", "2"),
        ("def f(config, rng, k=1): return k", "1", "2"),
        ("D = 1\ndef f(config, rng, *, k=D): return k", "1", "2"),
        ("K = 1\ndef f(config, rng): return K", "1", "2"),
        ("K = {'a': [1]}\ndef f(config, rng): return K", "1", "2"),
        ("K = 1\ndef g(): return K\ndef f(config, rng): return g()", "1", "2"),
        ("K = 1\nclass C:\n  def m(self): return K\ndef f(config, rng): return C().m()", "1", "2"),
        ("class B:\n  k = 1\nclass C(B): pass\ndef f(config, rng): return C.k", "1", "2"),
        ("def make(k):\n  def f(config, rng): return k\n  return f\nf = make(1)", "1", "2"),
        ("def make(k):\n  def f(config, rng): return k()\n  return f\nf = make(lambda: 1)", "1", "2"),
        ("class C:\n  def __init__(s, n): s.n = n\n  def __call__(s, config, rng): return s.n\nf = C(1)", "(1", "(2"),
        ("class C:\n  def __init__(s, n): s.n = n\n  def m(s, config, rng): return s.n\nf = C(1).m", "(1", "(2"),
        ("class C:\n  __slots__ = 'n'\n  def __init__(s, n): s.n = n\n  def m(s, config, rng): return 0\nf = C(1).m", "C(1", "C(2"),
        ("import functools\ndef g(k, config, rng): return k\nf = functools.partial(g, 1)", "1", "2"),
        ("import functools\nimport numpy as np\nA = np.zeros(5000)\nA[2500] = 1\ndef g(k, config, rng): return k\nf = functools.partial(g, k=A)", "= 1", "= 2"),
        ("import functools\nK = 1\n@functools.lru_cache\ndef g(): return K\ndef f(config, rng): return g()", "1", "2"),
        ("import contextlib\n@contextlib.contextmanager\ndef g(): yield 1\ndef f(config, rng): return g()", "1", "2"),
        ("def f(config, rng):\n  def g(): return {*'ab'}, 1\n  return g()", "1", "2"),
        ("f, g = lambda config, rng: 1, lambda config, rng: 3", "1", "2"),
        ("f, g = lambda config, rng: (\n  1), lambda config, rng: 3", "1", "2"),
        ("g, f = lambda config, rng: 3, (lambda a: lambda config, rng: 1 + a)(0)", "1", "2"),
        ("from math import sin as g\ndef f(config, rng): return g(1.0)", "sin", "cos"),
        ("import numpy as np\ndef f(config, rng): return np.sin(1.0)", "numpy", "math"),
    ],
)  # fmt: skip
def test_what_changes_the_result_changes_the_definition(text, was, now):
    assert definition(text) == definition(text)
    assert definition(text) != definition(text.replace(was, now))


@pytest.mark.parametrize(
    ("text", "other"),
    [
        ("def f(config, rng): return 1", "# a comment\n\ndef f(config, rng):\n    '''A text.'''\n    return 1  # one"),
        ("def f(config, rng): return 1", "def g(): return 2\nK = 3\ndef f(config: dict, rng=None or 0) -> int: return 1".replace("=None or 0", "")),
        ("K = 1\ndef f(config, rng): return rng.K", "K = 2\ndef f(config, rng): return rng.K"),
        ("f = lambda config, rng: 1; K = 1", "f = lambda config, rng: 1; K = 2; g = lambda: 3"),
        ("f = lambda config, rng: (1 +\n 2)", "f = lambda config, rng: 1 + 2"),
        ("class C: pass\ndef f(config, rng, c=C()): return 1", "class C: pass\nX = C()\ndef f(config, rng, c=C()): return 1"),
    ],
)  # fmt: skip
def test_what_changes_no_result_changes_no_definition(text, other):
    assert definition(text) == definition(other)


@pytest.mark.parametrize("module", ["__main__", "ogive_study_0123456789ab", "ogive_study_ba9876543210"])
def test_a_program_a_study_file_and_a_notebook_give_the_same_definition(module, tmp_path: Path):
    names, notebook = loaded(PROGRAM, module=module), loaded(PROGRAM, module="__main__", name="<ipython-input-7>")
    for name in "fgh":
        assert function_definition(names[name]) == function_definition(notebook[name])
    assert function_definition(names["f"])["function"] == "f"


def test_a_definition_is_the_same_in_every_process_whatever_the_order_of_hashes(tmp_path: Path, repository: Path):
    (tmp_path / "program.py").write_text(
        PROGRAM + "import json, sys, cloudpickle\nfrom ogive.canonical import function_definition\n"
        "said = [function_definition(x) for x in (f, g, h)]\n"
        "open(sys.argv[1], 'wb').write(cloudpickle.dumps((f, g, h)))\nprint(json.dumps(said))\n"
    )
    reader = (
        "import pickle, sys, json\nfrom ogive.canonical import function_definition\n"
        "print(json.dumps([function_definition(x) for x in pickle.load(open(sys.argv[1], 'rb'))]))"
    )
    said = set()
    for seed in ("1", "2"):
        environment = {"PYTHONHASHSEED": seed, "PYTHONPATH": str(repository / "src")}
        for program in ([str(tmp_path / "program.py")], ["-c", reader]):
            command = [sys.executable, *program, str(tmp_path / "functions")]
            done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True, timeout=60)
            said.add(done.stdout)
    assert len(said) == 1
    assert [d["function"] for d in json.loads(said.pop())] == ["f", "make.<locals>.<lambda>", "<lambda>"]


def test_code_without_a_text_is_told_by_its_byte_code_whatever_the_order_of_hashes(repository: Path):
    program = (
        "from ogive.canonical import function_definition\n"
        "f = lambda config, rng: config['x'] in {'p', 'q', 'r', 's'}\nprint(function_definition(f))"
    )
    said = {
        subprocess.run(
            [sys.executable, "-c", program], capture_output=True, text=True, check=True, timeout=60,
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": str(repository / "src")},
        ).stdout
        for seed in "123"
    }  # fmt: skip
    assert len(said) == 1
    first, second = {}, {}
    exec("f = lambda x: [y + 1 for y in x]", first)
    exec("f = lambda x: [y + 2 for y in x]", second)
    assert function_definition(first["f"])["source"] != function_definition(second["f"])["source"]


def test_a_text_that_was_edited_since_is_not_taken_for_the_code():
    names = loaded("def f(config, rng): return 1", name="<edited>")
    before = function_definition(names["f"])
    other = "def f(config, rng): return 2"
    linecache.cache["<edited>"] = (len(other), None, [other], "<edited>")
    edited = function_definition(names["f"])
    again = loaded(other, name="<edited>")["f"]
    assert edited != function_definition(again)
    assert before != function_definition(again)


class Loop:
    def __init__(self):
        self.me, self.all = self, [self]

    def __call__(self, config, rng):
        return RING["loop"].me


RING = {"loop": Loop()}
RING["ring"] = RING


def even(config, rng):
    return odd(config, rng) or RING


def odd(config, rng):
    return even(config, rng)


def test_what_refers_to_itself_has_a_definition():
    for function in (Loop(), even, functools.partial(even, RING), Loop().__call__):
        assert json.loads(canonical(function_definition(function))) == function_definition(function)


def test_a_function_may_refer_to_its_own_algorithm_and_space():
    from ogive.algorithms import Algorithm, tuned

    box = {}

    def draw(rng):
        return {"x": box["algorithm"].name}

    def f(config, rng):
        return len(box)

    box["algorithm"] = Algorithm("a", f, draw)
    box["tuned"] = tuned(box["algorithm"])
    for algorithm in (*box.values(),):
        assert json.loads(canonical(algorithm.fingerprint())) == algorithm.fingerprint()


def test_equal_objects_at_other_addresses_are_equal_content():
    class Thing:
        pass

    assert content([Thing(), object()]) == content([Thing(), object()])
    assert content({3: "c", "a": {2, 1}}) == content({"a": {1, 2}, 3: "c"})


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ((1, 2), [1, 2]),
        ({"a"}, {"b"}),
        (np.zeros(3), np.zeros((3, 1))),
        (np.zeros(3), np.zeros(3, dtype=np.float32)),
        (np.array([{"a": 1}]), np.array([{"a": 2}])),
        (b"a", b"b"),
        (float("nan"), float("inf")),
        (complex(1, 2), complex(1, 3)),
        (int, float),
        (np.arange(3).sum, np.arange(4).sum),
    ],
)
def test_different_values_have_different_content(one, other):
    assert content(one) != content(other)
    assert content(one) == content(one)


def test_an_own_state_leaves_caches_out():
    class Draw:
        def __init__(self):
            self.kept, self.size = None, 3

        def __getstate__(self):
            return {"size": self.size}

        def __call__(self, rng):
            self.kept = np.zeros(self.size)
            return (self.kept,)

    draw = Draw()
    before = function_definition(draw)
    draw(None)
    assert function_definition(draw) == before


def test_library_code_is_its_name():
    from sklearn.svm import SVC

    from ogive.tasks import none

    assert function_definition(len) == {"function": "builtins.len", "source": None}
    assert function_definition(none) == {"function": "ogive.tasks._task.none", "source": None}
    assert content(SVC) == {"class": "sklearn.svm._classes.SVC"}


def test_a_long_value_is_a_digest_and_a_short_one_can_be_read():
    names = loaded("K, L = 3, list(range(1000))\ndef f(config, rng): return K, L")
    uses = function_definition(names["f"])["uses"]
    assert uses["K"] == 3
    assert set(uses["L"]) == {"sha256"}


def test_a_definition_survives_the_way_to_a_child():
    names = loaded(PROGRAM, module="__main__")
    for name in "fgh":
        again = cloudpickle.loads(cloudpickle.dumps(names[name]))
        assert function_definition(again) == function_definition(names[name])


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_reading_and_spelling_again_changes_nothing(value):
    text = canonical(value)
    assert canonical(json.loads(text)) == text


@given(st.dictionaries(st.text(), st.integers(), max_size=6))
def test_the_order_of_keys_does_not_matter(value):
    assert canonical(value) == canonical(dict(reversed(value.items())))


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_survives_bit_for_bit(value):
    back = json.loads(canonical(np.float64(value)))
    assert back == value
    assert isinstance(back, float)


def test_numpy_scalars_and_tuples_are_spelled_as_plain_values():
    assert (
        canonical({"n": np.int32(3), "b": np.bool_(True), "t": (1, (2,)), "a": np.arange(2)})
        == '{"a":[0,1],"b":true,"n":3,"t":[1,[2]]}'
    )
    assert canonical(-0.0) == "0.0"


@pytest.mark.parametrize("bad", [float("nan"), float("inf"), object(), {1: 2}, {"a": {1, 2}}, b"bytes"])
def test_what_json_cannot_hold_is_refused(bad):
    with pytest.raises(InputError):
        canonical(bad)


def test_the_digest_is_sha256():
    assert digest("") == digest(b"") == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
