import fc from 'fast-check';
import { expect, it } from 'vitest';
import { createPlaces } from '../../build/work/places.ts';

it('places are those of a map', () =>
  fc.assert(
    fc.property(
      fc.array(fc.oneof(fc.string({ maxLength: 3 }), fc.nat(5000).map(String)), { maxLength: 3000 }),
      (keys) => {
        const places = createPlaces((place) => keys[place] as string);
        const map = new Map<string, number>();
        for (const [place, key] of keys.entries()) {
          expect(places.get(key)).toBe(map.get(key));
          places.set(key, place);
          map.set(key, place);
        }
        for (const [key, place] of map) expect(places.get(key)).toBe(place);
        expect(places.get('not there')).toBeUndefined();
      },
    ),
    { numRuns: 50 },
  ));
