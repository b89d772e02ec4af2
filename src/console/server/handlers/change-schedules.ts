import { type TriggerRef, triggerName } from '../../../core/occurrence.ts'
import { accountForPause } from '../../../triggers/schedule/account-for-pause.ts'
import { askedBy, decideBackfill } from '../../../triggers/schedule/decide-backfill.ts'
import { backfillDetail, type SlotPeriod, withdrawSlots } from '../../../triggers/schedule/withdraw-slots.ts'
import { ApiFailure } from '../api-failure.ts'
import type { Handler } from '../call.ts'
import { actorOfCaller } from '../caller.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { timeText } from '../run-item.ts'
import { findTrigger, scheduleOf, triggersOf } from '../trigger-facts.ts'

export const pauseTrigger: Handler<'schedules.pause'> = async (deps, { pipeline, trigger, reason }, { caller }) => {
  const { state, clock } = deps
  const ref = anyTrigger(deps, { pipeline, trigger })
  await state.occurrences.pause(ref, clock.now(), actorOfCaller(caller, reason))
  return { pausedSince: timeText((await state.occurrences.memory(ref))?.pausedAt ?? clock.now()) }
}

export const resumeTrigger: Handler<'schedules.resume'> = async (deps, { pipeline, trigger, reason }, { caller }) => {
  const { state, clock } = deps
  const ref = anyTrigger(deps, { pipeline, trigger })
  const [schedule] = triggersOf(deps, 'schedule', ref)
  const isPaused = (await state.occurrences.memory(ref))?.pausedAt !== undefined
  const skipped =
    schedule && isPaused ? await accountForPause(scheduleOf(deps, schedule), state.occurrences, clock.now()) : 0
  await state.occurrences.unpause(ref, actorOfCaller(caller, reason))
  return { skipped }
}

const MOST_SLOTS = 10_000
const MOST_LISTED = 1000

export const backfill: Handler<'schedules.backfill'> = async (deps, input, { caller }) => {
  const { state, clock } = deps
  const { pipeline, trigger, onlyMissing = false, dryRun = false, reason } = input
  const ref = { pipeline, trigger }
  const now = clock.now()
  const { from, to } = periodOf(input)
  if (from > now) throw new ApiFailure(400, { code: 'bad-range', message: '`from` is in the future' })
  const schedule = scheduleOf(deps, findTrigger(deps, 'schedule', ref))
  const range = { from, to: Math.min(to, now + 1), onlyMissing, limit: MOST_SLOTS }
  const { due, waiting, ran, excluded, tooMany } = await decideBackfill(schedule, state.occurrences, range)
  if (tooMany) {
    const message = `${triggerName(ref)} has more than ${MOST_SLOTS} slots to run in that time; nothing was changed`
    throw new ApiFailure(400, { code: 'too-many-slots', message })
  }
  if (!dryRun && due.length > 0) {
    const detail = backfillDetail({ from, to }, due.length)
    const act = { ...actorOfCaller(caller, reason), act: 'schedule.backfill', detail } as const
    await state.occurrences.note(ref, { occurrences: askedBy(due, caller.by), act })
  }
  const slots = due.slice(0, MOST_LISTED).map(({ at }) => timeText(at))
  return { slots, count: due.length, waiting, ran, excluded }
}

/** Undoes a backfill, as far as its slots have no run yet. */
export const withdraw: Handler<'schedules.withdraw'> = async (deps, input, { caller }) => {
  const { ref } = findTrigger(deps, 'schedule', input)
  const { from, to } = periodOf(input)
  const { dryRun = false, reason } = input
  const actor = actorOfCaller(caller, reason)
  const slots = await withdrawSlots(deps.state.occurrences, ref, { from, to, actor, dryRun })
  return { slots: slots.slice(0, MOST_LISTED).map(timeText), count: slots.length }
}

function periodOf(input: { readonly from: string; readonly to: string }): SlotPeriod {
  const [from, to] = [Date.parse(input.from), Date.parse(input.to)]
  if (to > from) return { from, to }
  throw new ApiFailure(400, { code: 'bad-range', message: '`to` is not after `from`' })
}

function anyTrigger(deps: ConsoleDeps, ref: TriggerRef): TriggerRef {
  const [watched] = triggersOf(deps, 'watch', ref)
  return watched?.ref ?? findTrigger(deps, 'schedule', ref).ref
}
