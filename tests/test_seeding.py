"""Streams: what they depend on, and the bytes they are made of."""

import copy
import hashlib
import pickle

import numpy as np

from ogive.seeding import Streams, key, stream


def test_the_key_is_the_hash_of_the_canonical_name():
    digest = hashlib.sha256(b'["ogive-seed-1",0,"data","moons",null]').digest()
    assert key(0, "data", "moons") == int.from_bytes(digest[:16], "little")


def test_a_stream_depends_on_root_purpose_task_algorithm_and_trial_only():
    base = stream(0, "train", "moons", "svm", 3).random(4)
    assert np.array_equal(base, stream(0, "train", "moons", "svm", 3).random(4))
    others = [(1, "train", "moons", "svm", 3), (0, "data", "moons", "svm", 3), (0, "train", "circles", "svm", 3), (0, "train", "moons", "knn", 3), (0, "train", "moons", "svm", 4)]  # fmt: skip
    for other in others:
        assert not np.array_equal(base, stream(*other).random(4))


def test_streams_of_neighboring_trials_do_not_overlap():
    draws = np.concatenate([stream(0, "train", "t", "a", i).integers(0, 2**63, 1000) for i in range(50)])
    assert np.unique(draws).size == draws.size


def test_numbers_of_a_stream_are_frozen():
    assert stream(7, "config", "moons", "svm", 11).integers(0, 1000, 4).tolist() == [379, 565, 629, 981]


def test_resetting_a_generator_gives_what_a_new_one_gives():
    streams = Streams(0, "train", "moons", "svm")
    for trial in (0, 5, 3, 5, 2**40):
        reset, new = streams.at(trial), stream(0, "train", "moons", "svm", trial)
        for draw in (lambda g: g.random(3), lambda g: g.integers(0, 9, 3, dtype="int32"), lambda g: g.normal(size=2)):
            assert np.array_equal(draw(reset), draw(new))


def test_a_stream_spawns_children_that_depend_on_its_name_and_trial_only():
    one, other = stream(0, "train", "moons", "svm", 3), stream(0, "train", "moons", "svm", 3)
    other.random(1000)  # what was drawn before does not matter
    children = [child.random(4).tolist() for child in one.spawn(3)]
    assert children == [child.random(4).tolist() for child in other.spawn(3)]
    more = [child.random(4).tolist() for child in one.spawn(2)]
    elsewhere = [child.random(4).tolist() for child in stream(0, "train", "moons", "svm", 4).spawn(3)]
    own = stream(0, "train", "moons", "svm", 3).random(4).tolist()
    assert len({*map(tuple, [*children, *more, *elsewhere, own])}) == 9


def test_numbers_of_spawned_streams_are_frozen():
    [child] = stream(7, "config", "moons", "svm", 11).spawn(1)
    assert child.integers(0, 1000, 4).tolist() == [526, 830, 568, 857]


def test_a_generator_that_is_reset_spawns_as_a_new_one_and_its_children_live_on():
    streams = Streams(0, "train", "moons", "svm")
    kept = streams.at(5).spawn(2)
    streams.at(6).spawn(1)
    for reset, new in zip(
        [*kept, *streams.at(5).spawn(2)], stream(0, "train", "moons", "svm", 5).spawn(2) * 2, strict=True
    ):
        assert reset.bit_generator.state["state"]["key"].tolist() == new.bit_generator.state["state"]["key"].tolist()
    grandchild = kept[0].spawn(1)[0]
    assert grandchild.random() != kept[0].random()


def test_a_stream_survives_copying_and_pickling():
    rng = stream(0, "train", "moons", "svm", 5)
    rng.random(7)
    for again in (copy.deepcopy(rng), pickle.loads(pickle.dumps(rng))):
        assert again.random(3).tolist() == copy.deepcopy(rng).random(3).tolist()
        assert again.spawn(1)[0].random() == stream(0, "train", "moons", "svm", 5).spawn(1)[0].random()
