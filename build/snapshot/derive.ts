import { feedLogOf } from '../../src/answers/read-list.ts';
import type { BulkListResponse, BulkPart } from '../../src/contract/bulk.ts';
import { productVersion } from '../../src/contract/product.ts';
import { rulesNumber } from '../../src/domain/rules.ts';
import { successors } from '../../src/domain/successors.ts';
import type { IngestRun } from '../../src/contract/records.ts';
import type { ReconciledDay } from '../../src/contract/reconciled-days.ts';
import {
  snapshotFormat,
  type DocumentName,
  type Manifest,
  type SnapshotSettings,
} from '../../src/format/snapshot.ts';
import type { RecordedIntents } from '../../src/contract/intents.ts';
import type { Log } from '../../src/table/open-log.ts';
import type { Segment } from '../../src/table/segment.ts';
import { readerOf, readVocabulary, type Snapshot } from '../../src/snapshot/open.ts';
import { CorruptSnapshot } from '../../src/files/bytes.ts';
import { catalogIndex, marketsOf } from '../../site/catalog/catalog-files.ts';
import type { Market } from '../../site/content/market.ts';
import {
  bulkCursor,
  bulkDocument,
  healthDocument,
  rootDocument,
  statsDocument,
  subscriptionDocument,
} from '../../site/documents/documents.ts';
import type { Overview } from '../../site/content/overview.ts';
import { readOverview, readTotals } from '../overview/read-overview.ts';
import { validationDocuments } from '../intents/validation-documents.ts';
import { askExamples, namePlaceholder } from '../overview/ask-examples.ts';
import type { PublicFile } from '../../site/content/public-file.ts';
import { publicFiles } from '../../site/public-files.ts';

/** The input of documents and pages, beside the segments. */
export interface DerivedFrom {
  readonly settings: SnapshotSettings;
  /** Intents of the validation catalog so far. */
  readonly intents: RecordedIntents;
  /** The newest run that asked EDGAR: a restatement is none. */
  readonly latestRun: IngestRun;
  /** When the newest batch was recorded, UTC. */
  readonly recordedAt: string;
  /** Whether all batches come from recordings. */
  readonly isSample: boolean;
  readonly ledger: Manifest['ledger'];
  /** The bulk files of the change feed, and the number of rows of a closed file. */
  readonly bulk: { readonly parts: readonly BulkPart[]; readonly rowsPerFile: number };
  /** Days that were reconciled, oldest first. */
  readonly days: readonly ReconciledDay[];
}

const nothing = { sha256: '', bytes: 0 };

/** Everything of a snapshot except its segments and its log. */
export interface Derived {
  /** Keyed documents as they are stored. */
  readonly documents: readonly (readonly [DocumentName, Buffer])[];
  readonly publicFiles: readonly PublicFile[];
  /** The manifest without log, documents and routes. */
  readonly manifest: Omit<Manifest, 'documents' | 'routes' | 'log'>;
}

/**
 * Makes the documents and pages of a snapshot from its segments and its log in three stages: the keyed
 * documents; the examples, which are real answers of the data; and the public documents, which show the
 * examples. The same segments, settings and intents give the same bytes: nothing here reads a clock, and
 * every order is fixed.
 */
export async function deriveFiles(
  segments: readonly Segment[],
  entries: Manifest['segments'],
  log: Log,
  from: DerivedFrom,
): Promise<Derived> {
  const reader = { ...readerOf(segments), log, manifest: { segments: entries } };
  const totals = readTotals(reader);
  const vocabulary = readVocabulary(reader);
  const overview = readOverview(
    { ...reader, ...vocabulary },
    totals,
    from.latestRun,
    from.isSample,
    from.days.toReversed(),
  );
  const markets = marketsOf(overview);
  const manifest: Derived['manifest'] = {
    format: snapshotFormat,
    productVersion,
    rules: rulesNumber,
    successors: successors.map(({ predecessorCik, successorCik }) => [predecessorCik, successorCik]),
    settings: from.settings,
    ...(from.isSample ? { sample: true as const } : {}),
    generatedAt: from.recordedAt,
    newestFiledAt: totals.newestFiledAt,
    companyCount: totals.companyCount,
    filingCount: totals.filingCount,
    lastSequence: totals.lastSequence,
    ledger: from.ledger,
    segments: [...entries],
  };
  const whole: Manifest = { ...manifest, log: nothing, documents: {}, routes: nothing };
  const nextCursor = bulkCursor(feedLogOf({ ...reader, manifest: whole }), manifest.lastSequence);
  const bulk = bulkDocument({ ...from.bulk, nextCursor }, manifest);
  const documents = keyedDocuments(overview, from, markets, bulk).map(
    ([name, document]) => [name, Buffer.from(JSON.stringify(document))] as const,
  );
  const snapshot: Snapshot = {
    ...reader,
    ...vocabulary,
    id: namePlaceholder,
    routes: {},
    manifest: whole,
    documents: Object.fromEntries(documents) as Record<DocumentName, Buffer>,
    file: () => Promise.reject(new CorruptSnapshot('there are no public files yet')),
    longFile: () => Promise.reject(new CorruptSnapshot('no file is read for a page')),
    unreachableSince: () => null,
    pointerRefusedSince: () => null,
    heartbeat: () => null,
    address: () => null,
    signature: null,
  };
  const examples = await askExamples(snapshot, overview);
  return {
    documents,
    manifest,
    publicFiles: publicFiles({ overview, settings: from.settings, markets, examples }),
  };
}

/**
 * Makes the keyed documents. The intents are one of them, so that a snapshot can be derived again from its
 * ledger and itself.
 */
function keyedDocuments(
  overview: Overview,
  { settings, intents }: DerivedFrom,
  markets: readonly Market[],
  bulk: BulkListResponse,
): (readonly [DocumentName, unknown])[] {
  const slugs = markets.map(({ slug }) => slug);
  return [
    ['root', rootDocument(overview, slugs[0] ?? '')],
    ['health', healthDocument(overview, settings)],
    ['stats', statsDocument(overview, settings)],
    ['subscription', subscriptionDocument(settings)],
    ['catalog', catalogIndex(markets)],
    ['bulk', bulk],
    ['intents', intents],
    ...validationDocuments(intents, slugs, overview.latestRun).map(
      ({ name, document }) => [name, document] as const,
    ),
  ];
}
