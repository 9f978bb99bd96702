import { endpoints, type Endpoint } from '../../src/contract/endpoints.ts';
import { gatewayHeaders } from '../../src/contract/gateway.ts';
import { productDescription, productName } from '../../src/contract/product.ts';
import { prompts } from '../../src/contract/prompts.ts';
import { argumentsOf, handshakeRevisions, tools } from '../../src/contract/tools.ts';
import { sha256Of } from '../../src/files/bytes.ts';
import { examplePaths } from '../content/examples.ts';
import { addressOf, jsonFile, type PublicFile, type PublicInput } from '../content/public-file.ts';

/**
 * Returns an identifier in the form of a UUID that depends only on a name, so that the same collection has
 * the same bytes.
 */
function identifierOf(name: string): string {
  const digest = sha256Of(name);
  return `${digest.slice(0, 8)}-${digest.slice(8, 12)}-5${digest.slice(13, 16)}-8${digest.slice(17, 20)}-${digest.slice(20, 32)}`;
}

const test = (...lines: string[]) => [{ listen: 'test', script: { type: 'text/javascript', exec: lines } }];
const hasStatus = (status: number) =>
  `pm.test('status is ${status}', () => pm.response.to.have.status(${status}));`;
const isJson =
  "pm.test('answers JSON', () => pm.expect(pm.response.headers.get('Content-Type')).to.include('json'));";
const directKey = { key: 'x-api-key', value: '{{apiKey}}' };

/** The headers of a request with a direct key. Those of the gateway are there to be switched on instead. */
function keyHeaders({ marketplaceName }: PublicInput['settings']) {
  const { host, key } = gatewayHeaders(marketplaceName);
  return [
    directKey,
    { key: host, value: '{{gatewayHost}}', disabled: true },
    { key, value: '{{gatewayKey}}', disabled: true },
  ];
}

/** Returns a Postman address: the format has both the text and its parts. */
function url(target: string) {
  const [path = '', query] = target.split('?');
  return {
    raw: `{{baseUrl}}${target}`,
    host: ['{{baseUrl}}'],
    path: path.slice(1).split('/').map(decodeURIComponent),
    ...(query === undefined
      ? {}
      : {
          query: query.split('&').map((pair) => ({
            key: pair.slice(0, pair.indexOf('=')),
            value: decodeURIComponent(pair.slice(pair.indexOf('=') + 1)),
          })),
        }),
  };
}

function readItem(endpoint: Endpoint, target: string, settings: PublicInput['settings']) {
  // Health is computed for each request and not cached, so it has no ETag.
  const evidence =
    endpoint.answer.kind === 'health'
      ? "pm.test('works', () => pm.expect(pm.response.json().status).to.be.oneOf(['ok', 'stale']));"
      : "pm.test('has an ETag', () => pm.expect(pm.response.headers.get('ETag')).to.be.a('string'));";
  const isFile = endpoint.fileType !== undefined;
  const type = isFile
    ? `pm.test('is a file', () => pm.expect(pm.response.headers.get('Content-Type')).to.equal('${endpoint.fileType}'));`
    : isJson;
  const members =
    "pm.test('has members', () => pm.expect(pm.response.json()).to.be.an('object').that.is.not.empty);";
  return {
    id: identifierOf(endpoint.id),
    name: endpoint.summary,
    event: test(hasStatus(200), type, ...(isFile ? [] : [members]), evidence),
    request: {
      method: 'GET',
      header: endpoint.access === 'keyed' ? keyHeaders(settings) : [],
      url: url(target),
      description: endpoint.description,
    },
  };
}

function unauthorizedItem(endpoint: Endpoint, target: string) {
  return {
    id: identifierOf(`${endpoint.id} without a key`),
    name: `${endpoint.summary}, without a key`,
    event: test(
      hasStatus(401),
      isJson,
      "pm.test('names the error', () => pm.expect(pm.response.json().error.code).to.equal('unauthorized'));",
    ),
    request: {
      method: 'GET',
      header: [],
      url: url(target),
      description: 'What an operation answers to a request without a key.',
    },
  };
}

