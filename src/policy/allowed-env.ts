import type { Policy, PolicyProblem } from '../core/policy.ts'
import { policyError } from './enforce.ts'

/** The prefix of the runner's own variables. */
const OWN_PREFIX = 'AUDIENCE_'

/** The reason why a document may not read an environment variable. */
export function envProblem(name: string, { env, ownEnv }: Policy): PolicyProblem | undefined {
  if (env ? env.includes(name) : !name.startsWith(OWN_PREFIX) && !ownEnv.includes(name)) return undefined
  const isOwn = name.startsWith(OWN_PREFIX) || ownEnv.includes(name)
  return {
    severity: 'error',
    code: 'env-not-allowed',
    message: isOwn
      ? `${name} is for audience itself: documents cannot read it`
      : `${name} is not in policy.env of audience.yaml`,
    hint: isOwn ? 'give the document a variable of its own' : 'add it there if this document should read it',
  }
}

/**
 * The environment variables that documents can read. Reading another one throws `env-not-allowed`: the policy may have
 * changed while a run was waiting.
 */
export function allowedEnv(
  env: Readonly<Record<string, string | undefined>>,
  policy: Policy,
): Readonly<Record<string, string | undefined>> {
  const allowed: Record<string, string | undefined> = {}
  for (const [name, value] of Object.entries(env)) {
    const problem = envProblem(name, policy)
    if (!problem) allowed[name] = value
    else Object.defineProperty(allowed, name, { get: () => refuse(problem) })
  }
  return allowed
}

function refuse({ hint, ...problem }: PolicyProblem): never {
  throw policyError({ ...problem, hint: `${hint}; then retry the run` })
}
