import { signal } from '@preact/signals'
import type { Me } from '../api/types.ts'

/** The current user; undefined until the user is known. */
export const me = signal<Me | undefined>(undefined)

/** Each role may also do what the roles before it may do. */
const ROLES: readonly Me['role'][] = ['viewer', 'operator', 'approver']

/** Whether to offer actions that need a role. The server checks the role itself. */
export function may(role: Me['role']): boolean {
  const who = me.value
  return who !== undefined && !who.readOnly && ROLES.indexOf(role) <= ROLES.indexOf(who.role)
}
