import { signal } from '@preact/signals'
import type { Me } from '../api/types.ts'

/** The current user; undefined until the user is known. */
export const me = signal<Me | undefined>(undefined)

const MAY: Readonly<Record<Me['role'], readonly Me['role'][]>> = {
  viewer: ['viewer'],
  operator: ['viewer', 'operator'],
  approver: ['viewer', 'operator', 'approver'],
}

/** Whether to offer acts that need a role. The server checks the role itself. */
export function may(role: Me['role']): boolean {
  const who = me.value
  return who !== undefined && !who.readOnly && MAY[who.role].includes(role)
}
