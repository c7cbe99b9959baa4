// Node's HTTP server, for our client. It prints its port and counts its connections.
'use strict';
const http = require('http');
const zlib = require('zlib');

let connections = 0;
let dying = 0;

function whole(req, then) {
  const chunks = [];
  req.on('data', (c) => chunks.push(c));
  req.on('end', () => then(Buffer.concat(chunks)));
}

function answer(req, res) {
  const path = req.url.split('?')[0];
  switch (path) {
    case '/hello':
      return res.end('hello\n');
    case '/connections':
      return res.end(String(connections));
    case '/echo':
      return whole(req, (body) => {
        res.setHeader('X-Framing', req.headers['transfer-encoding'] || 'length ' + req.headers['content-length']);
        res.setHeader('X-Trailer', req.trailers['x-sum'] || 'none');
        res.end(body);
      });
    case '/stream':
      if (req.method === 'HEAD') return res.end();
      res.setHeader('Trailer', 'X-Pieces');
      for (let i = 0; i < 500; i++) res.write('piece ' + i + '\n');
      res.addTrailers({ 'X-Pieces': '500' });
      return res.end();
    case '/early':
      return res.writeEarlyHints({ link: '</style.css>; rel=preload' }, () => res.end('late\n'));
    case '/close':
      res.setHeader('Connection', 'close');
      return res.end('bye\n');
    case '/until-close':
      req.socket.end('HTTP/1.1 200 OK\r\n\r\nall there is');
      return;
    case '/nothing':
      res.writeHead(204);
      return res.end();
    case '/moved':
      res.writeHead(302, { Location: '/hello' });
      return res.end();
    case '/gzip':
      res.setHeader('Content-Encoding', 'gzip');
      return res.end(zlib.gzipSync('x'.repeat(10000)));
    case '/die': // every other time, without a word
      if (dying++ % 2 === 0) return req.socket.destroy();
      return res.end('alive\n');
    case '/cut':
      res.writeHead(200, { 'Content-Length': '100' });
      res.write('half');
      return setTimeout(() => req.socket.destroy(), 20);
    default:
      res.statusCode = 404;
      return res.end();
  }
}

const server = http.createServer(answer);
server.keepAliveTimeout = 60000;
server.on('connection', () => connections++);
server.on('checkContinue', (req, res) => {
  if (req.url === '/refuse') {
    res.writeHead(417, { Connection: 'close' });
    return res.end('no');
  }
  res.writeContinue();
  answer(req, res);
});
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
