#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0 OR BSD-2-Clause
"""peers.py SOCKET WORD [ARG...] - faulty and demanding clients of moored: a thousand at
once, some that do not read, some that stop in the middle of a line.  Each WORD is a
function below; it prints what it measured, and a failure is an AssertionError."""
import json
import os
import socket
import sys
import time

PATH = sys.argv[1]


def connect(timeout=20):
    s = socket.socket(socket.AF_UNIX)
    s.connect(PATH)         # no timeout yet: waits while the backlog is full
    s.settimeout(timeout)
    return s


def request(method, params=None, id=1):
    r = {"jsonrpc": "2.0", "method": method}
    if id is not None:
        r["id"] = id
    if params is not None:
        r["params"] = params
    return r


def line(what):
    return json.dumps(what).encode() + b"\n"


class Lines:
    def __init__(self, s):
        self.s, self.rest = s, b""

    def next(self):
        """The next line as JSON; None at the end."""
        while b"\n" not in self.rest:
            more = self.s.recv(1 << 16)
            if not more:
                return None
            self.rest += more
        one, self.rest = self.rest.split(b"\n", 1)
        return json.loads(one)


def ask(method, params=None):
    s = connect()
    s.sendall(line(request(method, params)))
    answer = Lines(s).next()
    s.close()
    return answer


def ping_time():
    start = time.monotonic()
    assert ask("system.ping")["result"]["name"] == "moored"
    return time.monotonic() - start


def say(*texts):
    """Sends raw lines, closes the sending side, and prints all lines that come back."""
    s = connect()
    for t in texts:
        s.sendall(t.encode() + b"\n")
    s.shutdown(socket.SHUT_WR)
    lines = Lines(s)
    while (got := lines.next()) is not None:
        print(json.dumps(got))


def crowd(n, more):
    """n peers at once all get answers; `more` additional ones get an error with the reason."""
    import resource
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    n, more = int(n), int(more)
    all = [connect() for _ in range(n)]
    for s in all:
        s.sendall(line(request("system.ping")))
    for s in all:
        assert Lines(s).next()["result"]["name"] == "moored"
    for _ in range(more):
        s = connect()
        assert Lines(s).next()["error"]["code"] == -32005
        assert s.recv(1) == b""
    all.pop().close()
    end = time.monotonic() + 20      # another peer can take the place that is free now
    while time.monotonic() < end:
        s = connect()
        s.sendall(line(request("system.ping")))
        if "result" in Lines(s).next():
            return
    raise AssertionError("no place came free")


def memory(pid):
    for l in open(f"/proc/{pid}/status"):
        if l.startswith("VmRSS"):
            return int(l.split()[1])


def slow_readers(pid, n):
    """n peers ask for much and read nothing: others get answers, and memory is bounded."""
    before = memory(pid)
    slow = []
    for _ in range(int(n)):
        s = connect(0.5)
        slow.append(s)
        ask_much = line(request("system.methods")) * 2000
        try:
            s.sendall(ask_much)
        except TimeoutError:
            pass
    worst = max(ping_time() for _ in range(50))
    grown = memory(pid) - before
    print(f"slowest ping {worst * 1e3:.1f} ms, {grown} KiB more")
    assert worst < 1
    assert grown < int(n) * 16 * 1024, grown
    lines, got = Lines(slow[0]), 0      # one reads again: its answers are there, and more follow
    slow[0].settimeout(20)
    while got < 1000:
        assert "result" in lines.next()
        got += 1


def half_lines():
    """A line may come in pieces; a peer that stops in the middle of one delays no other."""
    text = line(request("system.ping"))
    stopped = []
    for i in range(1, 100):
        s = connect()
        s.sendall(text[:i % len(text)])
        stopped.append(s)
    assert ping_time() < 1
    s = connect()
    for b in text:
        s.sendall(bytes([b]))
    assert "result" in Lines(s).next()
    s = connect()
    s.sendall(text + text[:20])         # this peer ends in the middle of a line
    s.shutdown(socket.SHUT_WR)
    lines = Lines(s)
    assert "result" in lines.next() and lines.next() is None


