import { keyField, keyHeaders } from './key.ts';

/** Why a request failed, in words for the reader. */
export interface Trouble {
  /**
   * The reader has to change the key, the company or the request. With `service` the reader can only try
   * again later.
   */
  readonly about: 'key' | 'company' | 'request' | 'service';
  readonly code: string;
  readonly text: string;
}

/** An answer, or why there is none. */
export type Outcome<Body> =
  | { readonly body: Body; readonly trouble?: undefined }
  | { readonly body?: undefined; readonly trouble: Trouble };

const wrongKey = 'The service does not accept this key. Check it for missing letters, or get another one.';

/** Sends a request with the key of the page. Never throws. */
export async function ask<Body>(path: string): Promise<Outcome<Body>> {
  const key = keyField.value.trim();
  if (key === '') return trouble('key', 'no_key', 'Put your key in here first.');
  // Headers allow only these characters, and so do keys.
  if (!/^[\x21-\x7e]+$/.test(key)) return trouble('key', 'unauthorized', wrongKey);
  try {
    const response = await fetch(path, { headers: { accept: 'application/json', ...keyHeaders() } });
    const body = (await response.json()) as Body & { error?: { code: string; message: string } };
    return response.ok ? { body } : { trouble: troubleOf(response, body.error ?? { code: '', message: '' }) };
  } catch {
    return trouble('service', '', 'The service did not answer. Check the connection, then try again.');
  }
}

function trouble(about: Trouble['about'], code: string, text: string): { trouble: Trouble } {
  return { trouble: { about, code, text } };
}

function troubleOf(
  { status, headers }: Response,
  { code, message }: { code: string; message: string },
): Trouble {
  const seconds = Number(headers.get('retry-after')) || 1;
  const again = `Try again in ${seconds === 1 ? 'a second' : `${seconds} seconds`}.`;
  if (status === 401) return { about: 'key', code, text: wrongKey };
  if (code === 'company_not_found')
    return {
      about: 'company',
      code,
      text: 'No company here has this ticker symbol or CIK. Search for its name.',
    };
  if (status === 400)
    return { about: 'request', code, text: `The service does not understand this. ${message}.` };
  if (status === 429 || code === 'overloaded')
    return { about: 'service', code, text: `There are too many requests at once. ${again}` };
  if (status === 503)
    return { about: 'service', code, text: `The service has no data to show at the moment. ${again}` };
  return {
    about: 'service',
    code,
    text: `Something broke in the service (status ${status}). Try again later.`,
  };
}
