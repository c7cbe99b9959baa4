// A client of an echo server: node client.js PORT OPTIONS, the options those of permessage-deflate in JSON, or false.
'use strict';
const WebSocket = require('ws');
const crypto = require('crypto');

const url = `ws://127.0.0.1:${process.argv[2]}/`;
const perMessageDeflate = JSON.parse(process.argv[3]);
const options = { perMessageDeflate, maxPayload: 64 << 20 };

function fail(why) {
  console.log('failed:', why);
  process.exit(1);
}

function connect(protocols) {
  return new Promise((resolve) => {
    const ws = new WebSocket(url, protocols, options);
    ws.queue = [];
    ws.waiting = [];
    ws.on('message', (data, isBinary) => {
      const take = ws.waiting.shift();
      if (take) take([data, isBinary]);
      else ws.queue.push([data, isBinary]);
    });
    ws.on('error', fail);
    ws.on('open', () => resolve(ws));
  });
}

function next(ws) {
  if (ws.queue.length > 0) return Promise.resolve(ws.queue.shift());
  return new Promise((resolve) => ws.waiting.push(resolve));
}

async function same(ws, data, isBinary) {
  const [got, binary] = await next(ws);
  if (binary !== isBinary || !got.equals(Buffer.from(data))) fail(`${data.length} octets came back as ${got.length}, binary ${binary}`);
}

function text(n) {
  let s = '';
  for (let i = 0; s.length < n; i++) s += `line ${i * i % 1009}: κόσμε, the quick brown fox\n`;
  return s.slice(0, n);
}

async function main() {
  let ws = await connect([]);
  const agreed = ws.extensions;
  for (const n of [0, 1, 125, 126, 127, 1000, 65535, 65536, 1 << 18, 1 << 20, 1 << 22]) {
    for (let i = 0; i < 3; i++) {
      const t = text(n);
      ws.send(t);
      await same(ws, t, false);
      const b = n % 2 ? crypto.randomBytes(n) : Buffer.alloc(n, 'penstock');
      ws.send(b);
      await same(ws, b, true);
    }
  }
  for (let i = 0; i < 500; i++) ws.send(`message ${i}`); // all at once
  for (let i = 0; i < 500; i++) await same(ws, `message ${i}`, false);

  const pieces = text(100000);
  for (let at = 0; at < pieces.length; at += 997) ws.send(pieces.slice(at, at + 997), { fin: at + 997 >= pieces.length });
  await same(ws, pieces, false);

  const pong = new Promise((resolve) => ws.once('pong', resolve));
  ws.ping('are you there');
  if (!(await pong).equals(Buffer.from('are you there'))) fail('pong');

  let closed = new Promise((resolve) => ws.once('close', (code, reason) => resolve([code, reason.toString()])));
  ws.close(4321, 'enough');
  if ((await closed)[0] !== 4321) fail('close');

  ws = await connect(['unknown', 'shout']); // lines, in upper case
  if (ws.protocol !== 'shout') fail('protocol');
  ws.send('hello\nwor');
  ws.send(Buffer.from('ld\n'));
  await same(ws, 'HELLO\n', false);
  await same(ws, 'WORLD\n', false);
  closed = new Promise((resolve) => ws.once('close', (code) => resolve(code)));
  ws.close();
  if ((await closed) !== 1005) fail('close without a code');

  for (const [what, code] of [
    [(s) => s.write(Buffer.from([0x83, 0x80, 0, 0, 0, 0])), 1002], // reserved opcode
    [(s) => s.write(Buffer.from([0x81, 0x81, 0, 0, 0, 0, 0xff])), 1007], // no text
    [(s) => s.write(Buffer.from([0x82, 0xff, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0])), 1009], // 4 GiB
  ]) {
    ws = await connect([]);
    closed = new Promise((resolve) => ws.once('close', (code) => resolve(code)));
    what(ws._socket);
    const got = await closed;
    if (got !== code) fail(`closed with ${got}, not ${code}`);
  }
  console.log('agreed on:', agreed);
  console.log('done');
}

main().catch(fail);
setTimeout(() => fail('too slow'), 50000).unref();
