// The least that reading the routing table can cost in Node, without `fetch`: get the bytes, parse the JSON.
const http = require('node:http');
http.get({ host: '127.0.0.1', port: Number(process.argv[2]), path: '/', agent: false }, (response) => {
  const chunks = [];
  response.on('data', (chunk) => chunks.push(chunk));
  response.on('end', () => JSON.parse(Buffer.concat(chunks).toString()));
});
