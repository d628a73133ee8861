"""`ogive curves`."""

from __future__ import annotations

import contextlib
from pathlib import Path
from typing import Annotated, Any

import typer

from ogive.cli._options import Confidence, Json, Quiet
from ogive.cli._output import heard, say, show, show_text
from ogive.cli._target import as_page, as_picture, picture_options
from ogive.errors import InputError, UnwritableFile
from ogive.notes import sentences
from ogive.writing import make_folder_of

DRAWING = "How rows are drawn"
SIZES_OF_TRAINING = (
    "ntrain", "trainsize", "ntraining", "trainingsize", "trainsetsize", "trainingsetsize", "ntrainsamples"
)  # fmt: skip

# fmt: off
DataFile = Annotated[str, typer.Argument(metavar="DATA.csv", help="Raw data: one header line, one column to predict, the rest features.")]
Target = Annotated[str, typer.Option("--target", metavar="COLUMN", help="The column to predict.")]
ModelNames = Annotated[str, typer.Option("--models", metavar="NAME,…", help="Some of nmc, knn, lda, qda, logistic, linear_svm, rbf_svm, tree, forest, adaboost; or all.")]
Repetitions = Annotated[int, typer.Option("--repetitions", "-n", min=1, help="Curves of each model.")]
Out = Annotated[Path, typer.Option("--out", "-o", metavar="DIR", help="Keeps finished repetitions and pictures; run again to go on.")]
DesignName = Annotated[str, typer.Option("--design", metavar="additive|random|bootstrap", help="Training sets.", rich_help_panel=DRAWING)]
TestName = Annotated[str, typer.Option("--test", metavar="fixed|varying", help="Test sets.", rich_help_panel=DRAWING)]
TestSize = Annotated[float, typer.Option("--test-size", metavar="SHARE", help="Of a fixed test set.", rich_help_panel=DRAWING)]
Sizes = Annotated[str | None, typer.Option("--sizes", metavar="N,…", help="Where left out, up to 0.7 of the rows: every one if all models are compiled, otherwise 20.", rich_help_panel=DRAWING)]
Fit = Annotated[str | None, typer.Option("--fit", metavar="kernel|each", help="Whole curves by compiled code, or a fit at each size; by default compiled code where there is any.")]
Tuned = Annotated[str | None, typer.Option("--tuned", metavar="N|NAME=V,…", help="Tune each model at every size over N values (20, say): a fifth of the training rows chooses, all are fitted, the test set has no part. Or values of your own, knn=1,5,15; more models after semicolons. Sizes begin at 10.")]
OneVsRest = Annotated[bool, typer.Option("--one-vs-rest", help="Models that tell several classes apart at once are fitted once for each class against the rest, at each size.")]
Seed = Annotated[int, typer.Option("--seed", help="The root of all draws.", rich_help_panel=DRAWING)]
MetricName = Annotated[str | None, typer.Option("--metric", metavar="NAME", help="Shown: accuracy, auc, brier or cross_entropy.")]
Workers = Annotated[int | None, typer.Option("--workers", "-w", min=0, help="Processes; all cores where left out.")]
MaxCost = Annotated[float, typer.Option("--max-cost", metavar="SECONDS", help="Refuse what is predicted to take longer.")]
ReportFile = Annotated[Path | None, typer.Option("--report", metavar="FILE", help="Also one page with everything: .html.")]
# fmt: on


