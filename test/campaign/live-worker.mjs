// Asks /livez again and again on one connection, in a thread of its own: the campaign keeps its own thread busy.
import { Agent, get } from 'node:http';
import { parentPort, workerData } from 'node:worker_threads';

const agent = new Agent({ keepAlive: true, maxSockets: 1 });
const pauseMs = 10;
let [count, worstMs, worstAfterMs] = [0, 0, 0];
const beganAt = performance.now();
let isFirst = true;

function ask() {
  const startedAt = performance.now();
  const again = () => void setTimeout(ask, pauseMs);
  get({ host: '127.0.0.1', port: workerData, path: '/livez', agent }, (answer) =>
    answer.resume().once('end', () => {
      // The first answer opens the connection and compiles this client, so it starts the campaign and is not timed.
      if (isFirst) {
        isFirst = false;
        parentPort.postMessage('ready');
        return again();
      }
      count++;
      const tookMs = performance.now() - startedAt;
      if (tookMs > worstMs) [worstMs, worstAfterMs] = [tookMs, startedAt - beganAt];
      again();
    }),
  ).once('error', again);
}
parentPort.on('message', () => parentPort.postMessage({ count, worstMs, worstAfterMs }));
ask();
