import { mustBe } from './errors.ts';
import { formerItems, itemTitles } from './items.ts';
import { eventTypeOfForm, eventTypes, type EventType } from './event-types.ts';
import { formsByEventType, renamedForms } from './forms.ts';

/** How many near values a message names. */
const namedMaximum = 3;

const newNames = new Map(renamedForms);
const listedForms = Object.values(formsByEventType).flat();
/** Forms of the list that somebody may still file, without their amendments. */
const formsInUse: ReadonlySet<string> = new Set(listedForms.filter((form) => !newNames.has(form)));
const amendmentOfAtsN = /^ATS-N\/(?:MA|UA|CA|OFA)$/;

/** A form without the `/A` of an amendment. */
function originalOf(form: string): string {
  return form.replace(/\/A$/, '');
}

/** The name that a form has today, with its amendments: `SC 13G/A` is called `SCHEDULE 13G/A`. */
function newNameOf(form: string): string {
  const original = originalOf(form);
  const newName = newNames.get(original);
  return newName === undefined ? form : `${newName}${form.slice(original.length)}`;
}

/**
 * Whether a form in its published spelling is one of the known list, or amends one, under the name that it
 * has today.
 */
export function isFormInUse(form: string): boolean {
  return formsInUse.has(originalOf(form)) || amendmentOfAtsN.test(form);
}

/** Letters and digits alone, in capitals: what a form is compared by once its spelling is not that of any. */
function lettersOf(text: string): string {
  return text.toUpperCase().replace(/[^A-Z0-9]/g, '');
}

/** The letters of a text that stands for a form, without a leading "form". */
function wantedLetters(text: string): string {
  return lettersOf(text).replace(/^FORM(?=.)/, '');
}

/** The forms of these letters, among some and their amendments. */
function withLetters(letters: string, originals: readonly string[]): string[] {
  return originals.flatMap((form) => [form, `${form}/A`]).filter((form) => lettersOf(form) === letters);
}

/**
 * The known form that a text has the letters of, under the name that it has today: `10k` spells `10-K`. Null
 * if there is none.
 */
export function spelledForm(text: string): string | null {
  const [form] = withLetters(wantedLetters(text), listedForms);
  return form === undefined ? null : newNameOf(form);
}

/**
 * The forms that a text most probably means, nearest first, three at most; none if nothing is near. `served`
 * are the forms of the snapshot, most frequent first: they go before the others of the known list. Letters
 * and digits decide, without punctuation and a leading "form": the same ones first, then forms that begin
 * with them or have them in the middle, then those that one or two letters make of them. Old names become new
 * ones.
 */
export function nearestForms(text: string, served: readonly string[]): string[] {
  const wanted = wantedLetters(text);
  const originals = [...new Set([...served.map(originalOf), ...formsInUse, ...newNames.keys()])];
  // What is named has to be taken, too.
  const taken = (forms: readonly string[]) =>
    forms.map(newNameOf).filter((form) => isFormInUse(form) || served.includes(form));
  const spelled = taken(withLetters(wanted, originals));
  if (spelled.length > 0) return named(spelled);
  const suffix = /\/A\b/i.test(text) ? '/A' : '';
  const original = suffix === '' ? wanted : wanted.replace(/A$/, '');
  return named(taken(nearest(original, originals).map((form) => `${form}${suffix}`)));
}

/**
 * The event families that a text most probably means, nearest first, three at most; none if nothing is near.
 * A form means its family, which `form` then names; other texts are compared by their words.
 */
export function nearestEventTypes(text: string): {
  readonly form: string | null;
  readonly eventTypes: readonly string[];
} {
  const letters = wantedLetters(text);
  const form = spelledForm(text);
  if (form !== null) return { form, eventTypes: [eventTypeOfForm(form)] };
  const alike = nearest(letters, eventTypes);
  return { form: null, eventTypes: alike.length > 0 ? named(alike) : named(sharingWords(text)) };
}

