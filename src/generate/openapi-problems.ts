import type { Operation } from '../contract/operation.ts'
import type { OpenApiNode } from '../http/open-api.ts'

/** The body of every error (RFC 9457, decision 135). */
export const problemSchema = {
  type: 'object',
  required: ['type', 'title', 'status', 'detail'],
  properties: {
    type: { type: 'string', format: 'uri', description: 'What kind of error it is; stable.' },
    title: { type: 'string', description: 'The kind in words.' },
    status: { type: 'integer', description: 'The status of the response.' },
    detail: { type: 'string', description: 'What is wrong with this request.' },
    instance: { type: 'string', format: 'uri', description: 'This one occurrence.' },
    errors: {
      type: 'array',
      description: 'Each problem, and where it is.',
      items: {
        type: 'object',
        required: ['message'],
        properties: {
          pointer: { type: 'string', description: 'JSON pointer into the body.' },
          parameter: { type: 'string', description: 'Name of a path or query parameter, or of a part.' },
          message: { type: 'string', description: 'What is wrong there.' },
        },
      },
    },
  },
}

/** The error responses, by the name that operations use to refer to them. */
export const errorResponses = {
  InvalidRequest: problem('The request is not valid, or not possible now.'),
  Unauthorized: {
    ...problem('The access token is missing or not valid here.'),
    headers: { 'WWW-Authenticate': { description: 'How to authenticate.', schema: { type: 'string' } } },
  },
  NotFound: problem('The resource that the request is about does not exist.'),
  NotAcceptable: problem('The Accept header does not allow the media type of this version.'),
  UnsupportedMediaType: problem('The Content-Type is not the one that the body must have.'),
  InternalError: problem('An unexpected error. A write may still have happened.'),
} satisfies Record<string, OpenApiNode>

/** The errors that an operation can return, by status. */
export function errorsOf(
  operation: Operation,
  { takesBody }: { takesBody: boolean },
): Record<string, OpenApiNode | undefined> {
  const isMissing404 = operation.notFound?.[0] === 404 || operation.list?.emptyIs404 === true
  return {
    400: reference('InvalidRequest'),
    401: reference('Unauthorized'),
    404: isMissing404 ? reference('NotFound') : undefined,
    406: operation.accept === 'vendor' ? reference('NotAcceptable') : undefined,
    415: takesBody ? reference('UnsupportedMediaType') : undefined,
    500: reference('InternalError'),
  }
}

function reference(name: keyof typeof errorResponses): OpenApiNode {
  return { $ref: `#/components/responses/${name}` }
}

function problem(description: string): OpenApiNode {
  return { description, content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } } }
}
