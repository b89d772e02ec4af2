/** Whether a Content-Type header says JSON in UTF-8 (decision 7). */
export function isJsonType(header: string | undefined): boolean {
  const [type, ...parameters] = partsOf(header)
  return type === 'application/json' && parameters.every((part) => !part.startsWith('charset') || UTF8.test(part))
}

/** Whether a Content-Type header says multipart/form-data; the parser finds out about the boundary. */
export function isMultipartType(header: string | undefined): boolean {
  return partsOf(header)[0] === 'multipart/form-data'
}

const UTF8 = /^charset\s*=\s*"?utf-?8"?$/

function partsOf(header: string | undefined): string[] {
  return (header ?? '').split(';').map((part) => part.trim().toLowerCase())
}
