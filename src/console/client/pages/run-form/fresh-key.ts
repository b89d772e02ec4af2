/** A key that makes a repeated request harmless. `randomUUID` is there only for pages over HTTPS and of this machine. */
export function freshKey(): string {
  return [...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, '0')).join('')
}
