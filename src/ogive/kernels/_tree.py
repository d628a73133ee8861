"""Decision trees with Gini's impurity, grown only as far as test rows fall.

A column enters as whole numbers: row i of column f has the code c when its value, as a 32-bit
number, is the c-th smallest different one (`column_codes`, once for each data set). A cut "code ≤ c"
then is one comparison of integers, for training and test rows alike, and sorting the rows of a node by a
column is counting: weight by code and class, then one walk over the codes. Small nodes, whose codes
lie far apart, are sorted by insertion instead.

A node is a range of the list of training rows and a range of the list of test rows; a cut parts both,
and a leaf writes its shares for the test rows that it holds. A node without test rows is not looked at:
no score depends on it. So nothing is kept of a tree, and predicting costs a comparison for each test
row and level.

The rules are scikit-learn's. A cut maximizes

    - n_right (1 - Σ_k (r_k / n_right)²) - n_left (1 - Σ_k (l_k / n_left)²)

where l_k and r_k weigh class k on either side, computed in the same order of operations, so that what ties
in floating point ties here. The first of equal cuts within a column is taken, and the first column in
random order of equal columns: columns are visited in an order that is drawn in each node. The random order is
that of a path: the state of a node follows from its parent's and its side, whatever other nodes are looked at.
Values closer than 1e-7 are not parted, the threshold is the middle between two values, and a cut that
gains nothing is made all the same.

Breiman, Friedman, Olshen and Stone (1984), Classification and regression trees.
"""

import numpy as np

from ogive.jit import kernel
from ogive.kernels._curve_scores import keep_untrained, write_scores
from ogive.kernels._resampling import STEP, first_state, low_index, mix

_NEARLY = 1.0 - 1e-12
_CLOSE = np.float32(1e-7)  # scikit-learn's FEATURE_THRESHOLD


def column_codes(x):
    """What trees need of the data alone: codes, values and reach, each with a row for each column of x.

    `codes[f, i]` (int32) is the number of different smaller values in column f; `values[f, c]` is the value of code c;
    `reach[f, c]` is the smallest code whose value can be told from that of c.
    """
    narrow = np.asarray(x).astype(np.float32)
    n, d = narrow.shape
    codes = np.empty((d, n), dtype=np.int32)
    values = np.zeros((d, n))
    reach = np.zeros((d, n), dtype=np.int32)
    for f in range(d):
        different, found = np.unique(narrow[:, f], return_inverse=True)
        codes[f] = found
        values[f, : different.size] = different
        reach[f, : different.size] = np.searchsorted(different, different + _CLOSE, side="right")
    longest = int(codes.max()) + 1
    return codes, np.ascontiguousarray(values[:, :longest]), np.ascontiguousarray(reach[:, :longest])


@kernel
def tree_curve(
    x, y, n_classes, order, sizes, test, varying, codes, values, reach, least, key, scores, tested=None
):  # fmt: skip
    """Scores of a tree with at least `least` training rows in each leaf, after each of `sizes` training rows.

    `codes`, `values` and `reach` are those of `column_codes`. `key` decides between columns with equal cuts, in
    each node of the tree by itself; it decides the same at every size.

    With `tested`, the first tested[s] of the test rows count at the s-th size; sizes may then stay equal.
    """
    n_rows, d = x.shape
    n_test = test.size
    weights = np.zeros(n_rows, np.int64)
    present, trained = np.empty(n_rows, np.int32), np.zeros(n_rows, np.bool_)
    fallen, fresh = np.empty(n_test, np.int32), np.empty(order.size, np.int32)
    by_row = np.empty((n_rows, n_classes))
    left, truth, guesses = test.copy(), y[test], np.empty(n_test, np.int64)
    shares, places, work = np.empty((n_test, n_classes)), np.empty(n_test, np.int64), np.empty(n_test)
    room = tree_room(max(n_rows, order.size), d, n_classes, values.shape[1])
    nodes = np.empty((4 * n_rows + 4, 3), np.int64)
    state = first_state(key, 0)
    n_present, n_nodes, done, m = 0, 0, 0, n_test
    for s in range(sizes.size):
        for i in range(done, sizes[s]):
            r = order[i]
            if weights[r] == 0:
                present[n_present] = r
                n_present += 1
            weights[r] += 1
            fresh[i - done] = r
        if varying:
            m = keep_untrained(order, done, sizes[s], y, left, truth, m, trained)
        for i in range(m):
            fallen[i] = left[i]
        n_nodes = _regrow(
            codes, values, reach, y, n_classes, weights, present, n_present, fallen, m, fresh, sizes[s] - done, least,
            state, nodes, n_nodes, by_row, room,
        )  # fmt: skip
        done = sizes[s]
        n_counted = m if tested is None else tested[s]
        take_shares(by_row, left, n_counted, 1.0, guesses, shares)
        write_scores(guesses, shares, shares, truth, n_counted, places, work, scores[s])


