import { productVersion } from '../contract/product.ts';
import { rulesNumber } from '../domain/rules.ts';
import { snapshotFormat } from './snapshot.ts';

/** The commit of the checkout that a bundle was made of; a program that runs without a bundle does not have it. */
declare const programCommit: string | null | undefined;

/** Which program this is: two releases, or two builds of one, can be told apart. */
export const program = {
  release: productVersion,
  format: snapshotFormat,
  rules: rulesNumber,
  commit: typeof programCommit === 'undefined' ? null : programCommit,
} as const;

/** The same as a version with build metadata, as semantic versions have it: `0.3.0+format.3.rules.6.1a2b3c4d5e6f`. */
export const programVersion = `${program.release}+format.${program.format}.rules.${program.rules}${program.commit === null ? '' : `.${program.commit}`}`;
