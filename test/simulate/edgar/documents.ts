import { hourMs, minuteMs } from '../../../src/time/units.ts';
import { mayHaveOwnership } from '../../../build/contents/ownership-file.ts';
import { fullSubmission, ownershipXml, type OwnershipTold } from '../../support/ownership-documents.ts';
import { documentsOf, indexPage } from '../../support/index-pages.ts';
import { randomOf } from '../random.ts';
import { nameAt, type Filing, type Truth } from './truth.ts';

/** When EDGAR has the document of a filing about ownership, in milliseconds since 1970. */
export interface DocumentTimes {
  readonly readyMs: number;
  /** Until then it is cut off. */
  readonly wholeMs: number;
}

/**
 * Draws when the document of a filing is there: mostly at once, often some minutes after the filing was listed, seldom
 * after hours; and some are cut off at first. Null for forms without one.
 */
export function drawDocument(
  seed: number,
  { accessionNo, form, acceptedMs }: Pick<Filing, 'accessionNo' | 'form' | 'acceptedMs'>,
): DocumentTimes | null {
  if (!mayHaveOwnership(form)) return null;
  const random = randomOf(seed, `document ${accessionNo}`);
  const lateMs = random.oneIn(8)
    ? random.below(15 * minuteMs)
    : random.oneIn(20)
      ? random.below(30 * hourMs)
      : 0;
  const readyMs = acceptedMs + lateMs;
  return { readyMs, wholeMs: random.oneIn(12) ? readyMs + random.below(2 * hourMs) : readyMs };
}

/** What the document of a filing says, whatever EDGAR corrects later. */
export function toldBy(truth: Truth, filing: Filing): OwnershipTold {
  const named = filing.parties.map(({ cik, role }) => {
    const entity = truth.entities.get(cik);
    return { cik, role, name: entity ? nameAt(entity, filing.acceptedMs) : '' };
  });
  const isIssuer = ({ role }: (typeof named)[number]) => role === 'issuer' || role === 'subject';
  return {
    accessionNo: filing.accessionNo,
    form: filing.form,
    issuer: named.find(isIssuer) ?? { cik: '', name: '' },
    others: named.filter((each) => !isIssuer(each)),
    on: filing.reportDate ?? filing.filedAt,
    number: filing.size,
  };
}

/** The document of a filing as EDGAR has it at an instant, alone or in its full submission; null if it has none yet. */
export function documentAt(truth: Truth, filing: Filing, isSubmission: boolean, atMs: number): string | null {
  if (filing.document === null || filing.document.readyMs > atMs || filing.withdrawnMs <= atMs) return null;
  const told = toldBy(truth, filing);
  const whole = isSubmission ? fullSubmission(told) : ownershipXml(told);
  return filing.document.wholeMs > atMs ? whole.slice(0, Math.floor(whole.length / 2)) : whole;
}

/** The index page of a filing as EDGAR has it at an instant; null if it has none yet. Now and then it comes late. */
export function listAt(filing: Filing, cik: string, atMs: number): string | null {
  const random = randomOf(Number(filing.accessionNo.slice(-6)), 'list');
  const readyMs = filing.acceptedMs + (random.oneIn(8) ? random.below(15 * minuteMs) : 0);
  return readyMs > atMs || filing.withdrawnMs <= atMs
    ? null
    : indexPage(cik, filing.accessionNo, documentsOf(filing));
}