@kernel
def tree_room(n_rows, d, n_classes, n_codes):
    """Working arrays: waiting nodes, their states, weights by code and class, sorted codes, and lists."""
    return (
        np.empty((n_rows + 2, 7), np.int64),
        np.empty(n_rows + 2, np.uint64),
        np.zeros((n_codes, n_classes), np.int64),
        np.empty(n_rows, np.int64),
        np.empty(n_rows, np.int32),
        np.empty(d, np.int64),
        np.empty((2, n_classes), np.int64),
    )


@kernel
def take_shares(by_row, rows, m, divisor, guesses, shares):
    """Shares of the first m `rows`, divided, and the first class of the largest share."""
    n_classes = shares.shape[1]
    for i in range(m):
        r = rows[i]
        best = 0
        for k in range(n_classes):
            shares[i, k] = by_row[r, k] / divisor
            if shares[i, k] > shares[i, best]:
                best = k
        guesses[i] = best


@kernel
def _regrow(
    codes, values, reach, y, n_classes, weights, training, n_training, tested, n_tested, fresh, n_fresh, least, state, nodes,
    n_nodes, by_row, room,
):  # fmt: skip
    """Write the shares of the tree of the first n_training rows; the number of nodes that are known now.

    `nodes` holds the cut of each node, column and code, and the number of its left child; the right one is next. What
    they tell is of the tree without the n_fresh new rows, n_nodes = 0 where there is none. A node whose cut and
    whose rows are the same as before is not looked at: its test rows have their shares.
    """
    waiting, states, cells, keys, spare, columns, counts = room
    d = codes.shape[0]
    whole, lower = counts[0], counts[1]
    known = 0 < n_nodes <= 2 * training.size
    if not known:  # numbers of nodes that were cut off are not used again: from time to time everything is grown anew
        n_nodes = 1
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n_training, 0, n_tested
    waiting[0, 4], waiting[0, 5], waiting[0, 6] = 0, n_fresh, 0 if known else -1
    states[0] = state
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        begin, end, t_begin, t_end, f_begin, f_end, node = waiting[n_waiting]
        state = states[n_waiting]
        known = node >= 0
        if t_begin == t_end or (known and f_begin == f_end):
            continue
        node = node if known else -1 - node
        total, most = _weigh(y, weights, training, begin, end, whole)
        column, after = -1, 0
        if most < total and total >= 2 * least:
            column, after = best_cut(
                codes, values, reach, y, weights, training, begin, end, whole, total, least, d, state, lower, cells, keys,
                columns,
            )  # fmt: skip
        if column < 0:
            nodes[node, 0] = -1
            for i in range(t_begin, t_end):
                for k in range(n_classes):
                    by_row[tested[i], k] = whole[k] / total
            continue
        known = known and nodes[node, 0] == column and nodes[node, 1] == after
        if not known:
            nodes[node, 0], nodes[node, 1], nodes[node, 2] = column, after, n_nodes
            n_nodes += 2
        child = nodes[node, 2]
        middle = part(codes[column], after, training, begin, end, spare)
        t_middle = part(codes[column], after, tested, t_begin, t_end, spare)
        f_middle = part(codes[column], after, fresh, f_begin, f_end, spare) if f_begin < f_end else f_end
        for side in range(2):
            waiting[n_waiting, 0], waiting[n_waiting, 1] = (begin, middle) if side == 0 else (middle, end)
            waiting[n_waiting, 2], waiting[n_waiting, 3] = (t_begin, t_middle) if side == 0 else (t_middle, t_end)
            waiting[n_waiting, 4], waiting[n_waiting, 5] = (f_begin, f_middle) if side == 0 else (f_middle, f_end)
            waiting[n_waiting, 6] = child + side if known else -1 - child - side
            states[n_waiting] = child_state(state, side)
            n_waiting += 1
    return n_nodes


