import { durationOf } from '../config/schema-parts.ts'
import type { Settings } from '../config/settings.ts'
import { sha256 } from '../core/sha256.ts'
import type { Ping } from '../daemon/pings/create-pinger.ts'
import type { PingPlan } from '../daemon/pings/start-pings.ts'
import { postJson } from '../notifications/channels/post-json.ts'
import { variable } from './open-channels.ts'
import { type PostDeps, postTo } from './post-to.ts'

const EVERY_MS = 60_000

/**
 * The heartbeats of audience.yaml, ready to send; undefined if there are none. Throws an AudienceError if the variable
 * with the key is not set.
 */
export function openPings(deps: PostDeps & { settings: Pick<Settings, 'heartbeats'> }): PingPlan | undefined {
  const { secrets, clock } = deps
  const { heartbeats } = deps.settings
  if (!heartbeats) return undefined
  const { url, keyEnv, daemon, every, pipelines = false } = heartbeats
  const key = variable(keyEnv, 'the key of the heartbeats', deps)
  secrets.add(key)
  const post = postTo(new URL(url), deps)
  const base = `${url.replace(/\/+$/, '')}/${encodeURIComponent(key)}`
  return {
    daemon: daemon === undefined ? undefined : { check: daemon, everyMs: durationOf(every, EVERY_MS) },
    pipelines,
    async send(ping, signal) {
      const result = await postJson(pingUrl(base, ping), '', {
        signal,
        clock,
        post,
        redact: secrets.redact,
      })
      if ('failure' in result) return { problem: result.failure, again: true }
      const { status, detail } = result
      if (status >= 200 && status < 300) return 'done'
      return { problem: `it answered ${status} ${detail}`.trim(), again: status === 429 || status >= 500 }
    },
  }
}

/** `rid` is a UUID that the monitor shows for the run. */
function pingUrl(base: string, { check, outcome, runId }: Ping): URL {
  const url = new URL(`${base}/${check}${outcome === 'fail' ? '/fail' : ''}`)
  if (runId !== undefined) url.searchParams.set('rid', uuidOf(runId))
  return url
}

/** A UUID of version 8 (RFC 9562), the same for the same run. */
function uuidOf(runId: string): string {
  const [, a, b, c, d, e] = /^(.{8})(.{4}).(.{3}).(.{3})(.{12})/.exec(sha256(runId)) ?? []
  return `${a}-${b}-8${c}-8${d}-${e}`
}
