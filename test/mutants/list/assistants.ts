import type { Mutant } from '../mutant.ts';

/** Mends of what assistants call. */
export const assistantMutants: readonly Mutant[] = [
  {
    name: 'a page under another name may call the tools',
    breaks: 'A page that gives its name our address calls the tools of a local service.',
    test: 'test/assistants/mcp.test.ts',
    edits: [{ file: 'src/http/origin.ts', from: 'if (!isAsked)', to: 'if (false as boolean)' }],
  },
  {
    name: 'a script of another page may call the tools',
    breaks: 'Any page in a browser calls the tools of a local service.',
    test: 'test/assistants/mcp.test.ts',
    edits: [{ file: 'src/http/origin.ts', from: 'return isOwn\n', to: 'return (true as boolean)\n' }],
  },
  {
    name: 'one id stands for two calls',
    breaks: 'Two calls with one id count as one.',
    test: 'test/assistants/mcp.test.ts',
    edits: [
      {
        file: 'src/mcp/check-message.ts',
        from: 'if (new Set(ids).size < ids.length)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a batch has a batch',
    breaks: 'Calls in a list within a list are not counted.',
    test: 'test/assistants/mcp.test.ts',
    edits: [
      {
        file: 'src/mcp/check-message.ts',
        from: 'if (!messages.every(isObject))',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a batch has any number of calls',
    breaks: 'One request makes a thousand calls.',
    test: 'test/assistants/mcp.test.ts',
    edits: [
      {
        file: 'src/mcp/check-message.ts',
        from: 'if (messages.length > batchMaximum)',
        to: 'if (false as boolean)',
      },
    ],
  },
  {
    name: 'a watchlist passes its budget',
    breaks: 'Twenty-five companies without changes take more tokens than the caller has.',
    test: 'test/assistants/budget.test.ts',
    title: 'a watchlist of 25 keeps to its budget',
    edits: [
      {
        file: 'src/answers/watchlist.ts',
        from: 'isShortened && buckets[at]',
        to: '(false as boolean) && isShortened && buckets[at]',
      },
    ],
  },
  {
    name: 'a page of a list is taken for all of it',
    breaks: 'An assistant that reads 62 rows of 144 says that there are 62.',
    test: 'test/answers/list-total.test.ts',
    edits: [
      {
        file: 'src/answers/lists.ts',
        from: '      total,\n',
        to: '      total: total === null ? null : count,\n',
      },
    ],
  },
  {
    name: 'a query replaces what the path says',
    breaks: 'A URI names one company and gives another.',
    test: 'test/assistants/mcp-resources.test.ts',
    edits: [
      { file: 'src/mcp/uri.ts', from: 'if (given.has(name)) throw', to: 'if (false as boolean) throw' },
    ],
  },
  {
    name: 'true and false are refused',
    breaks:
      'An assistant that sends true, as the list of tools says, is told that it must be true or false, not true.',
    test: 'test/assistants/mcp.test.ts',
    edits: [
      {
        file: 'src/query/arguments.ts',
        from: "(typeof value === parameter.schema['type'] ?",
        to: "(typeof value === 'number' && typeof value === parameter.schema['type'] ?",
      },
    ],
  },
  {
    name: 'a page without insider transactions speaks of its last filing',
    breaks: 'The text says that there may be more of the last filing here, where there is none.',
    test: 'test/assistants/assistant.test.ts',
    title: 'a page of insiders without rows',
    edits: [
      {
        file: 'src/render/text.ts',
        from: 'No insider transactions${range}${soFar}',
        to: 'No insider transactions${range}; there may be more, of the last filing here, too',
      },
    ],
  },
];
