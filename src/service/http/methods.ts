import type { FastifyRequest } from 'fastify'
import { ApiError } from '../api-error.ts'

/** A route takes all methods, so that a wrong method gets its 405 (decision 17). */
export const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

export function methodNotAllowed({ method }: FastifyRequest, allowed: Iterable<string>): ApiError {
  const allow = [...allowed].join(', ')
  return new ApiError('method-not-allowed', `${method} is not allowed here; ${allow} is`, { headers: { allow } })
}
