export interface Part {
  readonly name: string
  /** Written as it is. Without it, the part is a plain field. */
  readonly fileName?: string
  readonly content: string | Uint8Array
}

const BOUNDARY = 'conformance-7f3a9c51'
export const MULTIPART_TYPE = `multipart/form-data; boundary=${BOUNDARY}`

/** The body of a multipart form, byte for byte. */
export function multipartBody(parts: readonly Part[]): Buffer {
  const chunks = parts.flatMap(({ name, fileName, content }) => [
    Buffer.from(
      `--${BOUNDARY}\r\nContent-Disposition: form-data; name="${name}"${
        fileName === undefined ? '' : `; filename="${fileName}"\r\nContent-Type: text/csv`
      }\r\n\r\n`,
    ),
    Buffer.from(content),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...chunks, Buffer.from(`--${BOUNDARY}--\r\n`)])
}
