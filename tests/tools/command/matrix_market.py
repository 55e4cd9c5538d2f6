"""Matrix Market files in plain Python, with which the tests compare the command.

Written from the format's description and for clarity only; it knows nothing of the library.
"""

import collections
import math

EPSILON = 2.0**-53


class Malformed(Exception):
    """The text contradicts what its banner promises."""


class Matrix:
    """A matrix as rows of {column: value}. Symmetric halves are expanded and duplicates are added."""

    def __init__(self, rows, cols, field="real"):
        self.rows = rows
        self.cols = cols
        self.field = field
        self.symmetry = "general"
        self.format = "coordinate"
        self.entries_in_file = 0
        self.lines = collections.defaultdict(dict)

    def add(self, row, col, value):
        line = self.lines[row]
        line[col] = line[col] + value if col in line else value

    def entries(self):
        return sum(len(line) for line in self.lines.values())

    def transposed(self):
        other = Matrix(self.cols, self.rows, self.field)
        for row, line in self.lines.items():
            for col, value in line.items():
                other.lines[col][row] = value
        return other

    def multiply(self, x):
        """Returns y = A x, and for each entry of y a bound of its rounding error."""
        y, bound = [0.0] * self.rows, [0.0] * self.rows
        for row, line in self.lines.items():
            terms = [value * x[col] for col, value in line.items()]
            y[row] = exact_sum(terms)
            bound[row] = (2 * len(line) + 8) * EPSILON * sum(map(abs, terms)) + 5e-324
        return y, bound


def exact_sum(terms):
    """Returns the sum of the terms, rounded once at the end. Complex terms are summed in each part."""
    try:
        if complex in map(type, terms):
            return complex(math.fsum(t.real for t in terms), math.fsum(t.imag for t in terms))
        return math.fsum(terms)
    except (OverflowError, ValueError):
        return sum(terms)


def mirror(value, symmetry):
    if symmetry == "skew-symmetric":
        return -value
    if symmetry == "hermitian" and isinstance(value, complex):
        return value.conjugate()
    return value


def parse_value(words, field):
    if field == "pattern":
        return 1.0
    if field == "complex":
        return complex(float(words[0]), float(words[1]))
    value = float(words[0])
    if field == "integer" and math.isfinite(value) and not words[0].lstrip("+-").isdigit():
        raise Malformed(f"{words[0]} is not an integer")
    return value


def put(matrix, row, col, value):
    matrix.add(row, col, value)
    if matrix.symmetry != "general" and row != col:
        matrix.add(col, row, mirror(value, matrix.symmetry))
    elif matrix.symmetry == "hermitian" and value.imag != 0:
        raise Malformed(f"diagonal entry {value} of a Hermitian matrix")


def array_positions(matrix):
    """Yields the positions of the numbers in an array file, in their order."""
    skip = {"general": None, "skew-symmetric": 1}.get(matrix.symmetry, 0)
    for col in range(matrix.cols):
        for row in range(0 if skip is None else col + skip, matrix.rows):
            yield row, col


def read(text):
    """Returns the matrix in the text of a Matrix Market file."""
    lines = text.split("\n")
    _, thing, form, field, symmetry = lines[0].lower().split()
    if symmetry == "hermitian" and field != "complex":
        raise Malformed(f"{field} and hermitian")
    content = [line.split() for line in lines[1:]
               if line.strip() and not line.lstrip().startswith("%")]
    if thing == "vector":
        content = as_column(content, form)
    matrix = Matrix(int(content[0][0]), int(content[0][1]), field)
    matrix.format, matrix.symmetry = form, symmetry
    fill = fill_coordinate if form == "coordinate" else fill_array
    fill(matrix, content)
    return matrix


def as_column(content, form):
    """Returns the lines of a vector file as lines of a one-column matrix."""
    if form == "array":
        return [[content[0][0], "1"]] + content[1:]
    return [[content[0][0], "1", content[0][1]]] + [[w[0], "1", *w[1:]] for w in content[1:]]


def fill_coordinate(matrix, content):
    matrix.entries_in_file = int(content[0][2])
    for words in content[1 : 1 + matrix.entries_in_file]:
        value = parse_value(words[2:], matrix.field)
        put(matrix, int(words[0]) - 1, int(words[1]) - 1, value)


def fill_array(matrix, content):
    words = [word for line in content[1:] for word in line]
    width = 2 if matrix.field == "complex" else 1
    for k, (row, col) in enumerate(array_positions(matrix)):
        put(matrix, row, col, parse_value(words[k * width : (k + 1) * width], matrix.field))
        matrix.entries_in_file += 1


def read_column(text):
    """Returns the entries of a file of one column."""
    matrix = read(text)
    return [matrix.lines[row].get(0, 0.0) for row in range(matrix.rows)]


def write_column(path, numbers):
    """Writes a vector as an array file, which is complex if the first entry is complex."""
    is_complex = bool(numbers) and isinstance(numbers[0], complex)
    field = "complex" if is_complex else "real"
    lines = [f"%%MatrixMarket matrix array {field} general", f"{len(numbers)} 1"]
    lines += [f"{v.real!r} {v.imag!r}" if is_complex else repr(v) for v in numbers]
    path.write_text("\n".join(lines) + "\n")
