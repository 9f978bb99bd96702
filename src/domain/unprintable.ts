/**
 * The characters, as what stands within the brackets of a pattern, that no line may show as they are: controls, what turns
 * or hides text (bidi, zero width), halves of characters, and what some programs take for the end of a line. Example:
 * `` new RegExp(`[${unprintable}]+`, 'gu') ``.
 */
export const unprintable = String.raw`\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}`;
