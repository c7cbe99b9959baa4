// @stomp/stompjs over Node's ws: texts, octets, large bodies, frames in pieces, receipts and heart-beats, with the chat at
// the URL of the first argument, in the version of the second.
import { createRequire } from 'node:module';
import { randomBytes } from 'node:crypto';

const require = createRequire(import.meta.url); // it heeds NODE_PATH
const { Client, Versions } = require('@stomp/stompjs');
const { WebSocket } = require('ws');
Object.assign(globalThis, { WebSocket });

const [url, version] = process.argv.slice(2);
const destination = '/topic/chat.node';

function check(ok, what) {
  if (!ok) throw new Error(what);
}

// within fails when p takes too long.
function within(p, what) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('no ' + what)), 20000) });
  return Promise.race([p, late]).finally(() => clearTimeout(timer));
}

function connect(settings) {
  const client = new Client({
    brokerURL: url, connectHeaders: { login: 'node' }, stompVersions: new Versions([version]), reconnectDelay: 0,
    heartbeatIncoming: 1000, heartbeatOutgoing: 1000, ...settings,
  });
  const socket = { types: [], beats: 0 };
  client.debug = (line) => { if (line === '<<< PONG') socket.beats++ };
  const connected = new Promise((resolve, reject) => {
    client.onConnect = resolve;
    client.onStompError = (f) => reject(new Error(f.headers.message));
    client.onWebSocketError = (e) => reject(new Error(e.message));
  });
  client.activate();
  return within(connected.then((frame) => ({ client, socket, frame })), 'CONNECTED');
}

function receipt(client, id, act) {
  return within(new Promise((resolve) => { client.watchForReceipt(id, resolve); act({ receipt: id }) }), 'RECEIPT ' + id);
}

const settings = [{}, { forceBinaryWSFrames: true }, { splitLargeFrames: true, maxWebSocketChunkSize: 1000 }];
for (const how of settings) {
  const { client, frame } = await connect(how);
  check((frame.headers.version ?? '1.0') === version, 'version ' + frame.headers.version);
  check(client.webSocket.protocol === `v${version.replace('.', '')}.stomp`, 'subprotocol ' + client.webSocket.protocol);

  const waiting = [], came = [];
  const next = () => within(came.length ? Promise.resolve(came.shift()) : new Promise((r) => waiting.push(r)), 'MESSAGE');
  await receipt(client, 'subscribed', (headers) => client.subscribe(destination, (m) => {
    if (waiting.length) waiting.shift()(m); else came.push(m);
  }, headers));

  // Its splitting cuts between UTF-16 units, which breaks characters beyond the first 65,536; its 1.1 has no escapes.
  const large = (how.splitLargeFrames ? 'Grüße Привет ' : 'Grüße 😀 ').repeat(20000).slice(0, 180000);
  const kind = version === '1.2' ? 'a:b\n' : 'plain';
  for (const text of ['hello', '', 'Привет\n\n: \\n\r', large]) {
    await receipt(client, 'text', (headers) => client.publish({ destination, headers: { ...headers, 'content-type': 'text/plain', kind }, body: text }));
    const m = await next();
    check(m.body === text, `text of ${text.length} came as ${m.body.length}`);
    check(m.headers.destination === destination, 'destination ' + m.headers.destination);
    check(m.headers.from === 'node', 'from ' + m.headers.from);
    check(m.headers.kind === kind, 'kind ' + m.headers.kind);
  }
  for (const size of [1, 1000, 1 << 20]) {
    const octets = randomBytes(size);
    octets[0] = 0;
    client.publish({ destination, headers: { 'content-type': 'application/octet-stream' }, binaryBody: new Uint8Array(octets) });
    const m = await next();
    check(Buffer.from(m.binaryBody).equals(octets), `${size} octets came as ${m.binaryBody.length}`);
  }
  // Text that is not UTF-8 comes all the same, as it was.
  const latin = Buffer.from('gr\xfc\xdfe', 'latin1');
  client.publish({ destination, headers: { 'content-type': 'text/plain;charset=iso-8859-1' }, binaryBody: new Uint8Array(latin) });
  check(Buffer.from((await next()).binaryBody).equals(latin), 'octets of text');

  for (let i = 0; i < 1000; i++) client.publish({ destination, body: 'n' + i });
  for (let i = 0; i < 1000; i++) check((await next()).body === 'n' + i, 'order at ' + i);
  await within(client.deactivate(), 'end');
}

// Without frames both sides beat, and the connection stays.
if (version !== '1.0') {
  const { client, socket, frame } = await connect({});
  await within((async () => { while (socket.beats === 0) await new Promise((r) => setTimeout(r, 100)) })(), 'heart-beat');
  check(client.connected, 'the connection was lost');
  console.log(`heart-beat of the server ${frame.headers['heart-beat']}, ${socket.beats} came`);
  await within(client.deactivate(), 'end');
}

// A frame that is wrong is answered by ERROR, and the connection ends.
{
  const { client } = await connect({});
  const error = new Promise((resolve) => { client.onStompError = resolve });
  const closed = new Promise((resolve) => { client.onWebSocketClose = resolve });
  client.publish({ destination: '', body: 'to nowhere' });
  check((await within(error, 'ERROR')).headers.message.length > 0, 'ERROR without a message');
  await within(closed, 'close');
  await client.deactivate();
}
console.log('done');
process.exit(0);