def too_long():
    """A line that is too long gets an error and the connection is closed; the longest line
    allowed is read."""
    s = connect()
    s.sendall(line(request("system.ping"))[:-1] + b" " * ((1 << 20) - 200) + b"\n")
    assert "result" in Lines(s).next()
    s = connect()
    try:
        s.sendall(b"x" * (3 << 20))
    except (BrokenPipeError, ConnectionResetError):
        pass
    lines = Lines(s)
    assert lines.next()["error"]["code"] == -32600
    try:
        assert lines.next() is None
    except ConnectionResetError:
        pass


def flood(n):
    """n peers send batches without pause: another one still gets answers soon."""
    import threading
    stop = threading.Event()
    text = line([request("system.ping", id=i) for i in range(100)])

    def run():
        s = connect()
        lines = Lines(s)
        while not stop.is_set():
            s.sendall(text * 4)
            for _ in range(4):
                lines.next()
    threads = [threading.Thread(target=run) for _ in range(int(n))]
    for t in threads:
        t.start()
    time.sleep(0.3)
    worst = max(ping_time() for _ in range(50))
    stop.set()
    for t in threads:
        t.join()
    print(f"slowest ping {worst * 1e3:.1f} ms")
    assert worst < 2


def rate():
    """Each peer is limited to 10,000 requests at once and 100,000 per second."""
    import select
    batch = line([request("nobody", id=None) for i in range(99)] + [request("system.ping")])
    s = connect()
    s.setblocking(False)
    start, answers, rest = time.monotonic(), 0, b""
    while time.monotonic() - start < 2:
        r, w, _ = select.select([s], [s], [], 0.1)
        if w:
            try:
                rest = rest[s.send(rest or batch * 50):] if rest else (batch * 50)[s.send(batch * 50):]
            except BlockingIOError:
                pass
        if r:
            answers += s.recv(1 << 20).count(b"\n")
    took = time.monotonic() - start
    print(f"{answers * 100 / took:.0f} requests/s")
    assert answers * 100 < 10000 + 100000 * took * 1.05 + 6400
    assert answers > 100


def outstanding(method):
    """Of 100 slow requests in one batch 16 run; the others get the error "try again"."""
    s = connect()
    s.sendall(line([request(method, id=i) for i in range(100)]))
    answer = Lines(s).next()
    codes = [a.get("error", {}).get("code", 0) for a in answer]
    assert sorted(a["id"] for a in answer) == list(range(100))
    print(codes.count(0), codes.count(-32005))
    assert codes.count(0) == 16 and codes.count(-32005) == 84
    assert "result" in ask(method)


def gone():
    """Peers disconnect while moored computes their answers."""
    for _ in range(40):
        s = connect()
        s.sendall(line([request("routes.quality", id=i) for i in range(16)]))
        s.close()
    assert ping_time() < 1


def lost_events():
    """A peer that subscribes but does not read loses events, and gets their number later."""
    deaf = connect()
    deaf.sendall(line(request("events.subscribe", {"kinds": ["reload"]})))
    lines = Lines(deaf)
    assert lines.next()["result"]["kinds"] == ["reload"]
    s = connect()
    answers, sent = Lines(s), 0
    for _ in range(500):
        s.sendall(line([request("system.reload", id=i) for i in range(16)]))
        answers.next()
        sent += 16
    status = ask("system.status")["result"]["server"]
    assert status["events_lost"] > 0, status
    got = 0
    while True:
        one = lines.next()
        if one["method"] == "event.lost":
            break
        got += 1
    print(f"{sent} sent, {got} read, {one['params']['count']} lost")
    assert got + one["params"]["count"] == sent


def as_user(uid, gid, *groups):
    """Becomes this user with these groups, and prints the answers to ping and reload."""
    os.setgroups([int(g) for g in groups])
    os.setgid(int(gid))
    os.setuid(int(uid))
    for m in ("system.ping", "system.reload"):
        try:
            a = ask(m)
        except (BrokenPipeError, ConnectionResetError):
            s = connect()
            a = Lines(s).next()
        print(a.get("error", {}).get("code", 0))


def schemas():
    """The answer of every method that needs no parameters satisfies its schema."""
    import jsonschema
    seen = []
    for m in ask("system.methods")["result"]["methods"]:
        jsonschema.Draft202012Validator.check_schema(m["params"])
        jsonschema.Draft202012Validator.check_schema(m["result"])
        params = EXAMPLES.get(m["name"], {})
        if params is None:
            continue
        a = ask(m["name"], params)
        assert "result" in a, (m["name"], a)
        jsonschema.validate(a["result"], m["result"])
        extra = set(a["result"]) - set(m["result"]["properties"])
        assert not extra, (m["name"], "says more than its schema", extra)
        seen.append(m["name"])
    print(" ".join(seen))


