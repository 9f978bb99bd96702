import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach } from 'vitest';
import type { LedgerFiling } from '../../build/ledger/ledger-rows.ts';
import { useDirectories } from './directories.ts';
import { openEvents, type EventStream } from './event-stream.ts';
import { appendMadeUp, company } from './ledgers.ts';
import { askingBy, type Asking } from './sample.ts';
import { listeningService, serviceKey, type ListeningService } from './service.ts';
import { buildQuietly } from './snapshots.ts';

/** A service over snapshots that grow while it is asked. */
export interface GrowingService extends Pick<Asking, 'json' | 'all' | 'refusal'> {
  readonly directory: string;
  /** The one that listens now. A test that puts another one in its place has closed it before. */
  service: ListeningService;
  /** Appends a batch of filings to the ledger, and publishes it. */
  publish(...filings: readonly LedgerFiling[]): Promise<void>;
  /** Lets the service see what was published. */
  look(): Promise<unknown>;
  /** How many requests are held, streams among them. */
  held(): number;
  ask(target: string, init?: RequestInit): Promise<Response>;
  /** Opens a stream, which ends with the test. */
  open(target: string, headers?: Record<string, string>): Promise<EventStream>;
}

/** Gives each test of a file a service of its own over these filings, of the companies 1 and 2. */
export function useGrowingService(name: string, ...first: readonly LedgerFiling[]): GrowingService {
  const fresh = useDirectories(name);
  let begun: string;
  let batches: number;
  const addressOf = (target: string) => `http://127.0.0.1:${grown.service.port}${target}`;
  const grown: GrowingService & { directory: string } = {
    ...askingBy((path, headers = {}, method = 'GET') => grown.ask(path, { headers, method })),
    directory: '',
    service: undefined as unknown as ListeningService,
    async publish(...filings: readonly LedgerFiling[]) {
      const ledger = join(grown.directory, 'ledger');
      const companies = ++batches === 1 ? [company(1), company(2)] : [];
      await appendMadeUp(ledger, batches, { filings, companies });
      await buildQuietly(ledger, grown.directory);
    },
    look: () => grown.service.services.served.check(),
    held: () => grown.service.services.held.size(),
    ask: (target: string, init: RequestInit = {}) =>
      fetch(addressOf(target), { ...init, headers: { 'x-api-key': serviceKey, ...init.headers } }),
    open: (target: string, headers: Record<string, string> = {}) =>
      openEvents(addressOf(target), { 'x-api-key': serviceKey, ...headers }),
  };
  beforeAll(async () => {
    grown.directory = begun = fresh();
    batches = 0;
    await grown.publish(...first);
  });
  beforeEach(async () => {
    grown.directory = fresh();
    cpSync(begun, grown.directory, { recursive: true });
    batches = 1;
    grown.service = await listeningService(grown.directory);
  });
  return grown;
}
