import { once } from 'node:events'
import { join } from 'node:path'
import type { Audience, Options } from './audience.ts'
import type { ClockAnswer, ClockRequest } from './virtual-clock.ts'

/** The options with which a process of the command begins at a virtual time; see virtual-clock.ts. */
export function virtualTime(start: number): Required<Pick<Options, 'env' | 'nodeArgs'>> {
  return {
    env: { VIRTUAL_START: String(start) },
    nodeArgs: ['--import', join(import.meta.dirname, 'virtual-clock.ts')],
  }
}

/** Asks a process that was started with `ipc` for its time, or changes it; undefined if the process has ended. */
export async function askClock(process: Audience, request: ClockRequest = {}): Promise<number | undefined> {
  if (!process.connected) return undefined
  const gone = new AbortController()
  const end = () => gone.abort()
  process.once('disconnect', end)
  const answer = once(process, 'message', { signal: gone.signal }) as Promise<[ClockAnswer]>
  try {
    process.send(request, (error) => error && end())
    return (await answer)[0].now
  } catch (error) {
    if (gone.signal.aborted) return undefined
    throw error
  } finally {
    process.off('disconnect', end)
  }
}
