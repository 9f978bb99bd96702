import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { createLog, linesOf, type RequestLine } from '../src/log/log.ts';
import { hostileText } from './support/arbitraries.ts';

const line: RequestLine = {
  atMs: Date.parse('2026-01-02T03:04:05.679Z'),
  method: 'GET',
  path: '/v1/sec/latest',
  status: 200,
  durationMs: 1.23456,
  bytes: 10,
  caller: null,
  requestId: 'r-1',
  failure: null,
  isWhole: true,
  isProbe: false,
};

let writes: string[];
let nowMs: number;
const logHere = () =>
  createLog(
    (lines) => void writes.push(lines.toString()),
    () => nowMs,
  );
const lines = () =>
  writes
    .join('')
    .split('\n')
    .slice(0, -1)
    .map((text) => JSON.parse(text) as Record<string, unknown>);

beforeEach(() => {
  vi.useFakeTimers();
  writes = [];
  nowMs = Date.parse('2026-01-02T03:04:05.678Z');
});
afterEach(() => void vi.useRealTimers());

describe('the log', () => {
  it('writes one JSON object a line, in order, with the time of each', () => {
    const log = logHere();
    log.event('snapshot', { snapshotId: 'x', filingCount: 3 });
    nowMs += 1;
    log.request(line);
    log.request({
      ...line,
      caller: '0123abcd',
      status: 401,
      requestId: 'a-1',
      failure: 'unauthorized',
      isWhole: false,
    });
    linesOf(log, 'follow')('batch 3', 'warn');
    linesOf(log, 'follow')('an attempt', 'debug');
    log.flush();
    expect(lines().pop()).toEqual({
      time: '2026-01-02T03:04:05.679Z',
      event: 'follow',
      level: 'warn',
      message: 'batch 3',
    });
    expect(lines().slice(0, -1)).toEqual([
      { time: '2026-01-02T03:04:05.678Z', event: 'snapshot', snapshotId: 'x', filingCount: 3 },
      {
        time: '2026-01-02T03:04:05.679Z',
        event: 'request',
        method: 'GET',
        path: '/v1/sec/latest',
        status: 200,
        durationMs: 1.23,
        bytes: 10,
        caller: null,
        requestId: 'r-1',
      },
      {
        time: '2026-01-02T03:04:05.679Z',
        event: 'request',
        method: 'GET',
        path: '/v1/sec/latest',
        status: 401,
        durationMs: 1.23,
        bytes: 10,
        caller: '0123abcd',
        code: 'unauthorized',
        requestId: 'a-1',
        aborted: true,
      },
    ]);
  });

  it('a request is one line of the log, whatever its path holds', () =>
    fc.assert(
      fc.property(fc.array(hostileText, { minLength: 1, maxLength: 5 }), (paths) => {
        writes = [];
        const log = logHere();
        for (const path of paths) log.request({ ...line, path });
        log.event('error', { path: paths[0], reason: paths.at(-1) });
        log.flush();
        expect(
          lines()
            .slice(0, -1)
            .map(({ path }) => path),
        ).toEqual(paths);
      }),
    ));

  it('the log gathers lines for a moment and writes them by itself', () => {
    const log = logHere();
    for (let at = 0; at < 20; at++) log.request(line);
    expect(writes).toEqual([]);
    vi.advanceTimersByTime(1000);
    expect(writes.length).toBe(1);
    expect(lines().length).toBe(20);
    log.request(line);
    vi.advanceTimersByTime(1000);
    expect(lines().length).toBe(21);
  });

  it('the log does not hold back more than some kilobytes', () => {
    const log = logHere();
    for (let at = 0; at < 1000; at++) log.request(line);
    expect(writes.length).toBeGreaterThan(1);
    for (const text of writes) expect(text.length).toBeLessThan(64 * 1024);
    log.flush();
    expect(lines().length).toBe(1000);
  });

  it('the log writes nothing when it has nothing', () => {
    const log = logHere();
    log.flush();
    log.event('a', {});
    log.flush();
    log.flush();
    vi.advanceTimersByTime(1000);
    expect(writes.length).toBe(1);
  });

  it.each([
    ['silent', []],
    ['error', ['error']],
    ['warn', ['snapshot_refused', 'error', 'request 503', 'request 500']],
    [
      'info',
      ['listening', 'snapshot_refused', 'error', 'request 200', 'request 401', 'request 503', 'request 500'],
    ],
    [
      'debug',
      [
        'listening',
        'snapshot_refused',
        'error',
        'request 200',
        'request 401',
        'request 200',
        'request 503',
        'request 500',
      ],
    ],
  ] as const)('the log at level %s has %j', (level, expected) => {
    const log = createLog(
      (written) => void writes.push(written.toString()),
      () => nowMs,
      level,
    );
    for (const event of ['listening', 'snapshot_refused', 'error']) log.event(event, {});
    for (const more of [
      {},
      { status: 401 },
      { isProbe: true },
      { status: 503, isProbe: true },
      { status: 500 },
    ])
      log.request({ ...line, ...more });
    log.flush();
    expect(
      lines().map(({ event, status }) => (status === undefined ? event : `request ${String(status)}`)),
    ).toEqual(expected);
  });
});
