import { readFileSync } from 'node:fs';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  amendsEarlier,
  eventFamilies,
  eventTypeOfForm,
  eventTypes,
  familyOf,
  isFiledByNamedCompany,
  nounOfForm,
  normalizeForm,
} from '../../src/domain/event-types.ts';
import {
  formsByEventType,
  formsFiledByOthers,
  formsThatAmend,
  nounsOfForms,
} from '../../src/domain/forms.ts';
import { needs } from '../support/needs.ts';

const listedForms = Object.values(formsByEventType).flat();
const anyForm = fc.oneof(fc.constantFrom(...listedForms), fc.string());

describe('the table of families', () => {
  it('has the 56 families, with forms for every one', () => {
    expect(eventTypes).toHaveLength(56);
    expect(Object.keys(formsByEventType)).toEqual([...eventTypes]);
    for (const eventType of eventTypes) {
      expect(eventType).toMatch(/^[a-z]+(_[a-z]+)*$/);
      if (eventType !== 'other_filing') expect(formsByEventType[eventType], eventType).not.toHaveLength(0);
    }
  });

  it('puts no form into two families, and lists forms as they are published, without amendments', () => {
    expect(new Set(listedForms).size).toBe(listedForms.length);
    for (const form of listedForms) {
      expect(normalizeForm(form)).toBe(form);
      expect(form).not.toMatch(/\/(A|MA|UA|CA|OFA)$/);
    }
  });

  it('describes a family in one sentence and names it by a noun whose first letter tells its article', () => {
    for (const { description } of Object.values(eventFamilies))
      expect(description).toMatch(/^[A-Z].*[^.]\.$/);
    const nouns = [
      ...Object.values(eventFamilies).map(({ noun }) => noun),
      ...nounsOfForms.map(([noun]) => noun),
    ];
    for (const noun of nouns) expect(noun).toMatch(/^(?!SEC |hon|hour|one|eu|u)[A-Za-z][a-z-]+ ?/);
  });

  it('gives special nouns, amending forms and forms filed by others to listed forms only, once each', () => {
    const named = nounsOfForms.flatMap(([, forms]) => forms);
    for (const forms of [named, formsThatAmend, formsFiledByOthers]) {
      expect(new Set(forms).size).toBe(forms.length);
      expect(listedForms).toEqual(expect.arrayContaining([...forms]));
    }
    for (const form of formsFiledByOthers)
      expect(familyOf(eventTypeOfForm(form)).filedByNamedCompany).toBe(true);
  });
});

