import { createClient, fileCursor } from 'filing-events/node';

const { BASE_URL = '', API_KEY } = process.env;
const client = createClient({ baseUrl: BASE_URL, apiKey: API_KEY });

for await (const { filing } of client.changes({ form: '8-K' }).follow({ cursor: fileCursor('state') })) {
  console.log(filing.acceptedAt, filing.companyName, filing.items.join(' '), filing.documentUrl);
}
