import { ApiError } from '../contract/errors.ts';
import { productName } from '../contract/product.ts';
import type { Reply } from '../http/exchange.ts';
import { jsonReply } from '../http/send.ts';
import type { Services } from '../requests/services.ts';

/**
 * Replies with the metadata of a resource of this service, by its path: who issues tokens for it (RFC 9728). Throws
 * `overloaded` while the service does not know its address.
 */
export function resourceReply(address: Services['address'], issuer: string, path: string): Reply {
  const own = address();
  if (own === null)
    throw new ApiError('overloaded', 'The service has not begun to listen; try again in a second.');
  return jsonReply(
    200,
    {
      resource: `${own}${path}`,
      authorization_servers: [issuer],
      bearer_methods_supported: ['header'],
      resource_name: productName,
      resource_documentation: `${own}/docs/keys`,
    },
    { 'Cache-Control': 'public, max-age=300' },
  );
}
