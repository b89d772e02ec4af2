import type { FastifyRequest, HTTPMethods } from 'fastify'
import { Refusal } from '../api-error.ts'

const ALL_METHODS = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'TRACE'] as const

/** The route of a path. It takes all methods, so that a wrong method gets a 405 (decision 17). */
export function anyMethodAt(prefix: string, path: string): { method: HTTPMethods[]; url: string } {
  return { method: [...ALL_METHODS], url: prefix + path.replaceAll(/\{(\w+)\}/g, ':$1') }
}

export function methodNotAllowed({ method }: FastifyRequest, allowed: Iterable<string>): Refusal {
  const allow = [...allowed].join(', ')
  return new Refusal('method-not-allowed', `${method} is not allowed here; allowed: ${allow}`, { headers: { allow } })
}
