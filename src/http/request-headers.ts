const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** The token of an `Authorization` header; undefined if the header has no bearer token (RFC 6750). */
export function bearerToken(header: string | undefined): string | undefined {
  return header === undefined ? undefined : BEARER.exec(header)?.[1]
}

/** The media type of a header such as `Content-Type`, then its parameters. All are in lower case. */
export function mediaTypeParts(header: string | undefined): string[] {
  return (header ?? '').split(';').map((part) => part.trim().toLowerCase())
}
