import { Refusal } from '../api-error.ts'

const BEARER = /^Bearer +([A-Za-z0-9._~+/-]+=*) *$/i

/** Admits a request if `isValid` accepts its bearer token. Otherwise throws a 401 with the challenge (decision 9). */
export function requireToken(header: string | undefined, isValid: (token: string) => boolean): void {
  if (header === undefined) throw unauthorized('an access token is required: Authorization: Bearer <token>', '')
  const token = BEARER.exec(header)?.[1]
  if (token === undefined || !isValid(token)) {
    throw unauthorized('the access token is not valid here', ', error="invalid_token"')
  }
}

function unauthorized(detail: string, suffix: string): Refusal {
  const challenge = `Bearer realm="audience-data-service"${suffix}`
  return new Refusal('unauthorized', detail, { headers: { 'www-authenticate': challenge } })
}
