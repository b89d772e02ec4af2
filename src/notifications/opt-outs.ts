import type { AudienceError } from '../core/errors.ts'
import type { Notification } from '../core/notification.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { Batch } from './batch.ts'

/** When people got a message about an unusable opt-out list, by file. */
const TOLD = 'optOuts-told/'
const MOST_NAMED = 5

/**
 * Reports each unusable opt-out list once, and reports when all can be used again. Everything is stored in checkpoints,
 * so a restarted process or another keeper can continue.
 */
export function createOptOuts({
  optOuts,
  pipelines,
}: {
  /** The lists that cannot be used; undefined while this is not known. */
  optOuts: () => readonly { file: string; error: AudienceError }[] | undefined
  pipelines: ReadonlyMap<string, Pipeline>
}) {
  return {
    async due({ checkpoints, nowMs: at, isQuiet }: Batch): Promise<Notification[]> {
      const troubles = optOuts()
      if (troubles === undefined) return []
      const told = await checkpoints.under(TOLD)
      // A problem that outlasts a mute is reported when the mute ends.
      const fresh = troubles.filter(({ file }) => !told.has(file) && !isQuiet(''))
      const over = [...told.keys()].filter((name) => !troubles.some(({ file }) => file === name))
      for (const { file } of fresh) checkpoints.set(TOLD + file, at)
      checkpoints.remove(...over.map((file) => TOLD + file))
      const ofAll = { at, pipeline: '', page: '' }
      const made: Notification[] = fresh.map(({ file, error: { code, message, hint } }) => ({
        ...ofAll,
        key: `optOuts/${file}/${at}`,
        event: 'optOuts',
        title: 'an opt-out list cannot be used',
        error: { code, message, hint },
        details: affected(pipelines),
        next: ['audience validate', 'audience status'],
      }))
      if (over.length > 0 && troubles.length === 0)
        made.push({
          ...ofAll,
          key: `optOuts/over/${at}`,
          event: 'recovery',
          ends: 'optOuts',
          title: 'the opt-out lists can be used again',
          next: ['audience runs list --status failed --since 1d'],
        })
      return made
    },
  }
}

function affected(pipelines: ReadonlyMap<string, Pipeline>): string[] {
  const names = [...pipelines.values()]
    .filter((pipeline) => stepsOf(pipeline).some(({ uses }) => uses === 'files.prepare'))
    .map(({ name }) => name)
  const more = names.length > MOST_NAMED ? `, and ${names.length - MOST_NAMED} more` : ''
  return names.length === 0 ? [] : [`Pipelines that prepare lists: ${names.slice(0, MOST_NAMED).join(', ')}${more}.`]
}