@kernel
def child_state(state, side):
    """The state of the left (0) or right (1) child of a node."""
    return mix(state + STEP if side == 0 else state + STEP + STEP)


@kernel
def _weigh(y, weights, training, begin, end, whole):
    """Weights of the classes in a node; their sum, and the largest."""
    whole[:] = 0
    for i in range(begin, end):
        r = training[i]
        whole[y[r]] += weights[r]
    total, most = 0, 0
    for k in range(whole.size):
        total += whole[k]
        most = max(most, whole[k])
    return total, most


@kernel
def grow(
    codes, values, reach, y, n_classes, weights, training, n_training, tested, n_tested, least, n_tried, state, by_row, room
):  # fmt: skip
    """Add the shares of a tree to by_row[r] for each test row r.

    The tree is grown on the rows training[: n_training], all different, of which each counts `weights` times; both
    lists are put into another order. `n_tried` columns are drawn in each node, and more until one of them varies.
    """
    waiting, states, cells, keys, spare, columns, counts = room
    whole, lower = counts[0], counts[1]
    waiting[0, 0], waiting[0, 1], waiting[0, 2], waiting[0, 3] = 0, n_training, 0, n_tested
    states[0] = state
    n_waiting = 1
    while n_waiting > 0:
        n_waiting -= 1
        begin, end, t_begin, t_end = (
            waiting[n_waiting, 0],
            waiting[n_waiting, 1],
            waiting[n_waiting, 2],
            waiting[n_waiting, 3],
        )
        state = states[n_waiting]
        if t_begin == t_end:
            continue
        total, most = _weigh(y, weights, training, begin, end, whole)
        column, after = -1, 0
        if most < total and total >= 2 * least:
            column, after = best_cut(
                codes, values, reach, y, weights, training, begin, end, whole, total, least, n_tried, state, lower, cells,
                keys, columns,
            )  # fmt: skip
        if column < 0:
            for k in range(n_classes):
                share = whole[k] / total
                for i in range(t_begin, t_end):
                    by_row[tested[i], k] += share
            continue
        middle = part(codes[column], after, training, begin, end, spare)
        t_middle = part(codes[column], after, tested, t_begin, t_end, spare)
        waiting[n_waiting, 1], waiting[n_waiting, 3] = middle, t_middle
        states[n_waiting] = child_state(state, 0)
        n_waiting += 1
        waiting[n_waiting, 0], waiting[n_waiting, 1] = middle, end
        waiting[n_waiting, 2], waiting[n_waiting, 3] = t_middle, t_end
        states[n_waiting] = child_state(state, 1)
        n_waiting += 1


@kernel
def best_cut(
    codes, values, reach, y, weights, training, begin, end, whole, total, least, n_tried, state, lower, cells, keys, columns
):  # fmt: skip
    """The column of the best cut of a node, -1 where there is none, and the largest code to its left."""
    d, n_classes = codes.shape[0], whole.size
    squares = 0
    for k in range(n_classes):
        squares += whole[k] * whole[k]
    for f in range(d):
        columns[f] = f
    state += STEP + STEP
    best, floor, column, low, high = -np.inf, 0.0, -1, 0, 0
    varies, visited, n = False, 0, end - begin
    while visited < d and (visited < n_tried or not varies):
        state += STEP
        drawn = visited + np.int64(low_index(mix(state), np.uint64(d - visited)))
        f = columns[drawn]
        columns[drawn] = columns[visited]
        visited += 1
        code = codes[f]
        first = last = np.int64(code[training[begin]])
        for i in range(begin + 1, end):
            c = np.int64(code[training[i]])
            first = min(first, c)
            last = max(last, c)
        if last < reach[f, first]:
            continue
        varies = True
        if n * n < 4 * (last - first):
            gain, a, b, floor = _cut_by_sorting(
                code, reach[f], y, weights, training, begin, end, whole, total, squares, least, floor, lower, keys
            )
        else:
            gain, a, b, floor = _cut_by_counting(
                code, reach[f], y, weights, training, begin, end, first, last, whole, total, squares, least, floor, lower,
                cells,
            )  # fmt: skip
        if gain > best:
            best, column, low, high = gain, f, a, b
    if column < 0:
        return -1, 0
    return column, last_below(values[column], low, high)


