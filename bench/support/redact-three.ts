import { createSecrets, type Redact } from '../../src/core/secrets.ts'

/** Three secrets as most installations have them: a token, a web hook and a password. */
export const THREE_SECRETS = [
  '3kTq9-vB7xW2_mZp5LrY8nCd-XfJ0sHg4aQeUi1oKtN6',
  'https://hooks.example.org/services/T0AB12/x9Qf7kd83kdLw0',
  'p4ss:word&more!ours',
]

/** Removes secrets as a process that knows these three does. */
export function redactThree(): Redact {
  const secrets = createSecrets()
  for (const secret of THREE_SECRETS) secrets.add(secret)
  return secrets.redact
}
