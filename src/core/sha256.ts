/**
 * SHA-256 of a text in UTF-8, as 64 hexadecimal digits. Node's cryptography is loaded with the first call: loading it
 * takes a sixth of Node's own start time, and most starts do not need it.
 */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex')
}
