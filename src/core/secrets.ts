/** Shorter values are not treated as secrets: taking them out of every text would leave none readable. */
const MINIMUM_LENGTH = 6

/** The secrets of this process: known as they are obtained, taken out of every text that is written or shown. */
export interface Secrets {
  add(value: string): void
  /** The text with each secret replaced by `***`; also where it stands in JSON. */
  redact(text: string): string
}

export function createSecrets(): Secrets {
  const values = new Set<string>()
  return {
    add(value) {
      if (value.length < MINIMUM_LENGTH) return
      values.add(value)
      values.add(JSON.stringify(value).slice(1, -1))
    },
    redact(text) {
      let redacted = text
      for (const value of values) redacted = redacted.replaceAll(value, '***')
      return redacted
    },
  }
}
