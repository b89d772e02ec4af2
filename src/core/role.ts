/** What somebody may do in the console. Each role may do all that those before it may. */
export const ROLES = ['viewer', 'operator', 'approver'] as const
export type Role = (typeof ROLES)[number]

/** Whether one role may do what another one is needed for. */
export function mayDo(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
