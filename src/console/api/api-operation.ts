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
  /**
   * What the audit log says about the operation, whether it was done or refused; missing if the operation changes
   * nothing. The input may be incomplete.
   */
  readonly audit?: (input: Fields) => Pick<Act, 'act' | 'subject' | 'detail'>
}

export type Fields = Readonly<Record<string, unknown>>

/** An operation that only reads. Every role may call it. Keeps the types of its schemas. */
export function readOperation<const Operation extends Omit<ApiOperation, 'method' | 'role'>>(operation: Operation) {
  return { method: 'GET', role: 'viewer', ...operation } as const
}

/** An operation that does something. It needs the role operator, unless it names another one. */
export function actOperation<const Operation extends Omit<ApiOperation, 'method' | 'role'> & { readonly role?: Role }>(
  operation: Operation,
) {
  return { method: 'POST', role: 'operator' as Role, ...operation } as const
}

/** A text field of an input that may be incomplete; '' if it is missing. */
export const textOrEmpty = (field: unknown) => (typeof field === 'string' ? field : '')
