import { createHmac, timingSafeEqual } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';

const key = Buffer.from(process.env.SECRET.replace('whsec_', ''), 'base64');
mkdirSync('inbox', { recursive: true });

createServer(async (request, response) => {
  const body = await buffer(request);
  const [id, at, given = ''] = ['id', 'timestamp', 'signature'].map(
    (name) => request.headers[`webhook-${name}`],
  );
  const own = Buffer.from(
    `v1,${createHmac('sha256', key).update(`${id}.${at}.`).update(body).digest('base64')}`,
  );
  const isSame = (signature) =>
    signature.length === own.length && timingSafeEqual(Buffer.from(signature), own);
  const isGenuine = given.split(' ').some(isSame) && Math.abs(Date.now() / 1000 - at) < 300;
  // A message that comes again replaces itself. It is on the disk before it is acknowledged.
  if (isGenuine) writeFileSync(`inbox/${id}.json`, body, { flush: true });
  response.writeHead(isGenuine ? 204 : 401).end();
}).listen(process.env.PORT);
