// An authorisation server as an operator may have one: oidc-provider, with one public client, PKCE and resource
// indicators. It prints its port. Its pages for login and consent are those that the package has for trying out.
import { createServer } from 'node:http';
import Provider from 'oidc-provider';

const [redirect = '', seconds = '60'] = process.argv.slice(2);

const server = createServer();
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
const address = `http://127.0.0.1:${server.address().port}`;

const provider = new Provider(address, {
  clients: [
    {
      client_id: 'assistant',
      application_type: 'native',
      token_endpoint_auth_method: 'none',
      redirect_uris: [redirect],
      grant_types: ['authorization_code', 'refresh_token'],
    },
  ],
  scopes: ['openid', 'offline_access', 'filings'],
  pkce: { required: () => true },
  // A refresh token for every client, also without the scope offline_access.
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  ttl: { AccessToken: Number(seconds), Grant: 3600, RefreshToken: 3600, Session: 3600, Interaction: 600 },
  features: {
    devInteractions: { enabled: true },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => undefined,
      useGrantedResource: () => true,
      getResourceServerInfo: (_context, resource) => ({
        scope: 'filings',
        audience: resource,
        accessTokenTTL: Number(seconds),
        accessTokenFormat: 'jwt',
        jwt: { sign: { alg: 'RS256' } },
      }),
    },
  },
  findAccount: (_context, id) => ({ accountId: id, claims: () => ({ sub: id }) }),
});
server.on('request', provider.callback());
console.log(JSON.stringify({ event: 'listening', port: server.address().port }));
