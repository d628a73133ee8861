"""What varies, and what repeats, within a cell: the rows of one method on one task."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from ogive.files import is_text
from ogive.importers._columns import as_text

MOST_LOOKED_AT = 20_000
WIDE = 1.5  # times the widest gap within: 3 of 2,700 cuts of uniform, normal and beta scores fell into wider ones


def codes(values: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """Integer codes of a column; equal values, equal code; nothing is a value too."""
    values = values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values
    encoded = values if pa.types.is_dictionary(values.type) else values.dictionary_encode(null_encoding="encode")
    # Wide first: the codes of 128 categories leave no room for another in a byte.
    indices = encoded.indices.cast(pa.int64()).fill_null(len(encoded.dictionary))
    return np.array(indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def repeats(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a label occurs twice within a cell."""
    return bool((_counts(cell, codes(as_text(column)))[1] > 1).any())


def varies(cell: np.ndarray, column: pa.Array | pa.ChunkedArray | None) -> bool:
    """Whether a cell holds two different labels."""
    if column is None:
        return False
    found, _ = _counts(cell, codes(as_text(column)))
    return bool(np.unique(found[0]).size < found.shape[1])


def shared(cell: np.ndarray, column: pa.Array) -> bool:
    """Whether a label occurs twice within a cell that holds several; a label that never changes is held fixed."""
    found, count = _counts(cell, codes(as_text(column)))
    several = np.bincount(found[0]) > 1
    return bool((count[several[found[0]]] > 1).any())


