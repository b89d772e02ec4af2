import type { Policy, PolicyProblem } from '../core/policy.ts'

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
    hint: isOwn ? 'give the document a variable of its own' : 'add it there if this document is to read it',
  }
}

/** The environment variables that documents can read. */
export function allowedEnv(
  env: Readonly<Record<string, string | undefined>>,
  policy: Policy,
): Readonly<Record<string, string | undefined>> {
  return Object.fromEntries(Object.entries(env).filter(([name]) => !envProblem(name, policy)))
}
