import type { StepRun } from './define-step.ts'
import { areKnownScopes, resolveScopes } from './resolve-scopes.ts'
import type { MatchRequest } from './same-match.ts'

/** A step's input with its delivery scopes as a request carries them; looks the scopes up once. */
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
