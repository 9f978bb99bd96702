// The fastest server that node:http can be: prepared answers by their address, sent as they are.
import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';

const [path] = process.argv.slice(2);
const answers = new Map(
  JSON.parse(readFileSync(path, 'utf8')).map(({ target, headers, headersOf304, body }) => [
    target,
    { headers, headersOf304, body: Buffer.from(body) },
  ]),
);

const server = createServer((request, response) => {
  const { headers, headersOf304, body } = answers.get(request.url);
  if (request.headers['if-none-match'] === undefined) response.writeHead(200, headers).end(body);
  else response.writeHead(304, headersOf304).end();
});
// The header that this adds to each answer is the one that the service sends.
server.keepAliveTimeout = 75_000;
server.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ event: 'listening', port: server.address().port })),
);
