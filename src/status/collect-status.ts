import { serviceOf } from '../config/choose-service.ts'
import { type Settings, stateName } from '../config/settings.ts'
import { DAY_MS, isAhead } from '../core/duration.ts'
import { AudienceError } from '../core/errors.ts'
import { isoTime } from '../core/iso-time.ts'
import { byTrigger, type TriggerRef, triggerRefOf } from '../core/occurrence.ts'
import { elsewhere, isOfService, isSynthetic, type ServiceRef } from '../core/service-ref.ts'
import { deploymentState } from '../daemon/deployment/deployment-state.ts'
import { documentsInUse } from '../daemon/deployment/documents-in-use.ts'
import { triggersOf } from '../daemon/documents/live-documents.ts'
import { readDaemon } from '../daemon/lock/daemon-file.ts'
import { fileCheck } from '../policy/enforce.ts'
import { muteItem } from '../state/mutes.ts'
import type { RunOutcomes, TriggerMemory, TriggerSummary } from '../state/occurrence-store.ts'
import type { ReadableState, StateAround } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { daemonStatus, keeperStatus, workerStatus } from './daemon-status.ts'
import { folderStatuses, foldersUnwatched } from './folder-status.ts'
import { nextSlots } from './next-slots.ts'
import { removedSchedules } from './removed-schedules.ts'
import { lastFailures, partnersAwaited, personsWanted, runsUnderWay, unattendedRuns } from './runs-status.ts'
import { sourceStatuses } from './source-status.ts'
import type { DaemonStatus, FolderUnwatched, SlotCounts, StatusReport } from './status-report.ts'
import { stepsBlocked } from './steps-blocked.ts'
import { aftersOf } from './waiting-sets.ts'

const NEXT_SLOTS = 5

/**
 * Collects the status from the state, the documents, and the daemon if one is running. Writes nothing and starts
 * nothing. `version` is the version of the command. `serviceFor` returns the service that a command on a run of a
 * profile would use; undefined if none can be used. `notice` is called if the daemon takes a long time to answer.
 */
export async function collectStatus(
  settings: Settings,
  around: StateAround,
  {
    serviceFor,
    version,
    notice = () => undefined,
  }: {
    serviceFor: (profile: string) => ServiceRef | undefined
    version: string
    notice?: (text: string) => void
  },
): Promise<StatusReport> {
  const { clock } = around
  const now = clock.now()
  const [here, documents] = await Promise.all([
    daemonStatus(readDaemon(settings.state), { clock, notice }),
    documentsInUse(settings, around),
  ])
  return withReadableState({ ...settings, here: { profile: settings.profileName } }, around, async (state) => {
    const workers = (await state.workers?.list())?.filter(({ expiresAt }) => expiresAt > now)
    const daemon = workers ? keeperStatus(workers, here) : here
    const live = [...documents.documents.values()]
    const schedules = triggersOf(live, 'schedule')
    const refs = schedules.map(triggerRefOf)
    const watches = triggersOf(live, 'watch')
    const memories = await state.occurrences.memories()
    const memoryOf = byTrigger(memories)
    const checkFile = fileCheck(settings.policy)
    const next = nextSlots(schedules, { after: now, limit: NEXT_SLOTS, memoryOf, checkFile })
    const since = now - DAY_MS
    const summaryOf = byTrigger(await state.occurrences.summary(since))
    return {
      at: isoTime(now),
      version,
      state: stateName(settings),
      pipelines: settings.pipelines,
      deployment: settings.deployment && (await deploymentOf(state)),
      service: serviceStatus(settings),
      otherServices: await otherServices(settings, state),
      daemon,
      workers: workers?.map(workerStatus),
      ...(await runsOf(state, daemon, {
        now,
        since,
        serviceFor,
        folders: settings.database ? foldersUnwatched(watches) : [],
      })),
      schedules: {
        next: next.slots,
        paused: memories.flatMap(({ pipeline, trigger, pausedAt }) =>
          pausedAt === undefined ? [] : [{ pipeline, trigger, since: isoTime(pausedAt) }],
        ),
        ahead: refs.flatMap((ref) => decidedAhead(ref, memoryOf(ref), now)),
        ...slotsOf(refs.flatMap((ref) => summaryOf(ref) ?? [])),
        removed: await removedSchedules(live, state.occurrences),
      },
      after: await aftersOf(documents.documents, summaryOf, { ends: state.ends, now }),
      folders: await folderStatuses(watches, { summaryOf, occurrences: state.occurrences, clock }),
      sources: await sourceStatuses(live, summaryOf, state),
      notifications: {
        ...(await state.outbox.counts()),
        mutes: (await state.mutes.list(now)).map(muteItem),
      },
      problems: [...documents.problems.map(({ file, messages }) => ({ file, messages })), ...next.problems],
    }
  })
}