/** Families that share most words with a text, those with the fewest other words first. */
function sharingWords(text: string): EventType[] {
  const words = new Set(wordsOf(text));
  const counted = eventTypes.map((eventType) => {
    const own = wordsOf(eventType);
    return { eventType, shared: own.filter((word) => words.has(word)).length, others: own.length };
  });
  const most = Math.max(...counted.map(({ shared }) => shared));
  if (most === 0) return [];
  return counted
    .filter(({ shared }) => shared === most)
    .sort((a, b) => a.others - b.others)
    .map(({ eventType }) => eventType);
}

/** The words of a text, of at least three letters, without the ending of a plural. */
function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/[^a-z]+/)
    .filter((word) => word.length > 2)
    .map((word) => word.replace(/s$/, ''));
}

/** Those of the candidates that are nearest to some letters, in their own order. */
function nearest<Candidate extends string>(letters: string, candidates: readonly Candidate[]): Candidate[] {
  if (letters === '') return [];
  const measured = candidates.map((candidate) => ({
    candidate,
    distance: distanceOf(letters, lettersOf(candidate)),
  }));
  const least = Math.min(...measured.map(({ distance }) => distance));
  return least === Infinity
    ? []
    : measured.filter(({ distance }) => distance === least).map(({ candidate }) => candidate);
}

/**
 * 0 for the same letters, 1 where a candidate begins with them, 2 where it has them elsewhere, then 2 and the
 * edits; infinite if too many.
 */
function distanceOf(letters: string, candidate: string): number {
  if (candidate === letters) return 0;
  if (candidate.startsWith(letters)) return 1;
  if (letters.length < 3) return Infinity;
  if (candidate.includes(letters)) return 2;
  const most = letters.length < 6 ? 1 : 2;
  if (Math.abs(letters.length - candidate.length) > most) return Infinity;
  const count = edits(letters, candidate);
  return count > most ? Infinity : 2 + count;
}

/** How many letters have to be put in, left out or replaced to make one text of another (Levenshtein). */
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

function nearestText(values: readonly string[]): string {
  if (values.length === 0) return '';
  return values.length === 1
    ? `; the nearest is ${values[0]}`
    : `; the nearest are ${values.slice(0, -1).join(', ')} and ${values.at(-1)}`;
}

/**
 * What a request is told whose form can match nothing. `served` are the forms of the snapshot, most frequent
 * first.
 */
export function unknownFormMessage(form: string, served: readonly string[]): string {
  const newName = newNameOf(form);
  const renamed =
    newName !== form && formsInUse.has(originalOf(newName))
      ? '; EDGAR has renamed it, and no filing here has the old name'
      : '';
  return `${mustBe('form', 'a form that /reference.json lists or that a filing has', form)}${nearestText(nearestForms(form, served))}${renamed}`;
}

/** What a request is told whose event family does not exist. */
export function unknownEventTypeMessage(eventType: string): string {
  const { form, eventTypes: near } = nearestEventTypes(eventType);
  const reason = form === null ? '' : `, because ${form} is a form of that family`;
  const wanted = `one of the ${eventTypes.length} event families that /reference.json lists`;
  return `${mustBe('eventType', wanted, eventType)}${nearestText(near)}${reason}`;
}

/**
 * The items that a text most probably means, nearest first, three at most: those of its digits (`202` and
 * `2.2` spell `2.02`) and the successor of a number from before 2004, else those of its section.
 */
export function nearestItems(text: string): string[] {
  const wanted = text.replace(/^item /i, '').trim();
  const letters = wanted.replace(/\D/g, '');
  const codes = itemTitles.map(([code]) => code);
  const spelled = codes.filter(
    (code) => code.replace('.', '') === letters || code.replace(/\.0?/, '') === letters,
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

/** What a request is told whose item no form has. */
export function unknownItemMessage(item: string): string {
  return `${mustBe('items', 'items of Form 8-K that /reference.json lists', item)}${nearestText(nearestItems(item))}`;
}
