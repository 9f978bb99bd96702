import { describe, expect, it } from 'vitest';
import { createPresence } from '../../build/fold/presence.ts';

const accession = (number: number, login = 9999) =>
  `${String(login).padStart(10, '0')}-${String(number % 27).padStart(2, '0')}-${String(number % 1_000_000).padStart(6, '0')}`;

describe('the presence of filings', () => {
  it('presence knows every added filing, and takes few others for one', { tags: ['slow'] }, () => {
    const count = 20_000;
    const presence = createPresence(count);
    const logins = [320193, 1193125, 950170, 1213900, 9999999997];
    const numbers = Array.from({ length: 2 * count }, (_, at) => accession(at, logins[at % logins.length]));
    for (const each of numbers.slice(0, count)) presence.add(each);
    expect(numbers.slice(0, count).every(presence.mayHave)).toBe(true);
    const mistaken = numbers.slice(count).filter(presence.mayHave).length;
    expect(mistaken / count).toBeLessThan(0.03);
  });

  it('presence has nothing at first', () => {
    expect(createPresence(0).mayHave(accession(1))).toBe(false);
  });
});
