// Opens streams of a service, as many clients at once, and tells when the first and the last have something new.
// It is JavaScript without packages, so that most of what it takes is what its sockets take.
import { connect } from 'node:net';

const [port, count, keys, target] = JSON.parse(process.argv[2] ?? '');
/** Streams that connect at the same time. */
const atOnce = 100;

let [opened, told, lost] = [0, 0, 0];
let isArmed = false;
let firstMs = 0;

for (let from = 0; from < count; from += atOnce)
  await Promise.all(
    Array.from({ length: Math.min(atOnce, count - from) }, (_, at) => open(keys[(from + at) % keys.length])),
  );
process.send({ opened, lost });
process.on('message', () => (isArmed = true));

/** Resolves when the stream has told what there is. */
function open(key) {
  return new Promise((resolve) => {
    let hasTold = false;
    const socket = connect(port, '127.0.0.1', () =>
      socket.write(
        `GET ${target} HTTP/1.1\r\nHost: 127.0.0.1\r\nx-api-key: ${key}\r\nAccept: text/event-stream\r\n\r\n`,
      ),
    );
    let isOpen = false;
    socket.on('data', (piece) => {
      if (!isOpen) {
        isOpen = true;
        if (piece.includes(' 200 OK')) opened++;
        resolve();
      }
      if (!isArmed || hasTold || !piece.includes('event: change')) return;
      hasTold = true;
      const nowMs = performance.now();
      if (told === 0) firstMs = nowMs;
      if (++told === count) process.send({ spreadMs: nowMs - firstMs });
    });
    socket.on('error', () => {});
    socket.once('close', () => {
      lost++;
      resolve();
    });
  });
}
