/** The values of a text: one stands on a line, or several with ` | ` between. None of them is empty. */
export const valuesIn = (text: string): string[] => text.split(/ *\n *| \| /).filter((value) => value !== '');
