import type { ApiError } from '../../adapter/api-error.ts'

const ALREADY = /\b(taken|already|duplicate|unique|in use|still|in progress|being (made|processed|refreshed)|busy)\b/i

/**
 * Whether a request was refused because the same was asked for before: its id is taken, or a job is still doing it. The
 * contract has no codes for that, so the service's words have to do.
 */
export function saysAlready({ request }: ApiError): boolean {
  if (request.outcome !== 'rejected') return false
  return request.status === 409 || (request.status === 400 && ALREADY.test(request.detail ?? ''))
}
