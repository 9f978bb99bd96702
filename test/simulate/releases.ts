import { bundleProgram, type Edit } from './machine/bundle.ts';
import type { Release } from './world.ts';

/** Forms that another family gets, one with each newer release. */
const movedForms = ['S-8', 'DEF 14A', '424B2'];

/** Newer rules: forms get another family, so that lists, profiles and filings change. */
function newerRules(number: number): readonly Edit[] {
  if (number === 0) return [];
  const moved = JSON.stringify(movedForms.slice(0, number));
  return [
    { file: 'src/domain/rules.ts', from: /rulesNumber = \d+/, to: `rulesNumber = ${100 + number}` },
    {
      file: 'src/domain/event-types.ts',
      from: 'const eventType = familyOfForm(form);',
      to: `const eventType = ${moved}.includes(original) ? 'other_filing' : familyOfForm(form);`,
    },
  ];
}

/**
 * Pages and portals are left out of snapshots: they are texts that follow from the same overview as the documents, have
 * tests of their own, and take half of a publication.
 */
const withoutPages: Edit = {
  file: 'site/public-files.ts',
  from: /  catalogFiles,\n[\s\S]*?  textFiles,\n/,
  to: '',
};

/**
 * The follower looks at its clocks every 5 s and leaves its heartbeat every 20 s, instead of 1 s and 5 s: most of them
 * find that nothing is due, and took a quarter of the time.
 */
const lessOften: readonly Edit[] = [
  {
    file: 'build/follow/follow-loop.ts',
    from: 'const longestWaitMs = 1000',
    to: 'const longestWaitMs = 5000',
  },
  { file: 'src/format/heartbeat-file.ts', from: 'heartbeatMs = 5000', to: 'heartbeatMs = 20_000' },
];

/** Few endpoints that hang take all slots: as many as in earnest would take most of the time of a day. */
const fewSlots: Edit = {
  file: 'build/deliver/deliver.ts',
  from: 'quickAttempts = 512',
  to: 'quickAttempts = 3',
};

/** The rows of a page of a stream. */
export const streamRows = 8;

/** Streams have short pages: then a client that may ask once a minute waits often. */
const shortPages: Edit = {
  file: 'src/rest/stream.ts',
  from: 'await eventsAnswer(snapshot, plan, query)',
  to: `await eventsAnswer(snapshot, plan, { ...query, limit: ${streamRows} })`,
};

/** Loads the releases of the programs, older first, all with the same edits. Throws if one of them changes no program. */
export async function loadReleases(edits: readonly Edit[]): Promise<Release[]> {
  const releases: Release[] = [];
  for (let number = 0; number <= movedForms.length; number++) {
    const all = [withoutPages, ...lessOften, fewSlots, shortPages, ...edits, ...newerRules(number)];
    const used = new Set<Edit>();
    const [build, service, worker, client] = await Promise.all([
      bundleProgram('build/main.ts', all, used),
      bundleProgram('test/simulate/programs/service.ts', all, used),
      bundleProgram('test/simulate/programs/worker.ts', all, used),
      bundleProgram('test/simulate/programs/client.ts', all, used),
    ]);
    const unused = all.find((edit) => !used.has(edit));
    if (unused) throw new Error(`no program has ${String(unused.from)} of ${unused.file}, to be edited`);
    releases.push({ build, service, worker, client });
  }
  return releases;
}
