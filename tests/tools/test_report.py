#!/usr/bin/env python3
"""Tests the pages of furrow reorder, solve and bench --report in headless Chromium, if it is
installed.

    test_report.py COMMAND DATA [FOLDER]

The screenshots are written into FOLDER. Exit status 77: no browser.
"""

import base64
import contextlib
import json
import os
import pathlib
import shutil
import subprocess
import sys
import tempfile

BROWSERS = ["chromium", "chromium-browser", "google-chrome"]

# Screens that show the page: width, height, and the color scheme that the system prefers.
SCREENS = {"desktop": (1280, 1700, "light"), "dark": (1280, 1700, "dark"),
           "phone": (390, 2600, "light")}

LOOK = """(() => ({
    images: Array.from(document.images, image => ({
        complete: image.complete, width: image.naturalWidth, height: image.naturalHeight,
        shown: image.getBoundingClientRect().width, alt: image.alt})),
    curves: Array.from(document.querySelectorAll("svg path"), path => path.getTotalLength()),
    width: document.documentElement.scrollWidth,
    page: getComputedStyle(document.body).backgroundColor,
    title: document.title,
    text: document.body.innerText}))()"""


class Browser:
    """A web page, controlled by the DevTools protocol: JSON messages that end in a zero byte, through two pipes."""

    def __init__(self, program, profile):
        there, self.to = os.pipe()
        self.back, here = os.pipe()

        def connect():  # the pipes become descriptors 3 and 4
            ends = [os.dup(end) for end in (there, here)]
            os.dup2(os.fdopen(os.dup(ends[0]), "rb", closefd=False).fileno(), 3)
            os.dup2(ends[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-pipe",
             "--hide-scrollbars", f"--user-data-dir={profile}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(there)
        os.close(here)
        self.reader = os.fdopen(self.back, "rb")
        self.count, self.session, self.events = 0, None, []
        page = next(target for target in self.ask("Target.getTargets")["targetInfos"]
                    if target["type"] == "page")
        self.session = self.ask("Target.attachToTarget", targetId=page["targetId"],
                                flatten=True)["sessionId"]
        for domain in ("Page", "Log", "Runtime", "Network"):
            self.ask(f"{domain}.enable")

    def receive(self):
        message = bytearray()
        while (byte := self.reader.read(1)) != b"\0":
            if not byte:
                raise RuntimeError("the browser has gone")
            message += byte
        return json.loads(message)

    def ask(self, method, **parameters):
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        os.write(self.to, json.dumps(request).encode() + b"\0")
        while (answer := self.receive()).get("id") != self.count:
            self.events.append(answer)
        if "error" in answer:
            raise RuntimeError(f"{method}: {answer['error']}")
        return answer["result"]

    def open(self, address):
        self.events.clear()
        self.ask("Page.navigate", url=address)
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            self.events.append(self.receive())

    def show_on(self, width, height, scheme):
        self.ask("Emulation.setDeviceMetricsOverride", width=width, height=height,
                 deviceScaleFactor=1, mobile=width < 500)
        self.ask("Emulation.setEmulatedMedia",
                 features=[{"name": "prefers-color-scheme", "value": scheme}])

    def close(self):
        with contextlib.suppress(Exception):
            self.ask("Browser.close")
        self.process.wait(timeout=30)


def complaints(events):
    """Yields the page's errors and its requests to other addresses."""
    for event in events:
        what = event.get("params", {})
        if event.get("method") in ("Log.entryAdded", "Runtime.exceptionThrown"):
            yield json.dumps(what)
        if event.get("method") == "Network.requestWillBeSent":
            address = what["request"]["url"]
            if not address.startswith(("file:", "data:")):
                yield f"loads {address}"


def check(condition, sentence):
    if not condition:
        sys.exit(f"FAILED: {sentence}")


def look(browser, page, name, folder, pictures):
    width, height, scheme = SCREENS[name]
    browser.show_on(width, height, scheme)
    browser.open(page.as_uri())
    seen = browser.ask("Runtime.evaluate", expression=LOOK, returnByValue=True)["result"]["value"]
    shot = browser.ask("Page.captureScreenshot", format="png")["data"]
    (folder / f"{page.stem}-{name}.png").write_bytes(base64.b64decode(shot))
    for complaint in complaints(browser.events):
        sys.exit(f"FAILED: {name}: {complaint}")
    check(len(seen["images"]) == pictures, f"{name}: {len(seen['images'])} pictures")
    for image in seen["images"]:
        check(image["complete"] and image["width"] > 0 and image["height"] > 0 and image["alt"],
              f"{name}: a picture is not there: {image}")
        check(image["shown"] > 200, f"{name}: a picture is small: {image}")
    check(seen["width"] <= width, f"{name}: the page is {seen['width']} wide, the screen {width}")
    return seen


def main():
    program = next(filter(None, map(shutil.which, BROWSERS)), None)
    if not program:
        print("SKIPPED: no browser: chromium")
        return 77
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as scratch:
        folder = pathlib.Path(sys.argv[3] if len(sys.argv) > 3 else scratch)
        matrix = pathlib.Path(scratch) / "<b>mesh & more.mtx"
        page = pathlib.Path(scratch) / "r.html"
        shutil.copy(pathlib.Path(sys.argv[2]) / "mesh.mtx", matrix)
        report = json.loads(subprocess.run(
            [sys.argv[1], "reorder", matrix, "--report", page, "--json"], check=True,
            capture_output=True).stdout)
        solved = pathlib.Path(scratch) / "s.html"
        shutil.copy(pathlib.Path(sys.argv[2]) / "links.mtx", matrix)
        solution = json.loads(subprocess.run(
            [sys.argv[1], "solve", matrix, "--report", solved, "--json"], check=True,
            capture_output=True).stdout)
        raced = pathlib.Path(scratch) / "b.html"
        names = [matrix, *(f"power:{rows}" for rows in range(50, 57))]
        race = json.loads(subprocess.run(
            [sys.argv[1], "bench", *names, "--rounds", "1", "--seconds", "1e-6", "--report", raced,
             "--json"], check=True, capture_output=True).stdout)
        browser = Browser(program, pathlib.Path(scratch) / "profile")
        seen = {name: look(browser, page, name, folder, 2) for name in SCREENS}
        solves = {name: look(browser, solved, name, folder, 0) for name in SCREENS}
        races = {name: look(browser, raced, name, folder, 0) for name in SCREENS}
        browser.close()
    for name, view in seen.items():
        check(view["title"] == "<b>mesh & more.mtx reordered", f"{name}: title {view['title']}")
        for number in ("81 rows", f"{report['entries']} entries",
                       f"bandwidth {report['bandwidth_after']}"):
            check(number in view["text"], f"{name}: nothing of {number}")
    ran = sum(not attempt["outcome"].startswith("not solved")
                for attempt in solution["attempts"])
    for name, view in solves.items():
        check(view["title"] == "<b>mesh & more.mtx solved", f"{name}: title {view['title']}")
        for text in ("200 × 200", solution["method"], solution["reason"],
                     f"by attempt {len(solution['attempts'])} of {len(solution['attempts'])}"):
            check(text in view["text"], f"{name}: nothing of {text}")
        check(len(view["curves"]) == ran and max(view["curves"]) > 100,
              f"{name}: curves of lengths {view['curves']}")
    for name, view in races.items():
        for text in ("furrow bench spmv", "<b>mesh & more", *names[1:], race["date"]):
            check(text in view["text"], f"{name}: nothing of {text}")
    check(seen["dark"]["page"] != seen["desktop"]["page"], "the dark page is as light")
    return 0


if __name__ == "__main__":
    sys.exit(main())
