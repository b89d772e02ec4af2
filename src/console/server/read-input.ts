import type { IncomingMessage } from 'node:http'
import { formatSizeLimit } from '../../core/format/figures.ts'
import { JsonLimitError, parseForeignJson } from '../../core/json.ts'
import type { JsonSchema } from '../../core/json-schema.ts'
import { propertyOf, violationsOf } from '../../core/validation.ts'
import { consoleValidators } from '../../generated/console-validators.ts'
import type { ApiInputOf, ApiOperationId } from '../api/operations.ts'
import { ApiFailure, wrongFields } from './api-failure.ts'
import type { FoundOperation } from './find-operation.ts'

/** Inputs are small, because files are sent in the body of an upload. */
const MAX_BODY = 1_000_000

/** The fields of a request: from its path, then from its query or body. Throws a failure with status 400 or 413. */
export async function readInput<Id extends ApiOperationId>(
  request: IncomingMessage,
  {
    id,
    operation,
    fields: path,
    query,
  }: Pick<FoundOperation<Id>, 'id' | 'operation' | 'fields'> & { query: URLSearchParams },
): Promise<ApiInputOf<Id>> {
  const isInQuery = operation.method === 'GET' || operation.upload === true
  if (!isInQuery && query.size > 0) throw wrongFields({ query: 'send the fields of a write in its body' })
  const fields = isInQuery ? queryFields(query, operation.input.properties) : await bodyFields(request)
  const twice = Object.keys(path).find((name) => Object.hasOwn(fields, name))
  if (twice !== undefined) throw wrongFields({ [twice]: 'is already in the path' })
  const input = { ...fields, ...path }
  const violations = violationsOf(consoleValidators[id], input)
  // The input fits the schema that the type is derived from.
  if (violations.length === 0) return input as object as ApiInputOf<Id>
  throw wrongFields(
    Object.fromEntries(
      violations.map((violation) => [violation.pointer.slice(1) || propertyOf(violation) || 'body', violation.message]),
    ),
  )
}

function queryFields(
  query: URLSearchParams,
  properties: Readonly<Record<string, JsonSchema>>,
): Record<string, unknown> {
  const fields = [...new Set(query.keys())].map((name): [string, unknown] => {
    const values = query.getAll(name)
    const schema = Object.hasOwn(properties, name) ? properties[name] : undefined
    if (schema?.type === 'array') return [name, values]
    if (values.length > 1) throw wrongFields({ [name]: 'is given more than once' })
    return [name, queryValue(values[0] ?? '', schema?.type)]
  })
  return Object.fromEntries(fields)
}

function queryValue(text: string, type: JsonSchema['type']): unknown {
  if (type === 'integer' && /^-?\d{1,15}$/.test(text)) return Number(text)
  // `?follow` alone means true.
  if (type === 'boolean' && ['', 'true', 'false'].includes(text)) return text !== 'false'
  return text
}

async function bodyFields(request: IncomingMessage): Promise<object> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of request as AsyncIterable<Buffer>) {
    size += chunk.length
    if (size > MAX_BODY)
      throw new ApiFailure(413, 'body-too-large', `the body is larger than ${formatSizeLimit(MAX_BODY)}`)
    chunks.push(chunk)
  }
  const text = Buffer.concat(chunks).toString()
  try {
    const body: unknown = text.trim() === '' ? {} : parseForeignJson(text)
    if (typeof body === 'object' && body !== null && !Array.isArray(body)) return body
  } catch (error) {
    if (error instanceof JsonLimitError)
      throw new ApiFailure(400, 'bad-json', `the body cannot be read: ${error.message}`)
    if (!(error instanceof SyntaxError)) throw error
  }
  throw new ApiFailure(400, 'bad-json', 'the body must be a JSON object')
}
