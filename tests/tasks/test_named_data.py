"""Named data sets: both routes give the same arrays, and a missing file is asked for in one sentence."""

import json
import resource
import shutil
import urllib.error
from types import SimpleNamespace

import cloudpickle
import numpy as np
import pandas as pd
import pytest
from sklearn.decomposition import PCA

from ogive import tasks
from ogive.errors import InputError, UnreadableSource
from ogive.seeding import stream


@pytest.fixture
def cache(tmp_path, monkeypatch):
    monkeypatch.setenv("OGIVE_CACHE", str(tmp_path / "cache"))
    monkeypatch.delenv("OGIVE_OFFLINE", raising=False)
    return tmp_path / "cache"


def put_table(cache, number, frame):
    (cache / "openml").mkdir(parents=True, exist_ok=True)
    frame.to_parquet(cache / "openml" / f"{number}.parquet")


def small_faces(cache, n=40, side=6):
    rng = np.random.default_rng(0)
    cache.mkdir(parents=True, exist_ok=True)
    images = rng.integers(0, 256, (n, side, side)).astype(np.uint8)
    np.savez(cache / "lfw7.npz", images=images, target=np.arange(n) % 3, target_names=np.array(["a", "b", "c"]))
    return images


FRAME = pd.DataFrame(
    {
        "size": pd.Categorical(["small", "large", "small", None, "large"], categories=["small", "middle", "large"]),
        "width": [1.5, 2.5, np.nan, 4.5, 5.5],
        "class": pd.Categorical(["b", "a", "b", "a", "b"]),
    }
)


def pretend_download(monkeypatch, frame=FRAME, target_names=("class",)):
    import sklearn.datasets

    def fetch(*, data_id, as_frame, parser):
        return SimpleNamespace(frame=frame, target_names=list(target_names))

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)


def test_categories_keep_the_order_that_the_data_set_declares(cache, monkeypatch):
    pretend_download(monkeypatch)
    task = tasks.openml(7)
    data = task.draw.loaded()
    assert np.array_equal(data.X[:, 0], [0, 2, 0, np.nan, 2], equal_nan=True)
    assert task.fingerprint()["codes"] == {"size": ["small", "middle", "large"]}
    assert data.y.tolist() == [1, 0, 1, 0, 1]


def test_downloaded_and_cached_arrays_are_identical(cache, monkeypatch):
    pretend_download(monkeypatch)
    fresh = tasks.openml(7).fingerprint()
    assert (cache / "openml" / "7.parquet").is_file()
    monkeypatch.setenv("OGIVE_OFFLINE", "1")
    assert tasks.openml(7).fingerprint() == fresh
    assert [p.name for p in (cache / "openml").iterdir()] == ["7.parquet"]


def test_the_target_of_the_cache_is_the_last_column_unless_named(cache, monkeypatch):
    pretend_download(monkeypatch, frame=FRAME[["class", "width", "size"]].assign(width=[1.5, 2.5, 3.5, 4.5, 5.5]))
    assert tasks.openml(7).draw.loaded().y.tolist() == [1, 0, 1, 0, 1]
    assert tasks.openml(7, target="width").kind == "regression"


def test_a_data_set_without_default_target_asks_for_one(cache, monkeypatch):
    pretend_download(monkeypatch, target_names=())
    with pytest.raises(UnreadableSource, match="0 default targets"):
        tasks.openml(7).warm_up()
    assert tasks.openml(7, target="class").n_rows == 5


@pytest.mark.parametrize("make", [lambda: tasks.openml(61), tasks.faces], ids=["openml", "faces"])
def test_offline_with_an_empty_cache_one_sentence_says_what_to_put_where(cache, monkeypatch, make):
    monkeypatch.setenv("OGIVE_OFFLINE", "1")
    name = "61.parquet" if make is not tasks.faces else "lfw7.npz"
    task = make()
    with pytest.raises(UnreadableSource, match=f"{name} is absent; put .* there, or unset OGIVE_OFFLINE") as refused:
        task.fingerprint()
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    "failure", [urllib.error.URLError("no route"), ValueError("Dataset with data_id 61 not found.")]
)
def test_a_failed_download_is_one_sentence_and_leaves_nothing_behind(cache, monkeypatch, failure):
    import sklearn.datasets

    def fetch(**options):
        raise failure

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    monkeypatch.setattr(sklearn.datasets, "fetch_lfw_people", fetch)
    for task in (tasks.openml(61), tasks.faces()):
        with pytest.raises(UnreadableSource, match=r"is absent.*(no route|not found)"):
            task.warm_up()
    assert not [p for p in cache.rglob("*") if p.is_file()]


