import { formerItems, itemTitles } from './items.ts';
import { eventTypeOfForm, eventTypes, type EventType } from './event-types.ts';
import { formsByEventType, renamedForms } from './forms.ts';

/** The most near values that a message names. */
const namedMaximum = 3;

const newNames = new Map(renamedForms);
const listedForms = Object.values(formsByEventType).flat();
/** Forms of the list that can still be filed, without their amendments. */
const formsInUse: ReadonlySet<string> = new Set(listedForms.filter((form) => !newNames.has(form)));
const amendmentOfAtsN = /^ATS-N\/(?:MA|UA|CA|OFA)$/;

/** A form without the `/A` of an amendment. */
function originalOf(form: string): string {
  return form.replace(/\/A$/, '');
}

/** The name that a form has today, with the suffix of an amendment: `SC 13G/A` is now `SCHEDULE 13G/A`. */
function newNameOf(form: string): string {
  const original = originalOf(form);
  const newName = newNames.get(original);
  return newName === undefined ? form : `${newName}${form.slice(original.length)}`;
}

/** The present name of a form that EDGAR has renamed, with the suffix of an amendment; null if EDGAR has not. */
export function renamedTo(form: string): string | null {
  const newName = newNameOf(form);
  return newName !== form && formsInUse.has(originalOf(newName)) ? newName : null;
}

/**
 * Whether a form in its published spelling is a known form under its present name, or an amendment of one.
 */
export function isFormInUse(form: string): boolean {
  return formsInUse.has(originalOf(form)) || amendmentOfAtsN.test(form);
}

