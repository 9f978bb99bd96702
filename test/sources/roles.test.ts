import { describe, expect, it } from 'vitest';
import { roleOf } from '../../build/sources/roles.ts';
import { eventTypeOfForm } from '../../src/domain/event-types.ts';

const entities = [
  { isIssuer: true, isOwner: false },
  { isIssuer: false, isOwner: true },
  { isIssuer: true, isOwner: true },
  { isIssuer: false, isOwner: false },
];
type Told = (entity: (typeof entities)[number], fileNumber: string, act: string) => boolean;

const insider = ['3', '4', '5', '3/A', '4/A', '5/A'];
const aboutOthers = ['144', '144/A', 'SC 13D', 'SC 13D/A', 'SCHEDULE 13D', 'SC 13G', 'SCHEDULE 13G/A'];
const offers = ['SC TO-T', 'SC TO-I', 'SC 14D9', 'SC 13E3', '425', '25', '25-NSE'];
const ownReports = ['8-K', '10-K', '10-Q/A', 'S-8', '13F-HR', 'DEF 14A', 'PX14A6G', 'UPLOAD', 'CORRESP'];
const others = ['424B2', '6-K', 'EFFECT', 'NO SUCH FORM', '13H'];

/** Whether a form is about the entity that lists it, and not filed by it. */
const rules: readonly [string, readonly string[], Told][] = [
  [
    // Who only reports holdings filed it; who does both filed it if it has a file number under an act.
    'reports holdings, and is about an issuer',
    insider,
    ({ isIssuer, isOwner }, fileNumber, act) => isIssuer && !(isOwner && fileNumber !== '' && act !== ''),
  ],
  ['is about who has the file number', [...aboutOthers, ...offers], (_, fileNumber) => fileNumber !== ''],
  ['is filed by who lists it', [...ownReports, ...others], () => false],
];

describe.each(rules)('a form that %s', (_, forms, isAbout) => {
  it.each(forms)('Form %s', (form) => {
    for (const entity of entities)
      for (const fileNumber of ['', '001-36743', '811-21726,333-123290'])
        for (const act of ['', '34', '40,33'])
          expect([entity, fileNumber, act, roleOf(eventTypeOfForm(form), entity, fileNumber, act)]).toEqual([
            entity,
            fileNumber,
            act,
            isAbout(entity, fileNumber, act) ? 'subject' : 'filer',
          ]);
  });
});
