import { ApiFailure } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'

/** Signs a browser out; or a person, in all browsers. */
export const endSession: Handler<'session.end'> = async ({ state }, { everywhere = false, reason }, call) => {
  const { caller } = call
  if (caller.session) {
    call.endSession(caller.session, { everywhere })
    const detail = everywhere ? { detail: 'everywhere' } : {}
    const act = { act: 'console.logout', subject: 'console', ...detail, outcome: 'done' } as const
    await state.audit.add({ ...actorOfCaller(caller, reason), ...act })
  } else if (everywhere) {
    const message = `${caller.by} has no session here: there is none to end`
    throw new ApiFailure(409, { code: 'no-session', message, hint: 'a browser that opened a link has a session' })
  }
  return {}
}
