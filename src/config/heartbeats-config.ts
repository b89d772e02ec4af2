import { parseDuration } from '../core/duration.ts'
import { exactObject, flag, matching, type Static } from '../core/json-schema.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode, textOf } from '../document/document-node.ts'
import { durationSetting, nonEmptyText } from './schema-parts.ts'

/** The names that a check can have in a URL. Names of pipelines match this pattern. */
export const CHECK_PATTERN = '^[a-z0-9][a-z0-9_-]*$'

/** Pings to a monitor, which reports when they stop. */
export const heartbeats = exactObject({
  required: ['url', 'keyEnv'],
  description:
    'Pings that audience start sends to a monitor, which reports when they stop; docs/production.md explains them. It needs daemon or pipelines.',
  properties: {
    url: nonEmptyText('Address of the monitor, such as https://hc-ping.com. A check is pinged at URL/KEY/CHECK.'),
    keyEnv: nonEmptyText('Name of the environment variable with the key.'),
    daemon: matching(
      CHECK_PATTERN,
      'The check of the daemon. It is pinged while the daemon is alive and its state can be written.',
    ),
    every: durationSetting('How often the daemon is pinged, at least 15s. Default: 1m.'),
    pipelines: flag('Each run that succeeds or fails pings the check with the name of its pipeline. Default: false.'),
  },
})

export type HeartbeatsConfig = Static<typeof heartbeats>

/** The shortest time between pings: monitors drop more frequent ones. */
const LEAST_PING_MS = 15_000

/** Checks what the schema of audience.yaml cannot express about heartbeats. */
export function checkHeartbeats(root: DocumentNode, reporter: DiagnosticCollector): void {
  const config = childOf(root, 'heartbeats')
  if (config?.kind !== 'map') return
  const url = childOf(config, 'url')
  const address = textOf(url)
  if (url && address !== undefined && !isPlainUrl(address))
    reporter.wrongValue('url must be an http(s) address without a user, password, query or fragment', url)
  const every = childOf(config, 'every')
  const everyMs = parseDuration(textOf(every) ?? '')
  if (every && everyMs !== undefined && everyMs < LEAST_PING_MS)
    reporter.wrongValue('every must be at least 15s', every)
  if (!childOf(config, 'daemon') && !childOf(config, 'pipelines'))
    reporter.wrongValue('heartbeats need daemon: NAME or pipelines: true; otherwise nothing is pinged', config)
}

function isPlainUrl(address: string): boolean {
  const url = URL.parse(address)
  return url !== null && /^https?:$/.test(url.protocol) && !url.search && !url.hash && !url.username && !url.password
}
