#!/usr/bin/env python3
"""Tests of --device, with and without a GPU.

    test_device.py COMMAND DATA [unittest's arguments]
"""

import sys

sys.dont_write_bytecode = True
import matrix_market
from command_case import (CommandTest, CudaCase, cuda_missing, data, main, matrices, matrix, run,
                          shuffled_grid)


class DeviceTest(CommandTest):
    """Properties of every machine, with or without a GPU."""

    def test_a_device_that_is_not_there(self):
        plate = data("plate.mtx")
        device = "cuda" if cuda_missing() else "cuda:99"
        for arguments in (["info", plate], ["multiply", plate], ["solve", plate], ["kernels"],
                          ["stencil", "--points", 3, "--extent", 9], ["convert", plate, self.folder / "out.mtx"], ["bench", "spmv"]):
            with self.subTest(command=arguments[0]):
                text = self.sentence(*arguments, "--device", device)
                self.assertIn("cuda", text.lower())
        self.assertEqual(self.left(), [])

    def test_wrong_devices(self):
        for device in ("cuda:", "cuda:x", "cuda:-1", "cuda0", "CUDA"):
            self.assertIn("--device takes cpu, cuda or cuda:N, not '%s'" % device,
                          self.sentence("info", data("plate.mtx"), "--device", device, status=2))

    def test_device_is_told(self):
        for arguments in (["info"], ["multiply"], ["solve"], ["kernels"]):
            self.assertEqual(self.json(*arguments, data("plate.mtx"))["device"], "cpu")


class CudaTest(CudaCase):
    def both(self, *arguments):
        """Returns the command's JSON on the CPU and on the GPU."""
        return self.json(*arguments), self.json(*arguments, "--device", "cuda")

    def test_info(self):
        for path in matrices():
            cpu, gpu = self.both("info", path)
            self.assertEqual(gpu["device"], "cuda")
            self.assertRegex(gpu["isa"], r"\Asm_\d+\Z")
            for key in ("device", "isa", "seconds_load"):
                del cpu[key], gpu[key]
            self.assertEqual(gpu, cpu, path.name)

    def test_multiply_has_the_bits_of_the_cpu(self):
        for path in matrices():
            for options in ([], ["--transpose"]):
                with self.subTest(file=path.name, options=options):
                    cpu, gpu = self.both("multiply", path, "--repeat", 2, *options)
                    for key in ("y_norm_1", "y_norm_2", "y_norm_max", "csr_bytes"):
                        self.assertEqual(gpu[key], cpu[key], key)

    def test_every_kernel(self):
        wind = data("wind.mtx")
        x = matrix_market.read_column(data("wind_x.mtx").read_text())
        expected, bound = matrix("wind.mtx").multiply(x)
        out = self.folder / "y.mtx"
        for kernel in self.json("kernels", "--device", "cuda")["kernels"]:
            done = run("multiply", wind, "--x", data("wind_x.mtx"), "--out", out, "--device",
                       "cuda", "--kernel", kernel["name"])
            if done.returncode == 1 and "does not suit" in done.stderr:
                continue
            self.assertEqual(done.returncode, 0, done.stderr)
            for y, right, error in zip(matrix_market.read_column(out.read_text()), expected, bound):
                self.assertLessEqual(abs(y - right), error, kernel["name"])

    def test_solve_has_the_bits_of_the_cpu(self):
        for name, precond in (("plate.mtx", "jacobi"), ("ring.mtx", "none")):
            texts = []
            for device in ("cpu", "cuda"):
                out = self.folder / f"{device}.mtx"
                self.json("solve", data(name), "--precond", precond, "--out", out, "--device",
                          device)
                texts.append(out.read_text())
            self.assertEqual(texts[0], texts[1], name)

    def test_solve_that_fails(self):
        arguments = ["solve", data("plate.mtx"), "--max-iterations", 5, "--device", "cuda"]
        self.assertEqual(self.json(*arguments, status=1)["iterations"], 5)
        self.sentence("solve", data("indefinite.mtx"), "--method", "cg", "--device", "cuda")

    def test_convert(self):
        for name in ("survey.mtx", "scattering.mtx", "plate_source.mtx"):
            texts = []
            for device in ("cpu", "cuda"):
                out = self.folder / f"{device}.mtx"
                self.json("convert", data(name), out, "--type", "c64", "--device", device)
                texts.append(out.read_text())
            self.assertEqual(texts[0], texts[1], name)

    def test_reorder(self):
        path = shuffled_grid(self.folder / "grid.mtx")
        cpu, gpu = self.both("reorder", path)
        for key in ("bandwidth_after", "profile_after", "rms_wavefront_after", "components"):
            self.assertEqual(gpu[key], cpu[key], key)
        texts = []
        for device in ("cpu", "cuda"):
            names = [self.folder / f"{device}.{end}" for end in ("p.mtx", "b.mtx", "svg", "x.mtx")]
            self.json("reorder", path, "--perm", names[0], "--out", names[1], "--report",
                      self.folder / "r.html", "--device", device)
            self.json("spy", path, "-o", names[2], "--reorder", "rcm", "--device", device)
            self.json("solve", path, "--reorder", "rcm", "--out", names[3], "--device", device)
            texts.append([name.read_text() for name in names])
        self.assertEqual(texts[0], texts[1])
        self.json("multiply", path, "--reorder", "auto", "--device", "cuda")

    def test_recognition(self):
        for command in ("multiply", "solve"):
            cpu, gpu = self.both(command, data("plate.mtx"), "--kernel", "stencil")
            self.assertIn("a stencil of 5 points", gpu["recognition"])
            for key in ("recognised", "recognition", "rows_differing"):
                self.assertEqual(gpu[key], cpu[key], key)
        self.assertIn("recognition", self.json("multiply", data("survey.mtx"), "--device", "cuda"))

    def test_kernels(self):
        report = self.json("kernels", data("plate.mtx"), "--measure", "--device", "cuda:0")
        self.assertEqual(report["device"], "cuda")
        self.assertIn(report["kernel"], {kernel["name"] for kernel in report["kernels"]})


if __name__ == "__main__":
    main()