def watch(other, plan, same):
    """The plan changes while the fabric does not, and changes back: two events."""
    import shutil
    s = connect()
    lines = Lines(s)
    s.sendall(line(request("wiring.watch")))
    assert lines.next()["result"]["last"]["deviations"] == []
    for path, appeared, cleared in ((other, 5, 0), (same, 0, 5)):
        shutil.copy(path, plan)
        start = time.monotonic()
        assert "result" in ask("system.reload")
        e = lines.next()
        assert e["method"] == "event.wiring", e
        e = e["params"]
        assert e["ok"] == (not appeared) and e["deviations"] == appeared, e
        assert (e["n_appeared"], e["n_cleared"]) == (appeared, cleared), e
        assert len(e["appeared"]) == appeared and len(e["cleared"]) == cleared, e
        assert time.monotonic() - start < 2


def verdict_first(other, plan):
    """The plan changes while 32 long answers are computed or wait: the verdict and short
    answers come within two seconds."""
    import shutil
    s = connect()
    lines = Lines(s)
    s.sendall(line(request("wiring.watch")))
    assert lines.next()["result"]["last"]["deviations"] == []
    many = [connect() for _ in range(4)]
    for c in many:
        c.sendall(line([request("routes.verify", id=i) for i in range(8)]))
    while ask("system.status")["result"]["server"]["outstanding"] < 32:
        pass
    shutil.copy(other, plan)
    start = time.monotonic()
    assert "result" in ask("system.reload")
    assert lines.next()["params"]["deviations"] == 5
    verdict = time.monotonic() - start
    assert "result" in ask("fabric.get")
    took = time.monotonic() - start
    status = ask("system.status")["result"]["server"]
    print(f"verdict after {verdict:.2f} s, fabric.get after {took:.2f} s; {status['waiting']} wait")
    assert status["waiting"] > 16       # else there was no queue to overtake
    assert took < 2


def stalled(clock):
    """One peer asks for much and reads nothing, another is silent.  After 29 s of moored's
    clock both are connected, after 31 s only the silent one."""
    def requests():
        return ask("system.status")["result"]["server"]["requests"]
    silent, slow = connect(), connect()
    silent.sendall(line(request("system.ping")))
    assert "result" in Lines(silent).next()
    began = time.monotonic()
    slow.sendall(line(request("system.methods")) * 2000)
    before = requests()
    while True:             # until moored can write no more to it
        time.sleep(0.2)
        now = requests()
        if 100 < now == before + 1:
            break
        before = now

    def dropped_after(seconds):
        with open(clock, "w") as f:
            f.write(f"0 {seconds}")
        ping_time()         # wakes the loop, which looks at its clock
        return ask("system.status")["result"]["server"]["dropped"]
    assert dropped_after(max(0, 29 - 2 - int(time.monotonic() - began))) == 0
    assert dropped_after(31) == 1
    silent.sendall(line(request("system.ping")))
    assert "result" in Lines(silent).next()


def journal(text, *command):
    """Replaces journald (in a /run of our own): runs command with the journal as standard
    error, and prints the fields of each entry until one contains text."""
    import struct
    import subprocess
    os.makedirs("/run/systemd/journal")
    j = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    j.bind("/run/systemd/journal/socket")
    j.settimeout(20)
    r, w = os.pipe()
    st = os.fstat(w)
    p = subprocess.Popen(command, stderr=w, env=dict(
        os.environ, JOURNAL_STREAM=f"{st.st_dev}:{st.st_ino}"))
    os.close(w)
    try:
        entry = {}
        while text not in entry.get("MESSAGE", ""):
            data, entry = j.recv(1 << 16), {}
            while data:
                head, data = data.split(b"\n", 1)
                name, eq, value = head.partition(b"=")
                if not eq:      # binary: a length, the value, a newline
                    n = struct.unpack("<Q", data[:8])[0]
                    value, data = data[8:8 + n], data[9 + n:]
                entry[name.decode()] = value.decode()
            print(json.dumps(entry))
    finally:
        p.terminate()
        p.wait(20)
    assert os.read(r, 1 << 16) == b""       # no message also went to standard error