def label_counts(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> np.ndarray:
    """How many labels each cell holds."""
    found, _ = _counts(cell, codes(as_text(column)))
    return np.unique(found[0], return_counts=True)[1]


def is_identifier(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether a column of text or whole numbers has another label in every row of a cell."""
    kind = column.type.value_type if pa.types.is_dictionary(column.type) else column.type
    if not (pa.types.is_integer(kind) or is_text(kind)):
        return False
    return bool((_counts(cell, codes(column))[1] == 1).all())


def balance_by_chance(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> float:
    """How often labels drawn at random would all stand equally often in every cell; 1 where they do not, or do not repeat."""
    found, count = _counts(cell, codes(column))
    n_labels = np.bincount(found[0])[np.unique(found[0])]
    size = np.bincount(cell)[np.unique(cell)]
    # Labels come ordered by cell: where counts are equal, each is the mean of its cell.
    if np.any(n_labels < 2) or np.any(size < 2 * n_labels) or np.any(count != np.repeat(size / n_labels, n_labels)):
        return 1.0
    each = size // n_labels
    lgamma = np.vectorize(math.lgamma, otypes=[float])
    logs = lgamma(size + 1.0) - n_labels * lgamma(each + 1.0) - size * np.log(n_labels)
    return float(np.exp(logs.sum()))


def holds_folds(cell: np.ndarray, repeat: pa.ChunkedArray, fold: pa.ChunkedArray) -> bool:
    """Whether the usual label of `repeat` holds several folds; a seed of its own for every fold numbers no repeat."""
    number = codes(as_text(repeat))
    whole = cell * (int(number.max(initial=0)) + 1) + number
    return usual(label_counts(np.unique(whole, return_inverse=True)[1], fold)) > 1


def usual(counts: np.ndarray) -> int:
    """The number that occurs most often; of several the smallest."""
    found, times = np.unique(counts, return_counts=True)
    return int(found[times.argmax()])


def as_planned(key: np.ndarray, column: pa.Array | pa.ChunkedArray) -> tuple[float, float]:
    """The share of keys with several rows whose labels are as in a plan, and how often chance would make so large a share.

    As in a plan: each of the usual number of labels stands equally often, or, where each stands once, no label stands
    twice, so that lost rows hide no plan. Rows of a key are those of a method on a task,
    under one seed where there are seeds. Chance draws one of all labels for each row; the bound is Chernoff's, which
    holds for keys of different sizes too (Hoeffding 1956).
    """
    label = codes(as_text(column))
    found, count = _counts(key, label)
    _, first, n_labels = np.unique(found[0], return_index=True, return_counts=True)
    size = np.add.reduceat(count, first)
    several = size > 1
    if not several.any():
        return 0.0, 1.0
    expected = usual(n_labels[several])
    most = np.maximum.reduceat(count, first)
    once = usual(most[several]) == 1
    even = most == np.minimum.reduceat(count, first)
    planned = several & ((most == 1) if once else even & (n_labels == expected))
    n, k = int(several.sum()), int(planned.sum())
    if expected < 2 or k == 0:
        return 0.0, 1.0
    sizes, times = np.unique(size[several], return_counts=True)
    labels = np.unique(label).size
    chances = [_chance(int(one), int(one) if once else expected, labels) for one in sizes]
    p = float(np.average(chances, weights=times))
    share = k / n
    if share <= p:
        return share, 1.0
    distance = share * math.log(share / p) if p > 0.0 else math.inf
    if share < 1.0 and p > 0.0:
        distance += (1.0 - share) * math.log((1.0 - share) / (1.0 - p))
    return share, math.exp(-n * distance) if math.isfinite(distance) else 0.0


def explained(cell: np.ndarray, column: pa.Array | pa.ChunkedArray, scores: np.ndarray) -> tuple[float, float]:
    """The share of the scores' spread within cells that lies between the labels, and how often chance would make so large a share.

    Scores count by their ranks within a cell, so that one wild score explains nothing. Where labels say nothing the share is
    near a beta distribution; the bound is Chernoff's for it (Marchal and Arbel 2017).
    """
    known = np.isfinite(scores)
    cell, label, scores = cell[known], codes(as_text(column))[known], scores[known]
    if cell.size < 2:
        return 0.0, 1.0
    order = np.lexsort((scores, cell))
    new = (np.diff(scores[order]) != 0) | (np.diff(cell[order]) != 0)
    tied = np.empty(cell.size, dtype=np.int64)  # equal scores of a cell share their mean rank
    tied[order] = np.concatenate(([0], np.cumsum(new)))
    place = np.bincount(tied[order], weights=np.arange(cell.size)) / np.bincount(tied)
    ranks = place[tied]
    inner = np.unique(cell, return_inverse=True)[1].reshape(-1)
    size = np.bincount(inner)
    centered = ranks - (np.bincount(inner, weights=ranks) / size)[inner]
    group = np.unique(inner * (int(label.max()) + 1) + label, return_inverse=True)[1].reshape(-1)
    in_group = np.bincount(group)
    total = float(centered @ centered)
    between = float(np.sum(np.bincount(group, weights=centered) ** 2 / in_group))
    left, free = cell.size - in_group.size, in_group.size - size.size
    if total == 0.0 or left < 1 or free < 1:
        return 0.0, 1.0
    share, mean = between / total, free / (free + left)
    if share <= mean:
        return share, 1.0
    distance = mean * math.log(mean / share)
    distance += (1.0 - mean) * math.log((1.0 - mean) / (1.0 - share)) if share < 1.0 else math.inf
    return share, math.exp(-0.5 * (free + left) * distance) if math.isfinite(distance) else 0.0


def cut_from(column: pa.Array | pa.ChunkedArray, scores: np.ndarray) -> bool:
    """Whether labels say no more than where a score lies: each has an interval of its own, for all methods and tasks.

    Regions far apart have intervals too, with a much wider gap between than within; cuts fall anywhere, and rather into wide gaps.
    """
    known = np.isfinite(scores)
    label, scores = codes(as_text(column))[known], scores[known]
    order = np.lexsort((label, scores))
    label, step = label[order], np.diff(scores[order])
    new = np.diff(label) != 0
    if np.count_nonzero(new) + 1 != np.unique(label).size or not new.any() or np.any(step[new] == 0.0):
        return False
    within = step[~new & (step > 0.0)]
    return not within.size or bool(step[new].max() <= WIDE * within.max())


def few_valued(table: pa.Table, names: Sequence[str]) -> list[str]:
    """Columns without gaps whose values repeat: each stands twice on average, or more often."""
    out = []
    for name in names:
        column = table[name]
        if pa.types.is_nested(column.type) or column.null_count:
            continue
        # Of a long table the beginning tells enough.
        head = column.slice(0, MOST_LOOKED_AT)
        labels = head.unique()
        blank = is_text(column.type) and pc.any(pc.equal(pc.utf8_trim_whitespace(labels), "")).as_py()
        if not blank and 1 < len(labels) <= len(head) // 2:
            out.append(name)
    return out


def stands_several_times(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether most cells hold several labels, each of them twice or more often."""
    found, count = _counts(cell, codes(as_text(column)))
    _, first, n_labels = np.unique(found[0], return_index=True, return_counts=True)
    return bool(np.mean((n_labels > 1) & (np.minimum.reduceat(count, first) > 1)) > 0.5)


def in_order(cell: np.ndarray, column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether rows with the same label stand together in every cell, as loops write them and draws do not."""
    order = np.argsort(cell, kind="stable")
    labels, cells = codes(as_text(column))[order], cell[order]
    blocks = 1 + np.count_nonzero((np.diff(labels) != 0) | (np.diff(cells) != 0))
    return bool(blocks == _counts(cell, codes(as_text(column)))[1].size)


def depends_on(column: pa.Array | pa.ChunkedArray, of: pa.Array | pa.ChunkedArray) -> bool:
    """Whether every label of another column stands with one label of this one: a question has one subject."""
    known = codes(as_text(of))
    return bool(_counts(known, codes(as_text(column)))[1].size == np.unique(known).size)


def _chance(size: int, held: int, labels: int) -> float:
    """How often so many rows hold so many of these labels equally often."""
    if size % held or held > labels:
        return 0.0
    ways = math.lgamma(labels + 1) - math.lgamma(held + 1) - math.lgamma(labels - held + 1)
    orders = math.lgamma(size + 1) - held * math.lgamma(size // held + 1)
    return min(1.0, math.exp(ways + orders - size * math.log(labels)))


def in_blocks(column: pa.Array | pa.ChunkedArray) -> bool:
    """Whether rows with the same label stand together, as where tables were put under each other."""
    labels = codes(column)
    return bool(np.count_nonzero(np.diff(labels)) + 1 == np.unique(labels).size)


def _counts(cell: np.ndarray, labels: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Each label of each cell, and how often it occurs there."""
    span = int(labels.max(initial=0)) + 1
    key, count = np.unique(cell.astype(np.int64) * span + labels, return_counts=True)
    return np.stack([key // span, key % span]), count
