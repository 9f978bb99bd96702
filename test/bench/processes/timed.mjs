// Sends each request of a list once and times its answer, from when it was due until its last byte is there:
// one after the other on one connection, or so many a second over several, whether the ones before were
// answered or not.
//
// A message is {port, requests, connections, perSecond}; without `perSecond` each connection asks as soon as
// it can. It is answered with {done: {ms, bytes, seconds}}, times and bytes of bodies in the order of the requests,
// and so is the start.
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lengthLine = /\r\ncontent-length: (\d+)/i;
const buffer = Buffer.allocUnsafeSlow(256 * 1024);

process.channel.ref();
process.on('message', async (message) => process.send({ done: await send(message) }));
process.send({ done: {} });

async function send({ port, requests, connections, perSecond }) {
  const texts = requests.map((text) => Buffer.from(text));
  const [ms, bytes] = [texts.map(() => 0), texts.map(() => 0)];
  const idle = [];
  const startedAtMs = performance.now();
  let due = perSecond ? 0 : texts.length;
  let next = 0;
  let answered = 0;
  const dueAtMs = [];
  const sockets = await Promise.all(Array.from({ length: connections }, () => open(port)));
  let whole;
  const all = new Promise((resolve) => (whole = resolve));

  function askAll() {
    while (next < due && idle.length > 0) {
      // The one that has been idle for longest: the service shuts a connection that asks nothing for long.
      const socket = idle.shift();
      const at = next++;
      socket.ask(texts[at], perSecond ? dueAtMs[at] : performance.now(), (took, length) => {
        [ms[at], bytes[at]] = [took, length];
        idle.push(socket);
        if (++answered === texts.length) whole();
        else askAll();
      });
    }
  }

  idle.push(...sockets);
  const clock =
    perSecond &&
    setInterval(() => {
      const now = performance.now();
      const reached = Math.min(texts.length, Math.floor(((now - startedAtMs) / 1000) * perSecond));
      for (; due < reached; due++) dueAtMs.push(now);
      askAll();
    }, 1);
  askAll();
  await all;
  clearInterval(clock);
  for (const { end } of sockets) end();
  return { ms, bytes, seconds: (performance.now() - startedAtMs) / 1000 };
}

function open(port) {
  return new Promise((resolve) => {
    let left = 0;
    let bodyBytes = 0;
    let request;
    let sinceMs = 0;
    let answer;
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: take } });
    socket.on('error', fail).on('end', () => fail(new Error('the server closed a connection')));
    socket.on('connect', () => resolve({ ask, end: () => socket.destroy() }));

    function ask(text, dueAtMs, then) {
      request = text;
      sinceMs = dueAtMs;
      answer = then;
      socket.write(text);
    }

    function take(length) {
      if (left > 0) left -= length;
      else left = readHead(length) - length;
      if (left < 0) fail(new Error('an answer is too long'));
      if (left === 0) answer(performance.now() - sinceMs, bodyBytes);
    }

    function readHead(length) {
      const end = buffer.subarray(0, length).indexOf(headEnd);
      if (end === -1) fail(new Error('the head of an answer came in pieces'));
      const head = buffer.latin1Slice(0, end);
      if (!head.startsWith('HTTP/1.1 200 '))
        fail(new Error(`${request.toString().split('\r\n', 1)[0]}: ${buffer.latin1Slice(0, length)}`));
      bodyBytes = Number(lengthLine.exec(head)?.[1] ?? 0);
      return end + headEnd.length + bodyBytes;
    }
  });
}

function fail(error) {
  console.error(error.message);
  process.exit(1);
}
