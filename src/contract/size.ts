import { charactersPerToken } from './tool-parameters.ts';

/** What an answer takes of the context of a model, in tokens: characters divided by four. */
export interface Size {
  /** Of the text. */
  readonly tokens: number;
  /** Of the structured content; absent where there is none. */
  readonly structuredTokens?: number;
  /** The budget of both together. */
  readonly maxTokens: number;
  /** Whether the budget left out rows; the text then says how to get them. */
  readonly shortened: boolean;
}

/** The member of `_meta` and of `metadata` that holds the size of a text. */
export const sizeMember = 'filing-event-intelligence/size';

/** How many tokens a number of characters counts as. */
export function tokensOf(characters: number): number {
  return Math.ceil(characters / charactersPerToken);
}
