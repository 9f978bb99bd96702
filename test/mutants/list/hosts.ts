import type { Mutant } from '../mutant.ts';

/** Mends of snapshots that are read from a host, and of heartbeats. */
export const hostMutants: readonly Mutant[] = [
  {
    name: 'whoever removes the heartbeat makes late data look fresh',
    breaks: 'A service without its heartbeat says that old data is of today.',
    test: 'test/snapshot/heartbeat.test.ts',
    edits: [
      {
        file: 'src/snapshot/accepted-heartbeat.ts',
        from: 'if (keys === null) newest = null;',
        to: 'newest = null;',
      },
    ],
  },
  {
    name: 'a heartbeat counts beside a pointer that is refused',
    breaks: 'A service that serves an old snapshot says that its data is of now.',
    test: 'test/snapshot/heartbeat.test.ts',
    title: 'while a service refuses the pointer',
    edits: [
      {
        file: 'src/snapshot/served-snapshot.ts',
        from: 'heartbeats === null || problem !== null ? null',
        to: 'heartbeats === null ? null',
      },
    ],
  },
  {
    name: 'the storage gets the heartbeat of a snapshot that it lacks',
    breaks: 'While uploads fail, services over the storage say that their data is of now.',
    test: 'test/publish/publish.test.ts',
    title: 'publish.sh leaves the heartbeat',
    edits: [
      {
        file: 'deploy/publish/publish.sh',
        from: 'if [ "$(read_small current.json | snapshot_in)" = "$snapshot" ]',
        to: 'if true',
      },
    ],
  },
  {
    name: 'a follower leaves heartbeats while a rollback lasts',
    breaks: 'The data of an older snapshot is called fresh.',
    test: 'test/snapshot/heartbeat.test.ts',
    title: 'while a rollback lasts',
    edits: [
      {
        file: 'build/snapshot/write-heartbeat.ts',
        from: '  if ((await readPublished(snapshotsDirectory)).left.length > 0) return;\n',
        to: '',
      },
    ],
  },
  {
    name: 'a heartbeat of the future is taken',
    breaks: 'A clock that is ahead makes late data look fresh.',
    test: 'test/snapshot/heartbeat.test.ts',
    edits: [
      {
        file: 'src/snapshot/accepted-heartbeat.ts',
        from: 'if (readMs > nowMs + aheadMaximumMs)',
        to: 'if (false as boolean)',
      },
      {
        file: 'src/snapshot/accepted-heartbeat.ts',
        from: 'if (Date.parse(heartbeat.writtenAt) > nowMs + aheadMaximumMs)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a heartbeat written in the future keeps out the others',
    breaks: 'After one wrong heartbeat no later one counts.',
    test: 'test/snapshot/heartbeat.test.ts',
    edits: [
      {
        file: 'src/snapshot/accepted-heartbeat.ts',
        from: 'if (Date.parse(heartbeat.writtenAt) > nowMs + aheadMaximumMs)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'an older heartbeat replaces a newer one',
    breaks: 'A stale copy of a host takes the freshness back.',
    test: 'test/snapshot/heartbeat.test.ts',
    edits: [
      {
        file: 'src/snapshot/accepted-heartbeat.ts',
        from: 'heartbeat.writtenAt < newest.heartbeat.writtenAt',
        to: 'false',
      },
    ],
  },
  {
    name: 'a host leads elsewhere',
    breaks: 'Whoever writes to a host sends the service to addresses that only it reaches.',
    test: 'test/snapshot/remote.test.ts',
    title: 'a host may redirect',
    edits: [
      {
        file: 'src/remote/host-wire.ts',
        from: 'if (to.origin !== from.origin)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a missing part is missing at once',
    breaks: 'A part that storage shows a moment late ends a publication.',
    test: 'test/snapshot/remote.test.ts',
    edits: [{ file: 'src/remote/host.ts', from: 'status 404`, isFirst)', to: 'status 404`, false)' }],
  },
  {
    name: 'an ETag of the same second counts',
    breaks: 'Two pointers of one second are taken for one.',
    test: 'test/snapshot/remote.test.ts',
    title: 'an ETag of second and length',
    edits: [
      {
        file: 'src/remote/host-wire.ts',
        from: '>= 2000',
        to: '>= 0',
      },
    ],
  },
  {
    name: 'the pointer comes from a cache',
    breaks: 'A cache before the host shows an old pointer for minutes.',
    test: 'test/snapshot/remote.test.ts',
    title: 'polling the pointer',
    edits: [
      {
        file: 'src/remote/host-wire.ts',
        from: "...(isFresh ? { 'cache-control': 'no-cache' } : {}),",
        to: '',
      },
    ],
  },
  {
    name: 'a pointer is kept before its parts',
    breaks: 'A start without the host has a pointer and not what it names.',
    test: 'test/snapshot/remote.test.ts',
    title: 'copies on disk',
    edits: [{ file: 'src/remote/host.ts', from: 'await reader.copy(needed);', to: '' }],
  },
  {
    name: 'a kept pointer is not checked again',
    breaks: 'A start without the host serves what expired.',
    test: 'test/snapshot/trust-restart.test.ts',
    title: 'a pointer that is signed anew',
    edits: [{ file: 'src/snapshot/served-snapshot.ts', from: 'trust?.checkAgain(pointer, now());', to: '' }],
  },
];
