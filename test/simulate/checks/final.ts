import { ask, type Answer, type Poller, type PublishedFiling, type Server } from '../clients.ts';
import { easternInstant, easternStamp } from '../edgar/time.ts';
import { contentsFaults, contentsOfLedger } from './contents.ts';
import { factsAt, holdersAt, type Filing } from '../edgar/truth.ts';
import type { World } from '../world.ts';

/** What the end of a run compares. */
export interface FinalOptions {
  readonly world: World;
  readonly service: Server;
  readonly poller: Poller;
  /** When the follower first ran, in milliseconds since 1970: what came later has to be there. */
  readonly followedFromMs: number;
  /** When EDGAR made the archive or the submissions files that the ledger was filled from: what they told has to be there. */
  readonly filledMs: number;
  /** When EDGAR last made its quarterly indexes again. */
  readonly rebuiltMs: number;
}

/** Compares what is published with the truth, after everything had time to become right. */
export async function checkFinal(options: FinalOptions): Promise<void> {
  const { world, poller } = options;
  const nowMs = world.schedule.nowMs();
  const contents = contentsOfLedger(world);
  for (const filing of world.truth.filings) {
    const isFilled = filing.inFilesMs <= options.filledMs;
    const isSeen = filing.acceptedMs > options.followedFromMs;
    if (!(isFilled || isSeen) || filing.withdrawnMs < Infinity || filing.acceptedMs > nowMs) continue;
    if (!isFollowed(world, filing, nowMs)) continue;
    const published = poller.filings.get(filing.accessionNo)?.filing;
    if (!published) {
      world.fail(
        `${filing.accessionNo}, ${filing.form} of ${easternStamp(filing.acceptedMs)}, is lost${lostHint(filing)}`,
      );
      continue;
    }
    for (const fault of contentsFaults(world, filing, contents.get(filing.accessionNo), published, isSeen))
      world.fail(`${filing.accessionNo}: ${fault}`);
    // What EDGAR corrects later than the days that the follower compares stays as it was.
    if (!isSeen && filing.corrected !== null) continue;
    for (const fault of finalFaults(world, filing, published, nowMs, isSeen))
      world.fail(`${filing.accessionNo}: ${fault}`);
  }
  await checkCompanies(options);
  await checkSymbols(options);
  await checkReconciliation(options);
}

const isFollowed = (world: World, filing: Filing, nowMs: number) =>
  [...filing.parties, ...factsAt(filing, nowMs).parties].some(({ cik }) => world.universe.includes(cik));

const lostHint = ({ listedMs, indexDay }: Filing) =>
  listedMs === Infinity || indexDay === null
    ? ` (${listedMs === Infinity ? 'the feed never lists it' : 'the feed lists it'}, ${indexDay === null ? 'no daily index does' : `the index of ${indexDay} does`})`
    : '';

/**
 * Submissions files do not tell the roles of all forms, and those of who always files at noon do not tell whether their
 * times are UTC or Eastern. Both may be unknown, but not wrong, where nothing else may have told the filing: what was
 * there before the follower saw anything, and the roles of what no daily index lists, which came while it was down. Of what
 * was there before, files of the universe name nobody outside it.
 */
function finalFaults(
  { universe }: World,
  filing: Filing,
  published: PublishedFiling,
  nowMs: number,
  isSeen: boolean,
): string[] {
  const facts = factsAt(filing, nowMs);
  const faults: string[] = [];
  const same = (name: string, value: unknown, truth: unknown) => {
    if (value !== truth)
      faults.push(`its ${name} is ${String(value)} at the end, EDGAR says ${String(truth)}`);
  };
  same('form', published.form, facts.form);
  same('filedAt', published.filedAt, facts.filedAt);
  if (isSeen || published.acceptanceDateTime !== null)
    same('acceptance', published.acceptanceDateTime, easternStamp(filing.acceptedMs));
  same('document', published.primaryDocument, filing.primaryDocument);
  same('size', published.size, filing.size);
  const tellsRoles = isSeen && filing.indexDay !== null;
  for (const { cik, role } of facts.parties) {
    const party = published.parties.find((each) => each.cik === cik);
    if (!party) {
      if (isSeen || universe.includes(cik)) faults.push(`it does not name ${cik}, EDGAR does`);
    } else if (tellsRoles || party.role !== null) same(`role of ${cik}`, party.role, role);
  }
  return faults;
}

