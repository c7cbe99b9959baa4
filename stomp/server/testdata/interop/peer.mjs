// @stomp/stompjs over Node's ws: acknowledgements, transactions and reconnecting, with the server at the URL of the first
// argument, in the version of the second. It prints "done" when all was as it should be.
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url); // it heeds NODE_PATH
const { Client, Versions } = require('@stomp/stompjs');
const { WebSocket } = require('ws');
Object.assign(globalThis, { WebSocket });

const [url, version] = process.argv.slice(2);
const destination = '/queue/node-' + Math.random();

function check(ok, what) {
  if (!ok) throw new Error(what);
}

// within fails when p takes too long.
function within(p, what) {
  let timer;
  const late = new Promise((_, fail) => { timer = setTimeout(() => fail(new Error('no ' + what)), 20000) });
  return Promise.race([p, late]).finally(() => clearTimeout(timer));
}

async function connect(settings = {}) {
  const client = new Client({
    brokerURL: url, stompVersions: new Versions([version]), reconnectDelay: 0, heartbeatIncoming: 0, heartbeatOutgoing: 0,
    connectHeaders: { login: 'guest', passcode: 'guest' }, ...settings,
  });
  client.onStompError = (f) => { throw new Error('ERROR ' + f.headers.message) };
  const connected = new Promise((resolve) => { client.onConnect = resolve });
  client.activate();
  await within(connected, 'CONNECTED');
  return client;
}

let receipts = 0;
function receipt(client, act) {
  const id = 'r' + receipts++;
  return within(new Promise((resolve) => { client.watchForReceipt(id, resolve); act({ receipt: id }) }), 'RECEIPT ' + id);
}

async function subscribe(client, ack, headers = {}) {
  const came = [], waiting = [];
  const take = (m) => (waiting.length ? waiting.shift()(m) : came.push(m));
  await receipt(client, (r) => client.subscribe(destination, take, { id: 's', ack, ...headers, ...r }));
  const next = () => within(came.length ? Promise.resolve(came.shift()) : new Promise((r) => waiting.push(r)), 'MESSAGE');
  return {
    came,
    async want(bodies, redelivered) {
      const all = [];
      for (const body of bodies) {
        const m = await next();
        check(m.body === body, `${m.body} came instead of ${body}`);
        check((m.headers.redelivered === 'true') === redelivered, 'redelivered: ' + JSON.stringify(m.headers));
        all.push(m);
      }
      return all;
    },
  };
}

const send = (client, body, headers = {}) => receipt(client, (r) => client.publish({ destination, body, headers: { ...headers, ...r } }));
const quiet = (ms) => new Promise((r) => setTimeout(r, ms));
const individual = version === '1.0' ? 'client' : 'client-individual'; // which 1.0 does not have
const bodies = (from, to) => Array.from({ length: to - from }, (_, i) => 'body' + (from + i));

// Cumulative, and what was not acknowledged comes again after the connection broke.
const writer = await connect();
for (const body of bodies(0, 6)) await send(writer, body);
let reader = await connect();
let got = await (await subscribe(reader, 'client')).want(bodies(0, 6), false);
await receipt(reader, (r) => got[2].ack(r));
reader.webSocket.terminate();

reader = await connect();
got = await (await subscribe(reader, individual)).want(bodies(3, 6), true);
await receipt(reader, (r) => got[1].ack(r));
await within(reader.deactivate(), 'end');
reader = await connect();
got = await (await subscribe(reader, individual)).want(version === '1.0' ? ['body5'] : ['body3', 'body5'], true);
for (const m of got) await receipt(reader, (r) => m.ack(r));
await within(reader.deactivate(), 'end');

// Refused messages come again.
if (version !== '1.0') {
  await send(writer, 'refused');
  reader = await connect();
  const sub = await subscribe(reader, individual);
  got = await sub.want(['refused'], false);
  await receipt(reader, (r) => got[0].nack(r));
  got = await sub.want(['refused'], true);
  await receipt(reader, (r) => got[0].ack(r));
  await within(reader.deactivate(), 'end');
}

// Transactions.
reader = await connect();
const sub = await subscribe(reader, individual);
const aborted = writer.begin();
await send(writer, 'never', { transaction: aborted.id });
aborted.abort();
const tx = writer.begin();
for (const body of bodies(0, 3)) await send(writer, body, { transaction: tx.id });
await quiet(300);
check(sub.came.length === 0, 'a message came before COMMIT');
tx.commit();
got = await sub.want(bodies(0, 3), false);
const settling = reader.begin();
for (const m of got) m.ack({ transaction: settling.id });
settling.commit();
await within(reader.deactivate(), 'end');
reader = await connect();
const rest = await subscribe(reader, 'auto');
await quiet(300);
check(rest.came.length === 0, 'what was acknowledged came again');
await within(reader.deactivate(), 'end');

// It reconnects by itself, and finds what was sent meanwhile.
let connections = 0;
reader = await connect({ reconnectDelay: 50 });
const again = new Promise((resolve) => { reader.onConnect = () => { connections++; resolve() } });
reader.webSocket.terminate();
await send(writer, 'meanwhile');
await within(again, 'second connection');
got = await (await subscribe(reader, 'auto')).want(['meanwhile'], false);
check(connections === 1, `${connections} connections`);
await within(reader.deactivate(), 'end');

// Both sides beat, and the connection lasts.
if (version !== '1.0') {
  const idle = await connect({ heartbeatIncoming: 500, heartbeatOutgoing: 500 });
  await quiet(3000);
  check(idle.connected, 'the connection did not last');
  await within(idle.deactivate(), 'end');
}
await within(writer.deactivate(), 'end');
console.log('done');
process.exit(0);
