import { createHash } from 'node:crypto';
import { minuteMs } from '../../src/time/units.ts';
import { namesOf } from './disk/disk.ts';
import type { NetworkAnswer, NetworkRequest } from './network.ts';
import { page } from './edgar/answers.ts';
import { volume, type World } from './world.ts';

/** The address of the host that serves the snapshots folder. */
export const snapshotsOrigin = 'https://snapshots.test';

/** How late pointers come from a host that is late, in milliseconds: what they name is still there. */
const lateMs = 10 * minuteMs;

/** How many older pointers a stale host may serve. */
const pointersKept = 20;

/** Serves the files of the snapshots folder, with the faults that are under way. */
export function snapshotsHost(world: World): (request: NetworkRequest) => NetworkAnswer {
  const pointers: { readonly bytes: Buffer; readonly fromMs: number }[] = [];
  /** Whether the host still has what a pointer names: nothing else keeps a reader from taking it. */
  const isThere = ({ bytes }: { readonly bytes: Buffer }) => {
    const { snapshotId } = JSON.parse(bytes.toString()) as { snapshotId: string };
    return world.look.exists(`${volume}/manifests/${snapshotId}.json`);
  };
  return ({ path, headers }) => {
    const fault = [...world.faults].find((each) => each.kind === 'host');
    if (fault?.kind === 'host' && fault.fault === 'down') return { ...page(503, 'down'), brokenAfter: 0 };
    const { look } = world;
    const at = `${volume}/${namesOf(path).join('/')}`;
    if (!look.exists(at) || look.stat(at).isDirectory()) return page(404, 'not found');
    const descriptor = look.open(at);
    let bytes = Buffer.alloc(look.sizeOf(descriptor));
    look.read(descriptor, bytes, 0);
    look.close(descriptor);
    if (path.endsWith('/current.json')) {
      const nowMs = world.schedule.nowMs();
      if (!pointers.at(-1)?.bytes.equals(bytes)) pointers.push({ bytes, fromMs: nowMs });
      if (pointers.length > pointersKept) pointers.shift();
      world.published.see(bytes.toString());
      const [oldest] = pointers;
      const late = pointers.findLast(({ fromMs }) => fromMs <= nowMs - lateMs) ?? oldest;
      if (fault?.kind === 'host' && fault.fault === 'old' && oldest)
        bytes = Buffer.from((pointers.find(isThere) ?? oldest).bytes);
      if (fault?.kind === 'host' && fault.fault === 'late' && late) bytes = Buffer.from(late.bytes);
    } else if (fault?.kind === 'host' && fault.fault === 'foreign')
      bytes = Buffer.from(bytes.map((byte) => byte ^ 1));
    const etag = `"${createHash('sha1').update(bytes).digest('hex').slice(0, 16)}"`;
    if (headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: Buffer.alloc(0) };
    const range = /^bytes=(\d+)-(\d+)$/.exec(headers['range'] ?? '');
    if (!range)
      return { status: 200, headers: { etag, 'content-length': String(bytes.length) }, body: bytes };
    const [from, to] = [Number(range[1]), Math.min(Number(range[2]), bytes.length - 1)];
    if (from >= bytes.length) return page(416, 'range');
    return {
      status: 206,
      headers: { etag, 'content-range': `bytes ${from}-${to}/${bytes.length}` },
      body: bytes.subarray(from, to + 1),
    };
  };
}
