import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';

/** A validator of the 2020-12 dialect that knows the usual formats. */
export function newValidator(): Ajv2020 {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  return ajv;
}

/** A schema file of `test/schemas`, in the dialect that it names. */
export function schemaFile(name: string): ValidateFunction {
  const schema = JSON.parse(readFileSync(new URL(`../schemas/${name}`, import.meta.url), 'utf8')) as {
    $schema: string;
  };
  if (schema.$schema.includes('2020-12')) return newValidator().compile(schema);
  const ajv = new Ajv({ strict: false, allErrors: true, validateFormats: false });
  return ajv.compile(schema);
}

/** What a validator found wrong, in a line each; empty if nothing is. */
export function faultsOf(validate: ValidateFunction, value: unknown): string[] {
  if (validate(value)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath}: ${message}`);
}
