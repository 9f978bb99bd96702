import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { startFileHost } from '../../support/file-host.ts';

/**
 * Serves the files of a directory as storage far away does: each answer begins so many milliseconds later. A
 * connection to the port that is logged is told how many parts were asked for so far.
 */
const [directory = '', delayMs = '0'] = process.argv.slice(2);
const host = await startFileHost(directory, { delayMs: Number(delayMs) });
const counter = createServer(
  (socket) => void socket.end(String(host.asked.filter(({ path }) => path !== 'current.json').length)),
);
await once(counter.listen(0, '127.0.0.1'), 'listening');
console.log(
  JSON.stringify({
    event: 'listening',
    address: host.address,
    port: (counter.address() as AddressInfo).port,
  }),
);
