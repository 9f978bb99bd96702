import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parse } from 'yaml';
import { describe, expect, it, onTestFinished } from 'vitest';
import { deliverFigures, type Delivering } from '../../build/deliver/deliver-figures.ts';
import { tableNames } from '../../build/export/tables.ts';
import { followFigures } from '../../build/follow/follow-figures.ts';
import type { Follower } from '../../build/follow/follower.ts';
import { commands } from '../../src/settings/commands.ts';
import { commandSettings, settingTexts } from '../../src/settings/settings-of-commands.ts';
import type { Figure } from '../../src/metrics/figures.ts';
import { createRegistry } from '../../src/metrics/figure-registry.ts';
import { serviceFigures, type Measured } from '../../src/metrics/service-figures.ts';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { startProgram } from '../support/programs.ts';
import { closeAll, listen, portOf } from '../support/servers.ts';

const directory = useDirectories('deploy');
const root = fileURLToPath(new URL('../..', import.meta.url));
const text = (name: string) => readFileSync(join(root, name), 'utf8');
const tracked = spawnSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).stdout.split('\n');
const settings = Object.keys(settingTexts);

// Figures are read on request, so their names need no service.
const figures: Figure[] = [
  ...serviceFigures({ services: {} } as Measured),
  ...followFigures({} as Follower),
  ...deliverFigures({} as Delivering),
];

describe('the dashboard', () => {
  const dashboard = JSON.parse(text('deploy/grafana.json')) as {
    panels: { targets?: { expr: string }[] }[];
    templating: { list: { query: string }[] };
  };
  const queries = [
    ...dashboard.panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ...dashboard.templating.list.map(({ query }) => query),
  ];
  const seriesOf = ({ name, kind }: Figure) =>
    kind === 'histogram' ? [`${name}_bucket`, `${name}_sum`, `${name}_count`] : [name];

  it('the dashboard asks for every metric of service, follower and webhooks, and for no other', () => {
    const asked = new Set(queries.flatMap((query) => query.match(/\bfei_\w+/g) ?? []));
    expect([...asked].sort()).toEqual(figures.flatMap(seriesOf).sort());
    const ofProcess = new Set(queries.flatMap((query) => query.match(/\b(process|nodejs)_\w+/g) ?? []));
    const known = createRegistry([])
      .getMetricsAsArray()
      .map(({ name }) => name);
    for (const name of ofProcess) expect(known).toContain(name);
    expect(ofProcess.size).toBeGreaterThan(2);
  });

  it('metrics have distinct names that follow the rules of Prometheus', () => {
    expect(new Set(figures.map(({ name }) => name)).size).toBe(figures.length);
    for (const { name, kind, help } of figures) {
      expect([name, name.endsWith('_total')]).toEqual([name, kind === 'counter']);
      expect(help).toMatch(/^[A-Z0-9].*\.$/);
    }
  });
});

/** Instructions of a Dockerfile, in order. */
const instructions = () =>
  text('deploy/Dockerfile')
    .replaceAll('\\\n', ' ')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('#'))
    .map((line) => /^([A-Z]+) (.*)$/.exec(line)?.slice(1, 3) as [string, string]);

