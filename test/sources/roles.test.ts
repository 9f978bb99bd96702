import { describe, expect, it } from 'vitest';
import { roleOf } from '../../build/sources/roles.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';

const issuer = { isIssuer: true, isOwner: false };
const owner = { isIssuer: false, isOwner: true };
const both = { isIssuer: true, isOwner: true };
const neither = { isIssuer: false, isOwner: false };
const role = (form: string, entity: typeof issuer, fileNumber = '', act = '') =>
  roleOf(eventTypeOfForm(form), entity, fileNumber, act);

describe.each(['3', '4', '5', '3/A', '4/A', '5/A'])('Form %s', (form) => {
  it('the form is about an entity in which others report holdings', () => {
    for (const [fileNumber, act] of [
      ['', ''],
      ['001-36743', '34'],
      ['001-36743', ''],
    ] as const)
      expect(role(form, issuer, fileNumber, act)).toBe('subject');
  });
  it('an entity that only reports holdings filed the form', () => {
    for (const [fileNumber, act] of [
      ['', ''],
      ['001-36743', '34'],
    ] as const)
      expect(role(form, owner, fileNumber, act)).toBe('filer');
  });
  it('an entity that does both files the form if it has a file number under an act', () => {
    expect(role(form, both, '001-36743', '34')).toBe('filer');
  });
  it.each([
    ['', ''],
    ['001-36743', ''],
    ['', '34'],
  ])('a form of an entity that does both is about it with file number %j and act %j', (fileNumber, act) => {
    expect(role(form, both, fileNumber, act)).toBe('subject');
  });
  it('the form makes no unknown entity an issuer', () => expect(role(form, neither)).toBe('filer'));
});

describe.each([
  '144',
  '144/A',
  'SC 13D',
  'SC 13D/A',
  'SCHEDULE 13D',
  'SC 13G',
  'SCHEDULE 13G/A',
  'SC TO-T',
  'SC TO-I',
  'SC 14D9',
  'SC 13E3',
  '425',
  '25',
  '25-NSE',
])('Form %s', (form) => {
  it.each([issuer, owner, both, neither])(
    'the form is about the entity that has the file number: %j',
    (entity) => {
      expect([role(form, entity, '005-12345', '34'), role(form, entity, '005-12345', '')]).toEqual([
        'subject',
        'subject',
      ]);
      expect([role(form, entity, '', '34'), role(form, entity, '', '')]).toEqual(['filer', 'filer']);
    },
  );
});

describe.each([
  '8-K',
  '10-K',
  '10-Q/A',
  'S-8',
  '13F-HR',
  'DEF 14A',
  'PX14A6G',
  'UPLOAD',
  'CORRESP',
  '424B2',
  '6-K',
  'EFFECT',
  'NO SUCH FORM',
  '13H',
])('Form %s', (form) => {
  it.each([issuer, owner, both, neither])('the form is filed by the entity that lists it: %j', (entity) => {
    for (const [fileNumber, act] of [
      ['', ''],
      ['001-36743', '34'],
      ['811-21726,333-123290', '40,33'],
    ] as const)
      expect(role(form, entity, fileNumber, act)).toBe('filer');
  });
});
