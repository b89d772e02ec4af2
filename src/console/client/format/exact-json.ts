/** Parses a JSON text. An integer that a number cannot hold becomes a string of its digits. Throws a SyntaxError. */
export function exactJson(text: string): unknown {
  return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) => {
    const source = context?.source ?? ''
    return typeof value === 'number' && !Number.isSafeInteger(value) && /^-?\d+$/.test(source) ? source : value
  })
}
