import type { Notification } from '../core/notification.ts'
import { triggerName } from '../core/occurrence.ts'
import type { RemoteLook, RemoteProblem } from '../state/remote-ledger.ts'
import type { State } from '../state/state.ts'
import type { Batch } from './batch.ts'

/** When people got a message about a problem with a source, by `nameOf`. */
const TOLD = 'source-told/'
/** How often it checks the sources. */
const LOOK_MS = 10_000
/**
 * If a problem may end on its own, people get a message only after this time, because servers are restarted at night.
 */
const PATIENCE_MS = 15 * 60_000
const MAY_END_BY_ITSELF = new Set(['source-unreachable', 'internal'])
/** Problems of one folder; all others concern the whole source. */
const OF_FOLDER = new Set(['source-folder-missing', 'source-read-only', 'source-too-many'])
const MOST_NAMED = 5

type Troubled = RemoteLook & { readonly problem: RemoteProblem }

/**
 * Reports each problem with a source once, however many triggers have it, and reports when a source has none left.
 * Everything is stored in checkpoints and the ledger, so a restarted process or another keeper can continue.
 */
export function createSourceTroubles({ state: { remote } }: { state: { remote: Pick<State['remote'], 'looks'> } }) {
  let lookedAt = Number.NEGATIVE_INFINITY

  return {
    async due({ checkpoints, nowMs: at, isQuiet }: Batch): Promise<Notification[]> {
      if (Math.abs(at - lookedAt) < LOOK_MS) return []
      lookedAt = at
      const told = await checkpoints.under(TOLD)
      const troubled = (await remote.looks()).flatMap(({ problem, ...look }) => (problem ? { ...look, problem } : []))
      const troubles = Map.groupBy(troubled, nameOf)
      const made: Notification[] = []
      for (const [name, looks] of troubles) {
        // A problem that outlasts a mute is reported when the mute ends.
        if (told.has(name) || isQuiet('') || !isDue(looks, at)) continue
        checkpoints.set(TOLD + name, at)
        made.push(...troubleTold(name, looks, at))
      }
      for (const [source, its] of Map.groupBy(told.keys(), sourceOf)) {
        const over = its.filter((name) => !troubles.has(name))
        const isWell = troubled.every((look) => look.source !== source)
        // Another problem has replaced the reported one, and has not been reported yet.
        if (over.length === its.length && !isWell) continue
        checkpoints.remove(...over.map((name) => TOLD + name))
        if (isWell) made.push(recoveryTold(source, Math.max(...its.map((name) => told.get(name) ?? at)), at))
      }
      return made
    },
  }
}

function nameOf({ source, path, problem: { code } }: Troubled): string {
  return JSON.stringify(OF_FOLDER.has(code) ? [source, code, path] : [source, code])
}

function sourceOf(name: string): string {
  return String(JSON.parse(name)[0])
}

function isDue(looks: readonly Troubled[], at: number): boolean {
  return looks.some(({ problem: { code, since } }) => !MAY_END_BY_ITSELF.has(code) || at - since >= PATIENCE_MS)
}

function troubleTold(name: string, looks: readonly Troubled[], at: number): Notification[] {
  const [first] = looks.toSorted((a, b) => a.problem.since - b.problem.since)
  if (!first) return []
  const { source } = first
  const { code, message, hint, since } = first.problem
  return [
    {
      // During a takeover, two keepers make the same notification.
      key: `source/${name}/${since}`,
      event: 'source',
      at,
      pipeline: '',
      page: '',
      source,
      title: TITLES[code]?.(source) ?? `the source ${source} cannot be used`,
      error: { code, message, hint },
      details: [`Since ${new Date(since).toISOString()}.`, waitingOf(looks)],
      next: [`audience sources check ${source}`, 'audience status'],
    },
  ]
}

function recoveryTold(source: string, toldAt: number, at: number): Notification {
  return {
    key: `source/over/${source}/${toldAt}`,
    event: 'recovery',
    ends: 'source',
    at,
    pipeline: '',
    page: '',
    source,
    title: `the source ${source} works again`,
    next: ['audience status'],
  }
}

/**
 * The titles of messages, by the code of the problem. For any other code, the title says that the source cannot be
 * used.
 */
const TITLES: Readonly<Record<string, (source: string) => string>> = {
  'source-unreachable': (source) => `the source ${source} cannot be reached`,
  'source-access-refused': (source) => `the source ${source} refuses access`,
  'source-host-key': (source) => `the source ${source} has a host key that is not known`,
  'source-too-many': (source) => `the source ${source} has too many files`,
  'source-read-only': (source) => `files of the source ${source} cannot be moved`,
  'source-folder-missing': (source) => `a folder of the source ${source} is missing`,
}

function waitingOf(looks: readonly Troubled[]): string {
  const names = looks.slice(0, MOST_NAMED).map(triggerName)
  const more = looks.length > MOST_NAMED ? `, and ${looks.length - MOST_NAMED} more` : ''
  return `Triggers that use it: ${names.join(', ')}${more}.`
}
