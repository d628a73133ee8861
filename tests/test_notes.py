"""Every kind of note is said once, in words that Python and the command line understand."""

from __future__ import annotations

import json
import re

import pandas as pd
import pytest

import ogive
from ogive.notes import DOUBTS, QUESTIONS, WARNINGS, Note, NoteKind, capitalized, said, sentences

K = NoteKind
# One note of every kind, and the words of it.
SAID = {
    K.SAID: (said("as somebody wrote"), "as somebody wrote"),
    K.ROLE: (
        Note(K.ROLE, "algorithm", {"role": "algorithm", "columns": ["model"], "guessed": True}),
        "algorithm: column 'model' (guessed)",
    ),
    K.NOT_USED: (Note(K.NOT_USED, values={"columns": ["a", "b"]}), "not used: 'a', 'b'"),
    K.EMPTY_COLUMNS: (
        Note(K.EMPTY_COLUMNS, values={"columns": ["model", "x"], "pooled": ["method"]}),
        "empty in every row and not used: 'model', 'x'; all rows count as one method",
    ),
    K.NOT_REPORTED: (
        Note(K.NOT_REPORTED, values={"metrics": ["loss"]}),
        "not used: 'loss', declared but reported by no trial",
    ),
    K.INEXACT: (
        Note(K.INEXACT, values={"column": "score", "n": 1}),
        "warning: 1 value of 'score' is rounded: floats hold whole numbers exactly up to 2**53",
    ),
    K.NEGATIVE_TIMES: (
        Note(K.NEGATIVE_TIMES, values={"column": "time", "n": 2}),
        "warning: 2 values of 'time' are below 0, which no time is, and count as very good",
    ),
    K.STATUS_NOT_USED: (
        Note(K.STATUS_NOT_USED, "status", {"column": "state", "word": "odd"}),
        "column 'state' is not used: 'odd' is no status",
    ),
    K.OUTCOME: (
        Note(K.OUTCOME, "status", {"column": "found", "guessed": True, "n_failed": 1, "of_rows": 9}),
        "status: column 'found' (guessed) says whether a run counts; 1 of 9 rows counts as failed (status='none' if it is "
        "about something else)",
    ),
    K.WORDS_READ: (
        Note(K.WORDS_READ, "score", {"column": "answer", "right": ["right"], "wrong": ["wrong"]}),
        "column 'answer' is in words: 'right' as 1 and 'wrong' as 0",
    ),
    K.NUMBERS_WRITTEN: (
        Note(
            K.NUMBERS_WRITTEN,
            "score",
            {"column": "acc", "ways": ["percent", "commas"], "text": "81,5 %", "value": 0.815},
        ),
        "column 'acc' is written with percent signs and decimal commas: '81,5 %' is read as 0.815",
    ),
    K.ROWS_CHOSEN: (
        Note(K.ROWS_CHOSEN, "where", {"conditions": ["mode=fast", "step>=3"], "n": 3, "of_rows": 9}),
        "3 of 9 rows are read: mode=fast, step>=3",
    ),
    K.METHODS_LEFT_OUT: (Note(K.METHODS_LEFT_OUT, "without", {"methods": ["a"]}), "left out, as asked: 'a'"),
    K.SEED_OF_FOLD: (
        Note(K.SEED_OF_FOLD, "repeat", {"column": "seed"}),
        "column 'seed' is another for every fold, so it numbers no repeat of the cross-validation",
    ),
    K.ONE_METHOD: (
        Note(K.ONE_METHOD, "algorithm", {"method": "scores", "column": None, "columns": ["recipe", "host"]}),
        "no column is called a method, so there is one method only, 'scores'; 'recipe', 'host' could name methods too: say "
        "algorithm='recipe' to take it",
    ),
    K.EMPTY_CELL: (
        Note(K.EMPTY_CELL, "without", {"method": "svm", "task": "wine", "n": 2, "tasks": ["iris"]}),
        "'svm' has no run on 'wine' (2 such cells); keep the tasks that every method has with trials.select(tasks=['iris']), or "
        "leave the method out with without='svm'.",
    ),
    K.ASKS_SPLIT: (
        Note(
            K.ASKS_SPLIT,
            "where",
            {
                "column": "mode",
                "value": "fast",
                "values": ["fast", "slow"],
                "n": 2,
                "algorithm": "solver",
                "task": "problem",
            },
        ),
        "column 'mode' splits the runs of a method on a task into 2 sets ('fast', 'slow'), which are not runs of one thing; say "
        "where={'mode': 'fast'} to choose one, algorithm=['solver', 'mode'] to make each a method of its own, "
        "task=['problem', 'mode'] to make each a task of its own, params='mode' if it is a hyper-parameter, or varied='mode' if it was "
        "drawn anew for each run.",
    ),
    K.ASKS_CURVES: (
        Note(
            K.ASKS_CURVES,
            "step",
            {"column": "updates", "n": 11, "low": "0", "high": "10", "numbers_runs": False},
        ),
        "column 'updates' holds 11 steps of a run (0 to 10), as in a table of curves; say step='updates' if they are, "
        "params='updates' if it is a hyper-parameter.",
    ),
    K.CURVES_READ: (
        Note(
            K.CURVES_READ,
            "step",
            {
                "column": "frame",
                "guessed": True,
                "n_rows": 30390,
                "n_runs": 240,
                "least": 121,
                "most": 134,
                "first_end": 1.0,
                "last_end": 2.0,
            },
        ),
        "step: 'frame' (guessed) holds 121 to 134 steps of a run: 30390 rows are 240 runs; params='frame' if it is a hyper-parameter",
    ),
    K.STEP_GRID: (
        Note(K.STEP_GRID, "grid", {"step": "frame", "n": 100, "first": 1000.0, "last": 200000.0, "how": "even"}),
        "runs are compared at 100 steps from frame 1,000 to 200,000, evenly placed: each has its last value at or before a step",
    ),
    K.ENDED_EARLY: (
        Note(K.ENDED_EARLY, "grid", {"n": 1, "of_runs": 240, "step": "frame", "last": 2000.0, "first_end": 500.0}),
        "1 of 240 runs ends before frame 2,000, the first at 500, and keeps its last value",
    ),
    K.GOES_ON: (
        Note(K.GOES_ON, "grid", {"n": 5, "of_runs": 10, "step": "frame", "last": 2000.0, "last_end": 9000.0}),
        "5 of 10 runs go on far beyond frame 2,000, the last to 9,000, which is not shown: choose steps with grid=",
    ),
    K.ONE_RUN: (
        Note(K.ONE_RUN, values={"methods": ["sac"]}),
        "no interval for sac: one run on a task says nothing about spread",
    ),
    K.REACHES: (
        Note(K.REACHES, values={"metric": "return", "target": 900.0, "goal": "maximize", "n": 3, "of_runs": 8}),
        "3 of 8 runs never reach return of at least 900, and count as failed",
    ),
    K.CURVE_SCORE: (
        Note(
            K.CURVE_SCORE,
            "budget",
            {
                "step": "frame",
                "how": "last",
                "budget": None,
                "n": 9,
                "n_early": 2,
                "first_end": 900.0,
                "last_end": 1000.0,
            },
        ),
        "the score of a run is its last value, and runs end between frame 900 and 1,000; budget=900 takes all of them at the same step",
    ),
    K.STEPS_EMPTY: (
        Note(K.STEPS_EMPTY, values={"column": "frame", "n": 2}),
        "2 rows without a score are left out: 'frame' is empty there",
    ),
    K.STEPS_TWICE: (
        Note(K.STEPS_TWICE, values={"column": "frame", "n": 1}),
        "warning: 1 row repeats a 'frame' of the same run, as where it went on from a checkpoint: the later row counts",
    ),
    K.CURVES_INFINITE: (
        Note(K.CURVES_INFINITE, values={"column": "loss", "n": 2, "of_runs": 12, "n_again": 1}),
        "warning: 'loss' is infinite in 2 of 12 runs, which count as failed from that step on, 1 of them though finite values follow",
    ),
    K.VALUE_KEPT: (
        Note(K.VALUE_KEPT, values={"column": "loss", "n": 3, "of_runs": 12}),
        "3 of 12 runs have rows after the last value of 'loss', and keep that value to their end",
    ),
    K.GOAL_GUESSED: (
        Note(K.GOAL_GUESSED, "goal", {"metric": "auc", "goal": "maximize", "by_name": True}),
        "goal of 'auc': maximize (guessed from its name; say goal= to decide)",
    ),
    K.GOAL_UNKNOWN: (
        Note(K.GOAL_UNKNOWN, "goal", {"metric": "value", "goal": "maximize"}),
        "goal of 'value': maximize (assumed: nothing in its name says whether large or small is good; say goal= to decide)",
    ),
    K.ASKS_GOAL: (
        Note(K.ASKS_GOAL, "goal", {"metric": "value", "goal": "maximize", "low": 0.5, "high": 812.0}),
        "nothing in the name 'value' says whether large or small ones are good, and numbers from 0.5 to 812 may be times, costs or "
        "counts as well as scores; say goal='minimize' if small ones are good, goal='maximize' if large ones are.",
    ),
    K.TOTALS_LEFT_OUT: (
        Note(K.TOTALS_LEFT_OUT, "where", {"column": "dataset", "names": ["Average"], "n": 4}),
        "warning: 4 rows are left out: 'Average' in 'dataset' sums up the other rows, and is no further task",
    ),
    K.ASKS_TOTAL: (
        Note(K.ASKS_TOTAL, "where", {"column": "dataset", "names": ["Overall"], "n": 4}),
        "'Overall' in column 'dataset' is called as what sums up the other rows, and its numbers are not simply their mean; "
        "say where='dataset!=Overall' to leave it out, or give it another name in the table if it is a task like the others.",
    ),
    K.ASKS_PERCENT: (
        Note(K.ASKS_PERCENT, "bounds", {"column": "accuracy", "fractions": ["B"], "percents": ["A"]}),
        "every 'accuracy' of 'B' lies between 0 and 1, and every one of 'A' between 1 and 100, as where one is written as fractions "
        "and the other in percent; write them alike in the table, or say bounds=(0, 100) if all are percent.",
    ),
    K.MIXED_SCALES: (
        Note(K.MIXED_SCALES, "bounds", {"column": "score", "fractions": ["B"], "percents": ["A"]}),
        "warning: every 'score' of 'B' lies between 0 and 1, and every one of 'A' between 1 and 100, about a hundred times as large: "
        "one of them may be in percent",
    ),
    K.PROVEN: (
        Note(K.PROVEN, "status", {"column": "status", "words": ["infeasible"], "n": 3}),
        "status: 'infeasible' in 3 rows of 'status' count as solved, by a proof of what the problem is "
        "(where='status!=infeasible' leaves such rows out)",
    ),
    K.TIMEOUTS_READ: (
        Note(K.TIMEOUTS_READ, "time_limit", {"column": "time", "words": ["TO", ">900"], "n": 2, "limit": 900.0}),
        "'TO', '>900' in 2 rows of 'time' count as the time limit of 900",
    ),
    K.GOAL_ASSUMED: (
        Note(K.GOAL_ASSUMED, values={"metric": "auc", "goal": "maximize"}),
        "goal of 'auc': maximize, without bounds (guessed from its name; declare it in Study(metrics=…), or say goal=)",
    ),
    K.VARIED_GUESSED: (
        Note(K.VARIED_GUESSED, "varied", {"varied": ["seed", "fold"]}),
        "varied: seed, fold (guessed)",
    ),
    K.ASSUMES_INDEPENDENCE: (
        Note(K.ASSUMES_INDEPENDENCE, "unit"),
        "unit: every row is taken for one independent run (assumed; declare it with unit='row')",
    ),
    K.NOT_INDEPENDENT: (
        Note(K.NOT_INDEPENDENT, "independent"),
        "a grid or an adaptive sampler chose the trials, or may have: they are described, not judged "
        "(say independent=True if they were drawn at random)",
    ),
    K.SHARED_UNIT: (Note(K.SHARED_UNIT, "unit", {"unit": "item"}), "unit: 'item'; rows that share it count once"),
    K.UNIT_SAID: (
        Note(K.UNIT_SAID, "unit", {"unit": "row"}),
        "unit: 'row' (said when the table was read again)",
    ),
    K.FOLDS_OVERRULED: (
        Note(K.FOLDS_OVERRULED, "unit", {"column": "fold"}),
        "warning: folds of 'fold' are not corrected for: unit= says what is independent",
    ),
    K.HELD: (
        Note(K.HELD, "unit", {"unit": "item", "repeat": "seed"}),
        "'seed' is held: rows of one 'item' are averaged, and intervals speak of others under the same 'seed' "
        "(guessed; unit='seed' asks about new ones)",
    ),
    K.PAIRED: (
        Note(K.PAIRED, "pair", {"column": "seed", "guessed": True, "matched": 8, "of_rows": 12}),
        "paired by 'seed' (guessed): 8 of 12 rows have a partner",
    ),
    K.PAIRED_TRIALS: (Note(K.PAIRED_TRIALS), "paired by 'trial': trial i has the same data for every method"),
    K.NOT_PAIRED: (
        Note(K.NOT_PAIRED, "pair", {"column": "draw"}),
        "not paired: no value of 'draw' occurs in two methods of a task",
    ),
    K.NOT_PAIRED_DATA: (
        Note(K.NOT_PAIRED_DATA),
        "not paired: the data were held fixed, so methods share no draw from trial to trial",
    ),
    K.NOT_PAIRED_TABLES: (
        Note(K.NOT_PAIRED_TABLES),
        "methods are compared unpaired: across tables the same number may have been another draw",
    ),
    K.ALIKE_NAMES: (
        Note(K.ALIKE_NAMES, "algorithm", {"names": ["SVM", "svm "]}),
        "guessed: 'SVM', 'svm ' are different methods, though they differ only in case or spaces",
    ),
    K.LEFT_OUT: (
        Note(K.LEFT_OUT, "status", {"n": 2, "of_rows": 5, "column": "state", "gone": ["b"]}),
        "warning: 2 of 5 rows are left out: 'state' says that they are still running or waiting; nothing is left of 'b'",
    ),
    K.TRIALS_LEFT_OUT: (
        Note(K.TRIALS_LEFT_OUT, values={"n": 2, "study": "demo"}),
        "warning: 2 trials of 'demo' still running or waiting are left out",
    ),
    K.ENQUEUED: (
        Note(K.ENQUEUED, values={"n": 1, "study": "demo"}),
        "warning: 1 trial of 'demo' was enqueued by hand, not drawn",
    ),
    K.SELECTED: (
        Note(K.SELECTED, values={"counts": [(2, 3, "methods"), (1, 2, "tasks")]}),
        "selected: 2 of 3 methods and 1 of 2 tasks",
    ),
    K.NOT_STATED_FOR_BOTH: (
        Note(K.NOT_STATED_FOR_BOTH, values={"fact": "varied", "new": "seed", "baseline": "nothing"}),
        "varied: not stated for both, since new says seed and the baseline nothing",
    ),
    K.ASKS_GROUP: (
        Note(K.ASKS_GROUP, "unit", {"column": "config", "fold": "cv"}),
        "column 'config' repeats across the folds of 'cv', so rows may belong together; say unit='config' to count each "
        "once, or unit='fold' if it names repeats of one cross-validation.",
    ),
    K.ASKS_CONFIGURATION: (
        Note(K.ASKS_CONFIGURATION, "unit", {"n": 100, "n_configurations": 20}),
        "100 rows share 20 configurations, so they are not independent; say unit='configuration' to count each once, or "
        "unit='row' if every row drew its own.",
    ),
    K.ASKS_REPEAT: (
        Note(K.ASKS_REPEAT, "unit", {"column": "seed", "apart": "rate"}),
        "column 'seed' repeats within a method and task, so rows may belong together; say unit='seed' to count each once, "
        "unit='row' if every row is an independent run, or name what tells them apart with item= or group=. 'rate' is not "
        "used: where rows that share it are one draw, say unit='rate'.",
    ),
    K.ASKS_METHOD: (
        Note(K.ASKS_METHOD, "algorithm", {"column": "the approach"}),
        "no column is called a method, and 'the approach' may name it; say algorithm='the approach', params='the approach' "
        "if it is a hyper-parameter, or unit='row' if every row is an independent run of one method.",
    ),
    K.ASKS_PLANNED: (
        Note(K.ASKS_PLANNED, "unit", {"column": "host", "joins": True}),
        "each value of 'host' stands equally often within a method and task, as in a plan, so rows that share one may belong "
        "together; say item='host' if the methods were compared on the same ones, unit='host' to count each value once, or unit='row' if every row is an independent run.",
    ),
    K.ASKS_HOLDS: (
        Note(K.ASKS_HOLDS, values={"holds": [("configuration", "every", 2), ("seed", "cycle", 3)]}),
        "rows share draws in 2 ways (configuration by every(2), seed by cycle(3)), so neither trials nor groups of them are "
        "independent; run the study with only one of them held for several trials.",
    ),
    K.FROM_STORE: (Note(K.FROM_STORE, values={"n": 20, "store": "demo"}), "20 trials from the store demo"),
    K.RUN_TWICE: (
        Note(K.RUN_TWICE, values={"n": 1, "examples": ["trial 2"], "versions_changed": False}),
        "warning: 1 trial was run twice with different results (for example trial 2): the algorithm is not deterministic",
    ),
    K.DAMAGED: (
        Note(K.DAMAGED, values={"n": 2, "n_parts": 9, "rows": 4, "unknown": 1}),
        "warning: 2 of 9 parts cannot be read: 4 rows and an unknown number more are missing",
    ),
    K.CHANGE_ACCEPTED: (
        Note(K.CHANGE_ACCEPTED, values={"change": "C was 1, is 2"}),
        "warning: the study was changed and the change accepted, rows before and after it count together: C was 1, is 2",
    ),
    K.SET_ASIDE: (
        Note(K.SET_ASIDE, values={"n": 3}),
        "3 files are set aside in quarantine/; what they held counts as not done",
    ),
    K.UNFINISHED: (
        Note(K.UNFINISHED, values={"cells": [["svm", "t", 60, 100], ["svm", "u", 100, 100], ["knn", "t", 99, 100]]}),
        "warning: 259 of 300 trials; 41 are missing (40 of svm, 1 of knn), not yet or no longer there; a further run makes them",
    ),
    K.LIMITS: (
        Note(K.LIMITS, values={"limits": ["wall_limit 10", "cpu_limit 9"]}),
        "limits: wall_limit 10 or cpu_limit 9",
    ),
    K.NEAR_LIMIT: (
        Note(K.NEAR_LIMIT, values={"limit": "CPU", "share": 0.2, "near": 2, "cut": 1}),
        "warning: trials that ended within 20 % of the CPU limit: 2, cut by it: 1; on a faster or slower machine these may "
        "be others",
    ),
    K.CUT_BY_MEMORY: (
        Note(K.CUT_BY_MEMORY, values={"n": 1}),
        "warning: trials cut by the memory limit: 1; how close others came to it is not recorded",
    ),
    K.AT_PERCENTILE: (
        Note(
            K.AT_PERCENTILE,
            values={
                "metric": "loss",
                "method": "SVM at 99 %",
                "algorithm": "SVM",
                "task": "moons",
                "percentile": 99.0,
                "trial": 7,
                "score": 0.25,
                "n_trials": 1000,
            },
        ),
        "'SVM at 99 %' on 'moons' has the configuration of trial 7 of 'SVM', whose loss was 0.250: the 99 % mark of 1000 trials, worst to best",
    ),
    K.SEED_KEPT: (
        Note(K.SEED_KEPT, values={"of": "tree", "parameter": "random_state", "value": 1, "draw": "trial"}),
        "tree: random_state=1 was set, and is the same in every trial",
    ),
    K.TUNED_BY_NAME: (
        Note(K.TUNED_BY_NAME, values={"algorithm": "f", "metric": "loss", "goal": "minimize"}),
        "tuning 'f' takes smaller 'loss' as better, as its name tells; declare metrics= to say which",
    ),
    K.ORDER_OF_SETS: (
        Note(K.ORDER_OF_SETS),
        "ran in this process, whose sets of text have an order of their own: scores that depend on such an order are those "
        "of worker processes only under PYTHONHASHSEED=0",
    ),
    K.RUNS_LONG: (
        Note(
            K.RUNS_LONG,
            "wall_limit",
            {"algorithm": "svm", "task": "moons", "trial": 7, "seconds": 130.0, "n": 40, "longest": 3.0, "limit": 20},
        ),
        "trial 7 of 'svm' on 'moons' has been running for 2 min 10 s; the longest of 40 others took 3 s (wall_limit=20 ends "
        "such trials as timeouts)",
    ),
    K.SIZES_AS_TASKS: (
        Note(K.SIZES_AS_TASKS),
        "tasks are training-set sizes; those of one repetition depend on each other",
    ),
    K.NO_SCORE: (
        Note(K.NO_SCORE, values={"of": "u", "n": 1, "status": "error", "message": "no luck"}),
        "u: 1 repetition without a score (error: no luck)",
    ),
    K.FITS_FAILED: (
        Note(K.FITS_FAILED, values={"of": "u", "n": 3, "of_fits": 120, "sizes": [3, 5], "more": True}),
        "u: 3 of 120 fits failed, at n = 3, 5, …; there is no score there",
    ),
    K.UNUSED_REPETITIONS: (
        Note(K.UNUSED_REPETITIONS, values={"of": "nb", "n": 6, "used": 2}),
        "nb: of 6 repetitions the 2 that every model has are used",
    ),
    K.CLASSES_ABSENT: (
        Note(K.CLASSES_ABSENT, values={"classes": list("abcd"), "part": "tested"}),
        "no row of 'a', 'b', 'c'… is tested on: the split left none",
    ),
    K.MISSING_COUNT_AS: (Note(K.MISSING_COUNT_AS, values={"rule": "worst"}), "missing scores count as worst"),
    K.NOT_CALIBRATED: (
        Note(K.NOT_CALIBRATED),
        "brier and cross_entropy are of the logistic function of decision values, which is not calibrated",
    ),
    K.NO_PROBABILITIES: (
        Note(K.NO_PROBABILITIES, values={"metrics": ["brier", "cross_entropy"]}),
        "has no predict_proba, so there is no brier and no cross_entropy",
    ),
    K.ONE_VS_REST: (
        Note(K.ONE_VS_REST, "multi_class", {"models": ["tree", "forest"]}),
        "tree and forest learned one class against the rest, a fit for each class; their probabilities are normalized",
    ),
    K.CURVE_PATHS: (
        Note(K.CURVE_PATHS, "fit", {"kernel": ["nmc", "lda"], "each": ["mlp"]}),
        "whole curves by compiled code: nmc, lda; fitted anew at each size: mlp",
    ),
    K.TUNED_AT_SIZES: (
        Note(
            K.TUNED_AT_SIZES,
            "tuned",
            {
                "models": {
                    "knn (tuned, 3)": {"parameter": "n_neighbors", "inverse": False, "least": 1.0, "most": 9.0},
                    "logistic (tuned, 20)": {"parameter": "estimator__C", "inverse": True, "least": 1e-8, "most": 0.1},
                }
            },
        ),
        "tuned at each size by the accuracy on every fifth training row, then fitted to all of them: "
        "knn (tuned, 3), n_neighbors from 1 to 9; logistic (tuned, 20), 1/C from 1e-08 to 0.1",
    ),
    K.NOTHING_TO_TUNE: (
        Note(K.NOTHING_TO_TUNE, "tuned", {"models": ["nmc"]}),
        "nmc has nothing to tune: its curve is the untuned one",
    ),
    K.PAIRWISE_DECISIONS: (
        Note(K.PAIRWISE_DECISIONS),
        "decision values are of pairs of classes, so there is no auc for more than two classes",
    ),
    K.VARIED: (Note(K.VARIED, values={"varied": ["seed", "data"]}), "seed and data varied between runs"),
    K.SPREAD_NOT_USED: (Note(K.SPREAD_NOT_USED), "each cell is a mean; its spread is not used"),
    K.UNEQUAL_MEANS: (
        Note(K.UNEQUAL_MEANS, values={"least": 3, "most": 30}),
        "the means stand on 3 to 30 runs and are compared as they are: a mean of few runs is further off, to either side",
    ),
    K.PROBLEMS_DROPPED: (
        Note(K.PROBLEMS_DROPPED, "missing", {"n": 1, "what": "values"}),
        "1 problem with missing values dropped",
    ),
    K.MISSING_FAILED: (Note(K.MISSING_FAILED, "missing", {"n": 2}), "2 missing values counted as failures"),
    K.FAILED_RUNS: (
        Note(K.FAILED_RUNS, values={"n": 1, "of_runs": 12, "counted": "worse than every τ"}),
        "1 failed run of 12 counts as worse than every τ",
    ),
    K.NO_SUCCESS: (Note(K.NO_SUCCESS, values={"methods": ["b"]}), "b has no success on any problem"),
    K.UNSOLVED: (
        Note(K.UNSOLVED, "unsolved", {"n": 1, "counted": True}),
        "1 problem that no method solves is counted (unsolved='drop' leaves them out)",
    ),
    K.MAYBE_TIME_LIMIT: (
        Note(K.MAYBE_TIME_LIMIT, "time_limit", {"n": 7, "of_runs": 30, "limit": 60.0}),
        "7 of 30 values equal the largest one, 60, and count as solved; if that is a time limit, say time_limit=60",
    ),
    K.AT_TIME_LIMIT: (
        Note(K.AT_TIME_LIMIT, "time_limit", {"n": 2, "limit": 60.0, "n_failed": 0}),
        "2 values reach the time limit of 60",
    ),
    K.BELOW_CLOCK: (
        Note(K.BELOW_CLOCK, "floor", {"n": 1, "floor": 0.01}),
        "1 value below the clock's resolution of 0.01 counts as 0.01",
    ),
    K.FIRST_RUNS: (
        Note(K.FIRST_RUNS, "equalize", {"n": 5}),
        "the first 5 runs of every cell are counted, as many as the smallest has",
    ),
    K.DRAWN_RUNS: (
        Note(K.DRAWN_RUNS, "equalize", {"n": 1}),
        "1 run of every cell is counted, as many as the smallest has, drawn by a fixed stream",
    ),
    K.UNEQUAL_RUNS: (
        Note(K.UNEQUAL_RUNS, values={"n": 2, "least": 3, "most": 30}),
        "methods have unequal numbers of runs on 2 problems (3 to 30 in all): as many are counted of each as the poorest "
        "method has there, drawn by a fixed stream, since more runs are better placed to hold the best",
    ),
    K.EQUAL_COUNTS: (Note(K.EQUAL_COUNTS, "equalize", {"n": 5}), "every mean counts as if it stood on 5 runs"),
    K.UNEVEN_COUNTS: (
        Note(K.UNEVEN_COUNTS, "equalize", {"least": 5, "most": 24}),
        "cells have 5 to 24 runs: a method with few runs is never far from the best, so numbers of runs are compared with "
        "methods (equalize='min-n' counts equally many)",
    ),
    K.EVIDENCE: (
        Note(K.EVIDENCE, values={"n": 5}),
        "evidence, not size: with 5 runs each, other numbers of runs would give other distances",
    ),
    K.NO_SPREAD: (
        Note(K.NO_SPREAD, values={"n": 2, "of_cells": 8}),
        "2 of 8 cells have a standard deviation of 0, and the test believes them",
    ),
    K.RUNS_JOINED: (Note(K.RUNS_JOINED, "runs", {"by": "median"}), "several runs of a cell count by their median"),
    K.SPLIT_SAMPLE: (
        Note(K.SPLIT_SAMPLE),
        "half of the runs chose the best method, the other half measured the distance, and the other way round",
    ),
    K.ESTIMATED: (
        Note(K.ESTIMATED, values={"least": 5, "most": 5, "split": False}),
        "distances are as estimated from 5 runs each, from the best method by the same runs: with more runs the curves "
        "would lie elsewhere, and the band is heuristic (it is for distances estimated in this way)",
    ),
    K.ONLY_MEANS: (
        Note(K.ONLY_MEANS),
        "numbers of runs differ and only means are known: who is best depends on them, and the band is heuristic",
    ),
    K.RELATIVE: (Note(K.RELATIVE), "differences are shares of the best score's size"),
    K.COMMON_SCALE: (
        Note(K.COMMON_SCALE, values={"values": "scores", "over": "tasks"}),
        "scores are taken as they are: tasks must share a scale",
    ),
    K.NORMALIZED: (
        Note(K.NORMALIZED, values={"by": "reference", "method": "svm"}),
        "a score is the share of svm's runs that it beats on the task; these runs are taken as fixed",
    ),
    K.NO_BANDS: (Note(K.NO_BANDS), "no bands: a grid or an adaptive sampler chose the runs, or may have"),
    K.OTHER_BAND: (
        Note(K.OTHER_BAND, "band", {"band": "ks", "asked": "exact"}),
        "the ks band stands in for exact, whose table ends below this confidence",
    ),
    K.FEW_TASKS: (
        Note(K.FEW_TASKS, values={"n": 3, "wanted": 10}),
        "too few tasks to generalize: 3, where 10 are wanted",
    ),
    K.RUNS_INDEPENDENT: (Note(K.RUNS_INDEPENDENT), "runs are taken as independent"),
    K.RUNS_ARE_FOLDS: (
        Note(K.RUNS_ARE_FOLDS),
        "the runs are folds of a cross-validation and not independent: the band is heuristic",
    ),
    K.GEOMETRIC: (
        Note(K.GEOMETRIC, values={"shift": 10.0, "confidence": 0.95, "n": 12}),
        "shift 10; 95 % intervals, approximate, 12 problems taken as a random sample",
    ),
    K.FAILED_AT_LIMIT: (
        Note(K.FAILED_AT_LIMIT, "time_limit", {"n": 1, "limit": 60.0}),
        "1 failure counts as the time limit of 60",
    ),
}
ARGUMENTS = re.compile(
    r"\b(unit|goal|varied|pair|item|group|algorithm|params|independent|unsolved|equalize|status|tasks?|where|repeat|without|wall_limit|time_limit|bounds|step|budget|grid)="
)


