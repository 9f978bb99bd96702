// The usual way to build such a service: Express, rows from SQLite through an index that has their order, res.json.
import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import Database from 'better-sqlite3';
import express from 'express';

const [databasePath, filingsPath, key] = process.argv.slice(2);
const texts = ['accessionNo', 'cik', 'ticker', 'companyName', 'form', 'eventType', 'filedAt', 'reportDate', 'acceptanceDateTime', 'primaryDocument', 'primaryDocDescription', 'detailUrl', 'ingestedAt'];
const columns = [...texts, 'items', 'size', 'isXbrl', 'isInlineXbrl'];

const database = new Database(databasePath);
database.pragma('journal_mode = WAL');
database.pragma('synchronous = OFF');
database.exec(`CREATE TABLE filings (${texts.map((name) => `${name} TEXT`).join(', ')}, items TEXT, size INTEGER, isXbrl INTEGER, isInlineXbrl INTEGER)`);
const insert = database.prepare(`INSERT INTO filings (${columns.join(', ')}) VALUES (${columns.map(() => '?').join(', ')})`);
database.exec('BEGIN');
for await (const line of createInterface({ input: createReadStream(filingsPath) })) {
  const filing = JSON.parse(line);
  insert.run(...texts.map((name) => filing[name]), JSON.stringify(filing.items), filing.size, Number(filing.isXbrl), Number(filing.isInlineXbrl));
}
database.exec('COMMIT');
database.exec('CREATE INDEX newest ON filings (filedAt DESC, acceptanceDateTime DESC, accessionNo DESC)');
const select = database.prepare('SELECT * FROM filings ORDER BY filedAt DESC, acceptanceDateTime DESC, accessionNo DESC LIMIT ?');

const app = express();
app.get('/v1/sec/latest', (request, response) => {
  if (request.get('x-api-key') !== key) return response.status(401).json({ error: { code: 'unauthorized', message: 'Invalid or missing API key' } });
  const data = select.all(Number(request.query.limit)).map((row) => ({ ...row, items: JSON.parse(row.items), isXbrl: row.isXbrl === 1, isInlineXbrl: row.isInlineXbrl === 1 }));
  return response.json({ data, meta: { count: data.length } });
});
const server = app.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ event: 'listening', port: server.address().port })));