describe('eventTypeOfForm and amendsEarlier', () => {
  it.each([
    ['10-K', 'annual_report', false],
    ['10-K/A', 'annual_report', true],
    ['10-K405/A', 'annual_report', true],
    ['10KSB', 'annual_report', false],
    ['10-KT', 'transition_report', false],
    ['10-Q', 'quarterly_report', false],
    ['8-K', 'current_report', false],
    ['8-K/A', 'current_report', true],
    ['8-K12G3/A', 'current_report', true],
    ['6-K', 'foreign_current_report', false],
    ['NT 10-K', 'late_filing_notice', false],
    ['NTN 10Q', 'late_filing_notice', false],
    ['3', 'insider_initial_statement', false],
    ['4', 'insider_transaction', false],
    ['4/A', 'insider_transaction', true],
    ['5', 'insider_annual_statement', false],
    ['144', 'restricted_sale_notice', false],
    ['SC 13D', 'beneficial_ownership_active', false],
    ['SCHEDULE 13D/A', 'beneficial_ownership_active', true],
    ['SC 13G/A', 'beneficial_ownership_passive', true],
    ['SCHEDULE 13G', 'beneficial_ownership_passive', false],
    ['13F-HR/A', 'institutional_holdings', true],
    ['DEF 14A', 'proxy_statement', false],
    ['DEFR14A', 'proxy_statement', true],
    ['PRER14A', 'preliminary_proxy', true],
    ['S-8', 'registration_statement', false],
    ['S-8 POS', 'post_effective_amendment', true],
    ['POS AM', 'post_effective_amendment', true],
    ['POSASR', 'post_effective_amendment', true],
    ['DEL AM', 'post_effective_amendment', false],
    ['485BPOS', 'fund_registration', true],
    ['424B5', 'prospectus', false],
    ['SC TO-I/A', 'tender_offer', true],
    ['SC14D9C', 'tender_offer', false],
    ['25-NSE', 'delisting', false],
    ['EFFECT', 'registration_effective', false],
    ['UPLOAD', 'sec_comment_letter', false],
    ['C/A-W', 'crowdfunding', false],
    ['ATS-N/MA', 'market_participant', true],
    ['ATS-N/UA', 'market_participant', true],
    ['ATS-N/CA', 'market_participant', true],
    ['ATS-N/OFA', 'market_participant', true],
    ['MA', 'market_participant', false],
    ['U-1/A', 'other_filing', true],
    ['35-CERT', 'other_filing', false],
    ['DSTRBRPT', 'other_filing', false],
    ['SCHEDULE 14N', 'proxy_additional_material', false],
    ['SCHEDULE 14N-S/A', 'proxy_additional_material', true],
    ['NT NPORT-P', 'late_filing_notice', false],
    ['10SB12G', 'exchange_act_registration', false],
    ['8A12BEF', 'exchange_act_registration', false],
    ['PRE13E3', 'going_private', false],
    ['POS AMC', 'post_effective_amendment', true],
    ['24F-2EL', 'fund_fee_notice', false],
    ['N-1A EL', 'fund_registration', false],
    ['485B24E', 'fund_registration', true],
    ['40-6C', 'fund_other', false],
    ['17AD-27', 'market_participant', false],
    ['1-N', 'market_participant', false],
    ['SERIOUS DEFICIEN', 'sec_order', false],
    ['ATS-N/A ORDR INEFF', 'sec_order', false],
    ['NEVER SEEN', 'other_filing', false],
    ['constructor', 'other_filing', false],
    ['__proto__', 'other_filing', false],
    ['', 'other_filing', false],
  ])('form %s is %s, amends: %s', (form, eventType, amends) => {
    expect(eventTypeOfForm(form)).toBe(eventType);
    expect(amendsEarlier(form)).toBe(amends);
  });

  it('reads every spelling of a form alike', () => {
    expect(normalizeForm('  def   14a ')).toBe('DEF 14A');
    expect(eventTypeOfForm('  def   14a ')).toBe('proxy_statement');
    expect(amendsEarlier(' pos\tam ')).toBe(true);
    fc.assert(
      fc.property(anyForm, fc.constantFrom(' ', '  ', '\t'), (form, gap) => {
        const spelled = `${gap}${form.toLowerCase().replaceAll(' ', gap)}${gap}`;
        const plain = form.toLowerCase();
        expect(normalizeForm(spelled)).toBe(normalizeForm(plain));
        expect(eventTypeOfForm(spelled)).toBe(eventTypeOfForm(plain));
        expect(amendsEarlier(spelled)).toBe(amendsEarlier(plain));
        expect(normalizeForm(normalizeForm(form))).toBe(normalizeForm(form));
      }),
    );
  });

  it('keeps the family in an amendment', () => {
    fc.assert(
      fc.property(fc.constantFrom(...listedForms), (form) => {
        expect(eventTypeOfForm(`${form}/A`)).toBe(eventTypeOfForm(form));
        expect(amendsEarlier(`${form}/A`)).toBe(true);
        expect(amendsEarlier(form)).toBe(formsThatAmend.includes(form));
        expect(nounOfForm(`${form}/A`)).toBe(nounOfForm(form));
      }),
    );
  });

  it('takes for amending without /A the post-effective amendments and the revised proxies, and no others', () => {
    expect([...formsThatAmend].sort()).toEqual(
      listedForms.filter((form) => /POS|RN?14[AC]$|^48[56][AB]24[EF]$/.test(form)).sort(),
    );
  });

  it('always names a family, and stays right when more spellings come than it remembers', () => {
    fc.assert(
      fc.property(fc.string(), (form) => {
        expect(eventTypes).toContain(eventTypeOfForm(form));
      }),
    );
    for (let number = 0; number < 10_000; number += 1)
      expect(eventTypeOfForm(`X-${number}`)).toBe('other_filing');
    expect(eventTypeOfForm('10-K/A')).toBe('annual_report');
  });

  const reference = new URL('../../../shared/reference/forms.tsv', import.meta.url);
  it('agrees with every row of the form list', needs('reference'), () => {
    const rows = readFileSync(reference, 'utf8')
      .trimEnd()
      .split('\n')
      .slice(1)
      .map((line) => line.split('\t'));
    expect(rows).toHaveLength(475);
    for (const [form = '', eventType, amends] of rows) {
      expect([form, eventTypeOfForm(form), amendsEarlier(form) ? 'yes' : 'no']).toEqual([
        form,
        eventType,
        amends,
      ]);
    }
  });
});

describe('words for summaries', () => {
  it('takes the noun of the form before that of its family', () => {
    expect(nounOfForm('13F-HR')).toBe('institutional holdings report');
    expect(nounOfForm('13f-nt/a')).toBe('institutional holdings notice');
    expect(nounOfForm('U-1')).toBe('document');
  });

  it('knows who files', () => {
    expect(isFiledByNamedCompany('10-K/A')).toBe(true);
    expect(isFiledByNamedCompany('4')).toBe(false);
    expect(isFiledByNamedCompany('F-3')).toBe(true);
    expect(isFiledByNamedCompany('F-6/A')).toBe(false);
  });

  it('finds a family by its name, and other_filing for any other text', () => {
    expect(familyOf('going_private')).toBe(eventFamilies.going_private);
    expect(familyOf('toString')).toBe(eventFamilies.other_filing);
  });
});
