// Node's HTTP client against the server at the port of the first argument. Its parser is the strict one.
'use strict';
const assert = require('assert');
const crypto = require('crypto');
const http = require('http');

const port = Number(process.argv[2]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });

// call sends a request; prepare may write the body. It gives what came back.
function call(method, path, headers, prepare) {
  return new Promise((resolve, reject) => {
    const infos = [];
    const req = http.request({ host: '127.0.0.1', port, method, path, headers, agent }, (res) => {
      const chunks = [];
      res.on('data', (c) => chunks.push(c));
      res.on('error', reject);
      res.on('end', () => resolve({ res, infos, body: Buffer.concat(chunks), reused: req.reusedSocket }));
    });
    req.on('error', reject);
    req.on('information', (i) => infos.push(i));
    if (prepare) prepare(req, reject);
    else req.end();
  });
}

function sum(body) {
  return body.length + ' ' + crypto.createHash('sha256').update(body).digest('hex') + '\n';
}

async function main() {
  const body = Buffer.alloc(300000);
  for (let i = 0; i < body.length; i++) body[i] = i * 7;

  for (let i = 0; i < 100; i++) {
    const r = await call('GET', '/hello');
    assert.strictEqual(r.res.statusCode, 200);
    assert.strictEqual(r.body.toString(), 'hello\n');
    assert.strictEqual(r.reused, i > 0);
  }
  console.log('100 requests on one connection');

  let r = await call('POST', '/sum', { 'Content-Length': body.length }, (req) => req.end(body));
  assert.strictEqual(r.body.toString(), sum(body));
  r = await call('POST', '/sum', { Trailer: 'X-Checked' }, (req) => {
    for (let at = 0; at < body.length; at += 10000) req.write(body.subarray(at, at + 10000));
    req.addTrailers({ 'X-Checked': 'yes' });
    req.end();
  });
  assert.strictEqual(r.body.toString(), sum(body));
  console.log('upload with length and in chunks');

  let continued = false;
  r = await call('POST', '/sum', { Expect: '100-continue', 'Content-Length': body.length }, (req, reject) => {
    req.on('continue', () => { continued = true; req.end(body); });
    setTimeout(() => reject(new Error('no 100')), 10000).unref();
  });
  assert.ok(continued);
  assert.strictEqual(r.body.toString(), sum(body));
  console.log('waited for 100 Continue');

  r = await call('POST', '/echo', {}, (req) => { req.write('one '); req.write('two'); req.end(); });
  assert.strictEqual(r.res.headers['transfer-encoding'], 'chunked');
  assert.strictEqual(r.body.toString(), 'one two');
  r = await call('GET', '/stream?pieces=500');
  assert.strictEqual(r.body.toString().split('\n').length, 501);
  assert.strictEqual(r.res.trailers['x-pieces'], '500');
  console.log('chunked answers and a trailer');

  r = await call('GET', '/early');
  assert.deepStrictEqual(r.infos.map((i) => [i.statusCode, i.headers.link]), [[103, '</style.css>; rel=preload']]);
  assert.strictEqual(r.body.toString(), 'late\n');
  console.log('103 Early Hints');

  for (let i = 0; i < 3; i++) {
    r = await call('HEAD', '/hello');
    assert.strictEqual(r.res.headers['content-length'], '6');
    assert.strictEqual(r.body.length, 0);
    assert.ok(r.reused);
  }
  r = await call('GET', '/none');
  assert.strictEqual(r.res.statusCode, 404);
  assert.ok(r.reused);
  console.log('HEAD and 404');

  await new Promise((resolve, reject) => {
    const req = http.request({ host: '127.0.0.1', port, path: '/upgrade', headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
    req.on('upgrade', (res, socket, head) => {
      assert.strictEqual(res.statusCode, 101);
      let got = head.toString();
      socket.on('data', (c) => {
        got += c;
        if (got === 'over and out') { socket.end(); resolve(); }
      });
      socket.write('over ');
      socket.write('and out');
    });
    req.on('response', () => reject(new Error('not upgraded')));
    req.on('error', reject);
    req.end();
  });
  console.log('another protocol');
  agent.destroy();
}

main().then(() => console.log('done'), (err) => { console.error(err); process.exit(1); });