describe('the container', () => {
  it('the Dockerfile copies files that exist, and only they are sent to its builder', () => {
    const allowed = text('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1));
    const copied = instructions()
      .filter(([name, rest]) => name === 'COPY' && !rest.startsWith('--from'))
      .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
    expect([...new Set(copied)].sort()).toEqual(allowed.toSorted());
    for (const path of copied)
      expect(
        tracked.some((name) => name === path || name.startsWith(`${path}/`)),
        path,
      ).toBe(true);
  });

  it('the container holds everything that the program reads of its checkout', () => {
    const copied = instructions()
      .filter(([name]) => name === 'COPY')
      .flatMap(([, rest]) => rest.split(' ').slice(0, -1));
    const files = tracked.filter((name) => /^(src|build|site)\/.*\.ts$/.test(name));
    const read = files.flatMap((name) =>
      [...text(name).matchAll(/new URL\('([^']+)', import\.meta\.url\)|new URL\(`([^`$]+)/g)].map(
        ([, plain, begun]) => join(name, '..', (plain ?? begun) as string),
      ),
    );
    expect(read.length).toBeGreaterThan(3);
    for (const path of read)
      expect(
        copied.some((each) => `${path}/`.startsWith(`${each}/`)),
        path,
      ).toBe(true);
  });

  it('the container runs as its own user, listens on every address, and has a health check', () => {
    const all = instructions();
    const last = (name: string) => all.findLast(([each]) => each === name)?.[1] ?? '';
    const at = (name: string) => all.findLastIndex(([each]) => each === name);
    expect(last('USER')).toBe('node');
    // No instruction after USER makes files, which would belong to root.
    expect(all.slice(at('USER')).some(([name]) => name === 'RUN' || name === 'COPY')).toBe(false);
    const environment = Object.fromEntries(
      last('ENV')
        .split(' ')
        .map((each) => each.split('=')),
    );
    expect(environment).toEqual({
      NODE_ENV: 'production',
      HOST: '0.0.0.0',
      PORT: '8787',
      SNAPSHOTS_DIR: '/data',
    });
    expect(last('VOLUME')).toBe('/data');
    expect(JSON.parse(last('CMD'))).toEqual(['node', 'src/start.mjs']);
    expect(`exec ${(JSON.parse(last('CMD')) as string[]).join(' ')}`).toBe(
      (JSON.parse(text('package.json')) as { scripts: { start: string } }).scripts.start,
    );
    const [program, flag, script] = JSON.parse(
      last('HEALTHCHECK').slice(last('HEALTHCHECK').indexOf('[')),
    ) as [string, string, string];
    expect([program, flag, spawnSync(process.execPath, ['--check', '-'], { input: script }).status]).toEqual([
      'node',
      '-e',
      0,
    ]);
    expect(script).toContain('/readyz');
    expect(all.filter(([name]) => name === 'RUN')[0]?.[1]).toMatch(/^npm ci --omit=dev/);
  });
});

interface Compose {
  readonly services: Readonly<
    Record<
      string,
      {
        image: string;
        command?: string[];
        environment?: Record<string, string>;
        read_only?: boolean;
        cap_drop?: string[];
        volumes?: string[];
        secrets?: string[];
        depends_on?: Record<string, unknown>;
        security_opt?: string[];
        tmpfs?: string[];
      }
    >
  >;
  readonly volumes: Readonly<Record<string, unknown>>;
}

describe('the compose file', () => {
  const compose = parse(text('deploy/compose.yml'), { merge: true }) as Compose;
  const services = Object.entries(compose.services);

  it('the compose file has a service, a follower, webhooks and a proxy with least privileges', () => {
    expect(Object.keys(compose.services).sort()).toEqual([
      'deliverer',
      'first',
      'follower',
      'proxy',
      'service',
      'service-2',
    ]);
    for (const [name, { read_only, cap_drop, security_opt, tmpfs }] of services)
      expect([name, read_only, cap_drop, security_opt, tmpfs?.includes('/tmp')]).toEqual([
        name,
        true,
        ['ALL'],
        ['no-new-privileges:true'],
        true,
      ]);
  });

  it('the compose file names settings, files, volumes and services that exist', () => {
    for (const [name, { environment = {}, volumes = [], depends_on = {} }] of services) {
      for (const setting of Object.keys(environment)) expect(settings, name).toContain(setting);
      for (const each of Object.keys(depends_on)) expect(Object.keys(compose.services)).toContain(each);
      for (const [source = ''] of volumes.map((each) => each.split(':')))
        expect(
          source.startsWith('.') ? existsSync(join(root, 'deploy', source)) : source in compose.volumes,
          source,
        ).toBe(true);
    }
    // What the proxy asks is both replicas, on the port of the image, wherever Docker has them now.
    const upstream = text('deploy/nginx/upstream.compose.conf');
    expect([...upstream.matchAll(/^ +server (\S+):8787 resolve /gm)].map(([, name]) => name)).toEqual([
      'service',
      'service-2',
    ]);
    const others = (conf: string) =>
      conf.split('\n').filter((line) => !/^(#|resolver )/.test(line) && !line.includes('server '));
    expect(others(upstream)).toEqual(others(text('deploy/nginx/upstream.conf')));
  });

  it('an update with containers builds first, and replaces the second replica when the first one answers', () => {
    const { first, service, 'service-2': second, proxy } = compose.services;
    expect(service?.depends_on).toEqual({ first: { condition: 'service_completed_successfully' } });
    expect(second?.depends_on).toEqual({ service: { condition: 'service_healthy' } });
    expect(Object.keys(proxy?.depends_on ?? {})).toEqual(['service', 'service-2']);
    expect({ ...second, depends_on: null }).toEqual({ ...service, depends_on: null });
    // The end of the program of `first`, which prints its command in place of running it.
    const data = directory();
    const [, end] = String(first?.command?.at(-1)).split(/(?=^set --$)/m);
    const printing = end?.replace('exec node', 'echo').replaceAll('$$', '$').replaceAll('/data', data) ?? '';
    const run = () => spawnSync('sh', ['-euc', printing], { encoding: 'utf8' }).stdout;
    expect(run()).toBe('build/start.mjs build\n');
    mkdirSync(join(data, 'ledger'));
    expect(run()).toBe(`build/start.mjs build --ledger ${data}/ledger\n`);
  });

  it('the compose file passes on every setting that a process reads', () => {
    // The image fixes where things are; the addresses of EDGAR are for tests.
    const fixed = ['HOST', 'PORT', 'SNAPSHOTS_DIR', 'SNAPSHOTS_URL', 'METRICS_HOST'];
    const left = [...fixed, 'EDGAR_DATA_URL', 'EDGAR_WWW_URL'];
    for (const [name, command] of [
      ['first', 'build'],
      ['service', 'start'],
      ['follower', 'follow'],
      ['deliverer', 'deliver'],
    ] as const)
      expect([name, Object.keys(compose.services[name]?.environment ?? {}).sort()]).toEqual([
        name,
        commandSettings[command].filter((setting) => !left.includes(setting)).toSorted(),
      ]);
  });

  it('the service cannot write snapshots and has no signing key; only what builds has it', () => {
    const { service, first, follower, deliverer } = compose.services;
    expect(service?.volumes).toContain('data:/data:ro');
    expect([service?.secrets, service?.environment?.['SIGNING_KEY_FILE'], deliverer?.secrets]).toEqual([
      undefined,
      '',
      undefined,
    ]);
    expect([first?.secrets, follower?.secrets]).toEqual([['signing-key'], ['signing-key']]);
    // A new volume gets its owner from the folder of the image.
    const folders = services.flatMap(([, { volumes = [] }]) =>
      volumes.map((each) => each.split(':')[1] ?? ''),
    );
    for (const folder of folders.filter((each) => !each.startsWith('/etc')))
      expect(instructions().some(([name, rest]) => name === 'RUN' && rest.includes(`${folder} `))).toBe(true);
  });

  it('Docker Compose understands the compose file', needs('docker'), () => {
    const { status, stderr } = spawnSync(
      'docker',
      [
        'compose',
        '-f',
        join(root, 'deploy/compose.yml'),
        '--profile',
        'live',
        '--profile',
        'webhooks',
        'config',
        '--quiet',
      ],
      { encoding: 'utf8' },
    );
    expect([status, stderr]).toEqual([0, '']);
  });
});

describe('the units of systemd', () => {
  const units = readdirSync(join(root, 'deploy/systemd')).filter((name) => name.endsWith('.service'));

  it('the systemd units run the scripts of the package, with settings that exist', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> };
    const started = units.map(
      (name) => /^ExecStart=\/usr\/bin\/env (.*)$/m.exec(text(`deploy/systemd/${name}`))?.[1] ?? '',
    );
    expect(started.toSorted().map((line) => line.split(' --')[0])).toEqual(
      [scripts['deliver'], scripts['follow'], scripts['start']].map((script) => script?.replace('exec ', '')),
    );
    for (const name of units)
      for (const [, each] of text(`deploy/systemd/${name}`).matchAll(/^Environment=(.*)$/gm))
        for (const setting of each?.split(' ') ?? [])
          expect([...settings, 'NODE_ENV', 'TMPDIR']).toContain(setting.split('=')[0]);
  });

  it.each(units)(
    'systemd-analyze understands %s and finds that it allows only what is needed',
    needs('systemd'),
    (name) => {
      const path = join(directory(), name.replace('@', '@8787'));
      writeFileSync(path, text(`deploy/systemd/${name}`));
      const verified = spawnSync('systemd-analyze', ['verify', '--man=no', path], { encoding: 'utf8' });
      // Messages about other units of this machine do not count.
      expect(verified.stderr.split('\n').filter((line) => line.includes('filings'))).toEqual([]);
      const rated = spawnSync('systemd-analyze', ['security', '--offline=true', path], { encoding: 'utf8' });
      expect(rated.stdout.trim().split('\n').at(-1)).toMatch(/exposure level for filings\S*: [01]\.\d OK/);
    },
  );

  it('the service runs as another user than what builds, and may write no snapshot', () => {
    const lines = (name: string) => text(`deploy/systemd/${name}`).split('\n');
    expect(lines('filings-follow.service')).toContain('User=filings-build');
    expect(lines('filings@.service')).toContain('User=filings');
    const writable = lines('filings@.service').find((line) => line.startsWith('ReadWritePaths='));
    expect(writable).toBe(
      'ReadWritePaths=/var/lib/filings/service /var/lib/filings/.trust /var/lib/filings/cache',
    );
    for (const name of ['filings-follow.service', 'filings@.service'])
      expect(lines(name).filter((line) => line.startsWith('StateDirectory'))).toEqual([]);
    // Neither npm nor a program of a package runs as root.
    for (const line of text('deploy/systemd/install').split('\n'))
      if (/\b(npm (ci|run)|node (src|build)\/)/.test(line) && !line.startsWith('#'))
        expect(line).toMatch(
          /as_builder npm ci .*--ignore-scripts|as_builder node .*as_builder node|runuser -u filings-build -- node/,
        );
  });

  it(
    'an update from one user to two keeps keys, usage and intents, and gives each user its own',
    needs('root'),
    () => {
      const state = directory();
      const put = (name: string, content: string) => {
        mkdirSync(join(state, name, '..'), { recursive: true });
        writeFileSync(join(state, name), content, { mode: 0o600 });
      };
      for (const name of ['keys.json', 'current.json', '.lock', 'ledger/batches/1/filings.csv'])
        put(name, name);
      put('keys.usage/2026-01-01/1.json', 'usage');
      put('intents/2026-01-01.jsonl', 'old\n');
      const share = (...words: string[]) =>
        spawnSync('sh', [join(root, 'deploy/systemd/share-state'), state, ...words], {
          env: { PATH: process.env['PATH'], SERVICE_USER: 'games', BUILD_USER: 'daemon' },
          encoding: 'utf8',
        });
      const reads = (user: string, name: string) =>
        spawnSync('runuser', ['-u', user, '-g', 'games', '--', 'cat', join(state, name)], {
          encoding: 'utf8',
        }).status === 0;
      // Other users have to get to the folder; other tests expect theirs to be closed.
      chmodSync(join(state, '..'), 0o755);
      onTestFinished(() => chmodSync(join(state, '..'), 0o700));
      for (let time = 0; time < 2; time++) expect(share()).toMatchObject({ status: 0, stderr: '' });
      writeFileSync(join(state, 'service/intents/2026-01-01.jsonl'), 'new\n');
      expect(share('--finish')).toMatchObject({ status: 0, stderr: '' });
      expect(readFileSync(join(state, 'service/intents/2026-01-01.jsonl'), 'utf8')).toBe('new\nold\n');
      expect(readFileSync(join(state, 'service/keys.usage/2026-01-01/1.json'), 'utf8')).toBe('usage');
      expect(readdirSync(state).sort()).toEqual([
        '.lock',
        '.trust',
        'cache',
        'current.json',
        'ledger',
        'service',
      ]);
      const asService = (name: string) => [reads('games', name), reads('daemon', name)];
      expect(asService('service/keys.json')).toEqual([true, false]);
      expect(asService('ledger/batches/1/filings.csv')).toEqual([true, true]);
      expect(asService('.lock')).toEqual([false, true]);
      const writes = (user: string, name: string) =>
        spawnSync('runuser', ['-u', user, '-g', 'games', '--', 'touch', join(state, name)]).status === 0;
      expect(['current.json', 'new', 'service/x', '.trust/x'].map((name) => writes('games', name))).toEqual([
        false,
        false,
        true,
        true,
      ]);
      expect(
        ['current.json', 'new', 'service/x', 'service/intents/x'].map((name) => writes('daemon', name)),
      ).toEqual([true, true, false, true]);
    },
  );

  it('the installation writes every setting that it is given, and leaves a file that is there', {
    tags: ['slow'],
  }, () => {
    const script = join(root, 'deploy/systemd/write-settings');
    const etc = directory();
    const given = Object.fromEntries(
      [...settings, 'UNIVERSE']
        .filter((name) => name !== 'PORT' && name !== 'SNAPSHOTS_DIR')
        .map((name) => [
          name,
          name === 'METRICS_PORT' ? '9464' : `${name} "with" \\ $HOME, \`x\` and 'more'\nlines`,
        ]),
    );
    const write = (environment: Record<string, string>) =>
      spawnSync('sh', [script, etc], {
        env: { PATH: process.env['PATH'], ...environment },
        encoding: 'utf8',
      });
    expect(write(given)).toMatchObject({ status: 0, stderr: '' });
    // A shell reads a value in double quotes as systemd does.
    const readBack = (file: string, name: string) =>
      spawnSync('sh', ['-c', `. "$1"; printf %s "$${name}"`, 'sh', join(etc, file)], { encoding: 'utf8' })
        .stdout;
    const { METRICS_PORT: metricsPort, ...shared } = given;
    for (const [name, value] of Object.entries(shared)) expect(readBack('environment', name)).toBe(value);
    expect(readBack('8787.environment', 'METRICS_PORT')).toBe(metricsPort);
    expect(readBack('follow.environment', 'METRICS_PORT')).toBe('9465');
    expect(readBack('deliver.environment', 'METRICS_PORT')).toBe('9466');
    expect(statSync(join(etc, 'environment')).mode & 0o777).toBe(0o600);

    const before = readFileSync(join(etc, 'environment'), 'utf8');
    expect(write({ ...shared, LOG_LEVEL: 'debug' })).toMatchObject({
      status: 0,
      stderr: `${etc}/environment is there already and stays as it is: write LOG_LEVEL into it yourself\n`,
    });
    expect(readFileSync(join(etc, 'environment'), 'utf8')).toBe(before);
  });

  it('replicas restart one after the other, then the follower and what has failed; a broken update stops at the first one', {
    tags: ['slow'],
  }, async () => {
    const etc = directory();
    const restarted: string[] = [];
    let isBroken = false;
    // Each replica answers some time after its restart.
    const replicas = [0, 1].map(() => {
      let asked = 0;
      const server = createServer((_request, response) => {
        response.statusCode = !isBroken && ++asked % 2 === 0 ? 200 : 503;
        restarted.push(`${portOf(server)} ${response.statusCode}`);
        response.end();
      });
      return server;
    });
    await listen(replicas);
    const ports = replicas.map(portOf);
    // It lists the units, and notes what is restarted.
    writeFileSync(
      join(etc, 'systemctl'),
      `#!/bin/sh\ncase $1 in\nlist-units) printf 'filings@%s.service loaded active running x\\n' ${ports.join(' ')};;\nis-active) [ "$3" = filings-follow.service ];;\nis-failed) [ "$3" = filings-deliver.service ];;\nrestart) echo "$2" >> ${etc}/restarts;;\nesac\n`,
      { mode: 0o755 },
    );
    writeFileSync(join(etc, 'environment'), 'LOG_LEVEL=info\nHOST="0.0.0.0"\n');
    const restart = async () => {
      const { code, stderr } = await startProgram('sh', [join(root, 'deploy/systemd/restart')], {
        env: { PATH: `${etc}:${process.env['PATH']}`, SETTINGS_DIRECTORY: etc, READY_WITHIN_SECONDS: '3' },
      }).ended;
      return [code, stderr];
    };
    expect(await restart()).toEqual([0, '']);
    expect(restarted).toEqual(ports.flatMap((port) => [`${port} 503`, `${port} 200`]));
    isBroken = true;
    expect(await restart()).toEqual([
      1,
      `filings@${ports[0]}.service is not ready after 3 seconds: see journalctl -u filings@${ports[0]}.service\n`,
    ]);
    await closeAll(replicas);
    expect(readFileSync(join(etc, 'restarts'), 'utf8').trim().split('\n')).toEqual(
      [
        ...ports.map((port) => `filings@${port}`),
        'filings-follow',
        'filings-deliver',
        `filings@${ports[0]}`,
      ].map((name) => `${name}.service`),
    );
  });

  it('a command is run with the settings of the follower, also one whose value has no quotes', () => {
    const etc = directory();
    writeFileSync(
      join(etc, 'environment'),
      'EDGAR_USER_AGENT=Jane Doe jane@example.com\nBASE_URL="https://a.example"\n',
    );
    writeFileSync(join(etc, 'follow.environment'), 'SIGNING_KEY_FILE="/etc/key.pem"\n');
    writeFileSync(
      join(etc, 'runuser'),
      '#!/bin/sh\necho "$SNAPSHOTS_DIR $INTENTS_DIR $BASE_URL $SIGNING_KEY_FILE $(umask) $*"\n',
      { mode: 0o755 },
    );
    const { status, stdout } = spawnSync('sh', [join(root, 'deploy/systemd/run'), 'rollback', '--list'], {
      env: { PATH: `${etc}:${process.env['PATH']}`, SETTINGS_DIRECTORY: etc, PROGRAM: root },
      encoding: 'utf8',
    });
    expect([status, stdout]).toEqual([
      0,
      '/var/lib/filings /var/lib/filings/service/intents https://a.example /etc/key.pem 0027 -u filings-build -- node build/start.mjs rollback --list\n',
    ]);
  });

  it("what asks EDGAR by hand has the temporary folder of the follower, in which programs share EDGAR's limit", () => {
    const lines = text('deploy/systemd/filings-follow.service').split('\n');
    expect(lines).toContain('RuntimeDirectory=filings-follow');
    expect(lines).toContain('Environment=TMPDIR=/run/filings-follow');
    expect(text('deploy/systemd/run')).toContain('TMPDIR=/run/filings-follow');
  });

  it('the script that installs the units copies everything that the program reads', () => {
    expect(spawnSync('sh', ['-n', join(root, 'deploy/systemd/install')]).status).toBe(0);
    const copied =
      /^cp -R (.*) \/opt\/filings\.new\/$/m.exec(text('deploy/systemd/install'))?.[1]?.split(' ') ?? [];
    for (const path of text('deploy/Dockerfile.dockerignore')
      .split('\n')
      .filter((line) => line.startsWith('!'))
      .map((line) => line.slice(1)))
      expect([...copied, 'snapshots/sample']).toContain(path);
  });
});

describe('the workflows', () => {
  const names = tracked.filter((name) => /^\.github\/workflows\/.*\.yml$/.test(name));
  interface Step {
    readonly uses?: string;
    readonly run?: string;
    readonly with?: Readonly<Record<string, unknown>>;
  }
  interface Job {
    readonly permissions?: unknown;
    readonly steps: readonly Step[];
  }
  interface Workflow {
    readonly permissions?: unknown;
    readonly jobs: Readonly<Record<string, Job>>;
  }

  it.each(names)('%s runs pinned actions with the least rights, and builds no script from values', (name) => {
    const { permissions, jobs } = parse(text(name)) as Workflow;
    for (const [job, { permissions: own = permissions, steps }] of Object.entries(jobs)) {
      // Registries know the workflow that publishes by a token that it asks for.
      const publishing = name.endsWith('/release.yml') ? [{ contents: 'read', 'id-token': 'write' }] : [];
      expect([job, [{}, { contents: 'read' }, ...publishing]]).toEqual([
        job,
        expect.arrayContaining([expect.objectContaining(own as object)]) as unknown,
      ]);
      for (const { uses, run = '', with: given } of steps) {
        // A tag can be moved to another commit; a commit is what was read.
        if (uses !== undefined) expect(uses).toMatch(/^[\w/-]+@[0-9a-f]{40}$/);
        if (uses?.startsWith('actions/checkout@') === true)
          expect([name, job, given?.['persist-credentials']]).toEqual([name, job, false]);
        expect([name, job, run.includes('${{')]).toEqual([name, job, false]);
      }
    }
    for (const [, version] of text(name).matchAll(/uses: (.*)$/gm))
      expect(version).toMatch(/ # v\d+\.\d+\.\d+$/);
  });
});

describe('what is said about deployment', () => {
  const readme = text('deploy/README.md');

  it('deploy/README.md names files, settings and metrics that exist', () => {
    const found = (pattern: RegExp) => {
      const names = [...readme.matchAll(pattern)].map((match) => match.at(-1) ?? '');
      expect(names, String(pattern)).not.toEqual([]);
      return names;
    };
    for (const path of found(/deploy\/[\w/.-]*\w/g))
      if (path !== 'deploy/.env') expect(existsSync(join(root, path)), path).toBe(true);
    const named = figures.map(({ name }) => name);
    for (const name of found(/\bfei_\w+/g)) expect(named).toContain(name);
    for (const name of found(/\b([A-Z]+_[A-Z_]+)\b(?==|`)/g))
      if (name !== 'NODE_VERSION' && name !== 'SIGNING_KEY') expect(settings).toContain(name);
  });

  it('deploy/README.md and the help of the command name every table of an export', () => {
    const section = readme.split('## Tables for a warehouse')[1]?.split('\n## ')[0] ?? '';
    const rows = [...section.matchAll(/^\| `(\w+)` \|/gm)].map((match) => match[1]);
    expect(rows).toEqual([...tableNames]);
    expect(section).toContain('writes eight Apache Iceberg tables');
    expect(tableNames).toHaveLength(8);
    const said = [commands.export().description(), readme];
    for (const each of said)
      expect(each).toMatch(/holdings of insiders, documents, companies, and the lists of/);
  });

  it('check.yml tests every version of Node that the deployment names', () => {
    const { jobs } = parse(text('.github/workflows/check.yml')) as {
      jobs: { test: { strategy: { matrix: { node: string[] } } } };
    };
    const versions = jobs.test.strategy.matrix.node;
    expect(versions).toEqual(expect.arrayContaining(['20', '22', '24']));
    expect(versions).toContain(/^ARG NODE_VERSION=(\d+)$/m.exec(text('deploy/Dockerfile'))?.[1]);
    for (const version of versions.slice(1)) expect(readme).toMatch(new RegExp(`\\b${version}\\b`));
  });
});
