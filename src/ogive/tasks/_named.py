"""Data sets that have a name elsewhere: openml.org by number, the faces of LFW; and the folder that keeps them.

The folder is `$OGIVE_CACHE`, else the user's cache folder. A file that lies there is used as it is; where
it is absent a loader of scikit-learn fills it, so that both ways give the same arrays. Files appear whole
or not at all.

Of the faces, seven people on 1288 photographs, 150 principal components are taken. Projecting needs
products of images only, so all of them are multiplied once (pixels are whole numbers: the products are
exact). A split then costs one eigendecomposition of the training part's centered products, 0.1 s,
instead of 0.6 s for the decomposition of the pixels.
"""

from __future__ import annotations

import io
import json
import os
import warnings
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

from ogive.errors import InputError, UnreadableSource
from ogive.tasks._files import from_table
from ogive.tasks._rows import Loaded, Resampled, Rows, Split, as_rows, resampled
from ogive.tasks._task import KINDS, Data, Task, as_count, one_of
from ogive.writing import make_folder_of, ready, write

if TYPE_CHECKING:
    import pandas as pd


def cached(name: str, what: str, content: str, fill: Callable[[BinaryIO], None]) -> Path:
    """The path of a file of the cache, which `fill` writes where it is absent.

    Parameters
    ----------
    name : str
        The file, relative to the folder.
    what : str
        What it holds, for the sentence ("the LFW faces").
    content : str
        What a user must put into it by hand.
    fill : callable
        Downloads, and writes what the file will hold into what it is given.
    """
    path = folder() / name
    if path.is_file():
        return path
    if os.environ.get("OGIVE_OFFLINE", "") not in ("", "0"):
        raise UnreadableSource(f"{_absent(what, path, content)}, or unset OGIVE_OFFLINE to let Ogive download it.")
    from http.client import HTTPException

    downloaded = io.BytesIO()
    try:
        ready(path, folders=True)
        with warnings.catch_warnings():  # scikit-learn says so before each new attempt
            warnings.filterwarnings("ignore", "(Retry downloading|A network error)", UserWarning)
            fill(downloaded)
        make_folder_of(path)
        write(path, downloaded.getvalue())
    except UnreadableSource:
        raise
    except (OSError, ValueError, HTTPException) as error:  # no network, no such data set, no room on the disk
        reason = " ".join(str(error).split())[:300].rstrip(".") or type(error).__name__
        raise UnreadableSource(f"{_absent(what, path, content)}; downloading failed: {reason}.") from error
    return path


def folder() -> Path:
    """Where named data sets are kept."""
    chosen = os.environ.get("OGIVE_CACHE")
    if chosen:
        return Path(chosen)
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "ogive"


def _absent(what: str, path: Path, content: str) -> str:
    return f"{what} must lie in Ogive's cache (OGIVE_CACHE names another folder), and {path} is absent; put {content} there"


def openml(
    id: int,
    *,
    target: str | None = None,
    name: str | None = None,
    test_size: float = 0.4,
    stratify: bool = False,
    kind: str | None = None,
) -> Task:
    """Fresh splits of the rows of an OpenML data set.

    Read from `openml/<id>.parquet` in Ogive's cache, which `sklearn.datasets.fetch_openml` fills
    where it is absent: the features as loaded, the default target last. `target` names another
    column to predict. Categories are coded 0, 1, … in the order that the data set declares, or in
    sorted order where it declares none; the fingerprint lists it. Without `kind`, a target of text
    or of whole numbers with at most 20 different values makes a classification.
    """
    if target is not None and not isinstance(target, str):
        raise InputError(f"`target` must name a column; got {target!r}.")
    source = Numbered(as_count("id", id), target, one_of("kind", kind, KINDS))
    return resampled(f"openml-{source.id}" if name is None else name, source, test_size, stratify)