def test_a_cache_that_cannot_be_written_is_noticed_before_a_download(cache, monkeypatch):
    import sklearn.datasets

    def fetch(**options):
        raise AssertionError("the place was looked at too late")

    monkeypatch.setattr(sklearn.datasets, "fetch_openml", fetch)
    cache.touch()
    with pytest.raises(UnreadableSource, match=r"61\.parquet"):
        tasks.openml(61).warm_up()


def test_a_disk_that_fills_up_leaves_no_half_of_a_data_set(cache, monkeypatch):
    pretend_download(monkeypatch)
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (500, hard))
    try:
        with pytest.raises(UnreadableSource, match=r"7\.parquet.*larger"):
            tasks.openml(7).warm_up()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert not [p for p in cache.rglob("*") if p.is_file()]
    tasks.openml(7).warm_up()
    assert [p.name for p in cache.rglob("*") if p.is_file()] == ["7.parquet"]


def test_damaged_files_of_the_cache_are_named(cache):
    (cache / "openml").mkdir(parents=True)
    (cache / "openml" / "61.parquet").write_bytes(b"PAR1 not")
    (cache / "lfw7.npz").write_bytes(b"nonsense")
    for task in (tasks.openml(61), tasks.faces()):
        with pytest.raises(UnreadableSource, match=r"(61\.parquet|lfw7\.npz)"):
            task.warm_up()


def test_pickles_within_a_file_of_faces_are_never_loaded(cache):
    cache.mkdir(parents=True)
    np.savez(cache / "lfw7.npz", images=np.zeros((4, 2, 2), np.uint8), target=np.array([0, 1, 0, 1]), target_names=np.array([{}], dtype=object))  # fmt: skip
    with pytest.raises(UnreadableSource, match="the arrays"):
        tasks.faces(n_components=1).warm_up()


def test_faces_downloaded_are_the_faces_of_the_cache(cache, monkeypatch):
    import sklearn.datasets

    images = np.random.default_rng(0).integers(0, 256, (30, 4, 4))
    bunch = SimpleNamespace(images=(images / 255).astype(np.float32), target=np.arange(30) % 2, target_names=["a", "b"])
    monkeypatch.setattr(sklearn.datasets, "fetch_lfw_people", lambda **options: bunch)
    task = tasks.faces(n_components=3)
    assert np.array_equal(task.draw.loaded().X, images.reshape(30, -1))
    monkeypatch.setenv("OGIVE_OFFLINE", "1")
    assert tasks.faces(n_components=3).fingerprint() == task.fingerprint()


@pytest.mark.parametrize("fit_on", ["train", "all"])
def test_faces_equal_whitened_principal_components_up_to_sign(cache, fit_on):
    images = small_faces(cache).reshape(40, -1) / 255
    train, test = tasks.faces(fit_on, n_components=5).draw(stream(0, "data"))
    order = stream(0, "data").permutation(40)
    inside, outside = order[16:], order[:16]
    pca = PCA(5, whiten=True, svd_solver="full").fit(images if fit_on == "all" else images[inside])
    np.testing.assert_allclose(np.abs(train.X), np.abs(pca.transform(images[inside])), atol=1e-8)
    np.testing.assert_allclose(np.abs(test.X), np.abs(pca.transform(images[outside])), atol=1e-8)
    assert np.array_equal(test.y, outside % 3)


