import { createPlaces } from '../work/places.ts';
import { createHeldTexts } from '../segments/held-texts.ts';
import type { KnownCompany } from '../ledger/observation.ts';

/** What observations need of companies, in memory. */
export interface HeldCompanies {
  /** Sets what is known of a company now. */
  set(cik: string, company: KnownCompany): void;
  /** What was set last; undefined if it is not held. */
  get(cik: string): KnownCompany | undefined;
}

/**
 * Bytes of names, symbols, exchanges and industries, at most: those of two million companies, twice as many as EDGAR has. When there
 * are more, all are forgotten, and looked up again as they are needed.
 */
const bytesMaximum = 96 * 1024 * 1024;
/** What is held of a company: its industry, exchange and name, and its symbols. */
type Held = [sic: string | null, exchange: string | null, name: string, ...tickers: string[]];

const cikLength = '0000320193'.length;

/** Holds companies as texts of about 50 bytes. As objects they would take five times as much. */
export function createHeldCompanies(): HeldCompanies {
  let texts = createHeldTexts();
  const placesOf = () => createPlaces((place) => texts.of(place).slice(0, cikLength));
  let places = placesOf();
  return {
    set(cik, { name, tickers, exchange, facts }) {
      if (texts.bytes() > bytesMaximum) {
        texts = createHeldTexts();
        places = placesOf();
      }
      places.set(cik, texts.keep(cik + JSON.stringify([facts?.sic, exchange, name, ...tickers])));
    },
    get(cik) {
      const place = places.get(cik);
      if (place === undefined) return undefined;
      const [sic, exchange, name, ...tickers] = JSON.parse(texts.of(place).slice(cikLength)) as Held;
      return { name, tickers, exchange, facts: { sic } };
    },
  };
}