def followers(n, changes):
    """n peers get an event for each of `changes` verdicts, while one more asks for much and
    another subscribes, and both read nothing."""
    import resource
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    all = [connect() for _ in range(int(n))]
    for s in all:
        s.sendall(line(request("wiring.watch")))
    lines = [Lines(s) for s in all]
    for l in lines:
        assert "result" in l.next()
    slow, deaf = connect(0.5), connect()
    try:
        slow.sendall(line(request("system.methods")) * 20000)
    except TimeoutError:
        pass
    deaf.sendall(line(request("events.subscribe")))
    for _ in range(int(changes)):
        told = [l.next() for l in lines]
        assert all_same(t["params"]["deviations"] for t in told)
    print(f"slowest ping {max(ping_time() for _ in range(20)) * 1e3:.1f} ms")


def all_same(values):
    return len(set(values)) == 1


def fuzz(seconds, seed):
    """Sends requests for every method with parameters of every kind, some with changed bytes:
    every reply is lines of JSON, and other peers get answers."""
    import random
    print("seed", seed)
    r = random.Random(int(seed))
    methods = [m["name"] for m in ask("system.methods")["result"]["methods"]]
    words = ["s0-0-0", "s1-4-4-h3", "", "0", "-1", "\u0000", "é" * 50, "x" * 5000, "lft", "all"]
    keys = ["switch", "port", "from", "to", "plane", "offset", "kinds", "pairs", "lids", "sl", "rows",
            "after_ms", "fabric", "target", "use", "what", "sources", "bytes_per_s", "none"]

    def value(deep=0):
        return r.choice([None, True, 0, 1, -1, 255, 65536, 2 ** 63 - 1, -2 ** 63, 1e308, 0.5,
                         r.choice(words), r.choice(words),
                         [] if deep > 3 else [value(deep + 1) for _ in range(r.randrange(4))],
                         {} if deep > 3 else {r.choice(keys): value(deep + 1) for _ in range(r.randrange(4))}])

    def text():
        one = request(r.choice(methods), {r.choice(keys): value() for _ in range(r.randrange(4))},
                      r.choice([1, "a", None, value()]))
        if r.random() < 0.1:
            one = [one] * r.randrange(40)
        b = bytearray(line(one))
        for _ in range(r.choice([0, 0, 1, 3, 20])):
            b[r.randrange(len(b))] = r.randrange(256)
        return bytes(b[:r.randrange(len(b))] if r.random() < 0.05 else b)

    end, sent, got = time.monotonic() + float(seconds), 0, 0
    while time.monotonic() < end:
        s = connect()
        try:
            for _ in range(r.randrange(1, 60)):
                s.sendall(text())
                sent += 1
            if r.random() < 0.2:
                continue            # disconnects without reading
            s.shutdown(socket.SHUT_WR)
            lines = Lines(s)
            while lines.next() is not None:
                got += 1
        except (BrokenPipeError, ConnectionResetError):
            pass
        finally:
            s.close()
        assert ping_time() < 2
    print(f"{sent} lines sent, {got} answers")
    assert got > 100


def many_batches(n):
    """n peers send a batch of 100 system.methods each, and then read: all get answers.
    Prints the longest time between two watchdog messages, and the memory used."""
    import resource
    import selectors
    import threading
    hard = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    pid, notify = NOTIFY
    beats, done = [time.monotonic()], threading.Event()

    def listen():
        while not done.is_set():
            if b"WATCHDOG=1" in notify.recv(4096):
                beats.append(time.monotonic())
    listener = threading.Thread(target=listen)
    listener.start()
    before = memory(pid)
    text = line([request("system.methods", id=i) for i in range(100)])
    sel, sizes, waiting = selectors.DefaultSelector(), {}, int(n)
    for _ in range(int(n)):
        s = connect()
        s.sendall(text)
        s.setblocking(False)
        sel.register(s, selectors.EVENT_READ)
    buffer = bytearray(1 << 20)
    while waiting:
        for key, _ in sel.select(20):
            got = key.fileobj.recv_into(buffer)
            assert got, "moored hung up"
            sizes[key.fd] = sizes.get(key.fd, 0) + got
            if buffer[got - 1] == 10:       # only the end of an answer is a newline
                assert sizes.pop(key.fd) > 100 * len(text), "one error instead of 100 answers"
                sel.unregister(key.fileobj)
                key.fileobj.close()
                waiting -= 1
    beats.append(time.monotonic())
    done.set()
    listener.join()
    worst = max(b - a for a, b in zip(beats, beats[1:]))
    grown = (peak(pid) - before) >> 10
    print(f"{beats[-1] - beats[0]:.1f} s; watchdog after {worst:.2f} s at most; {grown} MiB more")
    assert worst < 2
    # AddressSanitizer takes a third more: shadow memory, and room around each allocation.
    assert grown < (400 if os.environ.get("MOORE_BUILD", "").endswith("-san") else 300)