@dataclass(frozen=True, slots=True)
class Numbered:
    """The number of a data set, and which column is to be predicted."""

    id: int
    target: str | None
    kind: str | None

    def load(self) -> Loaded:
        """The rows, from the cache."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        what = f"OpenML data set {self.id}"
        path = cached(f"openml/{self.id}.parquet", what, "its table (features, then the target last)", self._download)
        try:
            table = pq.read_table(path, page_checksum_verification=True)
        except (pa.ArrowException, OSError) as error:
            raise UnreadableSource(
                f"{path} cannot be read as Parquet; delete it, and it will be downloaded again."
            ) from error
        declared = (table.schema.metadata or {}).get(b"ogive-categories")
        columns = [c for c in table.column_names if not c.startswith("__index_level_")]
        target = columns[-1] if self.target is None else self.target
        categories = None if declared is None else json.loads(declared)
        return from_table(table.select(columns), target, self.kind, what, categories)

    def definition(self) -> dict[str, Any]:
        """The number and the target, where one was named."""
        return {"data": "openml", "id": self.id, **({} if self.target is None else {"target": self.target})}

    def _download(self, file: BinaryIO) -> None:
        from sklearn.datasets import fetch_openml

        bunch = fetch_openml(data_id=self.id, as_frame=True, parser="auto")
        named = [self.target] if self.target is not None else []
        targets = list(bunch.target_names) or named
        if len(targets) != 1 or targets[0] not in bunch.frame.columns:
            raise UnreadableSource(
                f"OpenML data set {self.id} has {len(bunch.target_names)} default targets; name a column: target=…."
            )
        write_table(bunch.frame, targets[0], file)


def write_table(frame: pd.DataFrame, target: str, file: BinaryIO) -> None:
    """Features as loaded, the target last; the declared order of categories beside the schema."""
    import pandas as pd
    import pyarrow as pa
    import pyarrow.parquet as pq

    frame = frame[[*(c for c in frame.columns if c != target), target]].reset_index(drop=True)
    categories: dict[str, list[str]] = {}
    columns: dict[str, Any] = {}
    for name, column in frame.items():
        if isinstance(column.dtype, pd.CategoricalDtype):
            categories[str(name)] = [str(label) for label in column.cat.categories]
            columns[str(name)] = pa.array([None if pd.isna(v) else str(v) for v in column], pa.string())
        else:
            dense = column.astype(column.dtype.subtype) if isinstance(column.dtype, pd.SparseDtype) else column
            columns[str(name)] = pa.array(dense, from_pandas=True)
    metadata = {"ogive-categories": json.dumps(categories, ensure_ascii=False)}
    pq.write_table(pa.table(columns).replace_schema_metadata(metadata), file, write_page_checksum=True)


FloatArray = NDArray[np.float64]


def faces(
    fit_on: str = "train",
    *,
    n_components: int = 150,
    test_size: float = 0.4,
    stratify: bool = False,
    name: str = "faces",
) -> Task:
    """Who is on the photograph: whitened principal components of people with at least 70 images.

    The components are fitted on the training part of each split; `fit_on="all"` fits them once on
    every image, which lets the test images leak into the features and is there to mimic studies
    that did so. Read from `lfw7.npz` (arrays images, target, target_names) in Ogive's cache, which
    `sklearn.datasets.fetch_lfw_people` fills where it is absent.
    """
    if fit_on not in ("train", "all"):
        raise InputError(f"`fit_on` must be 'train' or 'all'; got {fit_on!r}.")
    draw = Projected(Photographs(), Split(test_size, stratify), as_count("n_components", n_components), fit_on)
    return Task(name, draw, scope="these rows", kind="classification")


@dataclass(frozen=True, slots=True)
class Photographs:
    """The images of the cache, one row each."""

    def load(self) -> Loaded:
        """Pixels from 0 to 255 and who they show."""
        path = cached(
            "lfw7.npz", "the faces (LFW)", "an npz file with the arrays images, target and target_names", _download
        )
        try:
            with np.load(path, allow_pickle=False) as file:
                images, target, names = file["images"], file["target"], file["target_names"]
        except (OSError, ValueError, KeyError, zipfile.BadZipFile) as error:
            raise UnreadableSource(
                f"{path} must hold the arrays images, target and target_names; it cannot be read so. "
                "Delete it, and it will be downloaded again."
            ) from error
        if images.ndim != 3 or images.dtype != np.uint8 or target.dtype.kind not in "iu":
            raise UnreadableSource(
                f"{path} must hold images as bytes (n, height, width) and whole numbers as target; got images "
                f"{images.dtype} {images.shape}, target {target.dtype}."
            )
        facts = {"classes": [str(n) for n in names]}
        return as_rows(images.reshape(len(images), -1), target, "classification", "target", facts)

    def definition(self) -> dict[str, Any]:
        """The name of the data."""
        return {"data": "lfw", "min_faces_per_person": 70}


class Projected(Resampled):
    """The draw of `faces`: a split, and the components that its training part defines."""

    def __init__(self, source: Photographs, split: Split, n_components: int, fit_on: str) -> None:
        super().__init__(source, split)
        self.n_components = n_components
        self.fit_on = fit_on
        self.products: FloatArray | None = None
        self.projected: FloatArray | None = None

    def __getstate__(self) -> dict[str, Any]:
        return {**self.__dict__, "products": None}  # 13 MB that 0.1 s makes again

    def __call__(self, rng: np.random.Generator) -> tuple[Data, Data]:
        y = self.loaded().y
        train, test = self.split.rows(y, rng)
        features = self._features(train)
        return Data(features[train], y[train]), Data(features[test], y[test])

    def definition(self) -> dict[str, Any]:
        """Source, split, digest and projection."""
        return {
            **super().definition(),
            "n_components": self.n_components,
            "whiten": True,
            "fit_on": self.fit_on,
        }

    def warm_up(self) -> None:
        """Load the images and multiply them."""
        self._features(np.arange(self.n_rows()))

    def _features(self, train: Rows) -> FloatArray:
        if self.products is None:
            pixels = self.loaded().X.astype(np.float64)
            self.products = pixels @ pixels.T
        if self.fit_on == "train":
            return whitened_components(self.products, train, self.n_components)
        if self.projected is None:
            self.projected = whitened_components(self.products, np.arange(self.n_rows()), self.n_components)
        return self.projected


def whitened_components(products: FloatArray, train: Rows, n_components: int) -> FloatArray:
    """Scores of every row on the leading components of the training rows, each with unit variance there.

    With G the products centered at the training mean and G_tt = U diag(s²) Uᵀ for the training rows,
    the scores are G_.t U √(n − 1) / s². The sign of a component is the one that makes its largest
    training score positive.
    """
    from scipy.linalg import eigh

    n = len(train)
    if n_components >= n:
        raise InputError(f"`n_components` must be smaller than the number of training images, {n}; got {n_components}.")
    columns = products[:, train]
    mean = columns.mean(axis=1)
    centered = columns - mean[:, None] - mean[train] + mean[train].mean()
    values, vectors = eigh(centered[train], subset_by_index=[n - n_components, n - 1], check_finite=False)
    values, vectors = values[::-1], vectors[:, ::-1]
    if values[-1] <= 1e-12 * values[0]:
        raise InputError(
            f"`n_components` must not exceed the dimension that the training images span; got {n_components}."
        )
    largest = vectors[np.abs(vectors).argmax(axis=0), np.arange(n_components)]
    scale = np.sign(largest) * np.sqrt(n - 1) / values
    scores: FloatArray = (centered @ vectors) * scale
    return scores


def _download(file: BinaryIO) -> None:
    from sklearn.datasets import fetch_lfw_people

    bunch = fetch_lfw_people(min_faces_per_person=70, resize=0.4)
    images = np.asarray(bunch.images, dtype=np.float64)
    top = 1.0 if images.max() <= 1.0 else 255.0  # scikit-learn before 1.2 kept the range of bytes
    np.savez_compressed(
        file,
        images=np.round(images * (255.0 / top)).astype(np.uint8),
        target=np.asarray(bunch.target, dtype=np.int64),
        target_names=np.asarray(bunch.target_names, dtype=str),
    )
