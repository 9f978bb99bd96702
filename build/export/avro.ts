import { createHash } from 'node:crypto';
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import avro, { type Schema, type Type } from 'avsc';

/** Names and values of the header of an Avro file, beside its schema. */
export type AvroMetadata = Readonly<Record<string, string>>;

interface Header {
  readonly magic: Buffer;
  readonly meta: Readonly<Record<string, Buffer>>;
  readonly sync: Buffer;
}
interface Block {
  readonly count: number;
  readonly data: Buffer;
  readonly sync: Buffer;
}

const magic = Buffer.from('Obj\u0001', 'latin1');
const fixed = (name: string, size: number) => ({ type: 'fixed', name, size }) as const;
const headerType: Type = avro.Type.forSchema({
  type: 'record',
  name: 'Header',
  fields: [
    { name: 'magic', type: fixed('Magic', 4) },
    { name: 'meta', type: { type: 'map', values: 'bytes' } },
    { name: 'sync', type: fixed('Sync', 16) },
  ],
});
const blockType: Type = avro.Type.forSchema({
  type: 'record',
  name: 'Block',
  fields: [
    { name: 'count', type: 'long' },
    { name: 'data', type: 'bytes' },
    { name: 'sync', type: fixed('BlockSync', 16) },
  ],
});

/**
 * Makes an Avro file. The header has the schema as it is given, with the ids of fields: the package would
 * drop them. The same records give the same bytes.
 */
export function encodeAvro(schema: Schema, metadata: AvroMetadata, records: readonly object[]): Buffer {
  const type = avro.Type.forSchema(schema);
  const rows = Buffer.concat(records.map((record) => type.toBuffer(record)));
  const sync = createHash('md5').update(rows).digest();
  const entries = { ...metadata, 'avro.schema': JSON.stringify(schema), 'avro.codec': 'deflate' };
  const meta = Object.fromEntries(
    Object.entries(entries).map(([name, value]) => [name, Buffer.from(value)] as const),
  );
  const blocks = records.length === 0 ? [] : [{ count: records.length, data: deflateRawSync(rows), sync }];
  return Buffer.concat([
    headerType.toBuffer({ magic, meta, sync }),
    ...blocks.map((block) => blockType.toBuffer(block)),
  ]);
}

/** The records of an Avro file that was written with a schema. Throws if the file was not. */
export function decodeAvro<Row>(schema: Schema, bytes: Buffer): Row[] {
  const type = avro.Type.forSchema(schema);
  const header = headerType.decode(bytes, 0) as { value: Header; offset: number };
  if (header.value?.meta['avro.schema']?.toString() !== JSON.stringify(schema))
    throw new Error('the schema of the Avro file is another one');
  const rows: Row[] = [];
  for (let { offset } = header; offset < bytes.length; ) {
    const block = blockType.decode(bytes, offset) as { value: Block; offset: number };
    const data = inflateRawSync(block.value.data);
    for (let row = 0, from = 0; row < block.value.count; row++) {
      const decoded = type.decode(data, from) as { value: Row; offset: number };
      rows.push(decoded.value);
      from = decoded.offset;
    }
    offset = block.offset;
  }
  return rows;
}
