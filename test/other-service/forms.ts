/** How names and texts are stored: as they were sent, or changed by the service. */
export type Form = keyof typeof FORMS

const FORMS = {
  asSent: (text: string) => text,
  trimmed: (text: string) => text.trim(),
  collapsed: (text: string) => text.replace(/\s+/g, ' '),
  NFC: (text: string) => text.normalize('NFC'),
  NFD: (text: string) => text.normalize('NFD'),
  lowerCase: (text: string) => text.toLowerCase(),
}

export function inForm(value: unknown, form: Form): unknown {
  return typeof value === 'string' ? FORMS[form](value) : value
}
