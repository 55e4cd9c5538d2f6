"""Pictures of patterns: tones of cells, and small SVG pictures for notebooks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from ._csr import Csr

SIDE = 128
MAX_TONES = 12
THINNEST = 10  # the shorter side has at least pixels / THINNEST cells


def pattern_tones(a: Csr, pixels: int) -> Any:
    """Returns a tone for each cell, with at most `pixels` cells on the longer side.

    The tone is 0 for an empty cell and at most MAX_TONES. It grows with the logarithm of the density. A single
    entry in a whole block has tone 1.
    """
    host = a._host()
    indices, indptr = host.indices, host.indptr
    rows, cols = a.shape
    block = max(-(-max(rows, cols) // pixels), 1)
    row_block, col_block = (_block_of(size, block, pixels // THINNEST) for size in (rows, cols))
    row_cells, col_cells = max(-(-rows // row_block), 1), max(-(-cols // col_block), 1)
    counts = np.zeros((row_cells, col_cells))
    for i in range(row_cells):
        begin, end = (indptr[min(row * row_block, rows)] for row in (i, i + 1))
        counts[i] = np.bincount(indices[begin:end] // col_block, minlength=col_cells)
    # The last cells may cover less than a whole block.
    covered = np.outer(
        *(
            np.clip(size - np.arange(cells) * step, 1, step)
            for size, cells, step in ((rows, row_cells, row_block), (cols, col_cells, col_block))
        )
    )
    entries = counts / covered * (row_block * col_block)
    most = entries.max()
    if most <= 1:
        return np.where(entries > 0, MAX_TONES, 0)
    shares = np.log(entries, out=np.zeros_like(entries), where=entries > 0) / np.log(most)
    return np.where(entries > 0, 1 + np.floor((MAX_TONES - 1) * shares + 0.5), 0).astype(int)


def _block_of(size: int, block: int, least: int) -> int:
    """Returns the number of rows or columns in a cell, if the side should have at least `least` cells."""
    return block if size // block >= least else max(size // least, 1)


def pattern_svg(a: Csr, side: int = SIDE) -> str:
    """Returns an SVG picture of the pattern: empty cells are white, cells with more entries are darker."""
    tones = pattern_tones(a, side).tolist()
    rows, cols = len(tones), len(tones[0])
    scale = side / max(rows, cols, 1)
    paths: dict[int, list[str]] = {}
    for i, row in enumerate(tones):
        for begin, end, tone in _runs(row):
            paths.setdefault(tone, []).append(f"M{begin} {i}h{end - begin}v1h{begin - end}z")
    marks = "".join(
        f'<path d="{"".join(path)}" fill="#1f4e79" fill-opacity="{0.3 + 0.7 * tone / MAX_TONES:.2f}"/>'
        for tone, path in sorted(paths.items())
    )
    return (
        f'<svg width="{cols * scale:.0f}" height="{rows * scale:.0f}" viewBox="0 0 {cols} {rows}" '
        'preserveAspectRatio="none" shape-rendering="crispEdges" style="background:#fff;border:1px solid #888">'
        f"{marks}</svg>"
    )


def _runs(row: Sequence[int]) -> list[tuple[int, int, int]]:
    """Returns (begin, end, tone) for each run of equal nonzero tones."""
    runs: list[tuple[int, int, int]] = []
    begin = 0
    for j in range(1, len(row) + 1):
        if j == len(row) or row[j] != row[begin]:
            if row[begin]:
                runs.append((begin, j, row[begin]))
            begin = j
    return runs