@pytest.mark.parametrize("kind", list(NoteKind))
def test_every_kind_of_note_is_said(kind):
    note, words = SAID[kind]
    assert note.kind is kind
    assert note.words() == str(note) == words
    assert "--" not in words


@pytest.mark.parametrize("kind", list(NoteKind))
def test_on_the_command_line_only_options_are_named(kind):
    note, words = SAID[kind]
    shown = note.words("cli")
    assert not ARGUMENTS.search(shown)
    further = sum(
        names.count(",") for names in re.findall(r"=\[([^\]]*)\]", words)
    )  # an option for each name of a list
    assert len(ARGUMENTS.findall(words)) + further == shown.count("--")


@pytest.mark.parametrize("kind", list(NoteKind))
def test_a_note_that_went_through_json_is_the_same_note(kind):
    note, words = SAID[kind]
    held = json.loads(json.dumps(note.to_dict()))
    assert Note.from_dict(held) == note
    assert hash(Note.from_dict(held)) == hash(note)
    assert held["words"] == words


def test_distances_from_a_best_method_that_other_runs_chose_are_not_called_those_by_the_same_runs():
    words = str(Note(K.ESTIMATED, values={"least": 3, "most": 8, "split": True}))
    assert words.startswith("distances are as estimated from 3 to 8 runs each: with more runs")


