/** The name of the gateway in the names of its headers, unless the operator sets another one. */
export const gatewayNameDefault = 'marketplace';

/** What a gateway may be called: it becomes a part of the names of headers. */
export const gatewayNamePattern = /^[a-z][a-z0-9-]{0,30}[a-z0-9]$/;

/** The headers of a marketplace gateway, by what they say; all in lower case. */
export interface GatewayHeaders {
  /** The host by which the buyer called the gateway. The buyer sends it. */
  readonly host: string;
  /** The key of the buyer, which the gateway has checked. The buyer sends it. */
  readonly key: string;
  /** The secret that proves that a request came through the gateway. Buyers never see it. */
  readonly proxySecret: string;
  /** The name of the buyer. The gateway adds it. */
  readonly user: string;
  /** The plan of the buyer. The gateway adds it. */
  readonly subscription: string;
}

/**
 * The headers of the gateway with a name: `x-<name>-host` and so on. With `rapidapi` they are those that this
 * gateway documents (https://docs.rapidapi.com/docs/additional-request-headers).
 */
export function gatewayHeaders(name: string = gatewayNameDefault): GatewayHeaders {
  return {
    host: `x-${name}-host`,
    key: `x-${name}-key`,
    proxySecret: `x-${name}-proxy-secret`,
    user: `x-${name}-user`,
    subscription: `x-${name}-subscription`,
  };
}

/** The headers in which clients send keys, as `Vary` lists them. */
export function keyHeaderNames({ host, key }: Pick<GatewayHeaders, 'host' | 'key'>): string {
  return `Authorization, x-api-key, ${host}, ${key}`;
}
