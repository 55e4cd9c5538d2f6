"""pattern_tones gives the tones of the cells that `furrow spy` draws."""

import os
import re
import subprocess

import furrow
import numpy as np
import pytest
import scipy.sparse as sp
from furrow.__main__ import command
from furrow._picture import pattern_tones

pytestmark = pytest.mark.skipif(not os.path.exists(command()), reason="the package was built without the command")


def drawn_tones(picture, shape):
    """Returns the tone of each cell of an SVG picture. It has a path for each tone, in ascending order."""
    tones = np.zeros(shape, int)
    for tone, path in enumerate(re.findall(r'<path [^>]*d="([^"]*)"', picture), 1):
        row = col = 0
        for step, first, second in re.findall(r"([Mmh])(\d+)(?: (\d+))?", path):
            if step == "h":
                tones[row, col : col + int(first)] = tone
            row = int(second) if step == "M" else row
            col = int(first) if step == "M" else col + int(first)
    return tones


@pytest.mark.parametrize(
    "shape, pixels, density",
    [((90, 90), 90, 0.05), ((1000, 700), 60, 0.01), ((3, 900), 64, 0.2), ((500, 20), 33, 0.3)],
)
def test_the_cells_are_those_of_furrow_spy(shape, pixels, density, tmp_path, rng):
    """Tests cells of one entry and of blocks, fewer rows in the last cells, and thin matrices."""
    a = furrow.csr(sp.random_array(shape, density=density, format="csr", rng=rng))
    furrow.write(tmp_path / "a.mtx", a)
    subprocess.run(
        [command(), "spy", tmp_path / "a.mtx", "--size", str(pixels), "--out", tmp_path / "a.svg"], check=True
    )
    tones = np.asarray(pattern_tones(a, pixels))
    np.testing.assert_array_equal(drawn_tones((tmp_path / "a.svg").read_text(), tones.shape), tones)
    assert tones.max() == 12
