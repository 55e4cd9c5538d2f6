#!/usr/bin/env python3
"""Tests of progress on a terminal, and of signals during a solve.

    test_terminal.py COMMAND DATA [unittest's arguments]
"""

import json
import os
import pathlib
import pty
import signal
import subprocess
import sys
import threading
import time

sys.dont_write_bytecode = True
from command_case import COMMAND, CommandTest, data, main, run


class ProgressTest(CommandTest):
    """Progress on a terminal."""

    def start(self, *arguments, **options):
        """Starts the command with a terminal as standard error. Returns the process and a function that waits for its
        end and returns the output."""
        terminal, slave = pty.openpty()
        child = subprocess.Popen([COMMAND, *map(str, arguments)], stderr=slave,
                                 stdout=subprocess.DEVNULL, **options)
        os.close(slave)
        shown = []

        def gather():
            try:
                while True:
                    shown.append(os.read(terminal, 65536))
            except OSError:  # the command has closed the terminal
                os.close(terminal)

        reader = threading.Thread(target=gather)
        reader.start()

        def end():
            self.assertEqual(child.wait(timeout=120), 0)
            reader.join()
            return b"".join(shown).decode()
        return child, end

    def check_vanished(self, shown):
        self.assertTrue(shown.endswith("\r" + 76 * " " + "\r"), shown[-200:])

    TEXT = b"%%MatrixMarket matrix coordinate real general\n9 9 500000\n" + 500000 * b"1 1 1\n"

    def fed_slowly(self, *options):
        child, end = self.start("info", "-", "--threads", 1, *options, stdin=subprocess.PIPE)
        half = len(self.TEXT) // 2
        child.stdin.write(self.TEXT[:half])
        child.stdin.flush()
        time.sleep(1.5)
        child.stdin.write(self.TEXT[half:])
        child.stdin.close()
        return end()

    def test_pipe(self):
        shown = self.fed_slowly()
        self.assertRegex(shown, r"\rreading \d MB  \d+ MB/s")
        self.check_vanished(shown)

    def test_quiet(self):
        self.assertEqual(self.fed_slowly("--quiet"), "")

    def test_short_work(self):
        _, end = self.start("info", data("plate.mtx"))
        self.assertEqual(end(), "")

    def stopped_while_reading(self, path):
        """Returns the output of a run that is stopped for more than a second once the file
        is open."""
        child, end = self.start("info", path, "--threads", 1)
        descriptors = pathlib.Path(f"/proc/{child.pid}/fd")
        while child.poll() is None:
            try:
                if any(os.readlink(link) == str(path) for link in descriptors.iterdir()):
                    child.send_signal(signal.SIGSTOP)
                    time.sleep(1.5)
                    child.send_signal(signal.SIGCONT)
                    break
            except OSError:  # the process has closed a descriptor meanwhile
                pass
        return end()

    def test_file(self):
        path = self.folder.resolve() / "a.mtx"
        count = 4000000
        path.write_bytes(b"%%%%MatrixMarket matrix coordinate real general\n9 9 %d\n" % count
                         + count * b"1 1 1\n")
        for _ in range(10):  # the stop may come too late, or before the first byte
            shown = self.stopped_while_reading(path)
            if "[" in shown:
                break
        self.assertRegex(shown, r"\rreading \[#*\.*\] +\d+ %  \d+ MB/s  \d+:\d\d left")
        self.check_vanished(shown)


class SignalTest(CommandTest):
    """A signal arrives during a solve."""

    SLOW = ["--stencil", 3, "--extent", 300000, "--precond", "none", "--max-iterations", 10**9]
    CYCLES = ["--stencil", 5, "--extent", "1200,1200", "--method", "mg", "--rtol", "1e-13"]

    # Seconds of processor time after which a test sends a signal, in ascending order. On one machine a solve has ended
    # after 0.2 s, on another it has not begun by then.
    MOMENTS = [0.1 * 1.15**i for i in range(25)]

    @staticmethod
    def seconds_of(process):
        """Returns the processor time that the process has used."""
        fields = pathlib.Path(f"/proc/{process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def interrupted(self, *arguments, after=0.3, signals=(signal.SIGINT,), **options):
        """Starts a solve and sends these signals once it has computed for `after` seconds."""
        child = subprocess.Popen([COMMAND, "solve", *map(str, arguments)], stdout=subprocess.PIPE,
                                 stderr=subprocess.PIPE, text=True, **options)
        while child.poll() is None and self.seconds_of(child) < after:
            time.sleep(0.005)
        for number in signals:
            child.send_signal(number)
            time.sleep(0.01)
        return child.communicate(timeout=120), child.returncode

    def test_signals_keep_what_there_is(self):
        for options, number, form, rows in ((self.SLOW, signal.SIGINT, ["--json"], 300000),
                                            (self.SLOW, signal.SIGTERM, [], 300000),
                                            (self.CYCLES, signal.SIGINT, [], 1200 * 1200)):
            out = self.folder / "x.mtx"
            for moment in self.MOMENTS:
                (said, error), status = self.interrupted(*options, "--out", out, *form,
                                                         signals=[number], after=moment)
                if status == -number and said:
                    break
            with self.subTest(options=options, signal=number, form=form):
                self.assertEqual(status, -number, error)
                self.assertRegex(error, rf"\Afurrow: the stencil: interrupted by {number.name} after "
                                        r"\d+ iterations, relative residual \S+; the last x is in "
                                        r".*x\.mtx\n\Z")
                self.assertIn("interrupted", said)
                self.assertNotIn("monitor", said)
                if form:
                    self.assertIs(json.loads(said)["converged"], False)
                self.assertEqual(out.read_text().count("\n"), rows + 2)
                self.assertEqual(self.left(), ["x.mtx"])

    def test_second_signal_ends_at_once(self):
        """A second signal ends the command at once. Cycles notice a signal late, so there is time for a second one."""
        for moment in self.MOMENTS:
            (said, error), status = self.interrupted(
                *self.CYCLES, after=moment, signals=[signal.SIGINT, signal.SIGTERM])
            if status == -signal.SIGTERM and not said:
                break
        self.assertEqual((said, error, status), ("", "", -signal.SIGTERM))

    def test_signal_as_a_shell_sees_it(self):
        script = 'trap "" INT; "$@" & child=$!; sleep 1; kill -TERM $child; wait $child; echo $?'
        done = subprocess.run(["bash", "-c", script, "bash", COMMAND, "solve",
                               *map(str, self.SLOW), "--quiet"],
                              capture_output=True, text=True, check=False, timeout=120)
        self.assertEqual(done.stdout.split()[-1], "143")

    def test_ignored_signals_stay_ignored(self):
        arguments = ["--stencil", 3, "--extent", 3000, "--precond", "none"]
        done = run("solve", *arguments,
                   preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertEqual(done.returncode, 0)
        (_, error), status = self.interrupted(
            *self.SLOW, signals=[signal.SIGTERM],
            preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_IGN))
        self.assertEqual((status, "SIGTERM" in error), (-signal.SIGTERM, True))


if __name__ == "__main__":
    main()