function protocolItem(name: string, method: string, params: object, lines: readonly string[]) {
  return {
    id: identifierOf(`mcp ${name}`),
    name,
    event: test(hasStatus(200), isJson, ...lines),
    request: {
      method: 'POST',
      header: [
        { key: 'Content-Type', value: 'application/json' },
        { key: 'Accept', value: 'application/json, text/event-stream' },
        directKey,
      ],
      url: url('/mcp'),
      body: {
        mode: 'raw',
        raw: JSON.stringify({ jsonrpc: '2.0', id: '1', method, params }, null, 2),
        options: { raw: { language: 'json' } },
      },
    },
  };
}

/**
 * Returns `/postman.json`: a collection of every operation and tool with tests, in format 2.1
 * (https://schema.postman.com).
 */
export function collectionFiles({ settings, overview }: PublicInput): PublicFile[] {
  const all = endpoints;
  const pathOf = examplePaths(overview);
  const folder = (name: string, item: readonly object[]) => ({
    id: identifierOf(`folder ${name}`),
    name,
    item,
  });
  const keyed = all.filter(({ access }) => access === 'keyed');
  return [
    jsonFile('/postman.json', {
      info: {
        _postman_id: identifierOf('collection'),
        name: productName,
        description: productDescription,
        schema: 'https://schema.getpostman.com/json/collection/v2.1.0/collection.json',
      },
      variable: [
        { key: 'baseUrl', value: addressOf(settings, '') },
        { key: 'apiKey', value: '' },
        { key: 'gatewayHost', value: '' },
        { key: 'gatewayKey', value: '' },
      ],
      item: [
        folder(
          'Public',
          all
            .filter(({ access }) => access === 'public')
            .map((endpoint) => readItem(endpoint, pathOf(endpoint), settings)),
        ),
        folder(
          'Data',
          keyed.map((endpoint) => readItem(endpoint, pathOf(endpoint), settings)),
        ),
        folder(
          'Without a key',
          keyed.slice(0, 1).map((endpoint) => unauthorizedItem(endpoint, pathOf(endpoint))),
        ),
        folder('Tools', [
          protocolItem(
            'initialize',
            'initialize',
            {
              protocolVersion: handshakeRevisions[0],
              capabilities: {},
              clientInfo: { name: 'postman', version: '1.0.0' },
            },
            [
              `pm.test('agrees on a revision', () => pm.expect(pm.response.json().result.protocolVersion).to.equal('${handshakeRevisions[0]}'));`,
            ],
          ),
          protocolItem('tools/list', 'tools/list', {}, [
            `pm.test('lists ${tools.length} tools', () => pm.expect(pm.response.json().result.tools).to.have.length(${tools.length}));`,
          ]),
          ...tools.map(({ name, example, endpoint }) =>
            protocolItem(
              name,
              'tools/call',
              { name, arguments: endpoint ? argumentsOf(endpoint, pathOf(endpoint)) : example },
              ["pm.test('is no error', () => pm.expect(pm.response.json().result.isError).to.equal(false));"],
            ),
          ),
          ...otherItems(),
        ]),
      ],
    }),
  ];
}

/** Resources and prompts. Those that are read need no key, so they answer whatever the collection is set to. */
function otherItems() {
  const lists = [
    ['resources/list', 'resources'],
    ['resources/templates/list', 'resourceTemplates'],
    ['prompts/list', 'prompts'],
  ] as const;
  return [
    ...lists.map(([method, member]) =>
      protocolItem(method, method, {}, [
        `pm.test('lists ${member}', () => pm.expect(pm.response.json().result.${member}).to.not.be.empty);`,
      ]),
    ),
    protocolItem('resources/read', 'resources/read', { uri: 'reference://forms/8-K' }, [
      "pm.test('is a text', () => pm.expect(pm.response.json().result.contents[0].text).to.include('8-K'));",
    ]),
    ...prompts
      .slice(0, 1)
      .map(({ name, example }) =>
        protocolItem(`prompt ${name}`, 'prompts/get', { name, arguments: example }, [
          "pm.test('has messages', () => pm.expect(pm.response.json().result.messages).to.not.be.empty);",
        ]),
      ),
  ];
}