async function deploymentOf({ deployments }: ReadableState): Promise<StatusReport['deployment']> {
  const standing = await deployments.standing()
  const { current, look, orders } = standing
  return {
    state: deploymentState(standing) ?? 'unknown',
    commit: current?.commit,
    since: look && isoTime(orders.paused?.at ?? look.since),
  }
}

function serviceStatus(settings: Settings): StatusReport['service'] {
  const here = serviceIn(settings)
  if (!(here instanceof AudienceError)) return { ...here, synthetic: isSynthetic(here) }
  return { problem: here.message, hint: here.hint }
}

async function otherServices(settings: Settings, { runs }: ReadableState): Promise<StatusReport['otherServices']> {
  const here = serviceIn(settings)
  const all = await runs.unfinishedServices()
  return here instanceof AudienceError ? all : all.filter((service) => !isOfService(service, here))
}

function serviceIn(settings: Settings): ServiceRef | AudienceError {
  try {
    return serviceOf(settings)
  } catch (error) {
    if (error instanceof AudienceError) return error
    throw error
  }
}

async function runsOf(
  { runs }: ReadableState,
  daemon: DaemonStatus,
  {
    now,
    since,
    serviceFor,
    folders,
  }: {
    now: number
    since: number
    serviceFor: (profile: string) => ServiceRef | undefined
    folders: readonly FolderUnwatched[]
  },
): Promise<
  Pick<StatusReport, 'runs' | 'underWay' | 'needsYou' | 'partnerWaits' | 'blocked' | 'failures' | 'moreFailures'>
> {
  const wanted = [...(await unattendedRuns(runs, daemon, now)), ...(await personsWanted(runs))]
  return {
    runs: {
      ...(await runs.counts()),
      lastDay: { ...(await runs.endedSince(since)), succeededInPart: await runs.succeededInPart(since) },
    },
    underWay: await runsUnderWay(runs),
    partnerWaits: await partnersAwaited(runs),
    blocked: await stepsBlocked(runs),
    needsYou: [
      ...folders,
      ...(await Promise.all(
        wanted.map(async (one) => {
          const run = await runs.find(one.runId)
          const here = run && serviceFor(run.profile)
          const where = run && here && elsewhere(run, here)
          return { ...one, elsewhere: where }
        }),
      )),
    ],
    ...(await lastFailures(runs, since)),
  }
}

function decidedAhead(ref: TriggerRef, memory: TriggerMemory | undefined, now: number) {
  const { cursor = now } = memory ?? {}
  return isAhead(cursor, now) ? [{ ...ref, decidedUntil: isoTime(cursor) }] : []
}

/** The outcomes of the slots of schedules, added up. Removed schedules do not count. */
function slotsOf(mine: readonly TriggerSummary[]): { due: number; lastDay: SlotCounts } {
  const sum = (figure: (summary: TriggerSummary) => number) => mine.reduce((total, one) => total + figure(one), 0)
  return {
    due: sum(({ due }) => due),
    lastDay: {
      ran: sum(({ recent }) => recent.ran),
      outcomes: mine.reduce(added, {}),
      skipped: sum(({ recent }) => recent.skipped),
      missed: sum(({ recent }) => recent.missed),
      failed: sum(({ recent }) => recent.failed),
      caughtUp: sum((summary) => summary.caughtUp),
    },
  }
}

function added(total: RunOutcomes, { runs }: TriggerSummary): RunOutcomes {
  const names = Object.keys({ ...total, ...runs }) as (keyof RunOutcomes)[]
  return Object.fromEntries(names.map((name) => [name, (total[name] ?? 0) + (runs[name] ?? 0)]))
}
