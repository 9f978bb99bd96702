import { minuteMs } from '../../src/time/units.ts';
import { namesOf } from './disk/disk.ts';
import { fileAnswer, page, textAnswer, type Host, type NetworkAnswer } from './network.ts';
import { volume, type World } from './world.ts';

/** The address of the host that serves the snapshots folder. */
export const snapshotsOrigin = 'https://snapshots.test';
/** The address of the bucket that has the files of the snapshots folder, and what workers write. */
export const bucketOrigin = 'https://bucket.test';

/** How late pointers come from a host that is late, in milliseconds: what they name is still there. */
const lateMs = 10 * minuteMs;

/** How many older pointers a stale host may serve. */
const pointersKept = 20;

/** Serves the files of the snapshots folder and those that were `written` besides, with the faults that are under way. */
export function snapshotsHost(world: World, written: ReadonlyMap<string, Buffer> = new Map()): Host {
  const pointers: { readonly bytes: Buffer; readonly fromMs: number }[] = [];
  /** Whether the host still has what a pointer names: nothing else keeps a reader from taking it. */
  const isThere = ({ bytes }: { readonly bytes: Buffer }) => {
    const { snapshotId } = JSON.parse(bytes.toString()) as { snapshotId: string };
    return world.look.exists(`${volume}/manifests/${snapshotId}.json`);
  };
  return ({ path, headers }) => {
    const fault = hostFault(world);
    if (fault === 'down') return noAnswer;
    let bytes = written.get(path) ?? world.look.fileAt(`${volume}/${namesOf(path).join('/')}`);
    if (bytes === null) return page(404, 'not found');
    if (path.endsWith('/current.json')) {
      const nowMs = world.schedule.nowMs();
      if (!pointers.at(-1)?.bytes.equals(bytes)) pointers.push({ bytes, fromMs: nowMs });
      if (pointers.length > pointersKept) pointers.shift();
      world.published.see(bytes.toString());
      const [oldest] = pointers;
      const late = pointers.findLast(({ fromMs }) => fromMs <= nowMs - lateMs) ?? oldest;
      if (fault === 'old' && oldest) bytes = Buffer.from((pointers.find(isThere) ?? oldest).bytes);
      if (fault === 'late' && late) bytes = Buffer.from(late.bytes);
    } else if (fault === 'foreign') bytes = Buffer.from(bytes.map((byte) => byte ^ 1));
    return fileAnswer(bytes, headers);
  };
}

/**
 * A bucket that shows the files of the snapshots folder, and keeps what workers write. It gets the faults of the host,
 * and takes what is written unless it is down.
 */
export function bucketHost(world: World): Host {
  const written = new Map<string, Buffer>();
  const read = snapshotsHost(world, written);
  return (request) => {
    const { path, method = 'GET', body = '' } = request;
    const prefix = /^\/\?prefix=(.*)$/.exec(path)?.[1];
    if (method === 'GET' && prefix === undefined) return read(request);
    if (hostFault(world) === 'down') return noAnswer;
    if (method === 'PUT') written.set(path, Buffer.from(body));
    if (method === 'DELETE') written.delete(path);
    const keys = [...written.keys()].map((each) => each.slice(1));
    const wanted = keys.filter((key) => key.startsWith(decodeURIComponent(prefix ?? '')));
    return textAnswer(JSON.stringify(wanted.sort()));
  };
}

const noAnswer: NetworkAnswer = { ...page(503, 'down'), brokenAfter: 0 };

/** What the host of the snapshots does instead of serving them well; null if it does serve them. */
function hostFault({ faults }: World) {
  const fault = [...faults].find(({ kind }) => kind === 'host');
  return fault?.kind === 'host' ? fault.fault : null;
}
