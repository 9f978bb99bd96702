/** Something that a service must not do. */
export interface Fault {
  /** The rule that was broken, in a few words: faults are counted by it. */
  readonly rule: string;
  readonly detail: string;
}

/** Nothing where a rule holds, else the fault. */
export function must(holds: boolean, rule: string, detail: () => string): Fault[] {
  return holds ? [] : [{ rule, detail: detail() }];
}
