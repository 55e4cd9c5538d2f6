"""The memory of large results is used again for later results, but never while an object can see it."""

import gc

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from conftest import address
from furrow._arrays import LARGE, new_array

COLUMNS = 16
ROWS = LARGE // (8 * COLUMNS) + 1


@pytest.fixture(scope="module")
def doubling():
    return furrow.csr(sp.diags_array(np.full(ROWS, 2.0), format="csr"))


@pytest.mark.parametrize("order", ["C", "F"])
def test_results_that_are_seen_stay_as_they_are(doubling, order):
    """A view keeps its values after the array that it was made from is deleted."""
    views = []
    for k in range(4):
        made = doubling @ np.full((ROWS, COLUMNS), float(k), order=order)
        assert made.flags[f"{order}_CONTIGUOUS"] and made.flags.writeable and made.shape == (ROWS, COLUMNS)
        views.append(made[1:, 3])
        del made
    gc.collect()
    assert len({address(view) for view in views}) == 4
    for k, view in enumerate(views):
        assert (view == 2.0 * k).all()


def test_memory_goes_to_the_next_result():
    made = new_array((LARGE,), np.dtype(np.uint8))
    where = address(made)
    assert where % 64 == 0
    del made
    assert address(new_array((LARGE // 8 + 1,), np.dtype(np.float64))) == where
    assert address(new_array((2 * LARGE,), np.dtype(np.uint8))) != where  # the freed memory is too small
    assert address(new_array((LARGE,), np.dtype(np.uint8))) == where


def test_small_results_are_numpys():
    assert new_array((LARGE // 8 - 1,), np.dtype(np.float64)).base is None


def test_little_memory_is_kept():
    """The package keeps the memory of two of many freed results. The third new result comes from the system and holds
    zeros."""
    size = (3 * LARGE,)
    made = [new_array(size, np.dtype(np.uint8)) for _ in range(5)]
    for array in made:
        array[...] = 255
    del made, array
    again = [new_array(size, np.dtype(np.uint8)) for _ in range(5)]
    assert sum(bool(array[::4096].any()) for array in again) <= 2


def test_too_large_a_result_says_so():
    with pytest.raises(MemoryError, match="bytes"):
        new_array((1 << 50,), np.dtype(np.float64))
