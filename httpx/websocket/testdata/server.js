// An echo server: node server.js OPTIONS, the options those of permessage-deflate in JSON, or false. It prints its port, and
// ends with its standard input.
'use strict';
const { WebSocketServer } = require('ws');

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, perMessageDeflate: JSON.parse(process.argv[2]), maxPayload: 8 << 20,
  handleProtocols: (protocols) => (protocols.has('echo') ? 'echo' : false),
});
server.on('listening', () => console.log(server.address().port));
server.on('connection', (ws) => {
  ws.on('error', (err) => console.log('error:', err.message));
  ws.on('message', (data, isBinary) => {
    const s = data.toString();
    if (s === 'close me') ws.close(4444, 'as you wish');
    else if (s === 'ping me') ws.ping('x', false, () => ws.once('pong', (p) => ws.send('pong ' + p)));
    else if (s === 'break') ws._socket.write(Buffer.from([0xb3, 0x00]));
    else ws.send(data, { binary: isBinary });
  });
});
process.stdin.resume();
process.stdin.on('end', () => process.exit(0));
