"""Small pictures of patterns for notebooks, as SVG."""

from __future__ import annotations

from collections.abc import Sequence

SIDE = 128
MOST_TONES = 12


def pattern_svg(tones: Sequence[Sequence[int]], side: int = SIDE) -> str:
    """A picture of the tones of cells, row by row: white for 0, darker for more."""
    rows, cols = len(tones), len(tones[0]) if tones else 1
    scale = side / max(rows, cols, 1)
    paths: dict[int, list[str]] = {}
    for i, row in enumerate(tones):
        for begin, end, tone in _runs(row):
            paths.setdefault(tone, []).append(f"M{begin} {i}h{end - begin}v1h{begin - end}z")
    marks = "".join(
        f'<path d="{"".join(path)}" fill="#1f4e79" fill-opacity="{0.3 + 0.7 * tone / MOST_TONES:.2f}"/>'
        for tone, path in sorted(paths.items())
    )
    return (
        f'<svg width="{cols * scale:.0f}" height="{rows * scale:.0f}" viewBox="0 0 {cols} {rows}" '
        'preserveAspectRatio="none" shape-rendering="crispEdges" style="background:#fff;border:1px solid #888">'
        f"{marks}</svg>"
    )


def _runs(row: Sequence[int]) -> list[tuple[int, int, int]]:
    """(begin, end, tone) of the runs of equal tones that are not 0."""
    runs: list[tuple[int, int, int]] = []
    begin = 0
    for j in range(1, len(row) + 1):
        if j == len(row) or row[j] != row[begin]:
            if row[begin]:
                runs.append((begin, j, row[begin]))
            begin = j
    return runs
