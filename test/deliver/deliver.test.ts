// @module-tag slow
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { listEndpoints, replayEndpoint } from '../../build/deliver-command.ts';
import { addAction } from '../../build/deliver/operator.ts';
import { readState } from '../../build/deliver/delivery-state.ts';
import { changeKey, parsePosition, positionText } from '../../clients/typescript/src/cursor.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { changesBehindFirst, deliveriesOf, firstCursor, type Deliveries } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { secretOf, startReceivers, type Receivers } from '../support/receivers.ts';
import { serviceKey } from '../support/service.ts';

const directory = useDirectories('deliver');
let served: ClientService;
let first: string;
beforeAll(async () => {
  served = await clientService(40);
  first = await firstCursor(served.address);
});
afterAll(() => served.close());

let receivers: Receivers;
let deliveries: Deliveries;
afterEach(async () => {
  await deliveries.stop();
  await receivers.close();
});

/** Receivers and deliveries that did not begin yet. */
async function prepare(...[answer, secrets]: Parameters<typeof startReceivers>): Promise<void> {
  receivers = await startReceivers(answer, secrets);
  deliveries = deliveriesOf(() => served.address, directory());
}

const endpoint = (name: string, members: object = {}) => ({
  name,
  url: `${receivers.address}/${name}`,
  secrets: [secretOf(1)],
  cursor: first,
  ...members,
});
const idsOf = (changes: Awaited<ReturnType<typeof changesBehindFirst>>) =>
  changes.map(({ filing, revision }) => `${filing.accessionNo}.${revision}`);
const idsAt = (path: string) => receivers.accepted(path).map(({ id }) => id);
const act = (does: 'enable' | 'disable' | 'replay', name: string, position = {}) =>
  addAction(deliveries.directory, () => readState(deliveries.directory), {
    does,
    endpoint: name,
    ...position,
  });

