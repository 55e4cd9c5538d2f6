#!/usr/bin/env python3
"""Tests of `furrow solve` without options on stiff and on singular systems.

    test_hard.py COMMAND DATA
"""

from command_case import CommandTest, main

SUCCESSES = ("converged", "converged to working precision")


def springs(count, stiffness, ground):
    """Returns a chain of `count` nodes. Spring i joins nodes i and i + 1, and ground[i] joins node i to 0."""
    entries = {}
    for i in range(count):
        entries[i, i] = ground.get(i, 0.0)
    for i in range(count - 1):
        for row, col, sign in ((i, i, 1), (i + 1, i + 1, 1), (i, i + 1, -1), (i + 1, i, -1)):
            entries[row, col] = entries.get((row, col), 0.0) + sign * stiffness[i]
    return entries


def neumann(side):
    """Returns the matrix of five points on a square without a boundary condition."""
    entries = {}
    for i in range(side * side):
        for j in ([i + 1] if (i + 1) % side else []) + ([i + side] if i + side < side * side else []):
            for row, col, sign in ((i, i, 1), (j, j, 1), (i, j, -1), (j, i, -1)):
                entries[row, col] = entries.get((row, col), 0.0) + sign
    return entries


class Hard(CommandTest):
    """Systems whose solution or least residual is known."""

    def solve(self, rows, entries, b, status=0):
        """Solves a system with the command and returns the JSON report and x."""
        lines = [f"{row + 1} {col + 1} {value!r}" for (row, col), value in sorted(entries.items())]
        matrix = self.folder / "A.mtx"
        right = self.folder / "b.mtx"
        found = self.folder / "x.mtx"
        matrix.write_text("\n".join(["%%MatrixMarket matrix coordinate real general",
                                     f"{rows} {rows} {len(lines)}", *lines]) + "\n")
        right.write_text("\n".join(["%%MatrixMarket matrix array real general", f"{rows} 1",
                                    *map(repr, b)]) + "\n")
        report = self.json("solve", matrix, "--b", right, "--out", found, status=status)
        text = [line for line in found.read_text().splitlines() if not line.startswith("%")]
        return report, [float(line) for line in text[1:]]

    def expect(self, rows, entries, b, wanted, within=1e-5):
        report, x = self.solve(rows, entries, b)
        self.assertTrue(report["outcome"].startswith(SUCCESSES), report["outcome"])
        self.assertEqual(len(x), len(wanted))
        for found, right in zip(x, wanted):
            self.assertLessEqual(abs(found - right), within * max(map(abs, wanted)), x)

    def test_two_nodes_and_a_stiff_spring(self):
        for stiff in (1e4, 1e6, 1e8, 1e10, 1e12):
            total = 2 * stiff + 1
            self.expect(2, springs(2, [stiff], {0: 1.0, 1: 1.0}), [1.0, 0.0],
                        [(stiff + 1) / total, stiff / total], within=max(1e-5, 1e-15 * stiff))

    def test_a_chain_of_weak_and_stiff_springs(self):
        for stiff in (1e6, 1e10):
            entries = springs(6, [stiff, 1.0, stiff, 1.0, stiff], {0: 1.0, 5: 1.0})
            _, x = self.solve(6, entries, [0.0, 0.0, 1.0, 1.0, 0.0, 0.0])
            for i in (0, 2, 4):  # nodes joined by a stiff spring move together
                self.assertLessEqual(abs(x[i] - x[i + 1]), 1e-5 * max(x))
            # The ends carry the load in equal parts: x = 1 at the ends, and 2 in the middle.
            for found, right in zip(x, [1, 1, 2, 2, 1, 1]):
                self.assertLessEqual(abs(found - right), 1e-5)

    def test_values_prescribed_by_a_penalty(self):
        penalised = {(0, 0): 1e20, (0, 1): -1.0, (1, 0): -1.0, (1, 1): 2.0, (1, 2): -1.0,
                     (2, 1): -1.0, (2, 2): 2.0}
        self.expect(3, penalised, [1e20, 1.0, 1.0], [1.0, 5 / 3, 4 / 3], within=1e-6)

    def test_a_closed_switch(self):
        """A circuit with a closed switch. Nodes 1 to 3 are at 5 V, joined by 1e3 S and a switch of 1e9 S. The last
        unknown is a current."""
        entries = {(0, 0): 1e3, (0, 1): -1e3, (0, 3): 1.0, (1, 0): -1e3, (1, 1): 1e3 + 1e9,
                   (1, 2): -1e9, (2, 1): -1e9, (2, 2): 1e9 + 1e-12, (3, 0): 1.0}
        _, x = self.solve(4, entries, [0.0, 0.0, 0.0, 5.0])
        for volts in x[:3]:
            self.assertAlmostEqual(volts, 5.0, delta=1e-6)

    def test_a_beam(self):
        rows = 300
        entries = {}
        for i in range(rows):
            for j, value in ((i, 6.0), (i + 1, -4.0), (i + 2, 1.0)):
                if j < rows:
                    entries[i, j] = entries[j, i] = value
        report, _ = self.solve(rows, entries, [1.0] * rows)
        self.assertTrue(report["outcome"].startswith(SUCCESSES), report["outcome"])

    def test_neumann_problems(self):
        side = 20
        entries = neumann(side)
        wanted = [float((7 * i) % 13) for i in range(side * side)]
        mean = sum(wanted) / len(wanted)
        wanted = [value - mean for value in wanted]
        b = [0.0] * (side * side)
        for (row, col), value in entries.items():
            b[row] += value * wanted[col]
        report, x = self.solve(side * side, entries, b)
        self.assertTrue(report["outcome"].startswith(SUCCESSES), report["outcome"])
        shift = sum(x) / len(x)
        for found, right in zip(x, wanted):
            self.assertAlmostEqual(found - shift, right, delta=1e-5)

    def test_a_right_side_outside_of_the_range(self):
        rows = 50
        entries = springs(rows, [1.0] * (rows - 1), {})
        b = [0.5 + (-1.0) ** i for i in range(rows)]  # b has a mean of 0.5
        report, _ = self.solve(rows, entries, b, status=1)
        self.assertTrue(report["outcome"].startswith("least-squares solution"), report["outcome"])
        least = 0.5 * rows**0.5 / sum(value * value for value in b) ** 0.5
        self.assertLessEqual(report["residual"], least * 1.0001)


if __name__ == "__main__":
    main()
