import { agentPath, skills, type Skill } from '../../src/contract/agent.ts';
import { datesNote, productDescription, productName, productVersion } from '../../src/contract/product.ts';
import { addressOf, jsonFile, type PublicFile, type PublicInput } from '../content/public-file.ts';

/** The path at which agents look for the card. */
const agentCardPath = '/.well-known/agent-card.json';

const keyDescription = 'The key of direct access. The public skills need none.';

/** Each scheme in the form of A2A 1.0 and, beside it, in that of 0.3. */
const securitySchemes = {
  apiKey: {
    apiKeySecurityScheme: { location: 'header', name: 'x-api-key', description: keyDescription },
    type: 'apiKey',
    in: 'header',
    name: 'x-api-key',
    description: keyDescription,
  },
  bearer: {
    httpAuthSecurityScheme: { scheme: 'Bearer', description: keyDescription },
    type: 'http',
    scheme: 'bearer',
    description: keyDescription,
  },
};
const schemeNames = Object.keys(securitySchemes);
/** One key is enough, sent in either way. */
const keyNeeded = {
  securityRequirements: schemeNames.map((name) => ({ schemes: { [name]: { list: [] } } })),
  security: schemeNames.map((name) => ({ [name]: [] })),
};

/**
 * Returns the agent card, by which other agents find this one: one document with the members of A2A 1.0 and
 * of 0.3.
 */
export function agentCardFiles({ settings }: PublicInput): PublicFile[] {
  const url = addressOf(settings, agentPath);
  const card = {
    name: productName,
    description: `${productDescription} It answers sentences of a few forms and structured data, without a model. ${datesNote}`,
    version: productVersion,
    supportedInterfaces: ['1.0', '0.3'].map((protocolVersion) => ({
      url,
      protocolBinding: 'JSONRPC',
      protocolVersion,
    })),
    provider: { organization: productName, url: addressOf(settings, '/') },
    documentationUrl: addressOf(settings, '/docs'),
    capabilities: {
      streaming: false,
      pushNotifications: false,
      extendedAgentCard: false,
      stateTransitionHistory: false,
    },
    defaultInputModes: ['text/plain', 'application/json'],
    defaultOutputModes: ['text/plain', 'application/json'],
    securitySchemes,
    skills: skills.map(describeSkill),
    // Members that only 0.3 has.
    protocolVersion: '0.3.0',
    url,
    preferredTransport: 'JSONRPC',
    additionalInterfaces: [{ url, transport: 'JSONRPC' }],
    supportsAuthenticatedExtendedCard: false,
  };
  return [jsonFile(agentCardPath, card)];
}

function describeSkill({ id, name, description, tags, examples, access, arguments: given }: Skill) {
  const names = given.map(({ parameter, required }) => `${parameter.name}${required ? ' (required)' : ''}`);
  const asData = `As data: {"skill":"${id}","arguments":{}} with ${names.length > 0 ? `the arguments ${names.join(', ')}` : 'no arguments'}.`;
  return {
    id,
    name,
    description: `${description} ${asData}`,
    tags,
    examples,
    ...(access === 'keyed' ? keyNeeded : {}),
  };
}
