#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""browser.py FOLDER - drives a headless Chromium by steps on standard input, one a line:

    size WIDTH HEIGHT [SCALE]   size of the window in CSS pixels; SCALE 2 is a zoom of 200 %
    open URL                loads a page, and prints when it was first painted, in ms
    until SECONDS JS        waits until the expression is true, and prints how long it took
    print JS                prints the value of an expression
    key NAME...             presses keys: Tab, Enter, Escape, ArrowDown, ...
    run COMMAND             runs a shell command; the time of the next `until` counts from its end
    quiet                   fails if the page logged anything: an error, or what its policy forbids
    shot FILE               writes a PNG

Exit code 1 when an `until` is not met; what the page logged is then printed.  The browser runs as
an ordinary user with its sandbox; if the kernel allows no sandbox, this is said, and it runs
without.  It speaks the DevTools protocol through a pipe, so no port and no module are needed."""
import base64, json, os, select, shutil, subprocess, sys, time

HOME = sys.argv[1]
KEYS = {"Tab": 9, "Enter": 13, "Escape": 27, "Space": 32, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40}


class Browser:
    def __init__(self, *flags):
        to_read, self.to = os.pipe()
        self.source, from_write = os.pipe()
        user = []
        if os.getuid() == 0:
            user = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
            os.chown(HOME, 65534, 65534)

        def pipes():
            a, b = os.dup(to_read), os.dup(from_write)
            os.dup2(a, 3)
            os.dup2(b, 4)

        self.child = subprocess.Popen(
            user + ["chromium", "--headless=new", "--disable-gpu", "--no-first-run", "--hide-scrollbars",
                    "--user-data-dir=" + HOME, "--remote-debugging-pipe", *flags, "about:blank"],
            close_fds=False, preexec_fn=pipes, env={**os.environ, "HOME": HOME, "XDG_CONFIG_HOME": HOME},
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=open(HOME + ".err", "wb"))
        os.close(to_read)
        os.close(from_write)
        self.bytes, self.number, self.session, self.log = b"", 0, None, []

    def receive(self, seconds):
        end = time.monotonic() + seconds
        while b"\0" not in self.bytes:
            if not select.select([self.source], [], [], max(0, end - time.monotonic()))[0]:
                raise TimeoutError("the browser does not answer")
            data = os.read(self.source, 1 << 20)
            if not data:
                raise EOFError("the browser ended")
            self.bytes += data
        one, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(one)

    def call(self, method, **params):
        self.number += 1
        ask = {"id": self.number, "method": method, "params": params}
        if self.session:
            ask["sessionId"] = self.session
        os.write(self.to, json.dumps(ask).encode() + b"\0")
        while True:
            got = self.receive(30)
            if got.get("id") == self.number:
                if "error" in got:
                    raise RuntimeError("%s: %s" % (method, got["error"]["message"]))
                return got["result"]
            if got.get("method") in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                self.log.append(json.dumps(got["params"])[:600])

    def attach(self):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.call(domain + ".enable")

    def value(self, js):
        got = self.call("Runtime.evaluate", expression=js, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in got:
            raise RuntimeError(got["exceptionDetails"].get("exception", {}).get("description", "?") + " in " + js)
        return got["result"].get("value")

    def end(self):
        self.child.kill()
        self.child.wait()


def started():
    for flags in ([], ["--no-sandbox"]):
        b = Browser(*flags)
        try:
            b.attach()
            return b
        except (EOFError, TimeoutError, BrokenPipeError):
            b.end()
            if not flags:
                print("chromium cannot start with its sandbox on this kernel: it runs with --no-sandbox", flush=True)
    sys.exit(open(HOME + ".err").read() + "\nchromium does not start")


PAINT = """new Promise(done => { const of = () => performance.getEntriesByName("first-contentful-paint")[0];
    (function wait() { of() ? done(Math.round(of().startTime)) : setTimeout(wait, 20); })(); })"""


def until(b, seconds, js, start):
    while True:
        if b.value("!!(%s)" % js):
            print("after %.2f s: %s" % (time.monotonic() - start, js), flush=True)
            return
        if time.monotonic() - start > seconds:
            print("not in %g s: %s" % (seconds, js), *b.log, sep="\n")
            sys.exit(1)
        time.sleep(0.05)


def step(b, word, rest, start):
    if word == "size":
        width, height, scale = ([float(x) for x in rest.split()] + [1])[:3]
        b.call("Emulation.setDeviceMetricsOverride", width=int(width / scale), height=int(height / scale),
               deviceScaleFactor=scale, mobile=False)
    elif word == "open":
        b.call("Page.navigate", url=rest)
        until(b, 20, "document.readyState === 'complete'", start)
        print("first paint", b.value(PAINT), "ms", flush=True)
    elif word == "until":
        until(b, float(rest.split()[0]), rest.split(None, 1)[1], start)
    elif word == "print":
        print(b.value(rest), flush=True)
    elif word == "key":
        for key in rest.split():
            for kind in ("keyDown", "keyUp"):
                b.call("Input.dispatchKeyEvent", type=kind, key=key, code=key, windowsVirtualKeyCode=KEYS[key],
                       **({"text": "\r"} if key == "Enter" and kind == "keyDown" else {}))
    elif word == "run":
        subprocess.run(rest, shell=True, check=True, executable="/bin/bash")
    elif word == "quiet":
        if b.log:
            sys.exit("the page logged:\n" + "\n".join(b.log))
    elif word == "shot":
        with open(rest, "wb") as f:
            f.write(base64.b64decode(b.call("Page.captureScreenshot", format="png")["data"]))
    else:
        sys.exit(word + ": no such step")


def main():
    if not shutil.which("chromium"):
        sys.exit("chromium is not installed")
    os.makedirs(HOME, exist_ok=True)
    b, ran = started(), None
    try:
        for line in sys.stdin:
            word, _, rest = line.strip().partition(" ")
            if word:
                step(b, word, rest, ran or time.monotonic())
                ran = time.monotonic() if word == "run" else None if word == "until" else ran
    finally:
        b.end()


main()
