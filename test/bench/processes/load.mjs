// The load generator: sends prepared requests over some connections, and times each answer from when it was due until its
// last byte is there. It lives through all rounds, so that its own code is warm, and it does as little as it can for an
// answer: whatever it takes, it takes from the machine that the servers run on.
//
// Messages: {keep: {name, requests, status, isRepeated}} keeps a list, whose requests are asked once each, or again and again.
// {open: {name, port, pid, connections, isWarm}} connects; a warm connection has asked once before anything is measured.
// {go: {seconds, perSecond}} asks on each connection as soon as the answer is there, or so many a second, whether those before
// were answered or not; at most for so many seconds. Each is answered with {done}, and so is the start.
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';

const headEnd = Buffer.from('\r\n\r\n');
const lengthLine = /\r\ncontent-length: (\d+)/i;
// One for all connections: what was read is looked at before the next read.
const buffer = Buffer.allocUnsafeSlow(256 * 1024);

const lists = new Map();
let list;
let connections = [];
/** The process that is asked, if its main thread and this one may have to wait for a processor. */
let server;

// It waits for messages until it is stopped.
process.channel.ref();
process.on('message', async (message) => {
  if (message.keep) process.send({ done: keep(message.keep) });
  if (message.open) process.send({ done: await open(message.open) });
  if (message.go) process.send({ done: await go(message.go) });
});
process.send({ done: {} });

function keep({ name, requests, status, isRepeated }) {
  const texts = requests.map((text) => Buffer.from(text));
  lists.set(name, { name, requests: texts, start: `HTTP/1.1 ${status} `, isRepeated, next: 0 });
  return {};
}

async function open({ name, port, pid, connections: count, isWarm }) {
  list = lists.get(name);
  server = pid;
  connections = await Promise.all(Array.from({ length: count }, () => connection(port)));
  if (isWarm)
    await Promise.all(connections.map(({ ask }) => new Promise((resolve) => ask(nextRequest(), 0, resolve))));
  return {};
}

/** The next request of the list. */
function nextRequest() {
  if (list.next === list.requests.length) list.next = 0;
  return list.requests[list.next++];
}

async function go({ seconds, perSecond }) {
  const [ms, bytes, dueAtMs, waitedMs] = [[], [], [], []];
  const wanted = list.isRepeated ? Infinity : list.requests.length - list.next;
  const idle = [...connections];
  let [asked, isOver] = [0, false];
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  let end;
  const whole = new Promise((resolve) => (end = resolve));

  function askAll() {
    const due = isOver ? 0 : perSecond ? dueAtMs.length : wanted;
    while (asked < due && idle.length > 0) {
      // The one that has been idle for longest: the service shuts a connection that asks nothing for long.
      const free = idle.shift();
      const at = asked++;
      const waitedBefore = waitedForProcessorMs();
      free.ask(nextRequest(), perSecond ? dueAtMs[at] : performance.now(), (took, length) => {
        [ms[at], bytes[at], waitedMs[at]] = [took, length, waitedForProcessorMs() - waitedBefore];
        idle.push(free);
        askAll();
      });
    }
    if (idle.length === connections.length && (isOver || asked === wanted)) end();
  }

  function lookAtClock() {
    const now = performance.now();
    const reached = Math.min(wanted, Math.floor(((now - startedAtMs) / 1000) * perSecond));
    while (dueAtMs.length < reached) dueAtMs.push(now);
    askAll();
  }

  const clock = perSecond && setInterval(lookAtClock, 1);
  const timer =
    seconds &&
    setTimeout(() => {
      isOver = true;
      askAll();
    }, seconds * 1000);
  askAll();
  await whole;
  clearInterval(clock);
  clearTimeout(timer);
  const took = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const each of connections) each.end();
  return { ms, bytes, waitedMs, seconds: took, cpuSeconds: (user + system) / 1e6 };
}

/**
 * How long the main threads of the server and of this process were ready to run and had no processor so far, in
 * milliseconds; 0 where the system does not tell.
 */
function waitedForProcessorMs() {
  if (server === undefined) return 0;
  try {
    const waited = (pid) => Number(readFileSync(`/proc/${pid}/schedstat`, 'utf8').split(' ')[1]);
    return (waited('self') + waited(server)) / 1e6;
  } catch {
    return 0;
  }
}

/** One connection, when it is there. Every answer on it is checked for its status. */
function connection(port) {
  let left = 0;
  let bodyBytes = 0;
  let request;
  let sinceMs = 0;
  let answered;
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: take } });
    socket
      .on('connect', () => resolve({ ask, end: () => socket.destroy() }))
      .on('error', fail)
      .on('end', () => fail(new Error(`${list.name}: the server closed a connection`)));

    function ask(text, dueAtMs, then) {
      request = text;
      sinceMs = dueAtMs;
      answered = then;
      socket.write(text);
    }

    function take(length) {
      if (left > 0) left -= length;
      else left = readHead(length) - length;
      if (left < 0) fail(new Error(`${list.name}: an answer is ${-left} bytes too long`));
      if (left === 0) answered(performance.now() - sinceMs, bodyBytes);
    }

    /** How long an answer is, head and body. */
    function readHead(length) {
      const end = buffer.subarray(0, length).indexOf(headEnd);
      if (end === -1) fail(new Error(`${list.name}: the head of an answer came in pieces`));
      const head = buffer.latin1Slice(0, end);
      if (!head.startsWith(list.start))
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
