// The fastest server that node:http can be: one prepared answer, sent as it is.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [path] = process.argv.slice(2);
const { headers, body, headersOf304 } = JSON.parse(readFileSync(path, 'utf8'));
const bytes = Buffer.from(body);

const server = createServer((request, response) => {
  if (request.headers['if-none-match'] === undefined) response.writeHead(200, headers).end(bytes);
  else response.writeHead(304, headersOf304).end();
});
// The header that this adds to each answer is the one that the service sends.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ event: 'listening', port: server.address().port })));
