import type { ApiError } from '../api/api-error.ts'

/** Without a session, a page that says how to get one. */
export function SignedOut({ error }: { readonly error: ApiError }) {
  return (
    <main class="signed-out">
      <h1>{error.status === 401 ? 'You are not signed in' : 'You may not see this console'}</h1>
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
