/** How often a test does something in a run, and its options. */
export interface Often {
  readonly times: number;
  readonly options: { readonly tags: string[]; readonly timeout: number };
}

/**
 * A test that does something dear: a few times with the slow tests, and many times in a nightly run. `eachMs` is what one
 * time may take on a busy machine.
 */
export function often(few: number, many: number, eachMs: number): readonly Often[] {
  return [
    { times: few, options: { tags: ['slow'], timeout: 300_000 + few * eachMs } },
    { times: many, options: { tags: ['slow', 'nightly'], timeout: 300_000 + many * eachMs } },
  ];
}
