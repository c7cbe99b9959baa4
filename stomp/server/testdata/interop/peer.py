"""One scenario of a python3-stomp client: peer.py PORT VERSION SCENARIO. It prints "done" when all was as it should be."""
import sys
import threading
import time
import uuid

import stomp

PORT, VERSION = int(sys.argv[1]), sys.argv[2]
KIND = {"1.0": stomp.Connection10, "1.1": stomp.Connection11, "1.2": stomp.Connection12}[VERSION]
QUEUE = "/queue/python-" + uuid.uuid4().hex


def check(ok, what):
    if not ok:
        raise AssertionError(what)


class Recorder(stomp.ConnectionListener):
    """Keeps what comes."""

    def __init__(self):
        self.messages, self.receipts, self.errors = [], [], []
        self.beats, self.lost, self.ended, self.connected = 0, 0, 0, None
        self.changed = threading.Condition()

    def note(self, act):
        with self.changed:
            act()
            self.changed.notify_all()

    def on_connected(self, frame):
        self.note(lambda: setattr(self, "connected", frame.headers))

    def on_message(self, frame):
        self.note(lambda: self.messages.append(frame))

    def on_receipt(self, frame):
        self.note(lambda: self.receipts.append(frame.headers["receipt-id"]))

    def on_error(self, frame):
        self.note(lambda: self.errors.append(frame))

    def on_heartbeat(self):
        self.note(lambda: setattr(self, "beats", self.beats + 1))

    def on_disconnected(self):
        self.note(lambda: setattr(self, "lost", self.lost + 1))

    def on_receiver_loop_completed(self, *_):
        self.note(lambda: setattr(self, "ended", self.ended + 1))

    def wait(self, condition, what, timeout=20):
        with self.changed:
            check(self.changed.wait_for(condition, timeout), "no " + what)


class Peer:
    """A connection, with the differences between the versions."""

    def __init__(self, passcode="guest", **settings):
        # In 1.0 the library insists on content-length, and so does not need it to be asked for.
        self.conn = KIND([("127.0.0.1", PORT)], **settings)
        self.got = Recorder()
        self.conn.set_listener("", self.got)
        self.taken = 0
        self.number = 0
        self.passcode = passcode
        self.connect()

    def connect(self):
        self.conn.connect("guest", self.passcode, wait=True)

    def receipt(self, act):
        """Calls act with a header that asks for a receipt, and waits for that."""
        self.number += 1
        name = "receipt-%d" % self.number
        act(name)
        self.got.wait(lambda: name in self.got.receipts, name)

    def subscribe(self, destination=QUEUE, ack="auto", id="s", **headers):
        self.receipt(lambda r: self.conn.subscribe(destination, id=id, ack=ack, headers={"receipt": r, **headers}))

    def send(self, body, destination=QUEUE, **headers):
        self.receipt(lambda r: self.conn.send(destination, body, headers={"receipt": r, **headers}))

    def next(self):
        self.got.wait(lambda: len(self.got.messages) > self.taken, "message %d" % self.taken)
        self.taken += 1
        return self.got.messages[self.taken - 1]

    def want(self, *bodies, redelivered=None):
        """Takes messages with these bodies, in this order."""
        frames = []
        for body in bodies:
            frame = self.next()
            check(frame.body == body, "%r came instead of %r" % (frame.body, body))
            if redelivered is not None:
                mark = frame.headers.get("redelivered") == "true"
                check(mark == redelivered, "redelivered: %s" % frame.headers)
            frames.append(frame)
        return frames

    def nothing(self):
        time.sleep(0.3)
        rest = [f.body for f in self.got.messages[self.taken:]]
        check(not rest, "%s came" % rest)

    def settle(self, verb, frame, **more):
        act = getattr(self.conn, verb)
        if VERSION == "1.0":
            self.receipt(lambda r: act(frame.headers["message-id"], receipt=r, **more))
        elif VERSION == "1.1":
            self.receipt(lambda r: act(frame.headers["message-id"], frame.headers["subscription"], receipt=r, **more))
        else:
            self.receipt(lambda r: act(frame.headers["ack"], receipt=r, **more))

    def ack(self, frame, **more):
        self.settle("ack", frame, **more)

    def nack(self, frame, **more):
        self.settle("nack", frame, **more)

    def close(self):
        check(not self.got.errors, "ERROR %s" % [e.body for e in self.got.errors])
        self.receipt(lambda r: self.conn.disconnect(r))

    def drop(self):
        """Ends the connection without a word."""
        ended = self.got.ended + 1
        self.conn.transport.disconnect_socket()
        self.got.wait(lambda: self.got.ended == ended, "end of the connection")


