/**
 * A number with a fixed count of digits after the point. As in CEL and Go, a number exactly in the middle goes to the
 * even digit: 2.5 is 2 without digits. JavaScript would give 3.
 */
export function roundedTo(digits: number, value: number, { exponent }: { exponent: boolean }): string {
  if (!Number.isFinite(value)) return String(value)
  // From here on, JavaScript's own text has an exponent, and no double has a fraction.
  if (!exponent && Math.abs(value) >= 1e21) return `${BigInt(value)}${digits > 0 ? `.${'0'.repeat(digits)}` : ''}`
  const render = (count: number) => (exponent ? value.toExponential(count) : value.toFixed(count))
  return withTwoDigits(halfToEven(render, digits))
}

function halfToEven(render: (digits: number) => string, digits: number): string {
  const [exact = '', exponent] = render(100).split('e')
  const kept = exact.indexOf('.') + 1 + digits
  // 100 digits show whether it is the middle: a double in the middle of two texts of 20 digits has at most 21.
  if (!/^50*$/.test(exact.slice(kept))) return render(digits)
  const lower = exact.slice(0, kept).replace(/\.$/, '')
  if (!/[02468]$/.test(lower)) return render(digits)
  return exponent === undefined ? lower : `${lower}e${exponent}`
}

/** An exponent has at least two digits: `1.5e+03`. */
function withTwoDigits(text: string): string {
  return text.replace(/e([+-])(\d)$/, 'e$10$2')
}
