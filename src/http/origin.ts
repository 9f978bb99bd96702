/** By which addresses this service may be called. */
export interface OwnAddress {
  /** Its public address; null if none is configured. */
  readonly baseUrl: string | null;
  /** Whether it listens on this machine alone, where no name but the machine's own leads to it. */
  readonly isLocal: boolean;
}

const loopbackNames: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an address that a server listens on is only reached from its own machine. */
export function isLoopback(host: string): boolean {
  return host === '::1' || loopbackNames.includes(host) || /^127(\.\d{1,3}){3}$/.test(host);
}

/**
 * Why a request is refused that comes from a page of another site, or by a name that a page of another site
 * made lead here (DNS rebinding): what the tool protocol asks for. Null for every other request. `host` is
 * the host that it asks, `origin` its header; a request without Origin comes from no page. Behind a proxy
 * that sends another host on, BASE_URL names the service.
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

/** A host as addresses of the origin's scheme have it: without the port that the scheme implies. */
function withoutDefaultPort(host: string, origin: string): string {
  return host.replace(origin.startsWith('https:') ? /:443$/ : /:80$/, '');
}