describe('deliveries', () => {
  it('each endpoint gets what its filter has, in order, signed, and then what is published', async () => {
    await prepare();
    deliveries.write([
      endpoint('all'),
      endpoint('forms', { form: '8-K' }),
      endpoint('company', { tickers: ['T1'], eventType: 'quarterly_report' }),
      endpoint('now', { cursor: undefined }),
    ]);
    await deliveries.start();
    await expect.poll(() => idsAt('/all').length).toBe(39);
    // The one that begins at the end is there by now.
    await expect
      .poll(() =>
        readState(deliveries.directory).then(({ endpoints }) => endpoints.get('now')?.cursor ?? null),
      )
      .not.toBeNull();
    await served.publish(6);
    const wanted = {
      '/all': await changesBehindFirst(served.address),
      '/forms': await changesBehindFirst(served.address, { form: '8-K' }),
      '/company': await changesBehindFirst(served.address, {
        tickers: ['T1'],
        eventType: 'quarterly_report',
      }),
      '/now': (await changesBehindFirst(served.address)).slice(-6),
    };
    for (const [path, changes] of Object.entries(wanted)) {
      expect(changes.length).toBeGreaterThan(3);
      await expect.poll(() => idsAt(path)).toEqual(idsOf(changes));
      expect(receivers.at(path).map(({ change }) => change)).toEqual(changes);
      for (const { type, timestamp, change, secrets } of receivers.at(path))
        expect([type, timestamp, secrets]).toEqual([
          `filing.${change.changeType}`,
          change.observedAt,
          [secretOf(1)],
        ]);
    }
  });

  it('a change that fails for three days is a dead letter, and the next ones are delivered', async () => {
    let days = 0;
    await prepare(({ change }) => (change.sequence === 3 ? 500 : 200));
    deliveries.write([endpoint('poisoned')]);
    // A day passes between two looks at the clock.
    await deliveries.start({ elapsed: () => ++days * 86_400_000 });
    const all = (await changesBehindFirst(served.address)).length;
    await expect.poll(() => idsAt('/poisoned').length).toBe(all - 1);
    const tried = receivers.at('/poisoned').filter(({ change }) => change.sequence === 3);
    expect(tried.length).toBeGreaterThan(1);
    const [line = '', ...rest] = readFileSync(join(deliveries.directory, 'dead-letters.jsonl'), 'utf8').split(
      '\n',
    );
    expect(rest).toEqual(['']);
    const letter = JSON.parse(line) as { cursor: string; message: { data: unknown } };
    expect(letter).toMatchObject({
      endpoint: 'poisoned',
      id: tried[0]?.id,
      attempts: tried.length,
      reason: '500',
    });
    expect(letter.message.data).toEqual(tried[0]?.change);
    expect(deliveries.lines).toContainEqual(
      expect.stringMatching(/^warn poisoned: attempt 1 of \S+ failed: 500; /),
    );
    expect(deliveries.delivering.counts.deadLetters).toBe(1);
    const before = receivers.at('/poisoned').length;
    // What the letter has as its cursor brings the same change again.
    await act('replay', 'poisoned', parsePosition(letter.cursor));
    await expect.poll(() => receivers.at('/poisoned')[before]?.id).toBe(tried[0]?.id);
  });

  it('410 disables an endpoint until an operator enables it, also over a restart; nothing is left out', async () => {
    let isGone = true;
    await prepare(({ path, change }) => (path === '/gone' && change.sequence === 5 && isGone ? 410 : 200));
    deliveries.write([endpoint('gone'), endpoint('other')]);
    await deliveries.start();
    const stateOf = async () => (await readState(deliveries.directory)).endpoints.get('gone');
    await expect.poll(async () => (await stateOf())?.disabled).toBe('gone');
    await deliveries.stop();
    await deliveries.start();
    await expect.poll(() => idsAt('/other').length).toBe((await changesBehindFirst(served.address)).length);
    expect(receivers.at('/gone').length).toBe(4);
    isGone = false;
    await act('enable', 'gone');
    await expect.poll(() => idsAt('/gone')).toEqual(idsOf(await changesBehindFirst(served.address)));
    await expect.poll(async () => (await stateOf())?.disabled).toBeNull();
  });

  it('an operator disables an endpoint, while nothing runs, too, and replays from a cursor', async () => {
    await prepare();
    deliveries.write([endpoint('one')]);
    await act('disable', 'one');
    await deliveries.start();
    const stateOf = async () => (await readState(deliveries.directory)).endpoints.get('one');
    await expect.poll(async () => (await stateOf())?.disabled).toBe('operator');
    await act('enable', 'one');
    const all = idsOf(await changesBehindFirst(served.address));
    await expect.poll(() => idsAt('/one')).toEqual(all);
    const change = (await changesBehindFirst(served.address)).find(({ sequence }) => sequence === 30);
    await act('replay', 'one', { cursor: first, sequence: 30, change: change && changeKey(change) });
    await expect.poll(() => idsAt('/one')).toEqual([...all, ...all.slice(29)]);
    // An action is done once, however often the program begins again.
    await deliveries.stop();
    await deliveries.start();
    await expect.poll(async () => (await stateOf())?.action).toBe(3);
    expect(idsAt('/one').length).toBe(all.length + all.length - 29);
  });

  it('while the state cannot be saved, an endpoint gets one message more and no further one', async () => {
    await prepare();
    deliveries.write([endpoint('full')]);
    const path = join(deliveries.directory, 'state.json');
    deliveries.write([]);
    await deliveries.start();
    // No file can take the place of a directory.
    rmSync(path, { force: true });
    mkdirSync(path);
    deliveries.write([endpoint('full')]);
    await expect.poll(() => deliveries.delivering.store.failures()).toBeGreaterThan(2);
    await expect.poll(() => idsAt('/full').length).toBe(1);
    const failures = deliveries.delivering.store.failures();
    await expect.poll(() => deliveries.delivering.store.failures()).toBeGreaterThan(failures);
    expect(idsAt('/full').length).toBe(1);
    expect(deliveries.lines.filter((line) => line.includes('the state cannot be saved')).length).toBe(1);
    rmdirSync(path);
    await expect.poll(() => idsAt('/full')).toEqual(idsOf(await changesBehindFirst(served.address)));
    await deliveries.stop();
    expect(readdirSync(deliveries.directory).filter((name) => name.endsWith('.tmp'))).toEqual([]);
  });

  it('two programs cannot deliver with one state', async () => {
    await prepare();
    deliveries.write([endpoint('one')]);
    await deliveries.start();
    const other = deliveriesOf(() => served.address, deliveries.directory);
    await expect(other.start()).rejects.toThrow(/is in use: another program delivers with this state/);
  });

  it('the file of endpoints is taken up while it runs; a broken one changes nothing, and one that comes back goes on', async () => {
    await prepare();
    deliveries.write([endpoint('stays')]);
    await deliveries.start();
    const all = idsOf(await changesBehindFirst(served.address));
    await expect.poll(() => idsAt('/stays')).toEqual(all);
    deliveries.write('{"endpoints": [');
    await expect
      .poll(() => deliveries.lines)
      .toContainEqual(expect.stringMatching(/^error .*must be JSON.*goes on$/));
    deliveries.write([endpoint('stays'), endpoint('comes', { form: '10-Q' })]);
    const forms = idsOf(await changesBehindFirst(served.address, { form: '10-Q' }));
    await expect.poll(() => idsAt('/comes')).toEqual(forms);
    deliveries.write([endpoint('stays')]);
    await expect
      .poll(async () => (await readState(deliveries.directory)).removed.map(([name]) => name))
      .toEqual(['comes']);
    // It goes on with another address, and from where it was.
    deliveries.write([
      endpoint('stays'),
      endpoint('comes', { form: '10-Q', url: `${receivers.address}/moved` }),
    ]);
    await expect
      .poll(async () => [...(await readState(deliveries.directory)).endpoints.keys()])
      .toEqual(['stays', 'comes']);
    await served.publish(2);
    const [more = ''] = idsOf(await changesBehindFirst(served.address, { form: '10-Q' })).slice(-1);
    await expect.poll(() => idsAt('/moved')).toEqual([more]);
    expect(idsAt('/comes')).toEqual(forms);
  });

  it('endpoints that do not answer, send without end or are refused by the feed delay no other one', async () => {
    const hanging = new Set<() => void>();
    await prepare(({ path }) =>
      path.startsWith('/hangs')
        ? (response) => void hanging.add(() => response.destroy())
        : path === '/floods'
          ? (response) => {
              response.writeHead(200);
              const flood = () => {
                while (!response.destroyed && response.write(Buffer.alloc(65_536))) continue;
              };
              response.on('drain', flood);
              flood();
            }
          : 204,
    );
    deliveries.write([
      ...Array.from({ length: 100 }, (_, at) => endpoint(`hangs${at}`)),
      endpoint('unknown', { tickers: ['NOBODY'] }),
      endpoint('floods', { form: '8-K' }),
      endpoint('works'),
    ]);
    await deliveries.start();
    const all = idsOf(await changesBehindFirst(served.address));
    await expect.poll(() => idsAt('/works')).toEqual(all);
    // A status decides, whatever comes behind it.
    const forms = idsOf(await changesBehindFirst(served.address, { form: '8-K' }));
    await expect.poll(() => receivers.at('/floods').map(({ id }) => id)).toEqual(forms);
    await expect.poll(() => receivers.at('/hangs99').length).toBe(1);
    await expect
      .poll(async () => (await readState(deliveries.directory)).endpoints.get('unknown')?.refused)
      .toMatch(/NOBODY/);
    expect(deliveries.lines.filter((line) => line.includes('unknown: the feed refuses it')).length).toBe(1);
    for (const end of hanging) end();
  });

  it('an endpoint is a slow one from an attempt that lasted long until it accepts a message', async () => {
    let accepts = false;
    let clockMs = 0;
    await prepare(() => (accepts ? 204 : 500));
    deliveries.write([endpoint('slow')]);
    // Two seconds pass between two looks at the clock.
    await deliveries.start({ elapsed: () => (clockMs += 2000) });
    const failing = () => deliveries.delivering.entries()[0]?.failing;
    await expect.poll(() => failing()?.isSlow).toBe(true);
    accepts = true;
    await expect.poll(failing).toBeNull();
  });

  it('list and replay hold positions against the feed', async () => {
    await prepare(({ change }) => (change.sequence < 10 ? 204 : 503));
    deliveries.write([endpoint('held')]);
    const printed: string[] = [];
    const given = {
      settings: {
        API_KEY: serviceKey as string | null,
        API_KEY_FILE: null as string | null,
        WEBHOOK_SIGNING_KEY_FILE: null,
        HOST: '127.0.0.1',
        METRICS_HOST: null,
        METRICS_PORT: null,
        LOG_LEVEL: 'error' as const,
      },
      now: Date.now,
      elapsed: () => performance.now(),
      random: Math.random,
      signal: new AbortController().signal,
      print: (line: string) => void printed.push(line),
      exit: () => {},
    };
    const file = join(deliveries.directory, 'endpoints.json');
    // Neither sends anything, so the endpoints may be anywhere.
    const options = { endpoints: file, service: served.address, state: deliveries.directory } as const;
    const [second, third, fourth] = await changesBehindFirst(served.address);
    if (!second || !third || !fourth) throw new Error('there are too few changes');
    const position = (change: typeof second) =>
      positionText({ cursor: first, sequence: third.sequence, change: changeKey(change) });
    await replayEndpoint('held', { ...options, cursor: position(third) }, given);
    expect(printed[0]).toContain(`the first change is ${fourth.filing.accessionNo}.1,`);
    await expect(replayEndpoint('held', { ...options, cursor: position(fourth) }, given)).rejects.toThrow(
      `--cursor: the feed no longer has ${changeKey(fourth)}, behind which it begins`,
    );
    await deliveries.start();
    await expect.poll(() => receivers.at('/held').at(-1)?.change.sequence).toBe(10);
    await deliveries.stop();
    const list = async () => {
      printed.length = 0;
      await listEndpoints(options, given);
      return printed[0] ?? '';
    };
    expect(await list()).not.toContain('the feed');
    const path = join(deliveries.directory, 'state.json');
    const state = readFileSync(path, 'utf8');
    writeFileSync(path, state.replace(/"change":"0/, '"change":"9'));
    expect(await list()).toMatch(/^held {2}failing .* the feed no longer has 9\S+, which was delivered last/);
    writeFileSync(path, state.replaceAll(first, 'elsewhere'));
    expect(await list()).toMatch(/^held {2}refused .* by the feed: .*cursor/);
    given.settings.API_KEY = null;
    await list();
    expect(printed.join('\n')).toContain(
      'positions: API_KEY: must be set to a key of the service, or API_KEY_FILE',
    );
    given.settings.API_KEY_FILE = join(deliveries.directory, 'key');
    writeFileSync(given.settings.API_KEY_FILE, 'a key with spaces');
    await list();
    expect(printed.join('\n')).toMatch(/positions: API_KEY_FILE: \S+ has no key of the service$/m);
    writeFileSync(given.settings.API_KEY_FILE, `${serviceKey}\n`);
    expect(await list()).toMatch(/^held {2}refused .* by the feed: .*cursor/);
    expect(printed.join('\n')).not.toContain('was not asked');
    given.settings.API_KEY = '';
    await listEndpoints({ ...options, service: 'http://127.0.0.1:1' }, given);
    expect(printed).toContainEqual(
      expect.stringMatching(/^the feed was not asked whether it has these positions: /),
    );
  });

  it('a file of endpoints that other users may read is told, because it has secrets', async () => {
    await prepare();
    deliveries.write([]);
    const file = join(deliveries.directory, 'endpoints.json');
    chmodSync(file, 0o644);
    await deliveries.start();
    await expect
      .poll(() => deliveries.lines)
      .toContainEqual(
        `warn ${file} has secrets, but other users may read it (mode 0644); chmod g-w,o= ${file} keeps it from them`,
      );
    chmodSync(file, 0o640);
    const told = deliveries.lines.length;
    await expect.poll(() => deliveries.lines.length).toBeGreaterThan(told);
    expect(deliveries.lines.slice(told)).toEqual(['info 0 endpoints']);
  });
});