@picture_options
def curves(
    data: DataFile, target: Target, models: ModelNames, out: Out, repetitions: Repetitions = 100, design: DesignName = "additive",
    test: TestName = "fixed", test_size: TestSize = 0.2, sizes: Sizes = None, metric: MetricName = None, seed: Seed = 0,
    workers: Workers = None, max_cost: MaxCost = 3600.0, fit: Fit = None, tuned: Tuned = None, one_vs_rest: OneVsRest = False, confidence: Confidence = 0.95, as_json: Json = False, quiet: Quiet = False,
    report: ReportFile = None, *, drawing: dict[str, Any],
) -> None:  # fmt: skip
    """Scores of models at every training-set size, many times over: who leads at which size, on good days and bad."""
    import numpy as np

    from ogive.arguments import as_confidence
    from ogive.curves import as_metrics, learning_curves
    from ogive.plots import leading, learning_fan
    from ogive.report import write_curves
    from ogive.tasks import File

    # What is wrong with a name, a number or a place is said before anything is run.
    first = as_metrics(metric, "classification")[0]
    confidence = as_confidence(confidence)
    page = None if report is None else as_page(report, [data], option="--report")
    for file in _pictures(first):
        as_picture(out / file)
    _refuse_scores(data, target)
    loaded = File(data, target, "classification").load()
    labels = np.array(loaded.facts["classes"])[loaded.y] if "classes" in loaded.facts else loaded.y
    with contextlib.nullcontext() if quiet else heard("ogive.curves"):
        made = learning_curves(
            [name.strip() for name in models.split(",") if name.strip()], loaded.X, labels, design=design, test=test,
            n_repetitions=repetitions, sizes=_sizes(sizes), test_size=test_size, tuned=_tuned(tuned), fit=fit,
            multi_class="one-vs-rest" if one_vs_rest else None, name=Path(data).stem, seed=seed, store=out,
            workers=workers, max_cost=max_cost, progress=not quiet,
        )  # fmt: skip
    name = made.metric_name(metric)
    statistics = ("mean", *made.definitions[name].worst_first("q0.05", "q0.95"))
    shown = [made.statistic(s, name, confidence=confidence) for s in statistics]
    several = len(made.models) > 1 and made.n_repetitions >= 20
    leaders = made.leaders(name, confidence=confidence) if several else None
    pictures: list[Path] = []
    trouble = None
    try:
        fan, strip = (out / file for file in _pictures(name))
        pictures.append(learning_fan(made, name).save(fan, **drawing))
        if leaders is not None:
            pictures.append(leading(leaders).save(strip, **drawing))
        if page is not None:
            make_folder_of(page)
            write_curves(made, page, metric=name, confidence=confidence)
    except UnwritableFile as error:  # answers are not lost with a picture
        trouble, page = error, None
    if as_json:
        content = {
            "schema": 1, "source": made.name, "unit": "repetition", "notes": sentences(made.notes), "models": list(made.models),
            "metric": name, "sizes": made.sizes.tolist(), "n_repetitions": made.n_repetitions, "design": made.design,
            "test": made.test, "scope": made.scope, "rows": [row for part in shown for row in part.to_dict()["rows"]],
            "leaders": [] if leaders is None else leaders.to_dict()["rows"], "pictures": [str(one) for one in pictures],
            "report": None if page is None else str(page),
        }  # fmt: skip
        show(content, as_json=True)
    else:
        show_text("\n\n".join([made.headline, *map(str, shown), *([str(leaders)] if leaders is not None else [])]))
        for note in made.notes:
            say(f"note: {note.words('cli')}")
        for picture in pictures:
            say(f"picture: {picture}")
        if page is not None:
            say(f"page: {page}")
    if trouble is not None:
        say(f"{made.n_repetitions} repetitions are kept in {out}; the same command writes what is missing.")
        raise trouble


def _refuse_scores(data: str, target: str) -> None:
    """Refuse a table of scores by training-set size, whose rows are no data to train on."""
    from ogive.files import read_table
    from ogive.metric import is_measure

    if not is_measure(target):
        return
    columns = read_table(Path(data), wide=True, missing_text=True).column_names
    size = next((c for c in columns if c.lower().replace("_", "").replace(" ", "") in SIZES_OF_TRAINING), None)
    if size is not None and target in columns:
        raise InputError(
            f"{Path(data).name} holds scores ({target!r}) by training-set size ({size!r}), and curves are made from raw data: a "
            f"column to predict and features. Compare what you have at one size: ogive rank {Path(data).name} --where {size}=…"
        )


def _pictures(metric: str) -> tuple[str, str]:
    return f"curves-{metric}.png", f"leaders-{metric}.png"


def _tuned(text: str | None) -> int | dict[str, int | list[float]] | None:
    """What `--tuned` means: 20, or knn=1,5,15;tree=20."""
    if text is None:
        return None
    try:
        if "=" not in text:
            return int(text)
        found: dict[str, int | list[float]] = {}
        for part in filter(None, map(str.strip, text.split(";"))):
            model, values = part.split("=")
            several = [float(value) for value in values.split(",") if value.strip()]
            found[model.strip()] = several if "," in values else int(values)
        return found
    except ValueError:
        raise InputError(
            f"`--tuned` must be a number of values, such as 20, or values of a model, such as knn=1,5,15; got {text!r}."
        ) from None


def _sizes(text: str | None) -> list[int] | None:
    if text is None:
        return None
    try:
        return [int(part) for part in text.split(",") if part.strip()]
    except ValueError:
        raise InputError(
            f"`--sizes` must be whole numbers with commas between, such as 10,20,50; got {text!r}."
        ) from None
