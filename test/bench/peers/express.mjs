// The usual way to build such a service: Express, rows from SQLite through an index that has their order,
// res.json.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import express from 'express';

const [databasePath, filingsPath, key] = process.argv.slice(2);

/**
 * Every member of a filing as a column: numbers and texts as they are, flags as numbers, everything else as
 * JSON.
 */
const kindOf = { number: 'INTEGER', boolean: 'INTEGER' };
const filings = createInterface({ input: createReadStream(filingsPath) })[Symbol.asyncIterator]();
const first = JSON.parse((await filings.next()).value);
const columns = Object.keys(first);
const flags = columns.filter((name) => typeof first[name] === 'boolean');
/** Columns of JSON: the first filing may have none of what others have. */
const lists = new Set();

const database = new Database(databasePath);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = OFF');
database.exec(
  `CREATE TABLE filings (${columns.map((name) => `${name} ${kindOf[typeof first[name]] ?? 'TEXT'}`).join(', ')})`,
);
const insert = database.prepare(
  `INSERT INTO filings (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`,
);
function toCell(name, value) {
  if (typeof value === 'boolean') return Number(value);
  if (typeof value !== 'object' || value === null) return value;
  lists.add(name);
  return JSON.stringify(value);
}
database.exec('BEGIN');
insert.run(...columns.map((name) => toCell(name, first[name])));
for await (const line of filings) {
  const filing = JSON.parse(line);
  insert.run(...columns.map((name) => toCell(name, filing[name])));
}
database.exec('COMMIT');
database.exec('CREATE INDEX newest ON filings (filedAt DESC, acceptanceDateTime DESC, accessionNo DESC)');
const select = database.prepare(
  'SELECT * FROM filings ORDER BY filedAt DESC, acceptanceDateTime DESC, accessionNo DESC LIMIT ?',
);

function toFiling(row) {
  for (const name of flags) row[name] = row[name] === 1;
  for (const name of lists) row[name] = JSON.parse(row[name]);
  return row;
}

const app = express();
app.get('/v1/sec/latest', (request, response) => {
  if (request.get('x-api-key') !== key)
    return response
      .status(401)
      .json({ error: { code: 'unauthorized', message: 'Invalid or missing API key' } });
  const data = select.all(Number(request.query.limit)).map(toFiling);
  return response.json({ data, meta: { count: data.length } });
});
const server = app.listen(0, '127.0.0.1', () =>
  console.log(JSON.stringify({ event: 'listening', port: server.address().port })),
);
