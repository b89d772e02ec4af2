/**
 * SHA-256 of a text in UTF-8, as 64 hexadecimal digits. Node's cryptography is loaded with the first call, because
 * loading takes a sixth of Node's own start and most starts do without.
 */
export function sha256(text: string): string {
  return process.getBuiltinModule('node:crypto').hash('sha256', text, 'hex')
}