def bodies(a, b):
    return ["body%d" % i for i in range(a, b)]


def exchange():
    reader, writer = Peer(), Peer()
    version = reader.got.connected.get("version", "1.0")
    check(version == VERSION, "version " + version)
    for destination in (QUEUE, QUEUE.replace("queue", "topic")):
        reader.subscribe(destination, id=destination)
        first = len(writer.got.receipts)
        for body in bodies(0, 1000):
            writer.conn.send(destination, body, headers={"receipt": body})
        reader.want(*bodies(0, 1000), redelivered=False)
        writer.got.wait(lambda: len(writer.got.receipts) == first + 1000, "1,000 receipts")
        check(writer.got.receipts[first:] == bodies(0, 1000), "receipts are out of order")
    reader.close()
    writer.close()


def fidelity():
    peer = Peer()
    peer.subscribe()
    note = "Grüße 😀"
    if VERSION != "1.0":
        note += " a:b\\c\nd\\n"
    text = "nul \0, line end \r\n, Привет\n" * 1000
    peer.send(text, note=note)
    frame = peer.want(text)[0]
    check(frame.headers["note"] == note, "note %r" % frame.headers["note"])
    check(frame.headers["destination"] == QUEUE, "destination %r" % frame.headers["destination"])
    peer.send("")
    frame = peer.next()
    check(not frame.body, "body %r" % frame.body)
    peer.close()


def cumulative():
    writer = Peer()
    for body in bodies(0, 10):
        writer.send(body)
    first = Peer()
    first.subscribe(ack="client")
    got = first.want(*bodies(0, 10), redelivered=False)
    first.ack(got[4])
    first.close()
    second = Peer()
    second.subscribe(ack="client")
    got = second.want(*bodies(5, 10), redelivered=True)
    second.ack(got[4])
    second.close()
    third = Peer()
    third.subscribe()
    third.nothing()
    third.close()
    writer.close()


def individual():
    writer = Peer()
    for body in bodies(0, 10):
        writer.send(body)
    first = Peer()
    first.subscribe(ack="client-individual")
    for i, frame in enumerate(first.want(*bodies(0, 10))):
        if i % 2:
            first.ack(frame)
    first.drop()
    second = Peer()
    second.subscribe(ack="client-individual")
    for frame in second.want("body0", "body2", "body4", "body6", "body8", redelivered=True):
        second.ack(frame)
    second.nothing()
    second.close()
    writer.close()


def nack():
    peer = Peer()
    for body in bodies(0, 3):
        peer.send(body)
    peer.subscribe(ack="client-individual", **{"prefetch-count": "1"})
    first = peer.want("body0", redelivered=False)[0]
    peer.nothing()  # one at a time
    peer.nack(first)
    peer.ack(peer.want("body0", redelivered=True)[0])
    for body in bodies(1, 3):
        peer.ack(peer.want(body, redelivered=False)[0])
    peer.nothing()
    peer.receipt(lambda r: peer.conn.unsubscribe(id="s", headers={"receipt": r}))

    # A cumulative NACK refuses all before it.
    for body in bodies(0, 3):
        peer.send(body)
    peer.subscribe(ack="client", id="t")
    got = peer.want(*bodies(0, 3), redelivered=False)
    peer.ack(got[0])
    peer.nack(got[2])
    got = peer.want(*bodies(1, 3), redelivered=True)
    peer.ack(got[1])
    peer.close()

    # What an unsubscribed reader has not settled goes to another.
    writer, reader, other = Peer(), Peer(), Peer()
    for body in bodies(0, 4):
        writer.send(body)
    reader.subscribe(ack="client")
    got = reader.want(*bodies(0, 4), redelivered=False)
    reader.ack(got[0])
    other.subscribe(ack="client-individual")
    reader.receipt(lambda r: reader.conn.unsubscribe(id="s", headers={"receipt": r}))
    got = other.want(*bodies(1, 4), redelivered=True)
    for frame in got:
        other.ack(frame)
    for p in (writer, reader, other):
        p.close()


