import { findTriggers } from '../../../acts/find-trigger.ts'
import { DAY_MS } from '../../../core/duration.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { stepKey } from '../../../core/run.ts'
import type { RunRow } from '../../../state/run-history.ts'
import { partnersAwaited, personsWanted, unattendedRuns } from '../../../status/runs-status.ts'
import { stepsBlocked } from '../../../status/steps-blocked.ts'
import type { ApiAnswerOf } from '../../api/operations.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { comingOf, pausesOf, scheduleOf } from '../document-facts.ts'
import { toBlockedStep } from '../run-facts.ts'
import { toRunItem } from '../run-item.ts'

const MOST_UNDER_WAY = 20
const MOST_FAILED = 5
const MOST_GROUPS = 50
const MOST_PARTIAL = 5
const MOST_NEXT = 50

export const overviewHandlers = {
  /** Shows what needs attention from a person, and how the runs are going. */
  'overview.get': async (deps) => {
    const { state, clock } = deps
    const now = clock.now()
    const since = now - DAY_MS
    const isRecent = ({ finishedAt = 0 }: RunRow) => finishedAt >= since
    const [counts, ended, succeededInPart, underWay, failed, groups, partial, summaries, pauses] = await Promise.all([
      state.runs.counts(),
      state.runs.endedSince(since),
      state.runs.succeededInPart(since),
      state.runs.page({ status: ['running'], limit: MOST_UNDER_WAY }),
      state.runs.page({ status: ['failed'], limit: MOST_FAILED }),
      state.runs.failureGroups({ since, limit: MOST_GROUPS }),
      state.runs.page({ partial: true, limit: MOST_PARTIAL }),
      state.occurrences.summary(since),
      pausesOf(deps),
    ])
    return {
      at: isoTime(now),
      needsYou: await needsYou(deps, now),
      blocked: (await stepsBlocked(state.runs)).map(toBlockedStep),
      partnerWaits: (await partnersAwaited(state.runs)).map(({ step: ref, ...wait }) => ({ ...wait, ref })),
      counts: { ...counts, ...ended, succeededInPart },
      underWay: underWay.rows.map(toRunItem),
      failures: failed.rows.filter(isRecent).map(toRunItem),
      failureGroups: groups.map(({ run, failures, firstAt, lastAt }) => ({
        run: toRunItem(run),
        failures,
        firstAt: isoTime(firstAt),
        lastAt: isoTime(lastAt),
      })),
      partial: partial.rows.filter(isRecent).map(toRunItem),
      next: findTriggers(deps.documents().values(), 'schedule')
        .map((live) => scheduleOf(deps, live))
        .flatMap((schedule) => comingOf(schedule, { after: now, limit: 1, pauses }))
        .sort((a, b) => Date.parse(a.at) - Date.parse(b.at))
        .slice(0, MOST_NEXT),
      paused: [...pauses].flatMap(([name, since]) => {
        const [pipeline = '', trigger = ''] = name.split('/')
        const isOther = deps
          .documents()
          .get(pipeline)
          ?.pipeline.otherTriggers?.some(({ id }) => id === trigger)
        return isOther ? [] : [{ pipeline, trigger, since }]
      }),
      due: summaries.reduce((total, { due }) => total + due, 0),
      notReady: await deps.notReady(),
      problems: deps.problems().map(({ file, messages }) => ({ file, messages })),
    }
  },
} satisfies Partial<ApiHandlers>

async function needsYou({ state, engine }: ConsoleDeps, now: number): Promise<ApiAnswerOf<'overview.get'>['needsYou']> {
  const daemon = { state: 'running', stuck: engine.stuck() } as const
  const unattended = await unattendedRuns(state.runs, daemon, now)
  const people = await personsWanted(state.runs)
  return [
    ...unattended.map(({ runId, pipeline, reason, since, message }) => ({
      ...{ kind: 'run' as const, runId, pipeline, reason, since, message },
    })),
    ...people.map((step) => ({
      ...{ kind: 'step' as const, runId: step.runId, pipeline: step.pipeline, ref: stepKey(step), step: step.step },
      index: step.index,
      ...{ reason: step.reason, since: step.startedAt, message: step.message },
    })),
  ]
}
