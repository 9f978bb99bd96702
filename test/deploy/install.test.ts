// @module-tag slow
import { spawnSync } from 'node:child_process';
import { readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { useDirectories } from '../support/directories.ts';
import { needs } from '../support/needs.ts';
import { checkOut, releases } from '../support/releases.ts';

const fresh = useDirectories('install');
const root = fileURLToPath(new URL('../..', import.meta.url));

/** Programs that stand in for those of a machine with systemd and the registry of npm. */
function programs(): string {
  const directory = fresh();
  symlinkSync(join(root, 'test/processes/systemctl'), join(directory, 'systemctl'));
  writeFileSync(
    join(directory, 'npm'),
    `#!/bin/sh\n[ "$1" = ci ] || exit 0\nmkdir node_modules\nfor each in ${root}node_modules/* ${root}node_modules/.package-lock.json; do ln -s "$each" node_modules/; done\n`,
    { mode: 0o755 },
  );
  return directory;
}

/**
 * An update of two replicas, in folders that only these processes see. `PORTS` are those of the replicas,
 * `OLD` and `NEW` the checkouts, `OUT` the folder of what was found: how often each replica answered, and when
 * none did.
 */
const rehearsal = `
mount --make-rprivate /
mount -t tmpfs tmpfs /opt
mount -t tmpfs tmpfs "$SCRATCH"
mkdir "$SCRATCH/upper" "$SCRATCH/work"
mount -t overlay overlay -o "lowerdir=/etc,upperdir=$SCRATCH/upper,workdir=$SCRATCH/work" /etc
mount -t tmpfs tmpfs /run
mkdir -p /run/systemd/system /etc/systemd/system /var/lib/filings
mount -t tmpfs tmpfs /var/lib/filings
set -- $PORTS
trap 'for port in $PORTS; do systemctl stop "filings@$port.service"; done' EXIT
is_ready() { curl -sf -m 3 -o /dev/null "http://127.0.0.1:$1/readyz"; }
# The units of the old release know no other first port than 8787.
(cd "$OLD" && sed -i "s/filings@8787/filings@$1/" deploy/systemd/install && deploy/systemd/install)
systemctl start "filings@$2.service"
for port in "$@"; do until is_ready "$port"; do sleep 0.2; done; done
touch "$OUT/asking"
(while [ -e "$OUT/asking" ]; do
  answered=
  for port in "$@"; do if curl -sf -m 3 -o /dev/null "http://127.0.0.1:$port/demo"; then answered=$port; echo "$port" >> "$OUT/answered"; fi; done
  [ -n "$answered" ] || echo none >> "$OUT/answered"
done) &
asking=$!
cp -R "$NEW/deploy" "$SCRATCH/deploy"
(cd "$NEW" && sh -c "$(sed "s/filings@8787/filings@$1/" deploy/systemd/install | sed 's|^cd "\\$(dirname "\\$0")/../.."$|cd "$NEW"|')")
for port in "$@"; do is_ready "$port"; curl -s "http://127.0.0.1:$port/health" >> "$OUT/health"; done
rm "$OUT/asking"
wait $asking
cp /run/units/log "$OUT/started"
ls /opt > "$OUT/programs"
`;

describe('deploy/systemd/install', { ...needs('namespaces'), timeout: 600_000 }, () => {
  it('updates two replicas of a release with one user, of which one answers at each moment', {
    ...needs('history'),
  }, () => {
    const [old, out, scratch] = [fresh(), fresh(), fresh()];
    checkOut(releases[0], old);
    const ports = [20_731, 20_732];
    const { status, stderr } = spawnSync('unshare', ['--mount', 'sh', '-euc', rehearsal], {
      encoding: 'utf8',
      env: {
        PATH: `${programs()}:${process.env['PATH']}`,
        PORTS: ports.join(' '),
        OLD: old,
        NEW: root,
        OUT: out,
        SCRATCH: scratch,
      },
    });
    expect([status, stderr.split('\n').slice(-5)]).toEqual([0, expect.anything()]);
    const found = (name: string) => readFileSync(join(out, name), 'utf8').trim().split('\n');
    expect(new Set(found('answered'))).toEqual(new Set(ports.map(String)));
    expect(found('started')).toEqual([...ports, ...ports].map((port) => `start filings@${port}.service`));
    expect(found('programs')).toEqual(['filings']);
  });
});