def transactions():
    peer, reader = Peer(), Peer()
    reader.subscribe()
    peer.receipt(lambda r: peer.conn.begin("t", headers={"receipt": r}))
    peer.send("never", transaction="t")
    peer.receipt(lambda r: peer.conn.abort("t", headers={"receipt": r}))
    peer.receipt(lambda r: peer.conn.begin("t", headers={"receipt": r}))
    for body in bodies(0, 3):
        peer.send(body, transaction="t")
    reader.nothing()
    peer.receipt(lambda r: peer.conn.commit("t", headers={"receipt": r}))
    reader.want(*bodies(0, 3))
    reader.nothing()
    reader.close()

    # An acknowledgement of a transaction counts when that is committed.
    for body in bodies(0, 2):
        peer.send(body)
    first = Peer()
    first.subscribe(ack="client")
    got = first.want(*bodies(0, 2))
    for frame, end in zip(got, ("commit", "abort")):
        first.receipt(lambda r: first.conn.begin("t", headers={"receipt": r}))
        first.ack(frame, transaction="t")
        first.receipt(lambda r: getattr(first.conn, end)("t", headers={"receipt": r}))
    first.close()
    second = Peer()
    second.subscribe()
    second.want("body1", redelivered=True)
    second.nothing()

    # An open transaction ends with its connection.
    lost = Peer()
    lost.conn.begin("t")
    lost.send("never", transaction="t")
    lost.drop()
    second.nothing()
    second.close()
    peer.close()


def heartbeats():
    idle = Peer(heartbeats=(500, 500))
    agreed = idle.got.connected["heart-beat"]
    idle.subscribe()
    time.sleep(4)
    check(idle.conn.is_connected() and not idle.got.lost, "the connection did not last")
    check(idle.got.beats >= 4, "%d heart-beats came" % idle.got.beats)
    idle.send("still here")
    idle.want("still here")
    idle.close()
    print("heart-beat of the server %s, %d came" % (agreed, idle.got.beats))

    # A client that does not keep its word is found out, and what it has not settled goes to another.
    writer, silent = Peer(), Peer(heartbeats=(500, 0))
    writer.send("unsettled")
    silent.subscribe(ack="client")
    silent.want("unsettled")
    silent.conn.transport.transmit = lambda frame: None
    start = time.monotonic()
    silent.got.wait(lambda: silent.got.lost > 0, "end of the silent client's connection")
    took = time.monotonic() - start
    check(1 < took < 4, "noticed after %.2f s" % took)
    check(len(silent.got.errors) == 1, "no ERROR came")
    writer.subscribe()
    writer.want("unsettled", redelivered=True)
    writer.close()


def reconnect():
    writer = Peer()
    for body in bodies(0, 5):
        writer.send(body)
    peer = Peer()
    for i in range(5):
        peer.subscribe(ack="client-individual")
        frames = peer.want(*bodies(i, 5), redelivered=i > 0)
        peer.ack(frames[0])
        peer.drop()
        peer.connect()
    peer.subscribe()
    peer.nothing()
    peer.close()
    writer.close()


def temporary():
    server, client, other = Peer(), Peer(), Peer()
    server.subscribe(QUEUE)
    client.subscribe("/temp-queue/answers", id="answers")
    client.send("question", **{"reply-to": "/temp-queue/answers"})
    answer_to = server.want("question")[0].headers["reply-to"]
    server.send("answer", destination=answer_to)
    client.want("answer")
    # Nobody else may listen there.
    other.conn.subscribe(answer_to, id="spy")
    other.got.wait(lambda: other.got.errors, "ERROR")
    client.close()
    server.close()


def refusals():
    try:
        Peer(passcode="wrong")
        check(False, "the wrong passcode was accepted")
    except stomp.exception.ConnectFailedException:
        pass
    peer = Peer()
    peer.conn.transport.transmit(stomp.utils.Frame("SEND", {"receipt": "r"}, "to nowhere"))
    peer.got.wait(lambda: peer.got.errors, "ERROR")
    check(peer.got.errors[0].headers["receipt-id"] == "r", "the ERROR names no receipt")
    check(peer.got.errors[0].headers["message"], "the ERROR has no message")
    peer.got.wait(lambda: peer.got.lost, "end of the connection")
    check("r" not in peer.got.receipts, "a receipt came for what was refused")


globals()[sys.argv[3]]()
print("done")