def test_components_of_the_training_part_do_not_see_test_images(cache):
    images = small_faces(cache)
    task = tasks.faces(n_components=5)
    before = task.draw(stream(0, "data"))[0].X
    outside = stream(0, "data").permutation(40)[:16]
    images[outside] = 255 - images[outside]
    np.savez(cache / "lfw7.npz", images=images, target=np.arange(40) % 3, target_names=np.array(["a", "b", "c"]))
    np.testing.assert_allclose(tasks.faces(n_components=5).draw(stream(0, "data"))[0].X, before, atol=1e-9)
    leaky = tasks.faces("all", n_components=5).draw(stream(0, "data"))[0].X
    assert not np.allclose(np.abs(leaky), np.abs(before), atol=1e-3)


def test_faces_travel_to_children(cache):
    small_faces(cache)
    task = tasks.faces(n_components=5)
    task.warm_up()
    shutil.rmtree(cache)
    again = cloudpickle.loads(cloudpickle.dumps(task))
    assert np.array_equal(again.draw(stream(0, "data"))[1].X, task.draw(stream(0, "data"))[1].X)


def test_bad_parameters_are_refused(cache):
    small_faces(cache)
    with pytest.raises(InputError, match="`fit_on`"):
        tasks.faces("test")
    with pytest.raises(InputError, match="24; got 150"):
        tasks.faces().draw(stream(0, "data"))
    with pytest.raises(InputError, match="`id`"):
        tasks.openml("iris")


@pytest.mark.parametrize("name", ["openml_46597_obesity_levels", "openml_46733_early_diabetes"])
def test_raw_text_and_integer_codes_give_the_same_rows_up_to_the_order_of_codes(cache, real_data, name):
    number = int(name.split("_")[1])
    codes = json.loads((real_data / "openml_nominal_codes.json").read_text())[name]
    raw, coded = (pd.read_csv(real_data / f"{name}{kind}.csv", keep_default_na=False) for kind in ("_raw", ""))
    for column, order in codes.items():
        raw[column] = pd.Categorical(raw[column], categories=sorted(order, key=order.__getitem__))
    put_table(cache, number, raw)
    from_raw = tasks.openml(number).draw.loaded()
    put_table(cache, number, coded)
    from_coded = tasks.openml(number).draw.loaded()
    assert np.array_equal(from_raw.X, from_coded.X)
    assert np.array_equal(from_raw.y, from_coded.y)


def test_real_data_sets_have_the_rows_and_classes_of_their_descriptions(cache, real_data):
    expected = {61: ("iris", 150, 4, 3), 11: ("balance_scale", 625, 4, 3), 37: ("diabetes", 768, 8, 2), 1063: ("kc2", 522, 21, 2), 44037: ("rl", 4970, 12, 2)}  # fmt: skip
    for number, (name, rows, features, classes) in expected.items():
        put_table(cache, number, pd.read_csv(real_data / f"openml_{number}_{name}.csv"))
        task = tasks.openml(number, stratify=True)
        data = task.draw.loaded()
        assert (data.X.shape, np.unique(data.y).size, task.n_rows) == ((rows, features), classes, rows)
        train, test = task.draw(stream(0, "data"))
        assert abs(np.mean(train.y == data.y[0]) - np.mean(test.y == data.y[0])) < 0.02


def test_a_csv_file_and_the_cache_give_the_same_arrays(cache, tmp_path):
    flowers = {
        "length": [5.1, 4.9, 6.3, 5.8],
        "width": [3.5, 3.0, 2.9, 2.7],
        "target": ["wild", "wild", "tame", "tame"],
    }
    pd.DataFrame(flowers).to_csv(tmp_path / "flowers.csv", index=False)
    put_table(cache, 61, pd.read_csv(tmp_path / "flowers.csv"))
    one = tasks.csv(tmp_path / "flowers.csv", target="target").fingerprint()
    assert one["sha256"] == tasks.openml(61).fingerprint()["sha256"]


def test_real_faces_are_seven_people_and_whitened(cache, real_data):
    cache.mkdir(parents=True)
    shutil.copy(real_data / "lfw7.npz", cache / "lfw7.npz")
    train, test = tasks.faces().draw(stream(0, "data"))
    assert train.X.shape == (772, 150)
    assert test.X.shape == (516, 150)
    np.testing.assert_allclose(np.cov(train.X.T), np.eye(150), atol=1e-8)
    assert np.unique(test.y).size == 7
