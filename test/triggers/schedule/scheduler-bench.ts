import { onTestFinished } from 'vitest'
import type { Fire } from '../../../src/core/fire.ts'
import type { Pipeline } from '../../../src/core/pipeline.ts'
import type { ScheduleTrigger } from '../../../src/core/trigger.ts'
import type { OccurrenceStore } from '../../../src/state/occurrence-store.ts'
import type { LiveSchedule } from '../../../src/triggers/schedule/live-schedule.ts'
import type { SchedulerDeps } from '../../../src/triggers/schedule/scheduled-trigger.ts'
import { Scheduler } from '../../../src/triggers/schedule/scheduler.ts'
import { memoryOccurrenceStore } from '../../support/memory-occurrence-store.ts'
import { scheduleTrigger } from './a-schedule.ts'
import { steppedClock } from './stepped-clock.ts'

/** A Saturday, at noon. */
export const START = Date.UTC(2026, 0, 31, 12)

export function live(changes: Partial<ScheduleTrigger> & { pipeline?: string; file?: string } = {}): LiveSchedule {
  const { pipeline = 'p', file = '/none/p.yaml', ...trigger } = changes
  return { pipeline: { name: pipeline, file } as Pipeline, trigger: scheduleTrigger(trigger) }
}

/**
 * A scheduler with an occurrence store in memory. Its writes fail while `broken`, or after the last allowed one, as in
 * a killed process. It cannot create runs while `jammed`.
 */
export function world(startMs = START) {
  const clock = steppedClock(startMs)
  const occurrenceStore = memoryOccurrenceStore()
  const runs: { slot: string; late: number }[] = []
  /** The keys of the occurrences that became runs. */
  const ran: string[] = []
  const logged: { text: string; level: string }[] = []
  const state = { broken: false, jammed: undefined as Error | undefined, reads: 0, writesLeft: Infinity }
  const write = () => {
    state.writesLeft -= 1
    if (state.broken || state.writesLeft < 0) throw new Error('the disk is full')
  }
  const breakable: OccurrenceStore = {
    ...occurrenceStore,
    async note(ref, change) {
      write()
      return await occurrenceStore.note(ref, change)
    },
    async rewind(ref, cursor) {
      write()
      return await occurrenceStore.rewind(ref, cursor)
    },
    due(ref, limit) {
      state.reads++
      return occurrenceStore.due(ref, limit)
    },
    triggersDue() {
      state.reads++
      return occurrenceStore.triggersDue()
    },
  }
  const fire: Fire = async ({ pipeline, trigger, key, at }) => {
    await null
    if (state.jammed) throw state.jammed
    write()
    const ref = { pipeline: pipeline.name, trigger: trigger.id, key }
    if (occurrenceStore.take({ ...ref, at }, `run-${runs.length}`)) {
      ran.push(key)
      runs.push({ slot: `${pipeline.name} ${key.slice(8, 16)}${key.slice(24)}`, late: clock.now() - at })
    }
    const occurrence = await occurrenceStore.find(ref)
    if (!occurrence) throw new Error('it is not in the occurrence store')
    return occurrence
  }
  const say = (level: string) => (_facts: object, text: string) => logged.push({ level, text })
  const deps: SchedulerDeps = {
    occurrenceStore: breakable,
    fire,
    clock,
    checkFile: () => undefined,
    log: { info: say('info'), warn: say('warn'), error: say('error') } as unknown as SchedulerDeps['log'],
  }
  const start = (...schedules: LiveSchedule[]) => {
    const scheduler = new Scheduler(deps)
    scheduler.replace(schedules)
    onTestFinished(() => scheduler.stop())
    return scheduler
  }
  const slots = () => runs.splice(0).map(({ slot }) => slot)
  const states = async () =>
    [...(await occurrenceStore.list({ limit: 1000 }))]
      .reverse()
      .map(({ key, state, reason }) => [key.slice(8, 16), state, reason].filter(Boolean).join(' '))
  return { clock, occurrenceStore, runs, ran, logged, state, deps, start, slots, states }
}
