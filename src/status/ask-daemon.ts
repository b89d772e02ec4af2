import { parseForeignJson } from '../core/json.ts'
import type { NotReady } from '../daemon/health/readiness.ts'
import type { DaemonAnswer } from './status-report.ts'

const ANSWER_WITHIN_MS = 1000

/** Asks a daemon for its health; undefined if it does not answer. */
export async function askDaemon(url: string): Promise<DaemonAnswer | undefined> {
  try {
    // Its own answers have these fields; see start-health-server.ts.
    const [health, ready] = await Promise.all([
      get(url, '/healthz') as Promise<{ status: string; runs: number; waits: number; stuck: readonly string[] }>,
      get(url, '/readyz') as Promise<{ notReady?: readonly NotReady[] }>,
    ])
    const { runs, waits, stuck } = health
    return { alive: health.status === 'alive', notReady: ready.notReady ?? [], load: { runs, waits }, stuck }
  } catch {
    return undefined
  }
}

async function get(url: string, path: string): Promise<unknown> {
  const response = await fetch(url + path, { signal: AbortSignal.timeout(ANSWER_WITHIN_MS) })
  return parseForeignJson(await response.text())
}
