import type { CallError } from '../api/call-error.ts'
import { me } from './me.ts'

/** The page that is shown without a session. It says how to get one. */
export function SignedOut({ error }: { error: CallError }) {
  return (
    <main class="signed-out">
      <h1>{titleOf(error)}</h1>
      <p>{error.message}</p>
      {error.hint !== undefined && <p class="muted">{error.hint}</p>}
      {error.status === 401 && (
        <p>
          On the machine of <code>audience start</code>, run <code>audience console</code>. It prints a link that signs
          this browser in for 14 days.
        </p>
      )}
    </main>
  )
}

function titleOf({ status }: CallError): string {
  if (status !== 401) return 'You may not see this console'
  return me.peek() ? 'You are signed out' : 'You are not signed in'
}
