import { archivesUrl } from '../edgar/edgar-settings.ts';
import type { ContentsAnswer } from './contents-kinds.ts';
import type { Source } from '../sources/registry.ts';
import { parseOwnership } from './ownership-file.ts';

const megabyte = 1024 * 1024;

/**
 * The document of a filing about ownership, below `/Archives/edgar/`: see `ownershipFile`. A full submission has its
 * exhibits, too. A document that cannot be understood is an answer: asking at once again would change nothing.
 */
export const ownershipSource: Source<ContentsAnswer> = {
  url: archivesUrl,
  bytesMaximum: 32 * megabyte,
  parse(body, file) {
    const [accessionNo] = /[^/]+(?=\.txt$)/.exec(file) ?? [];
    if (accessionNo !== undefined && !body.includes(accessionNo)) return { unfit: 'it is of another filing' };
    try {
      const { document, refused } = parseOwnership(body);
      return { said: { source: 'document', ownership: document }, refused };
    } catch (error) {
      return { unfit: (error as Error).message };
    }
  },
};
