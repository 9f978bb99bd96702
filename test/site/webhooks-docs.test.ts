// @module-tag slow
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defaultAddress } from '../../src/contract/product.ts';
import { clientService, type ClientService } from '../support/clients.ts';
import { clearedSettings } from '../support/command.ts';
import { changesBehindFirst, deliveriesOf, firstCursor } from '../support/delivering.ts';
import { useDirectories } from '../support/directories.ts';
import { createRandom } from '../support/generate.ts';
import { textOfHtml } from '../support/html.ts';
import { has } from '../support/needs.ts';
import { startForTest } from '../support/programs.ts';
import { secretOf } from '../support/receivers.ts';
import { freePort } from '../support/servers.ts';
import { serviceKey } from '../support/service.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const directory = useDirectories('webhooks');
let served: ClientService;
beforeAll(async () => {
  served = await clientService(150);
});
afterAll(() => served.close());

/** The text of a block of the page, as a reader copies it. */
async function documented(label: string): Promise<string> {
  const page = await (
    await fetch(`${served.address}/docs/webhooks`, { headers: { accept: 'text/html' } })
  ).text();
  const [, block] = new RegExp(`aria-label="${label}"[^>]*><code>(.*?)</code>`, 's').exec(page) ?? [];
  return textOfHtml(block ?? '');
}

/** The messages in the database of the receiver in Python. */
function messagesIn(path: string): [id: string, body: string][] {
  const program =
    'import json, sqlite3, sys; print(json.dumps(sqlite3.connect(sys.argv[1]).execute("SELECT id, body FROM messages").fetchall()))';
  return JSON.parse(spawnSync('python3', ['-c', program, path], { encoding: 'utf8' }).stdout) as [
    string,
    string,
  ][];
}

const receivers = [
  {
    name: 'receiver.mjs',
    program: process.execPath,
    messages: (folder: string) =>
      readdirSync(join(folder, 'inbox')).map((name): [string, string] => [
        name.replace('.json', ''),
        readFileSync(join(folder, 'inbox', name), 'utf8'),
      ]),
  },
  {
    name: 'receiver.py',
    program: 'python3',
    messages: (folder: string) => messagesIn(join(folder, 'inbox.db')),
  },
].filter(({ name }) => name !== 'receiver.py' || has('python'));

describe('the page about webhooks', () => {
  it.each(receivers)(
    '$name is killed again and again, and has each message once in the end',
    { timeout: 180_000 },
    async ({ name, program, messages }) => {
      const folder = directory();
      writeFileSync(join(folder, name), await documented(name.replace('.', '\\.')));
      const port = await freePort();
      const deliveries = deliveriesOf(() => served.address, folder);
      deliveries.write([
        {
          name: 'killed',
          url: `http://127.0.0.1:${port}/`,
          secrets: [secretOf(2), secretOf(1)],
          cursor: await firstCursor(served.address),
        },
      ]);
      const random = createRandom(7);
      const wanted = await changesBehindFirst(served.address);
      await deliveries.start();
      const delivered = () => deliveries.delivering.entries()[0]?.delivered ?? 0;
      for (let livesMs = 300; delivered() < wanted.length; ) {
        const before = delivered();
        const receiver = startForTest(program, [name], {
          cwd: folder,
          env: { SECRET: secretOf(1), PORT: String(port) },
        });
        const lives = new Promise((resolve) => setTimeout(resolve, livesMs * (0.5 + random())));
        await lives;
        await receiver.kill();
        // On a busy machine it has to live longer to receive anything.
        livesMs = delivered() === before ? livesMs * 1.5 : 300;
      }
      await deliveries.stop();
      const found = messages(folder).sort(([a], [b]) => (a < b ? -1 : 1));
      expect(found.map(([id]) => id)).toEqual(wanted.map(({ filing }) => `${filing.accessionNo}.1`).sort());
      const bodies = new Map(found.map(([id, body]) => [id, JSON.parse(body) as { data: unknown }]));
      for (const change of wanted) expect(bodies.get(`${change.filing.accessionNo}.1`)?.data).toEqual(change);
    },
  );

  it('whoever follows the page has a webhook', { timeout: 120_000 }, async () => {
    const folder = directory();
    // The commands are run in a checkout.
    for (const name of ['package.json', 'node_modules', 'build', 'src', 'site', 'clients', 'snapshots'])
      symlinkSync(join(root, name), join(folder, name));
    const port = await freePort();
    const commands = (await documented('From nothing to a webhook'))
      .replaceAll('9000', String(port))
      .replaceAll(defaultAddress, served.address);
    expect(commands).toContain('npm run deliver -- test mine');
    const { printed } = startForTest('sh', ['-ec', commands], {
      cwd: folder,
      env: { ...clearedSettings, KEY: serviceKey },
    });
    const said = () => printed.stdout + printed.stderr;
    const state = join(folder, 'endpoints.json.state/state.json');
    // It begins at the end of the feed, which it knows by now.
    await expect
      .poll(() => (existsSync(state) ? readFileSync(state, 'utf8') : said()), { timeout: 100_000 })
      .toMatch(/"cursor":"/);
    await expect.poll(said).toMatch(/the feed takes the filter\nmine answers 204 in \d+ ms\n/);
    await served.publish(2);
    const wanted = (await changesBehindFirst(served.address, { form: '8-K' })).at(-1);
    await expect
      .poll(() => readdirSync(join(folder, 'inbox')).filter((name) => !name.startsWith('test.')))
      .toEqual([`${wanted?.filing.accessionNo}.1.json`]);
  });
});
