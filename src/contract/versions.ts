/** What the paths below `/v1/` promise to clients, one sentence each. */
export const versionPromises = {
  /** What a client has to be ready for at any time. */
  mayChange: [
    'An answer gets more members, and a header more parameters.',
    'An operation gets more parameters, all of them optional.',
    'There are more operations, tools, event families, roles, exchanges and error codes.',
    'The wording of messages and texts, the order of members, and the bytes of an ETag or cursor.',
  ],
  /** What needs a new version in the path. */
  staysTheSame: [
    'No path, parameter, member or header is removed or renamed, and none gets another type or meaning.',
    'A member that is always there stays, and one that is never null stays so.',
    'A value that a parameter accepts stays accepted, and no optional parameter becomes required.',
    'The status and the error code of an outcome stay, and so do the order of lists, and a cursor works as long as its ledger.',
  ],
} as const;

/** How many months a deprecated member or operation stays at least, after it was announced. */
export const deprecatedForMonths = 12;

/** The page that says what versions promise. */
export const versionsPath = '/docs/versions';

/** The headers that announce the end of something, with the text that specifies each. */
export const deprecationHeaders = [
  {
    header: 'Deprecation',
    specification: 'RFC 9745',
    description:
      'Since when the operation, or something of its answer, is deprecated: `@` and seconds since 1970.',
  },
  {
    header: 'Sunset',
    specification: 'RFC 8594',
    description: 'When it will be removed at the earliest: an HTTP date.',
  },
  {
    header: 'Link',
    specification: 'RFC 8288',
    description: 'With `rel="deprecation"`: the page that says what to use instead.',
  },
] as const;

/** Something that will be removed. */
export interface Deprecation {
  /** The ids of the operations and names of the tools whose answers announce it. */
  readonly operations: readonly string[];
  /** What is deprecated: a member, a parameter, or the whole operation. */
  readonly what: string;
  readonly instead: string;
  /** When it was announced, `YYYY-MM-DD`. */
  readonly announcedOn: string;
  /** When it will be removed at the earliest, `YYYY-MM-DD`. */
  readonly removedOn: string;
}

/** Everything that is deprecated now. */
export const deprecations: readonly Deprecation[] = [];

/**
 * The headers by which each operation announces what is deprecated in it, by the id of the operation. Of
 * several, the earliest dates count. Throws an `Error` for one that stays for less than `deprecatedForMonths`.
 */
export function announcements(
  given: readonly Deprecation[] = deprecations,
): ReadonlyMap<string, Readonly<Record<string, string>>> {
  for (const { what, announcedOn, removedOn } of given) {
    const earliest = new Date(`${announcedOn}T00:00:00Z`);
    earliest.setUTCMonth(earliest.getUTCMonth() + deprecatedForMonths);
    if (Date.parse(removedOn) < earliest.getTime())
      throw new Error(`${what}: stays until ${earliest.toISOString().slice(0, 10)} at least`);
  }
  const operations = [...new Set(given.flatMap((each) => each.operations))];
  return new Map(
    operations.map((operation) => {
      const own = given.filter((each) => each.operations.includes(operation));
      const earliest = (days: readonly string[]) => Math.min(...days.map((day) => Date.parse(day)));
      return [
        operation,
        {
          Deprecation: `@${earliest(own.map(({ announcedOn }) => announcedOn)) / 1000}`,
          Sunset: new Date(earliest(own.map(({ removedOn }) => removedOn))).toUTCString(),
          Link: `<${versionsPath}>; rel="deprecation"; type="text/html"`,
        },
      ];
    }),
  );
}
