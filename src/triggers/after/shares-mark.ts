import type { Pipeline } from '../../core/pipeline.ts'
import type { ScheduleTrigger, Trigger } from '../../core/trigger.ts'
import { createSchedule, type Schedule } from '../schedule/schedule.ts'
import { foldersOf, type Watch } from '../watch/watch.ts'
import type { Mark } from './mark.ts'

/** Whether a pipeline can have a run with the same mark as a run of another pipeline. */
export type SharesMark = (mark: Mark, pipeline: string) => boolean

/** A document in use, and the folder from which its relative paths start. */
export interface Document {
  readonly pipeline: Pipeline
  readonly folder: string
}

/**
 * Decides by the current documents. A pipeline can share a slot if one of its schedules also has the slot. Two
 * pipelines can share a file if one watches the folder that the other watches or moves its files to. A pipeline can
 * share any mark that all pipelines before it can share.
 */
export function createShares(documents: ReadonlyMap<string, Document>): SharesMark {
  const schedules = new Map<ScheduleTrigger, Schedule>()
  const scheduleOf = (name: string, trigger: ScheduleTrigger): Schedule => {
    const schedule = schedules.get(trigger) ?? createSchedule(name, trigger)
    schedules.set(trigger, schedule)
    return schedule
  }
  const shares = (mark: Mark, name: string, seen: readonly string[]): boolean => {
    if (name === mark.by.pipeline) return true
    const document = documents.get(name)
    if (!document || seen.includes(name)) return false
    const sharesBy = (trigger: Trigger): boolean => {
      switch (trigger.kind) {
        case 'schedule':
          return hasSlot(scheduleOf(name, trigger), mark)
        case 'watch': {
          const other = watchOf(mark, documents)
          return other !== undefined && areLinked(other, { trigger, folder: document.folder })
        }
        case 'remote':
          // Files never go from one source to another.
          return false
        case 'after':
          return trigger.pipelines.every((upstream) => shares(mark, upstream, [...seen, name]))
      }
    }
    return document.pipeline.triggers.some(sharesBy)
  }
  return (mark, pipeline) => shares(mark, pipeline, [])
}

function hasSlot(schedule: Schedule, { text }: Mark): boolean {
  const slot = text.startsWith('slot ') ? Date.parse(text.slice('slot '.length)) : Number.NaN
  if (Number.isNaN(slot)) return false
  const [next] = schedule.slotsAfter(slot - 1)
  return next === slot
}

type Watched = Pick<Watch, 'trigger' | 'folder'>

/** The watched folder that a file came from. */
function watchOf({ text, by }: Mark, documents: ReadonlyMap<string, Document>): Watched | undefined {
  const document = text.startsWith('file ') ? documents.get(by.pipeline) : undefined
  const trigger = document?.pipeline.triggers.find(({ id }) => id === by.trigger)
  return document && trigger?.kind === 'watch' ? { trigger, folder: document.folder } : undefined
}

/** Whether files go from one watched folder to the other. */
function areLinked(a: Watched, b: Watched): boolean {
  const [pathA = '', ...toA] = foldersOf(a)
  const [pathB = '', ...toB] = foldersOf(b)
  return pathA === pathB || toA.includes(pathB) || toB.includes(pathA)
}
