/** The resources of the tool protocol that list the values of arguments. Over REST `/reference.json` has them all. */
export const valueLists = {
  form: 'reference://forms',
  eventType: 'reference://event-types',
  items: 'reference://items',
  sic: 'reference://sic-codes',
  state: 'reference://states',
  exchange: 'reference://exchanges',
} as const;

/** The message of an error in the words of the tool protocol: its caller reads a resource, and no path of REST. */
export function inToolWords(message: string): string {
  const list = Object.entries(valueLists).find(([name]) => message.startsWith(`${name}:`))?.[1];
  return list === undefined ? message : message.replaceAll('/reference.json', list);
}
