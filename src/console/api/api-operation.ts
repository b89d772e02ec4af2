import type { ObjectSchema } from '../../core/json-schema.ts'
import type { Role } from '../../core/role.ts'
import type { HttpOperation } from '../../http/operation.ts'
import type { Act } from '../../state/audit-log.ts'

/** One operation of the API, as data. */
export interface ApiOperation extends HttpOperation {
  readonly method: 'GET' | 'POST'
  /** The role that it needs. */
  readonly role: Role
  readonly upload?: true
  /** Whether the response is a stream of server-sent events. `output` is the data of one event. */
  readonly stream?: true
  readonly output: ObjectSchema
  /** The act for the audit log, done or refused; missing if nothing changes. The input may be incomplete. */
  readonly audit?: (input: Fields) => Pick<Act, 'act' | 'subject' | 'detail'>
}

export type Fields = Readonly<Record<string, unknown>>

export type { FrozenStatic as Answer } from '../../core/json-schema.ts'

/** Returns the operation itself. Keeps the types of its schemas, and its method and path as literal types. */
export function apiOperation<
  const Method extends ApiOperation['method'],
  const Path extends ApiOperation['path'],
  const Input extends ObjectSchema,
  const Output extends ObjectSchema,
>(
  operation: Omit<ApiOperation, 'method' | 'path' | 'input' | 'output'> & {
    readonly method: Method
    readonly path: Path
    readonly input: Input
    readonly output: Output
  },
) {
  return operation
}

/** A text field of an input that may be incomplete; '' if it is missing. */
export const told = (field: unknown) => (typeof field === 'string' ? field : '')
