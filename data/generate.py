#!/usr/bin/env python3
"""Writes the matrices of this folder; README.md says what each is for.

    python3 generate.py [FOLDER]

FOLDER is this one if not given. Every number comes from whole numbers and from one fixed sequence,
so each run on each machine writes the same bytes.
"""

import pathlib
import sys


def sequence(seed):
    """Whole numbers from 0 to 2^31-1: a linear congruential generator (Park and Miller 1988)."""
    state = seed
    while True:
        state = state * 16807 % 2147483647
        yield state


def decimal(number, places):
    """The text of number / 10^places, exact and without trailing zeros."""
    sign = "-" if number < 0 else ""
    whole, part = divmod(abs(number), 10**places)
    digits = f"{part:0{places}d}".rstrip("0") if places else ""
    return sign + str(whole) + ("." + digits if digits else "")


def coordinate(field, symmetry, rows, cols, entries, comment):
    """A coordinate file. entries: (row, column, text of the value) from 0, text "" in a pattern."""
    lines = [f"%%MatrixMarket matrix coordinate {field} {symmetry}", f"% {comment}"]
    lines.append(f"{rows} {cols} {len(entries)}")
    lines += [f"{row + 1} {col + 1} {text}".rstrip() for row, col, text in entries]
    return "\n".join(lines) + "\n"


def array(field, symmetry, rows, cols, numbers, comment):
    """An array file; numbers are texts in column order."""
    lines = [f"%%MatrixMarket matrix array {field} {symmetry}", f"% {comment}", f"{rows} {cols}"]
    return "\n".join(lines + numbers) + "\n"


def grid_neighbours(size):
    """(point, neighbour) in a size x size grid numbered row by row, the point first."""
    for point in range(size * size):
        row, col = divmod(point, size)
        if row > 0:
            yield point, point - size
        if col > 0:
            yield point, point - 1
        if col < size - 1:
            yield point, point + 1
        if row < size - 1:
            yield point, point + size


PLATE = 100  # points a side


def plate_conductivity(point):
    """In hundredths: a plate of 1 with a disc of 9 and a bar of 0.2."""
    row, col = divmod(point, PLATE)
    if (row - 35) ** 2 + (col - 35) ** 2 < 20**2:
        return 900
    if 60 <= row < 70 and 20 <= col < 90:
        return 20
    return 100


def plate():
    """Heat conduction -div(k grad u) on a square, u = 0 along its border, by five points."""
    diagonal = [0] * PLATE**2
    below = []
    for point, neighbour in grid_neighbours(PLATE):
        face = (plate_conductivity(point) + plate_conductivity(neighbour)) // 2
        diagonal[point] += face
        if neighbour < point:
            below.append((point, neighbour, decimal(-face, 2)))
    for point in range(PLATE**2):
        row, col = divmod(point, PLATE)
        open_sides = (row in (0, PLATE - 1)) + (col in (0, PLATE - 1))
        diagonal[point] += open_sides * plate_conductivity(point)
    entries = below + [(point, point, decimal(diagonal[point], 2)) for point in range(PLATE**2)]
    entries.sort(key=lambda entry: entry[:2])
    return coordinate("real", "symmetric", PLATE**2, PLATE**2, entries,
                      "Heat conduction in a plate of three materials; positive definite")


