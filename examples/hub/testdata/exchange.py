"""Two python3-stomp clients exchange 1,000 messages with receipts, once for each protocol version."""
import sys
import threading

import stomp

COUNT = 1000


class Recorder(stomp.ConnectionListener):
    def __init__(self):
        self.bodies, self.errors = [], []
        self.receipts = 0
        self.changed = threading.Condition()

    def note(self, action):
        with self.changed:
            action()
            self.changed.notify_all()

    def on_message(self, *args):
        frame = args[-1]
        self.note(lambda: self.bodies.append(getattr(frame, "body", frame)))

    def on_receipt(self, *args):
        def count():
            self.receipts += 1
        self.note(count)

    def on_error(self, *args):
        self.note(lambda: self.errors.append(str(args)))

    def wait(self, condition):
        with self.changed:
            return self.changed.wait_for(condition, timeout=30)


def exchange(version, port):
    receiver, sender = version([("127.0.0.1", port)]), version([("127.0.0.1", port)])
    got, sent = Recorder(), Recorder()
    receiver.set_listener("", got)
    sender.set_listener("", sent)
    receiver.connect(wait=True)
    sender.connect(wait=True)
    ids = {} if version is stomp.Connection10 else {"id": 1}
    receiver.subscribe(destination="/topic/exchange", headers={"receipt": "subscribed"}, **ids)
    ok = got.wait(lambda: got.receipts == 1)
    for i in range(COUNT):
        sender.send(destination="/topic/exchange", body="message %d" % i, headers={"receipt": "r%d" % i})
    ok = got.wait(lambda: len(got.bodies) == COUNT) and sent.wait(lambda: sent.receipts == COUNT) and ok
    ok = ok and got.bodies == ["message %d" % i for i in range(COUNT)] and not got.errors and not sent.errors
    print("%s: %d messages, %d receipts, %s" % (version.__name__, len(got.bodies), sent.receipts, "in order" if ok else "WRONG"))
    receiver.disconnect()
    sender.disconnect()
    return ok


if __name__ == "__main__":
    results = [exchange(v, int(sys.argv[1])) for v in (stomp.Connection10, stomp.Connection11, stomp.Connection12)]
    sys.exit(0 if all(results) else 1)
