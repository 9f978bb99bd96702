import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseOwnership } from '../../build/contents/ownership-file.ts';
import {
  anySpelling,
  form144Tree,
  schedule13DTree,
  schedule13GTree,
  section16Tree,
  xmlOfTree,
  type Tree,
} from '../support/ownership-xml.ts';
import { documentOfTruth } from '../support/recorded-truth.ts';

describe('any document', () => {
  it.each([
    ['a Form 3, 4 or 5', section16Tree],
    ['a Form 144', form144Tree],
    ['a Schedule 13D', schedule13DTree],
    ['a Schedule 13G', schedule13GTree],
  ] as readonly (readonly [string, fc.Arbitrary<{ readonly kind: string; readonly document?: Tree }>])[])(
    'the parser reads %s value for value, in any spelling, alone and within a submission',
    (_, trees) => {
      fc.assert(
        fc.property(trees, anySpelling, (tree, spelling) => {
          const expected = {
            document: documentOfTruth(tree as unknown as Parameters<typeof documentOfTruth>[0]),
            refused: [],
          };
          const xml = xmlOfTree(tree, spelling);
          expect(parseOwnership(xml)).toEqual(expected);
          const submission = ['<SEC-DOCUMENT>x', '<DOCUMENT>', '<TYPE>4', '<TEXT>', '<XML>', ''].join('\n');
          expect(
            parseOwnership(Buffer.concat([Buffer.from(submission), xml, Buffer.from('\n</XML>\n</TEXT>\n')])),
          ).toEqual(expected);
        }),
        { numRuns: 60 },
      );
    },
  );
});
