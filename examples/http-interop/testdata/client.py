"""Python's http.client against the server at the port of the first argument."""
import hashlib
import http.client
import io
import socket as sockets
import sys

port = int(sys.argv[1])
conn = http.client.HTTPConnection("127.0.0.1", port, timeout=20)


def call(method, path, body=None, headers=None, **more):
    """One request on the one connection; it must stay open."""
    conn.request(method, path, body=body, headers=headers or {}, **more)
    answer = conn.getresponse()
    return answer, answer.read()


def total(body):
    return b"%d %s\n" % (len(body), hashlib.sha256(body).hexdigest().encode())


conn.connect()
socket = conn.sock
body = bytes(i * 7 % 256 for i in range(300000))
for _ in range(100):
    answer, got = call("GET", "/hello")
    assert (answer.status, answer.version, got) == (200, 11, b"hello\n"), (answer.status, got)
print("100 requests")

assert call("POST", "/sum", body)[1] == total(body)
pieces = (body[at:at + 1000] for at in range(0, len(body), 1000))
assert call("POST", "/sum", pieces, encode_chunked=True)[1] == total(body)
print("upload with length and in chunks")

answer, got = call("HEAD", "/hello")
assert answer.getheader("Content-Length") == "6" and got == b"", got
answer, got = call("GET", "/stream?pieces=500")
assert answer.chunked and got.count(b"\n") == 500
answer, got = call("POST", "/echo", b"x" * 70000)
assert got == b"x" * 70000
answer, got = call("GET", "/none")
assert answer.status == 404
answer, got = call("GET", "/early")  # http.client skips 100 only; a 103 is an answer to it
assert answer.status in (103, 200), answer.status
print("HEAD, chunks, echo, 404")

conn = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
conn.connect()
socket = conn.sock
for _ in range(3):
    assert call("GET", "/hello", headers={"Connection": "keep-alive"})[1] == b"hello\n"
    assert conn.sock is socket, "the connection was not kept"
answer, got = call("GET", "/hello", headers={"Connection": "close"})
assert answer.getheader("Connection") == "close" and conn.sock is None
print("one connection, then its end")

paths = ["/late?%d" % i if i % 3 == 0 else "/stream?pieces=%d" % i if i % 3 == 1 else "/hello" for i in range(60)]
heads = ["GET %s HTTP/1.1\r\nHost: a\r\n\r\n" % path for path in paths]
heads[-1] = heads[-1].replace("\r\n\r\n", "\r\nConnection: close\r\n\r\n")
with sockets.create_connection(("127.0.0.1", port), 20) as raw:
    raw.sendall("".join(heads).encode())
    wire = io.BytesIO(b"".join(iter(lambda: raw.recv(65536), b"")))


class Wire:
    """What HTTPResponse takes for a socket; closing it leaves the answers behind."""

    def makefile(self, *_):
        return self

    def close(self):
        pass

    flush = close
    read, readline, readinto = wire.read, wire.readline, wire.readinto


for i, path in enumerate(paths):
    answer = http.client.HTTPResponse(Wire())
    answer.begin()
    got = answer.read()
    want = [b"%d\n" % i, b"".join(b"piece %d\n" % n for n in range(i)), b"hello\n"][i % 3]
    assert (answer.status, got) == (200, want), (path, answer.status, got)
assert wire.read() == b""
print("60 requests at once, answered in order")

http.client.HTTPConnection._http_vsn, http.client.HTTPConnection._http_vsn_str = 10, "HTTP/1.0"
old = http.client.HTTPConnection("127.0.0.1", port, timeout=20)
old.request("GET", "/stream?pieces=3")
answer = old.getresponse()
got = answer.read()
assert not answer.chunked and answer.getheader("Transfer-Encoding") is None and got.count(b"\n") == 3, got
print("HTTP/1.0 gets no chunks")
print("done")
