/** What somebody may do in the console. Each role may do everything that the roles before it may do. */
export const ROLES = ['viewer', 'operator', 'approver'] as const
export type Role = (typeof ROLES)[number]

/** Whether a role may do something that needs the role `needed`. */
export function mayDo(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed)
}