/** The signs of a text that count when it is compared: letters and digits alone, in capitals. */
function signsOf(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** The signs of a text that names a form, without a leading "form". */
function wantedSigns(text: string): string {
  return signsOf(text).replace(/^FORM(?=.)/, '');
}

/** The forms among `originals` and their amendments that have these signs. */
function withSigns(signs: string, originals: readonly string[]): string[] {
  return originals.flatMap((form) => [form, `${form}/A`]).filter((form) => signsOf(form) === signs);
}

/**
 * The known form with the signs of a text, under its present name: `10k` gives `10-K`. Null if there is
 * none.
 */
export function spelledForm(text: string): string | null {
  const [form] = withSigns(wantedSigns(text), listedForms);
  return form === undefined ? null : newNameOf(form);
}

/**
 * The forms that a text most probably means, nearest first, at most three; empty if none is near. `served`
 * are the forms of the snapshot, most frequent first; they come before other known forms. Only letters and
 * digits are compared, without a leading "form". Forms with the same letters and digits come first, then
 * forms that begin with them or contain them, then forms that differ in one or two of them. Old names are
 * replaced by new ones.
 */
export function nearestForms(text: string, served: readonly string[]): string[] {
  const wanted = wantedSigns(text);
  const originals = [...new Set([...served.map(originalOf), ...formsInUse, ...newNames.keys()])];
  // Only forms that the filter accepts are suggested.
  const accepted = (forms: readonly string[]) =>
    forms.map(newNameOf).filter((form) => isFormInUse(form) || served.includes(form));
  const spelled = accepted(withSigns(wanted, originals));
  if (spelled.length > 0) return named(spelled);
  const suffix = /\/A\b/i.test(text) ? '/A' : '';
  const original = suffix === '' ? wanted : wanted.replace(/A$/, '');
  return named(accepted(nearest(original, originals).map((form) => `${form}${suffix}`)));
}

/**
 * The event families that a text most probably means, nearest first, at most three; empty if none is near. If
 * the text is a form, its family is returned, with the form in `form`. Other texts are compared by their
 * words.
 */
export function nearestEventTypes(text: string): {
  readonly form: string | null;
  readonly eventTypes: readonly string[];
} {
  const signs = wantedSigns(text);
  const form = spelledForm(text);
  if (form !== null) return { form, eventTypes: [eventTypeOfForm(form)] };
  const alike = nearest(signs, eventTypes);
  return { form: null, eventTypes: alike.length > 0 ? named(alike) : named(sharingWords(text)) };
}

/** Families that share most words with a text, those with the fewest words first. */
function sharingWords(text: string): EventType[] {
  const wanted = new Set(wordsOf(text));
  const counted = eventTypes.map((eventType) => {
    const own = wordsOf(eventType);
    return { eventType, shared: own.filter((word) => wanted.has(word)).length, words: own.length };
  });
  const most = Math.max(...counted.map(({ shared }) => shared));
  if (most === 0) return [];
  return counted
    .filter(({ shared }) => shared === most)
    .sort((a, b) => a.words - b.words)
    .map(({ eventType }) => eventType);
}

/** The words of a text that have at least three letters, without a final s. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2)
    .map((word) => word.replace(/s$/, ''));
}

/** The candidates with the least distance from some signs (see `signsOf`), in the order given. */
export function nearest<Candidate extends string>(
  signs: string,
  candidates: readonly Candidate[],
): Candidate[] {
  if (signs === '') return [];
  const measured = candidates.map((candidate) => ({
    candidate,
    distance: distanceOf(signs, signsOf(candidate)),
  }));
  const least = Math.min(...measured.map(({ distance }) => distance));
  return least === Infinity
    ? []
    : measured.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
}

/**
 * The distance of a candidate from some signs: 0 if they are the same, 1 if it begins with them, 2 if it
 * contains them, else 2 plus the number of edits; infinite if there are too many edits.
 */
function distanceOf(signs: string, candidate: string): number {
  if (candidate === signs) return 0;
  if (candidate.startsWith(signs)) return 1;
  if (signs.length < 3) return Infinity;
  if (candidate.includes(signs)) return 2;
  const most = signs.length < 6 ? 1 : 2;
  if (Math.abs(signs.length - candidate.length) > most) return Infinity;
  const count = edits(signs, candidate);
  return count > most ? Infinity : 2 + count;
}

/** The number of letters to insert, delete or replace to turn one text into another (Levenshtein). */
function edits(from: string, to: string): number {
  let above = Array.from({ length: to.length + 1 }, (_, at) => at);
  for (let row = 1; row <= from.length; row++) {
    const here = [row];
    for (let at = 1; at <= to.length; at++) {
      const replaced = (above[at - 1] as number) + (from[row - 1] === to[at - 1] ? 0 : 1);
      here.push(Math.min(replaced, (above[at] as number) + 1, (here[at - 1] as number) + 1));
    }
    above = here;
  }
  return above[to.length] as number;
}

function named(values: readonly string[]): string[] {
  return [...new Set(values)].slice(0, namedMaximum);
}

/**
 * The items that a text most probably means, nearest first, at most three. First come the successor of a code
 * from before 2004 and codes with the same digits (`202` and `2.2` give `2.02`); if there are none, codes of
 * the same section.
 */
export function nearestItems(text: string): string[] {
  const wanted = text.replace(/^item /i, '').trim();
  const digits = wanted.replace(/\D/g, '');
  const codes = itemTitles.map(([code]) => code);
  const spelled = codes.filter(
    (code) => code.replace('.', '') === digits || code.replace(/\.0?/, '') === digits,
  );
  const successors = formerItems.filter(({ code }) => code === wanted).map(({ successor }) => successor);
  if (spelled.length + successors.length > 0) return named([...successors, ...spelled]);
  const distance = (code: string) => Math.abs(Number(code) - Number(wanted));
  return named(
    codes
      .filter((code) => code.split('.')[0] === wanted.split('.')[0])
      .sort((a, b) => distance(a) - distance(b)),
  );
}

/** The known forms under their present names that begin with a text; case does not count. */
export function formsByPrefix(text: string): string[] {
  const typed = text.toUpperCase();
  return [...formsInUse].filter((form) => form.startsWith(typed));
}