def test_names_with_spaces_are_quoted_for_a_shell():
    assert "--algorithm 'the approach', --param 'the approach'" in SAID[K.ASKS_METHOD][0].words("cli")
    assert "say --independent if" in SAID[K.NOT_INDEPENDENT][0].words("cli")


def test_words_of_an_earlier_file_and_kinds_of_a_later_one_stay_readable():
    assert Note.from_dict("unit: as it was written") == said("unit: as it was written")
    later = {"kind": "of another year", "argument": None, "values": {"n": 1}, "words": "one of them"}
    assert str(Note.from_dict(later)) == "one of them"


def test_a_kind_is_a_question_a_warning_or_a_doubt_and_never_two_of_them():
    assert not QUESTIONS & WARNINGS
    assert not WARNINGS & DOUBTS
    assert not DOUBTS & QUESTIONS


def test_what_was_guessed_is_doubtful_and_what_was_said_is_not():
    guessed = SAID[K.ROLE][0]
    told = Note(K.ROLE, "algorithm", {**guessed.values, "guessed": False})
    assert guessed.is_doubtful
    assert not told.is_doubtful
    assert "guessed" not in str(told)


def test_a_note_about_a_method_says_so_first_and_its_sentence_does_not():
    note = Note(K.NOT_CALIBRATED).about("svm")
    assert note.subject == "svm"
    assert str(note) == f"svm: {note.sentence()}"
    assert capitalized(note).endswith("calibrated.")


def test_sentences_are_said_once():
    assert sentences([said("a"), Note(K.RELATIVE), said("a")]) == ["a", str(Note(K.RELATIVE))]


def test_notes_and_question_come_back_from_a_file(tmp_path):
    frame = pd.DataFrame({"model": ["a"] * 6, "seed": [0, 0, 1, 1, 2, 2], "score": [1.0, 2, 3, 4, 5, 6]})
    trials = ogive.read(frame).with_notes("seen on a Sunday")
    trials.write(tmp_path / "t.parquet")
    again = ogive.read(tmp_path / "t.parquet")
    assert trials.question is not None
    assert trials.question.kind in QUESTIONS
    assert (again.notes, again.question) == (trials.notes, trials.question)
    assert again.notes[-1] == said("seen on a Sunday")
