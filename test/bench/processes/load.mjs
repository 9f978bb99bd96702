// The load generator: sends prepared requests over several connections, on each the next one as soon as the
// answer is there, and counts answers. It lives through all rounds, so that its own code is warm, and it does
// as little as it can for an answer: whatever it takes, it takes from the machine that the servers run on.
//
// Messages: {list: {name, requests, status, once}} keeps a list, {open: {name, port}} connects and asks once
// on each connection, {go: {seconds}} measures. Each is answered with {done}, and so is the start.
import { connect } from 'node:net';

const connections = 32;
const headEnd = Buffer.from('\r\n\r\n');
const lengthLine = /\r\ncontent-length: (\d+)/i;
// One for all connections: what was read is looked at before the next read.
const buffer = Buffer.allocUnsafeSlow(256 * 1024);

const lists = new Map();
let list;
let sockets = [];
let asking = 0;
let answers = 0;
let bytes = 0;
let isOver = true;
let allAnswered = () => {};

// It waits for messages until it is stopped.
process.channel.ref();
process.on('message', async (message) => {
  if (message.list) process.send({ done: keep(message.list) });
  if (message.open) process.send({ done: await open(message.open) });
  if (message.go) process.send({ done: await measure(message.go) });
});
process.send({ done: {} });

function keep({ name, requests, status, once }) {
  lists.set(name, {
    name,
    requests: requests.map((text) => Buffer.from(text)),
    next: 0,
    once,
    start: `HTTP/1.1 ${status} `,
  });
  return {};
}

async function open({ name, port }) {
  list = lists.get(name);
  isOver = true;
  const whole = answered();
  sockets = Array.from({ length: connections }, () => createAsker(port));
  await whole;
  return {};
}

async function measure({ seconds }) {
  answers = 0;
  bytes = 0;
  isOver = false;
  const cpuBefore = process.cpuUsage();
  const startedAtMs = performance.now();
  const timer = setTimeout(() => (isOver = true), seconds * 1000);
  const whole = answered();
  for (const ask of sockets) ask();
  await whole;
  clearTimeout(timer);
  const took = (performance.now() - startedAtMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  for (const ask of sockets) ask.end();
  return { requests: answers, seconds: took, bytes, cpuSeconds: (user + system) / 1e6 };
}

function answered() {
  asking = connections;
  return new Promise((resolve) => (allAnswered = resolve));
}

/** The next request; none when every one of a list that is asked once was asked. */
function nextRequest() {
  if (list.next === list.requests.length) {
    if (list.once) return undefined;
    list.next = 0;
  }
  return list.requests[list.next++];
}

/** One connection. Returns what asks the next request on it. */
function createAsker(port) {
  let left = 0;
  const socket = connect({ port, host: '127.0.0.1', noDelay: true, onread: { buffer, callback: take } });
  socket
    .on('connect', ask)
    .on('error', fail)
    .on('end', () => fail(new Error(`${list.name}: the server closed a connection`)));

  function ask() {
    const request = nextRequest();
    if (request) socket.write(request);
    else rest();
  }

  function take(length) {
    if (left > 0) left -= length;
    else left = readHead(length) - length;
    if (left > 0) return;
    if (left < 0) fail(new Error(`${list.name}: an answer is ${-left} bytes too long`));
    answers++;
    if (isOver) rest();
    else ask();
  }

  ask.end = () => socket.destroy();
  return ask;
}

function rest() {
  if (--asking === 0) allAnswered();
}

/** How long an answer is, head and body. Every answer is checked for its status. */
function readHead(length) {
  const end = buffer.subarray(0, length).indexOf(headEnd);
  if (end === -1) fail(new Error(`${list.name}: the head of an answer came in pieces`));
  const head = buffer.latin1Slice(0, end);
  if (!head.startsWith(list.start)) fail(new Error(`${list.name}: ${head}`));
  const body = Number(lengthLine.exec(head)?.[1] ?? 0);
  bytes += body;
  return end + headEnd.length + body;
}

function fail(error) {
  console.error(error.message);
  process.exit(1);
}