def plate_source():
    """A heat source in one point, as a sparse column."""
    centre = PLATE * (PLATE // 2) + PLATE // 2
    return coordinate("real", "general", PLATE**2, 1, [(centre, 0, "1")],
                      "Heat source in the middle of plate.mtx, a sparse vector")


def lecture():
    """The 4 x 4 example with which lectures explain compressed sparse rows."""
    dense = [[3, 0, 1, 0], [0, 0, 0, 0], [0, 2, 4, 1], [1, 0, 0, 1]]
    entries = [(i, j, str(v)) for i, row in enumerate(dense) for j, v in enumerate(row) if v != 0]
    return coordinate("real", "general", 4, 4, entries, "Lecture example, row 2 is empty")


def lecture_messy():
    """The same matrix, written untidily."""
    lines = [
        "%%MatrixMarket  MATRIX\tCoordinate Real  GENERAL",
        "%lecture.mtx with CRLF, tabs, blank lines and comments, its entries out of order",
        "%",
        "",
        "\t4   4\t7  ",
        "",
        "4 4 1",
        "  3 3 +4.0",
        "\t1\t1\t3e0",
        "",
        "4 1 .1e+1",
        "3 2 2.",
        "3   4   1.000",
        "   ",
        "1 3 1E0",
        "",
    ]
    return "\r\n".join(lines)


WIND = 12  # points a side


def wind():
    """Convection and diffusion, the wind taken from upstream: not symmetric."""
    entries = [(point, point, "4.75") for point in range(WIND**2)]
    for point, neighbour in grid_neighbours(WIND):
        weight = {1: -100, -1: -150, WIND: -100, -WIND: -125}[neighbour - point]
        entries.append((point, neighbour, decimal(weight, 2)))
    entries.sort(key=lambda entry: entry[:2])
    return coordinate("real", "general", WIND**2, WIND**2, entries,
                      "Convection and diffusion on a 12 x 12 grid; not symmetric")


def wind_x():
    """Whole and broken numbers, for products with wind.mtx."""
    numbers = sequence(12)
    return array("real", "general", WIND**2, 1,
                 [decimal(next(numbers) % 20001 - 10000, 3) for _ in range(WIND**2)],
                 "A dense vector for wind.mtx")


def indefinite():
    """A second difference minus a shift within its spectrum, with a zero on the diagonal."""
    entries = []
    for i in range(60):
        if i > 0:
            entries.append((i, i - 1, "-1"))
        entries.append((i, i, "0" if i == 30 else "0.75"))
    return coordinate("real", "symmetric", 60, 60, entries,
                      "Symmetric with eigenvalues of both signs; conjugate gradients must refuse")


def rotation():
    """Generators of rotations: minus its own transpose."""
    numbers = sequence(7)
    entries = [(i, j, decimal(next(numbers) % 1999 - 999, 2))
               for i in range(30) for j in range(i) if (i * j + i) % 7 == 0]
    return coordinate("real", "skew-symmetric", 30, 30, entries, "Skew-symmetric")


# (re, im) in hundredths on the unit circle, from Pythagorean triples.
PHASES = [(60, 80), (80, -60), (28, 96), (-96, 28), (100, 0)]


def complex_text(re, im):
    return f"{decimal(re, 2)} {decimal(im, 2)}"


def ring():
    """Hops around a ring in a magnetic field: Hermitian, diagonally dominant, definite."""
    size = 48
    entries = [(i, i, complex_text(225, 0)) for i in range(size)]
    for i in range(1, size):
        re, im = PHASES[i % len(PHASES)]
        entries.append((i, i - 1, complex_text(-re, -im)))
    entries.append((size - 1, 0, complex_text(-60, -80)))
    entries.sort(key=lambda entry: entry[:2])
    return coordinate("complex", "hermitian", size, size, entries,
                      "Magnetic field through a ring; Hermitian positive definite")


def damped():
    """A damped wave on a line: complex and symmetric, not Hermitian."""
    entries = []
    for i in range(50):
        if i > 0:
            entries.append((i, i - 1, complex_text(-100, 0)))
        entries.append((i, i, complex_text(150, -25 - i)))
    return coordinate("complex", "symmetric", 50, 50, entries, "Damped wave; complex symmetric")


def scattering():
    """No symmetry at all, in complex numbers."""
    numbers = sequence(3)
    entries = []
    for i in range(20):
        for j in sorted({(5 * i + 3) % 20, (i * i) % 20, i}):
            re, im = next(numbers) % 2001 - 1000, next(numbers) % 2001 - 1000
            entries.append((i, j, complex_text(re, im)))
    return coordinate("complex", "general", 20, 20, entries, "Complex, without symmetry")


def reaction():
    """Stoichiometry: small whole numbers of both signs, more columns than rows."""
    numbers = sequence(5)
    entries = []
    for j in range(40):
        for i in sorted({next(numbers) % 25 for _ in range(4)}):
            entries.append((i, j, str(next(numbers) % 7 - 3)))
    return coordinate("integer", "general", 25, 40, entries,
                      "Whole numbers, wide, column by column, some entries zero")


def links():
    """A directed graph: every page links to a few others, page 0 to all, some to none."""
    numbers = sequence(11)
    entries = [(0, j, "") for j in range(200)]
    for i in range(1, 200):
        if i % 9 != 0:
            targets = {0} | {next(numbers) % 200 for _ in range(i % 4)}
            entries += [(i, j, "") for j in sorted(targets)]
    return coordinate("pattern", "general", 200, 200, entries,
                      "Links between pages: one dense row, one dense column, empty rows")


def mesh():
    """A triangle mesh on a 9 x 9 grid as an undirected graph with loops."""
    entries = [(i, i, "") for i in range(81)]
    entries += [(point, neighbour, "") for point, neighbour in grid_neighbours(9)
                if neighbour < point]
    entries += [(i, i - 10, "") for i in range(10, 81) if i % 9 > 0]
    entries.sort()
    return coordinate("pattern", "symmetric", 81, 81, entries, "Triangle mesh; undirected graph")


def survey():
    """Differences of heights measured between marks: tall."""
    entries = []
    for measurement in range(60):
        a, b = measurement % 15, (4 * measurement + measurement // 15 + 1) % 15
        if a == b:
            entries.append((measurement, a, "1"))
        else:
            entries += [(measurement, min(a, b), "-0.5"), (measurement, max(a, b), "0.5")]
    return coordinate("real", "general", 60, 15, entries, "Levelling network; tall")


def dense():
    """Powers of small numbers, stored whole."""
    numbers = [decimal((i + 1) ** j * 10 ** (4 - j), 4) for j in range(5) for i in range(7)]
    return array("real", "general", 7, 5, numbers, "Dense matrix, column by column")


def dense_symmetric():
    """min(i, j), of which the inverse is a second difference: positive definite."""
    numbers = [str(j + 1) for j in range(6) for _ in range(j, 6)]
    return array("real", "symmetric", 6, 6, numbers,
                 "Dense, lower triangle column by column; positive definite")


def extremes():
    """Numbers at the ends of double precision, and halfway between two neighbours."""
    numbers = ["4.9406564584124654e-324", "2.2250738585072011e-308", "2.2250738585072014e-308",
               "1.7976931348623157e308", "-1.7976931348623157e308", "0.1", "-0",
               "9007199254740993", "1.00000000000000011102230246251565404236316680908203125",
               "123456789012345678901234567890", "3e-400", "0.30000000000000004"]
    return coordinate("real", "general", 12, 1, [(i, 0, text) for i, text in enumerate(numbers)],
                      "The hardest numbers to read")


def empty():
    return coordinate("real", "general", 3, 5, [], "A matrix without entries")


FILES = {
    "damped.mtx": damped,
    "dense.mtx": dense,
    "dense_symmetric.mtx": dense_symmetric,
    "empty.mtx": empty,
    "extremes.mtx": extremes,
    "indefinite.mtx": indefinite,
    "lecture.mtx": lecture,
    "lecture_messy.mtx": lecture_messy,
    "links.mtx": links,
    "mesh.mtx": mesh,
    "plate.mtx": plate,
    "plate_source.mtx": plate_source,
    "reaction.mtx": reaction,
    "ring.mtx": ring,
    "rotation.mtx": rotation,
    "scattering.mtx": scattering,
    "survey.mtx": survey,
    "wind.mtx": wind,
    "wind_x.mtx": wind_x,
}


def main():
    folder = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent)
    for name, make in FILES.items():
        (folder / name).write_bytes(make().encode("ascii"))


if __name__ == "__main__":
    main()
