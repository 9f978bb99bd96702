/** The addresses by which this service may be called. */
export interface OwnAddress {
  /** Its public address; null if none is configured. */
  readonly baseUrl: string | null;
  /** Whether it listens on loopback, so that only names of this machine lead to it. */
  readonly isLocal: boolean;
}

const loopbackNames: readonly string[] = ['localhost', '[::1]'];

/** Whether an address that a server listens on can be reached only from its own machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackNames.includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/** The address of a server that listens on a host and a port: one of this machine, if it listens on all. */
export function addressAt(host: string, port: number): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host;
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}`;
}

/**
 * Why a request is refused that comes from a page of another site, or by a host name that such a page made
 * lead here (DNS rebinding); the tool protocol requires that check. Null for every other request. `host` is
 * the host that the request asks, `origin` its `Origin` header; a request without one does not come from a
 * page. Where BASE_URL is set, only its host and its whole origin (scheme, host and port) are this service.
 * Without it, the origin must have the host that is asked, and a service on loopback must be asked by a name
 * or address of loopback.
 */
export function foreignReason(
  host: string,
  origin: string | undefined,
  { baseUrl, isLocal }: OwnAddress,
): string | null {
  const own = baseUrl === null ? null : new URL(baseUrl);
  const asked = host.toLowerCase();
  const isAsked =
    asked === '' ||
    (own === null
      ? !isLocal || isLoopback(asked.replace(/:\d*$/, ''))
      : withoutDefaultPort(asked, own.origin) === own.host);
  if (!isAsked)
    return 'the Host of this request is not this service; behind a proxy, the setting BASE_URL names the host that clients ask';
  if (origin === undefined) return null;
  const from = URL.canParse(origin) ? new URL(origin) : null;
  const isOwn =
    from !== null &&
    (own === null ? from.host === withoutDefaultPort(asked, from.origin) : from.origin === own.origin);
  return isOwn
    ? null
    : 'the Origin of this request is not this service; behind a proxy, the setting BASE_URL names the address that pages have';
}

/** A host as URLs of the origin's scheme write it: without the default port of the scheme. */
function withoutDefaultPort(host: string, origin: string): string {
  return host.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');
}
