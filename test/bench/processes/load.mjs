// Sends the same request over and over for a while, and counts the answers. They all have the same length, so their bytes
// are counted and not parsed: on two cores a client that parses takes more time than the servers that it is to measure.
import { connect } from 'node:net';

const [port, path, headers, seconds, status, body] = process.argv.slice(2);
const connections = 64;
const headerLines = Object.entries({ Host: `127.0.0.1:${port}`, ...JSON.parse(headers) }).map(([name, value]) => `${name}: ${value}\r\n`);
const bodyLine = body === undefined ? '' : `Content-Length: ${Buffer.byteLength(body)}\r\n`;
const request = Buffer.from(`${body === undefined ? 'GET' : 'POST'} ${path} HTTP/1.1\r\n${headerLines.join('')}${bodyLine}\r\n${body ?? ''}`);
const statusLine = Buffer.from(`HTTP/1.1 ${status} `);

const lengthOfAnswer = await lengthOfFirst();
let answers = 0;
let isOver = false;
const startedAtMs = performance.now();
setTimeout(() => (isOver = true), Number(seconds) * 1000);
await Promise.all(Array.from({ length: connections }, repeat));
process.send({ result: { requests: answers, seconds: (performance.now() - startedAtMs) / 1000 } });

function lengthOfFirst() {
  return new Promise((resolve, reject) => {
    let text = '';
    const socket = connect(Number(port), '127.0.0.1', () => socket.write(request));
    socket.on('error', reject).on('data', (bytes) => {
      text += bytes.toString('latin1');
      const end = text.indexOf('\r\n\r\n');
      if (end === -1) return;
      socket.destroy();
      if (!text.startsWith(statusLine.toString())) reject(new Error(text.slice(0, end)));
      resolve(end + 4 + Number(/^content-length: (\d+)/im.exec(text)?.[1] ?? 0));
    });
  });
}

/** One client that asks again as soon as it has its answer. */
function repeat() {
  return new Promise((resolve, reject) => {
    let left = 0;
    const socket = connect(Number(port), '127.0.0.1', ask);
    function ask() {
      left = lengthOfAnswer;
      socket.write(request);
    }
    socket.on('error', reject).on('close', resolve).on('data', (bytes) => {
      if (left === lengthOfAnswer && bytes.compare(statusLine, 0, statusLine.length, 0, statusLine.length) !== 0) throw new Error(bytes.toString('latin1', 0, 200));
      left -= bytes.length;
      if (left < 0) throw new Error(`an answer of ${path} is ${-left} bytes longer than the first one`);
      if (left > 0) return;
      answers++;
      if (isOver) socket.destroy();
      else ask();
    });
  });
}