@kernel
def last_below(values, low, high):
    """The largest code whose value is at most the middle between those of codes `low` and `high`."""
    threshold = values[low] / 2.0 + values[high] / 2.0
    while high - low > 1:
        middle = (low + high) >> 1
        if values[middle] <= threshold:
            low = middle
        else:
            high = middle
    return low


@kernel
def _gain(left_squares, left, right_squares, right):
    """Minus the impurities of two sides by their weights: scikit-learn's expression, rounding included."""
    left_impurity = 1.0 - left_squares / (left * left)
    right_impurity = 1.0 - right_squares / (right * right)
    return -right * right_impurity - left * left_impurity


@kernel
def _cut_by_counting(
    code, reach, y, weights, training, begin, end, first, last, whole, total, squares, least, floor, lower, cells
):
    """The best cut of a node by one column: gain, the codes on either side of it, and the new floor; by counting codes.

    Σ l_k² / n_left + Σ r_k² / n_right is the gain but for a constant and rounding. Cuts below the `floor`, 1e-12 less than the
    largest of these sums so far, are passed over without a division.
    """
    n_classes = whole.size
    for i in range(begin, end):
        r = training[i]
        cells[code[r], y[r]] += weights[r]
    lower[:] = 0
    best, low, high = -np.inf, 0, 0
    before, left, left_squares, right_squares = first, 0, 0, squares
    for c in range(first, last + 1):
        here = 0
        for k in range(n_classes):
            here += cells[c, k]
        if here == 0:
            continue
        right = total - left
        if left >= least and right >= least:
            summed, scale = float(left_squares) * right + float(right_squares) * left, float(left) * right
            if summed >= floor * scale and c >= reach[before]:
                gain = _gain(float(left_squares), float(left), float(right_squares), float(right))
                if gain > best:
                    best, low, high = gain, before, c
                    floor = max(floor, summed / scale * _NEARLY)
        for k in range(n_classes):
            w = cells[c, k]
            left_squares += w * (2 * lower[k] + w)
            right_squares -= w * (2 * (whole[k] - lower[k]) - w)
            lower[k] += w
            cells[c, k] = 0
        left += here
        before = c
    return best, low, high, floor


@kernel
def _cut_by_sorting(code, reach, y, weights, training, begin, end, whole, total, squares, least, floor, lower, keys):
    """As `_cut_by_counting`, by sorting the rows."""
    n = end - begin
    for i in range(n):
        r = training[begin + i]
        item = (np.int64(code[r]) << 36) | (weights[r] << 16) | y[r]
        j = i
        while j > 0 and keys[j - 1] > item:
            keys[j] = keys[j - 1]
            j -= 1
        keys[j] = item
    lower[:] = 0
    best, low, high = -np.inf, 0, 0
    before, left, left_squares, right_squares = keys[0] >> 36, 0, 0, squares
    for i in range(n):
        item = keys[i]
        c, w, k = item >> 36, (item >> 16) & 0xFFFFF, item & 0xFFFF
        right = total - left
        if c >= reach[before] and left >= least and right >= least:
            summed, scale = float(left_squares) * right + float(right_squares) * left, float(left) * right
            if summed >= floor * scale:
                gain = _gain(float(left_squares), float(left), float(right_squares), float(right))
                if gain > best:
                    best, low, high = gain, before, c
                    floor = max(floor, summed / scale * _NEARLY)
        left_squares += w * (2 * lower[k] + w)
        right_squares -= w * (2 * (whole[k] - lower[k]) - w)
        lower[k] += w
        left += w
        before = c
    return best, low, high, floor


@kernel
def part(code, after, rows, begin, end, spare):
    """Put the rows of the range whose code is at most `after` in front; where the others begin."""
    front, n_spare = begin, 0
    for i in range(begin, end):
        r = rows[i]
        rows[front] = r
        spare[n_spare] = r
        smaller = np.int64(code[r] <= after)
        front += smaller
        n_spare += 1 - smaller
    for i in range(n_spare):
        rows[front + i] = spare[i]
    return front
