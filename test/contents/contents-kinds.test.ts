import { describe, expect, it } from 'vitest';
import { contentsKinds } from '../../build/contents/contents-kinds.ts';

const accessionNo = '0001234567-26-000009';
const folder = 'data/1234/000123456726000009';
const { ownership, documents } = contentsKinds;
const down = '\n<!DOCTYPE html>\n<html><head><title>SEC.gov | Maintenance</title></head></html>';

describe('what comes in place of a file of a filing', () => {
  it.each([
    ['a page that EDGAR is down, for a document', ownership, `${folder}/form4.xml`, down],
    ['a page that EDGAR is down, for a full submission', ownership, `data/1234/${accessionNo}.txt`, down],
    ['a page that EDGAR is down, for a list', documents, `${folder}/${accessionNo}-index.htm`, down],
    ['nothing', ownership, `${folder}/form4.xml`, ''],
  ])('%s is no answer, so it is asked for again', (_, { source }, file, body) => {
    expect(() => source.parse(Buffer.from(body), file)).toThrow(/it is|it has/);
  });

  it.each([
    ['a document that is broken', ownership, `${folder}/form4.xml`, '<ownershipDocument>'],
    [
      'the page of the filing without a list',
      documents,
      `${folder}/${accessionNo}-index.htm`,
      `<html>${accessionNo}`,
    ],
  ])('%s is an answer that cannot be understood', (_, { source }, file, body) => {
    expect(source.parse(Buffer.from(body), file)).toMatchObject({ unfit: expect.any(String) as string });
  });
});