def peak(pid):
    for l in open(f"/proc/{pid}/status"):
        if l.startswith("VmHWM"):
            return int(l.split()[1])


def with_watchdog(word, arg, *command):
    """Replaces systemd: runs command with a watchdog of 2 s while the peers of `word` ask."""
    global NOTIFY
    import subprocess
    n = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    n.bind(PATH + ".notify")
    n.settimeout(20)
    p = subprocess.Popen(command, env=dict(os.environ, NOTIFY_SOCKET=PATH + ".notify",
                                           WATCHDOG_USEC="2000000"))
    try:
        while b"READY=1" not in n.recv(4096):
            pass
        NOTIFY = p.pid, n
        globals()[word](arg)
    finally:
        p.terminate()
        p.wait(20)


def hoards(pid, n):
    """n peers send 1 MiB of a line that does not end: moored closes those that hold most,
    memory is bounded, and other peers get answers."""
    before = memory(pid)
    hoard, worst = [], 0
    for i in range(int(n)):
        s = connect()
        try:
            s.sendall(b" " * ((1 << 20) - 1))
        except (BrokenPipeError, ConnectionResetError):
            pass
        hoard.append(s)
        if i % 10 == 0:
            worst = max(worst, ping_time())
    dropped = ask("system.status")["result"]["server"]["dropped"]
    grown = (peak(pid) - before) >> 10
    print(f"slowest ping {worst * 1e3:.1f} ms, {dropped} dropped, {grown} MiB more")
    assert int(n) - 256 - 10 < dropped < int(n)
    assert worst < 1
    assert grown < 400


EXAMPLES = {
    "history.port": {"switch": "s0-0-0", "port": 1},
    "history.of": {"what": "s0-0-0"},
    "fabric.dump": {"file": "moore-op-vls.dump"},
    "fabric.find": {"what": "1"},
    "fabric.locate": {"what": "1"},
    "hotspots.explain": {"switch": "1", "port": 5},
    "history.port": {"switch": "s0-0-0", "port": 5},
    "job.env": {"target": "all"},
    "path.select": {"pairs": [{"from": "1", "to": "s0-0-1-h0", "bytes_per_s": 1e9}]},
    "routes.path": {"from": "2", "to": "1"},
    "routes.table": {"switch": "1"},
    "vls.table": {"switch": "1"},
}


def managed(wanted, *command):
    """Replaces systemd: runs command with a notify socket, a watchdog and a listening socket;
    prints its notifications until `wanted` comes, then stops it."""
    import signal
    import subprocess
    name = PATH + ".notify"
    n = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
    n.bind(name)
    n.settimeout(20)
    l = socket.socket(socket.AF_UNIX)
    l.bind(PATH)
    l.listen(16)

    def child():
        os.dup2(l.fileno(), 3)
        os.set_inheritable(3, True)
        os.environ.update(LISTEN_FDS="1", LISTEN_PID=str(os.getpid()), NOTIFY_SOCKET=name,
                          WATCHDOG_USEC="200000", WATCHDOG_PID=str(os.getpid()))
    p = subprocess.Popen(command, preexec_fn=child, close_fds=False)
    said, hup = [], False
    try:
        while len(set(wanted.split(",")) - set(said)):
            for w in n.recv(4096).decode().split("\n"):
                said.append(w.split("=")[0] if not w.startswith("STATUS") else w)
            if "READY" in said and not hup:
                assert ping_time() < 1
                p.send_signal(signal.SIGHUP)
                hup = True
            if "WATCHDOG" in said and "RELOADING" in said:
                p.terminate()
    finally:
        if p.poll() is None:
            try:
                p.wait(20)
            except subprocess.TimeoutExpired:
                p.kill()
    print(p.returncode, os.path.exists(PATH))
    print(" ".join(said))


if __name__ == "__main__":
    globals()[sys.argv[2]](*sys.argv[3:])
