import { DELIVERY_SCOPES } from '../contract/enumerations.ts'
import type { Partner } from '../contract/partners.ts'
import { type AudienceError, failedError } from '../core/errors.ts'
import type { StepRun } from './define-step.ts'
import { readIfThere } from './read-if-there.ts'
import { counterpartOf, type MatchRequest } from './same-match.ts'
import type { LookupDeps } from './writes/reconciler.ts'

const KNOWN: ReadonlySet<string> = new Set(DELIVERY_SCOPES)

/** Whether the contract knows all scopes, so that no look-up is needed. */
function areKnownScopes(scopes: readonly string[]): boolean {
  return scopes.every((scope) => KNOWN.has(scope))
}

/**
 * The delivery scopes as they are in a request: the label of a custom scope becomes its value (decisions 26 and 146).
 * Throws `unknown-scope` if the partner, or the members of the group, do not show a scope. If none of them can be read,
 * their scopes are unknown, and the service decides (decision 25).
 */
export async function resolveScopes(request: MatchRequest, deps: LookupDeps): Promise<readonly string[]> {
  const { deliveryScopes } = request
  if (areKnownScopes(deliveryScopes)) return deliveryScopes
  const { partners, values } = await scopesOf(request, deps)
  if (partners.length === 0) return deliveryScopes
  const details = partners.flatMap(({ customDeliveryScopesDetail }) => customDeliveryScopesDetail ?? [])
  for (const { value } of details) values.add(value)
  return deliveryScopes.map((scope) => {
    if (KNOWN.has(scope) || values.has(scope)) return scope
    const [value, ...others] = new Set(details.filter(({ label }) => label === scope).map((each) => each.value))
    if (value !== undefined && others.length === 0) return value
    throw unknownScope(scope, request, details, [value, ...others])
  })
}

async function scopesOf({ partnerId, groupId }: MatchRequest, { api, signal }: LookupDeps) {
  const values = new Set<string>()
  const ids: number[] = []
  if (groupId === undefined) ids.push(...(partnerId === undefined ? [] : [partnerId]))
  else {
    const group = await readIfThere(() => api.groups.get({ id: groupId }, { signal }))
    for (const scope of group?.deliveryScopes ?? []) values.add(scope)
    ids.push(...(group?.groupMembers ?? []))
  }
  const partners: Partner[] = []
  for (const id of ids) {
    const partner = await readIfThere(() => api.partners.get({ id }, { signal }))
    if (!partner) continue
    partners.push(partner)
    for (const scope of partner.deliveryScopes ?? []) values.add(scope)
  }
  return { partners, values }
}

function unknownScope(
  scope: string,
  request: MatchRequest,
  details: readonly { label: string; value: string }[],
  found: readonly (string | undefined)[],
): AudienceError {
  const meanings = found.filter((value) => value !== undefined)
  const list = [...new Set(details.map(({ label, value }) => `${label} (${value})`))].join(', ')
  const what =
    meanings.length > 1 ? `means ${meanings.join(' and ')}` : 'is neither a delivery scope nor a label of a custom one'
  return failedError(
    'unknown-scope',
    `deliveryScopes: "${scope}" ${what} of ${counterpartOf(request)}; nothing was sent`,
    list === '' ? 'there are no custom scopes there' : `these custom scopes exist there: ${list}; write the value`,
  )
}

/** A step's input with its delivery scopes as they are in a request. Looks the scopes up once. */
export async function withScopes<Input extends MatchRequest>(
  input: Input,
  { context, services: { api } }: Pick<StepRun, 'context' | 'services'>,
): Promise<Input> {
  if (areKnownScopes(input.deliveryScopes)) return input
  const { deliveryScopes } = await context.once('scopes', async (signal) => ({
    deliveryScopes: [...(await resolveScopes(input, { api, signal }))],
  }))
  return { ...input, deliveryScopes }
}
