import { describe, expect, it } from 'vitest';
import { changeTypeOf } from '../../src/domain/change-type.ts';
import { eventTypeOfForm, ownershipFamilies } from '../../src/domain/event-types.ts';

describe('changeTypeOf', () => {
  it.each([
    ['8-K', ['2.02', '9.01'], 'material_event'],
    ['8-K', ['9.01', '2.02'], 'material_event'],
    ['8-K', ['7.77'], 'material_event'],
    ['8-K', [], 'material_event'],
    ['8-K12B', [], 'material_event'],
    ['8-K15D5', ['9.01', '8.01'], 'material_event'],
    [' 8-k ', ['8.01'], 'material_event'],
    ['8-K', ['9.01'], 'new'],
    ['8-K/A', ['4.02'], 'amended'],
    ['8-K/A', ['9.01'], 'amended'],
    ['8-K/A', [], 'amended'],
    ['10-K/A', [], 'amended'],
    ['POS AM', [], 'amended'],
    ['485BPOS', [], 'amended'],
    ['DEFR14A', [], 'amended'],
    ['ATS-N/OFA', [], 'amended'],
    ['UNHEARD OF/A', [], 'amended'],
    ['6-K', [], 'new'],
    ['10-K', [], 'new'],
    ['25-NSE', [], 'new'],
    ['DEL AM', [], 'new'],
    ['C/A-W', [], 'new'],
    ['UNHEARD OF', ['2.02'], 'new'],
  ])('a filing of form %s with items %j is %s', (form, items, changeType) => {
    expect(changeTypeOf(form, items)).toBe(changeType);
  });
});

describe('ownershipFamilies', () => {
  it('ownershipFamilies holds the families of Forms 3, 4 and 5, and no other', () => {
    for (const form of ['3', '4', '5', '3/A', '4/A', '5/A'])
      expect(ownershipFamilies.has(eventTypeOfForm(form))).toBe(true);
    for (const form of ['144', 'SC 13D', '8-K'])
      expect(ownershipFamilies.has(eventTypeOfForm(form))).toBe(false);
    expect(ownershipFamilies.size).toBe(3);
  });
});
