import { z } from 'zod';
import { cik } from '../domain/scalars.ts';
import { directions } from './ownership.ts';
import type { Parameter } from './parameters.ts';
import { relationships } from './transaction-filters.ts';

/** A parameter that is true or false. */
export function yesOrNo(
  name: 'listed' | 'isDerivative' | 'isPlanned',
  description: string,
  brief = description,
): Parameter {
  return {
    name,
    in: 'query',
    description,
    brief,
    allowed: 'true or false',
    parse: z.enum(['true', 'false']).transform((text) => text === 'true'),
    schema: { type: 'boolean' },
    example: 'true',
  };
}

const owner: Parameter = {
  name: 'owner',
  in: 'query',
  description:
    'CIK of an owner, 10 digits: a person or company that reports. `/v1/sec/companies/search` finds it.',
  brief: 'CIK of an insider, 10 digits; sec_company_search finds it.',
  allowed: 'a 10-digit CIK',
  parse: cik,
  schema: { type: 'string', pattern: '^\\d{10}$' },
  example: '0001197649',
};

const direction: Parameter = {
  name: 'direction',
  in: 'query',
  description: 'Whether the owners acquired or disposed of the securities.',
  brief: 'What the owners did.',
  allowed: `one of ${directions.join(', ')}`,
  parse: z.enum(directions),
  schema: { type: 'string', enum: [...directions] },
  example: 'disposed',
};

const relationship: Parameter = {
  name: 'relationship',
  in: 'query',
  description: 'What an owner is to the issuer; of several owners one is enough.',
  brief: 'What an owner is to the issuer.',
  allowed: `one of ${relationships.join(', ')}`,
  parse: z.enum(relationships),
  schema: { type: 'string', enum: [...relationships] },
  example: 'officer',
};

const isDerivative = yesOrNo(
  'isDerivative',
  'Only transactions in derivatives, such as options (`true`), or in shares (`false`).',
  'Only derivatives, such as options, or only shares.',
);
const isPlanned = yesOrNo(
  'isPlanned',
  'Only filings whose box of Rule 10b5-1(c) is checked (`true`) or not (`false`); those without a box, as before April 2023, are neither.',
  'Only those under a plan of Rule 10b5-1, or only others.',
);

/** What the names of these parameters are. */
type TransactionParameter = 'owner' | 'code' | 'direction' | 'relationship' | 'isDerivative' | 'isPlanned';

/** The parameters that only insider transactions have. `transactionCode` is that of lists of filings. */
export function transactionParameters(transactionCode: Parameter): Record<TransactionParameter, Parameter> {
  const code: Parameter = {
    ...transactionCode,
    name: 'code',
    description: `Codes of transactions, up to ${transactionCode.valuesMaximum} with commas between; a transaction with any of them matches: \`P\` (purchase), \`S\` (sale). Case is folded. \`/reference.json\` says what each means.`,
    brief: 'Codes: any of these; P purchase, S sale, A grant, M exercise, F tax, G gift.',
    example: 'S',
  };
  return { owner, code, direction, relationship, isDerivative, isPlanned };
}
