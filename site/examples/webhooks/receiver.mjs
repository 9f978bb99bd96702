import { createHmac, createPublicKey, timingSafeEqual, verify } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';

// With PUBLIC_KEY (whpk_…) this program keeps no secret; else SECRET is that of your endpoint (whsec_…).
const { SECRET = '', PUBLIC_KEY } = process.env;
const key = Buffer.from((PUBLIC_KEY ?? SECRET).replace(/^wh(pk|sec)_/, ''), 'base64');
const publicKey =
  PUBLIC_KEY &&
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x: key.toString('base64url') }, format: 'jwk' });
// Anybody could sign with an empty key.
if (key.length < 24) throw new Error('SECRET must be whsec_ and at least 24 bytes in base64');
const bytesMaximum = 1_000_000;
mkdirSync('inbox', { recursive: true });

/** Reads the body, up to a bound: anybody can send something here. */
async function read(request) {
  const pieces = [];
  let bytes = 0;
  for await (const piece of request) {
    if ((bytes += piece.length) > bytesMaximum) throw new Error('the body is too long');
    pieces.push(piece);
  }
  return Buffer.concat(pieces);
}

function isGenuine(headers, body) {
  const [id = '', at = '', given = ''] = ['id', 'timestamp', 'signature'].map(
    (name) => headers[`webhook-${name}`],
  );
  const signed = Buffer.concat([Buffer.from(`${id}.${at}.`), body]);
  const own = createHmac('sha256', key).update(signed).digest();
  const isRight = ([version, signature = '']) => {
    const bytes = Buffer.from(signature, 'base64');
    if (publicKey) return version === 'v1a' && verify(null, signed, publicKey, bytes);
    return version === 'v1' && bytes.length === own.length && timingSafeEqual(bytes, own);
  };
  return given.split(' ').some((each) => isRight(each.split(','))) && Math.abs(Date.now() / 1000 - at) < 300;
}

const server = createServer({ requestTimeout: 15_000 }, async (request, response) => {
  try {
    const body = await read(request);
    const id = request.headers['webhook-id'];
    const isTaken = isGenuine(request.headers, body) && /^[\w.-]+$/.test(id);
    // A message that comes again replaces itself. It is on the disk before it is acknowledged.
    if (isTaken) writeFileSync(`inbox/${id}.json`, body, { flush: true });
    response.writeHead(isTaken ? 204 : 401).end();
  } catch (error) {
    // The connection broke, the body is too long or the disk is full: the sender tries again.
    console.error(error.message);
    response.writeHead(500, { connection: 'close' }).end();
  }
});
server.maxConnections = 100;
server.listen(process.env.PORT);
