import { connect, type Socket } from 'node:net';
import { bytesOf, type Script } from './request.ts';
import { headerOf, MalformedAnswer, readAnswer, type Answered } from './response.ts';

/** What a connection brought. */
export interface Heard {
  /** Answers in the order in which they came; interim ones (1xx) are left out. */
  readonly answers: readonly Answered[];
  /** What is wrong with the connection itself; null if nothing is. */
  readonly trouble: string | null;
}

/** After so long without an answer, none will come. The machine may be busy with other work. */
const silenceMs = 20_000;
/** After the answer to noise, more answers may come for so long. */
const lingerMs = 15;
/** A server has so long to answer bytes that end early, before the client stops sending. */
const unfinishedMs = 25;

const saysClose = (answer: Answered) => /\bclose\b/i.test(headerOf(answer, 'connection') ?? '');

/**
 * Plays a script on one connection, and reads what comes. Never rejects: the result tells what went wrong.
 */
export function play(port: number, script: Script): Promise<Heard> {
  return new Promise((resolve) => {
    const requests = 'requests' in script ? script.requests : null;
    const isComplete = 'requests' in script || script.noise.isComplete;
    const answers: Answered[] = [];
    let pending: Buffer = Buffer.alloc(0);
    let isOver = false;
    let brokenBy: string | null = null;
    /** Tells the writer that an answer came, or that it is over. */
    let wake = () => {};
    const socket = connect({ port, host: '127.0.0.1', noDelay: true, allowHalfOpen: true });
    let timer = setTimeout(() => finish('no answer'), silenceMs);

    function finish(trouble: string | null): void {
      if (isOver) return;
      isOver = true;
      clearTimeout(timer);
      socket.destroy();
      wake();
      resolve({ answers, trouble });
    }

    function inTime(ms: number, then: () => void): void {
      clearTimeout(timer);
      timer = setTimeout(then, ms);
    }

    function read(): void {
      for (;;) {
        const method = requests?.[answers.length]?.method ?? 'GET';
        if (pending.length === 0) return;
        if (requests && answers.length === requests.length) return finish('more answers than requests');
        const found = readAnswer(pending, method);
        if (!found) return;
        pending = pending.subarray(found.length);
        if (found.answer.status < 200) continue;
        answers.push(found.answer);
        wake();
        // Nothing follows a stream on its connection.
        if (found.isStream) return finish(null);
        // Node does not tell which method a request had whose head is too long, so its refusal has a body. A client
        // reads no body here, and what follows is dropped with the connection.
        if (method === 'HEAD' && found.answer.status === 413 && saysClose(found.answer)) return finish(null);
        if (requests && answers.length === requests.length && pending.length === 0) return finish(null);
      }
    }

    /** Waits until so many answers have come. False if they never will. */
    async function untilAnswered(count: number): Promise<boolean> {
      while (answers.length < count && !isOver) await new Promise<void>((resume) => (wake = resume));
      return !isOver;
    }

    socket.on(
      'connect',
      () =>
        void send(socket, script, untilAnswered).then(() => {
          if (isComplete || isOver) return;
          // Only when the client stops sending can the server know that nothing more comes.
          inTime(unfinishedMs, () => {
            socket.end();
            inTime(silenceMs, () => finish(null));
          });
        }),
    );
    socket.on('data', (piece: Buffer) => {
      if (isOver) return;
      pending = pending.length === 0 ? piece : Buffer.concat([pending, piece]);
      try {
        read();
      } catch (error) {
        finish(error instanceof MalformedAnswer ? error.message : String(error));
        return;
      }
      if (isOver) return;
      if (requests) inTime(silenceMs, () => finish('no answer'));
      else if (answers.length > 0 && pending.length === 0) inTime(lingerMs, () => finish(null));
    });
    socket.on('error', (error: NodeJS.ErrnoException) => (brokenBy = error.code ?? error.message));
    const because = () => (brokenBy === null ? '' : `: ${brokenBy}`);
    const ended = () => {
      if (isOver) return;
      if (pending.length > 0) return finish(`closed in the middle of an answer${because()}`);
      const last = answers.at(-1);
      const saidSo = last !== undefined && saysClose(last);
      const isAnswered = requests
        ? answers.length === requests.length || saidSo
        : answers.length > 0 || !isComplete;
      finish(isAnswered ? null : `closed without an answer${because()}`);
    };
    socket.on('end', ended);
    socket.on('close', ended);
  });
}

/** Writes a script: all at once, in pieces, or each request when the one before it was answered. */
async function send(
  socket: Socket,
  script: Script,
  untilAnswered: (count: number) => Promise<boolean>,
): Promise<void> {
  if ('noise' in script) return void socket.write(script.noise.bytes);
  if (script.inTurns) {
    for (const [at, request] of script.requests.entries())
      if (await untilAnswered(at)) socket.write(bytesOf(request));
    return;
  }
  const whole = Buffer.concat(script.requests.map(bytesOf));
  let from = 0;
  for (const length of script.pieces) {
    if (from + length >= whole.length || socket.destroyed) break;
    socket.write(whole.subarray(from, (from += length)));
    await new Promise((resolve) => setImmediate(resolve));
  }
  if (!socket.destroyed) socket.write(whole.subarray(from));
}
