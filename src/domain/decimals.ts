// Numbers of documents are decimals. They become JSON numbers, and a value is computed of them exactly.

/** A decimal: `units` divided by ten to the power of `scale`. */
interface Decimal {
  readonly units: bigint;
  readonly scale: number;
}

const plain = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)$/;
/** As data sets may write a number: Java's spelling of doubles, `8000.0` and `1.0E7`. */
const scientific = /^([+-]?(?:\d+(?:\.\d*)?|\.\d+))[Ee]([+-]?\d{1,2})$/;
/** No number of a schema has more digits than sixteen; the rest is room for zeros. */
const charactersMaximum = 40;

function readDecimal(text: string): Decimal | null {
  if (text.length > charactersMaximum) return null;
  const [, mantissa = text, exponent = '0'] = scientific.exec(text) ?? [];
  if (!plain.test(mantissa)) return null;
  const point = mantissa.indexOf('.');
  const digits = mantissa.replace('.', '').replace('+', '');
  const scale = (point < 0 ? 0 : mantissa.length - point - 1) - Number(exponent);
  return scale >= 0
    ? { units: BigInt(digits), scale }
    : { units: BigInt(digits) * 10n ** BigInt(-scale), scale: 0 };
}

const isSame = (a: Decimal, b: Decimal): boolean =>
  a.units * 10n ** BigInt(b.scale) === b.units * 10n ** BigInt(a.scale);

/** A double says each decimal of up to this many digits exactly: written out, it has the same digits again. */
const safeDigits = 15;

/**
 * Returns the number that a text of digits says, such as `.5` or `1200.00`; null if it says none, or one that a
 * double does not say exactly. An exponent is allowed only where `hasExponent`, as in data sets.
 */
export function decimalOf(text: string, hasExponent = false): number | null {
  if (text.length <= safeDigits && plain.test(text)) return Number(text) + 0;
  if (!hasExponent && !plain.test(text)) return null;
  const decimal = readDecimal(text);
  if (decimal === null) return null;
  const number = Number(text);
  const said = readDecimal(String(number));
  return said !== null && isSame(decimal, said) ? number + 0 : null;
}

/**
 * Multiplies two numbers that `decimalOf` returned, exactly, and rounds half up to cents. Null if a double does not
 * say the result exactly.
 */
export function valueInCents(shares: number, price: number): number | null {
  // Grants and gifts have a price of 0, and need no arithmetic.
  if (price === 0) return 0;
  const [a, b] = [readDecimal(String(shares)), readDecimal(String(price))];
  if (a === null || b === null) return null;
  const scale = a.scale + b.scale;
  const product = a.units * b.units;
  const cents = scale <= 2 ? product * 10n ** BigInt(2 - scale) : halfUp(product, 10n ** BigInt(scale - 2));
  const digits = String(cents < 0n ? -cents : cents).padStart(3, '0');
  return decimalOf(`${cents < 0n ? '-' : ''}${digits.slice(0, -2)}.${digits.slice(-2)}`);
}

/** Adds numbers that `decimalOf` returned, exactly. Null if one is null, or a double does not say the sum exactly. */
export function sumOf(numbers: readonly (number | null)[]): number | null {
  let [units, scale] = [0n, 0];
  for (const number of numbers) {
    const next = number === null ? null : readDecimal(String(number));
    if (next === null) return null;
    const finer = Math.max(scale, next.scale);
    units = units * 10n ** BigInt(finer - scale) + next.units * 10n ** BigInt(finer - next.scale);
    scale = finer;
  }
  const digits = String(units < 0n ? -units : units).padStart(scale + 1, '0');
  const whole = digits.slice(0, digits.length - scale);
  return decimalOf(`${units < 0n ? '-' : ''}${whole}.${digits.slice(digits.length - scale)}`);
}

/** Divides, and rounds to the nearest integer, a half up. */
function halfUp(product: bigint, divisor: bigint): bigint {
  const doubled = 2n * product + divisor;
  const quotient = doubled / (2n * divisor);
  // Division of big integers cuts towards zero.
  return doubled < 0n && doubled % (2n * divisor) !== 0n ? quotient - 1n : quotient;
}
