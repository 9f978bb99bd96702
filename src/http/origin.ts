/** The addresses by which this service may be called. */
export interface OwnAddress {
  /** Its public address; null if none is configured. */
  readonly baseUrl: string | null;
  /** Whether it listens on loopback, so that only names of this machine lead to it. */
  readonly isLocal: boolean;
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address that a server listens on can be reached only from its own machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackNames.includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Why a request is refused that comes from a page of another site, or by a host name that such a page made
 * lead here (DNS rebinding); the tool protocol requires that check. Null for every other request. `host` is
 * the host that the request asks, `origin` its `Origin` header; a request without one does not come from a
 * page. Behind a proxy that changes the host, BASE_URL names the service.
 */
export function foreignReason(
  host: string,
  origin: string | undefined,
  { baseUrl, isLocal }: OwnAddress,
): string | null {
  const ownHost = baseUrl === null ? null : new URL(baseUrl).host;
  const asked = host.toLowerCase();
  if (isLocal && asked !== '' && !loopbackNames.includes(asked.replace(/:\d*$/, '')) && asked !== ownHost) {
    return `the Host of this request is not this service; behind a proxy, the setting BASE_URL names the host that clients ask`;
  }
  if (origin === undefined) return null;
  const originHost = URL.canParse(origin) ? new URL(origin).host : null;
  const isOwn =
    originHost !== null && (originHost === withoutDefaultPort(asked, origin) || originHost === ownHost);
  return isOwn
    ? null
    : 'the Origin of this request is not this service; behind a proxy, the setting BASE_URL names the address that pages have';
}

/** A host as URLs of the origin's scheme write it: without the default port of the scheme. */
function withoutDefaultPort(host: string, origin: string): string {
  return host.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');
}
