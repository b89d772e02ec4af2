/** Removes secrets from a text. */
export type Redact = (text: string) => string

/** Shorter values are not treated as secrets: removing them would make every text unreadable. */
const MINIMUM_LENGTH = 6

/**
 * The secrets of this process. They are registered as they are obtained, and removed from every text that is written or
 * shown.
 */
export interface Secrets {
  add(value: string): void
  /** The text with each secret replaced by `***`, in all forms of `formsOf`. */
  redact(text: string): string
}

export function createSecrets(): Secrets {
  const values = new Set<string>()
  let forms: readonly string[] = []
  return {
    add(value) {
      if (value.length < MINIMUM_LENGTH || values.has(value)) return
      values.add(value)
      // The longest first, because one secret may be part of another.
      forms = [...new Set([...forms, ...formsOf(value)])].sort((a, b) => b.length - a.length)
    },
    redact: (text) => forms.reduce((rest, form) => rest.replaceAll(form, '***'), text),
  }
}

/**
 * The forms in which services and logs may repeat a secret: as it is, in JSON (also JSON inside JSON), URL-encoded in
 * upper and lower case, form-encoded, and in base64 and base64url at any offset in the encoded data.
 */
export function formsOf(value: string): readonly string[] {
  const json = JSON.stringify(value).slice(1, -1)
  const url = encodeURIComponent(value)
  const form = new URLSearchParams([['', value]]).toString().slice(1)
  const base64 = [0, 1, 2].map((before) => base64After(before, value))
  return [
    ...new Set([
      ...[value, json, json.replaceAll('/', '\\/'), JSON.stringify(json).slice(1, -1)],
      ...[url, form].flatMap((encoded) => [encoded, lowerEscapes(encoded)]),
      ...base64.flatMap((encoded) => [encoded, encoded.replaceAll('+', '-').replaceAll('/', '_')]),
    ]),
  ]
}

/** The base64 characters that depend on the value alone, if `before` bytes (modulo 3) precede it. */
function base64After(before: number, value: string): string {
  const bytes = Buffer.concat([Buffer.alloc(before), Buffer.from(value)])
  return bytes.toString('base64').slice(Math.ceil((before * 8) / 6), Math.floor((bytes.length * 8) / 6))
}

function lowerEscapes(encoded: string): string {
  return encoded.replace(/%[0-9A-F]{2}/g, (found) => found.toLowerCase())
}