/** Lists, profiles and feeds of the companies agree with one another. */
async function checkCompanies({ world, service, poller }: FinalOptions): Promise<void> {
  for (const cik of world.universe) {
    const { text, status } = await ask(world, service, `/v1/sec/company/${cik}/profile`);
    if (status === 404) continue;
    const { data: profile } = JSON.parse(text) as { data: { filingCount: number } };
    const listed = await listOf(world, service, `/v1/sec/company/${cik}/filings`);
    const own = [...poller.filings.values()].filter(({ filing }) =>
      filing.parties.some((each) => each.cik === cik),
    );
    if (listed.length !== own.length)
      world.fail(`the list of ${cik} has ${listed.length} filings, its feed ${own.length}`);
    if (profile.filingCount !== listed.length)
      world.fail(
        `the profile of ${cik} counts ${profile.filingCount} filings, its list has ${listed.length}`,
      );
  }
}

/** Each symbol of a company with filings leads to whom the ticker files give it. */
async function checkSymbols({ world, service, poller }: FinalOptions): Promise<void> {
  const known = new Set(
    [...poller.filings.values()].flatMap(({ filing }) => filing.parties.map(({ cik }) => cik)),
  );
  for (const [ticker, cik] of holdersAt(world.truth, world.schedule.nowMs())) {
    if (!world.universe.includes(cik) || !known.has(cik)) continue;
    const { text, status } = await ask(world, service, `/v1/sec/company/${ticker}/profile`);
    const leadsTo = status === 200 ? (JSON.parse(text) as { data: { cik: string } }).data.cik : 'nobody';
    if (leadsTo !== cik)
      world.fail(
        `the symbol ${ticker} leads to ${leadsTo} at the end, EDGAR's ticker files give it to ${cik}`,
      );
  }
}

async function listOf(world: World, service: Server, path: string): Promise<unknown[]> {
  const rows: unknown[] = [];
  for (let cursor: string | null = null; ; ) {
    const answer: Answer = await ask(
      world,
      service,
      `${path}?limit=200${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
    );
    if (answer.status !== 200) {
      world.fail(`${path} answers ${answer.status}: ${answer.text.slice(0, 200)}`);
      return rows;
    }
    const { data, meta } = JSON.parse(answer.text) as {
      data: unknown[];
      meta: { nextCursor?: string | null };
    };
    rows.push(...data);
    if (data.length === 0 || !meta.nextCursor) return rows;
    cursor = meta.nextCursor;
  }
}

interface Day {
  readonly day: string;
  readonly missing: number;
  readonly open: number | null;
  readonly withdrawn: readonly string[];
}

/** Each business day since the follower began is proven, and what EDGAR withdrew is named. */
async function checkReconciliation({
  world,
  service,
  poller,
  followedFromMs,
  rebuiltMs,
}: FinalOptions): Promise<void> {
  const { status, text } = await ask(world, service, '/reconciliation.json');
  if (status !== 200) return world.fail(`/reconciliation.json answers ${status}`);
  const { data: days } = JSON.parse(text) as { data: Day[] };
  const byDay = new Map(days.map((day) => [day.day, day]));
  for (const filing of world.truth.filings) {
    const { indexDay, acceptedMs, withdrawnMs, accessionNo } = filing;
    if (
      indexDay === null ||
      acceptedMs <= followedFromMs ||
      easternInstant(indexDay, 22.1) > world.schedule.nowMs() ||
      !isFollowed(world, filing, world.schedule.nowMs())
    )
      continue;
    const indexedMs = easternInstant(indexDay, 22.1);
    const day = byDay.get(indexDay);
    if (!day) {
      world.fail(`${indexDay} was never compared with EDGAR's index`);
      byDay.set(indexDay, { day: indexDay, missing: 0, open: 0, withdrawn: [] });
    } else if (
      withdrawnMs > indexedMs &&
      withdrawnMs < rebuiltMs &&
      filing.filedAt === indexDay &&
      // Of what was never published there is nothing to say.
      poller.filings.has(accessionNo) &&
      !days.some(({ withdrawn }) => withdrawn.includes(accessionNo))
    )
      world.fail(
        `${accessionNo} of ${indexDay} was withdrawn by EDGAR, and the result of the day does not say so`,
      );
  }
  for (const { day, missing, open } of days) {
    if (
      missing + (open ?? 0) > 0 &&
      !world.truth.filings.some(({ indexDay, withdrawnMs }) => indexDay === day && withdrawnMs < Infinity)
    )
      world.fail(`${day} still has ${missing} missing and ${open} open filings`);
  }
}
