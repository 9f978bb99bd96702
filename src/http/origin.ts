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
 * Whether a request comes from a page of another site, or by a name that a foreign page made lead here (DNS rebinding): what
 * the tool protocol wants refused. `url` is the request's own address, `origin` its header. A request without Origin
 * comes from no page. Behind a proxy that passes another name on, BASE_URL says what the service is called.
 */
export function isForeign(url: string, origin: string | undefined, { baseUrl, isLocal }: OwnAddress): boolean {
  const asked = new URL(url);
  const ownHost = baseUrl === null ? null : new URL(baseUrl).host;
  if (isLocal && !loopbackNames.includes(asked.hostname) && asked.host !== ownHost) return true;
  if (origin === undefined) return false;
  if (!URL.canParse(origin)) return true;
  const { host } = new URL(origin);
  return host !== asked.host && host !== ownHost;
}
