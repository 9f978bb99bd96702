import { boundedAnswer } from '../answers/for-assistants.ts';
import { withSource } from '../requests/answer-source.ts';
import { sizeMember } from '../contract/tool-parameters.ts';
import { skills, type Skill } from '../contract/agent.ts';
import { errorStatus, usualMessages } from '../contract/errors.ts';
import type { Services } from '../requests/services.ts';
import { checkArguments } from '../query/arguments.ts';
import { unknownName } from '../query/checks.ts';
import { mistakeOf } from '../answers/suggestions.ts';
import type { Part, Reply } from './dialects.ts';
import { isObject } from '../domain/scalars.ts';
import { beginAnswer } from '../requests/caller.ts';
import { RpcError } from './agent-refusals.ts';
import { readSentence, type SkillRequest } from './sentence.ts';

/** The agent's answer to a message: a text and data, with their size. */
export type SkillAnswer = Pick<Reply, 'text' | 'data' | 'metadata'>;

const skillsById = new Map(skills.map((skill) => [skill.id, skill]));
const examples = skills.flatMap((skill) => skill.examples.slice(0, 1));

/** The answer to a message that fits no skill and no form of sentence. */
export const notUnderstood: SkillAnswer = {
  text: `I understand only a few forms of sentences, and guess nothing. Examples:\n${examples.map((example) => `- ${example}`).join('\n')}\nCompanies are named by ticker symbol in capitals or by CIK; "search NAME" finds them. The agent card lists every skill.`,
  data: {
    error: { code: 'invalid_parameter', message: 'The sentence has no form that is understood.' },
    examples,
  },
};

/**
 * Reads what a message asks for: its data part if it has one, else its texts as one sentence. Null if the
 * sentence is not understood. Throws `RpcError` for data that names no skill.
 */
export function readSkillRequest(
  parts: readonly Part[],
): (SkillRequest & { readonly isData: boolean }) | null {
  const [given, ...others] = parts.flatMap((part) => ('data' in part ? [part.data] : []));
  if (others.length > 0)
    throw new RpcError('invalid_params', 'message.parts: must have one part with data at most');
  if (given !== undefined) return { ...readData(given), isData: true };
  const asked = readSentence(parts.map((part) => ('text' in part ? part.text : '')).join(' '));
  return asked && { ...asked, isData: false };
}

function readData(given: unknown): SkillRequest {
  const { skill: id, arguments: values, ...others } = isObject(given) ? given : {};
  const skill = typeof id === 'string' ? skillsById.get(id) : undefined;
  if (!skill)
    throw new RpcError(
      'invalid_params',
      `skill: must be one of ${[...skillsById.keys()].join(', ')}`,
      'invalid_parameter',
    );
  const [other] = Object.keys(others);
  if (other !== undefined)
    throw new RpcError(
      'invalid_params',
      unknownName(other, 'a part with data', ['skill', 'arguments'], '').message,
      'invalid_parameter',
    );
  return { skill, arguments: values };
}

/**
 * Runs a skill and returns its answer in words and as data. If something is not found, or a sentence has a
 * wrong value, the answer is the error of the REST operation in words and as data. A data part with wrong
 * arguments gets an `RpcError`, because a program sent it. Rejects with faults of the service.
 */
export function runSkill(
  services: Services,
  { skill, arguments: given, isData }: SkillRequest & { readonly isData: boolean },
  caller: string | null,
): Promise<SkillAnswer> {
  return withSource(services, async (source) => {
    try {
      const query = checkArguments({ name: skill.id, arguments: skill.arguments }, given);
      await beginAnswer(services, caller);
      const { text, content, size } = await boundedAnswer(source, skill, query);
      return { text, data: content(), metadata: { [sizeMember]: size } };
    } catch (error) {
      const { code, message } = await mistakeOf(source, skill, error, given);
      if (isData && errorStatus[code] === 400) throw new RpcError('invalid_params', message, code);
      return { text: message, data: { error: { code, message } } };
    }
  });
}

/** Throws `RpcError` if a keyed skill is called without a key. */
export function refuseWithoutKey({ id }: Skill, caller: string | null): asserts caller is string {
  if (caller !== null) return;
  const open = skills.filter(({ access }) => access === 'public').map((skill) => skill.id);
  throw new RpcError(
    'unauthorized',
    `${usualMessages.unauthorized}: ${id} wants x-api-key or Authorization: Bearer. No key is needed for ${open.join(' and ')}.`,
    'unauthorized',
  );
}
