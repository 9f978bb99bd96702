import { archiveMembers, type ArchiveShape } from '../../support/archive.ts';
import { writeLargeZip } from '../../support/zip.ts';

const [path = '', shape = ''] = process.argv.slice(2);
writeLargeZip(path, archiveMembers(JSON.parse(shape) as ArchiveShape));
