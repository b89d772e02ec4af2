import { isoTime } from '../core/iso-time.ts'
import { type StoredRecord, stepRef } from '../core/run.ts'
import { answerCommands } from '../runs/answer-commands.ts'
import { describeRun, type StepDescription } from '../runs/describe-run.ts'
import { waitingRunsBelow } from '../runs/runs-below.ts'
import { commandFor } from '../runs/unattended-runs.ts'
import type { RunRow } from '../state/run-history.ts'
import type { ReadableState } from '../state/state.ts'
import { unlessDamaged } from '../state/state-damage.ts'
import type {
  DaemonStatus,
  PersonWanted,
  RunUnattended,
  RunUnderWay,
  StatusReport,
  StepWithPartner,
} from './status-report.ts'

type Runs = ReadableState['runs']

const MOST_WAITING = 100
const MOST_FAILURES = 5
const MOST_GROUPS = 1000
const MOST_UNDER_WAY = 5
const MOST_UNATTENDED = 100
const MOST_PARTNER_WAITS = 100
/** A daemon resumes unowned runs within seconds. A run is reported if nothing was recorded for longer than this. */
const RESUMED_WITHIN_MS = 30_000

/** The steps that are waiting for a person, with the possible answers. */
export async function personsWanted(runs: Runs): Promise<PersonWanted[]> {
  const { rows } = await runs.page({ status: ['waiting'], limit: MOST_WAITING })
  return personsWantedBy(rows, runs)
}

/** The steps that are waiting for a person, in a run and in the runs that it started. */
export async function personsWantedWithin(run: RunRow, runs: Runs): Promise<PersonWanted[]> {
  return personsWantedBy([run, ...(await waitingRunsBelow(run.runId, runs))], runs)
}

/** The steps of these runs that are waiting for a person, with the possible answers. */
async function personsWantedBy(rows: readonly RunRow[], runs: Runs): Promise<PersonWanted[]> {
  const people: PersonWanted[] = []
  for (const row of rows) {
    const records = await readableRecords(row.runId, runs)
    if (records.length === 0) continue
    for (const step of describeRun(row, records, await runs.decisionsSent(row.runId)).steps) {
      const { waitsFor, sent } = step
      // The owner of the run is about to act on a decision.
      if (waitsFor && !(sent && row.owner !== undefined)) people.push(wanted(row, { ...step, waitsFor }))
    }
  }
  return people
}

function wanted(
  { runId, pipeline }: RunRow,
  step: StepDescription & Required<Pick<StepDescription, 'waitsFor'>>,
): PersonWanted {
  return {
    runId,
    pipeline,
    ...stepRef(step),
    reason: step.waitsFor,
    startedAt: step.startedAt,
    message: step.error?.message ?? '',
    sent: step.sent,
    commands: answerCommands(runId, step),
  }
}

/** The runs that no process works on: those that the daemon reports as stuck, and those without a living owner. */
export async function unattendedRuns(runs: Runs, daemon: DaemonStatus, now: number): Promise<RunUnattended[]> {
  const found: RunUnattended[] = []
  for (const runId of daemon.stuck ?? []) {
    const row = await runs.find(runId)
    if (row && row.finishedAt === undefined) found.push(unattended(row, await readableRecords(runId, runs), 'stuck'))
  }
  const graceMs = daemon.state === 'running' ? RESUMED_WITHIN_MS : 0
  const ownerless = async (status: readonly RunRow['status'][]) =>
    (await runs.page({ status, ownerless: true, limit: MOST_UNATTENDED })).rows
  // Without a daemon, nothing takes a run out of the queue either.
  const idle = await ownerless(daemon.state === 'running' ? ['running'] : ['running', 'queued'])
  for (const row of [...idle, ...(await ownerless(['waiting']))]) {
    // The run is only waiting for its turn.
    if (row.queuedFor === 'worker') continue
    const records = await readableRecords(row.runId, runs)
    // The run's question to a person is shown elsewhere, if the run can be read.
    if (row.status === 'waiting' && records.length > 0) continue
    const alone = unattended(row, records, row.queuedFor === 'noWorker' ? 'queued' : 'orphaned')
    if (Date.parse(alone.since) + graceMs <= now) found.push(alone)
  }
  return found.slice(0, MOST_UNATTENDED)
}

const UNATTENDED: Readonly<Record<RunUnattended['reason'], string>> = {
  stuck: 'the daemon cannot record or resume this run, and tries again; its log says why',
  orphaned: 'no process is working on this run',
  queued: 'it is queued for a worker, and none is running',
}

const UNREADABLE = { message: 'its records cannot be read', commands: ['audience state check'] }

function commandsFor(runId: string, why: RunUnattended['reason']): readonly string[] {
  return why === 'queued' ? ['audience start', `audience runs resume ${runId}`] : [commandFor({ runId, why })]
}

/** Empty if the records are damaged. */
async function readableRecords(runId: string, runs: Runs): Promise<readonly StoredRecord[]> {
  return (await unlessDamaged(runs.records(runId))) ?? []
}

function unattended(
  { runId, pipeline, submittedAt }: RunRow,
  records: readonly StoredRecord[],
  why: RunUnattended['reason'],
): RunUnattended {
  const lastAt = records.at(-1)?.at ?? submittedAt
  return {
    runId,
    pipeline,
    reason: why,
    since: isoTime(lastAt),
    ...(records.length === 0 ? UNREADABLE : { message: UNATTENDED[why], commands: commandsFor(runId, why) }),
  }
}

/** The newest runs that processes are working on. */
export async function runsUnderWay(runs: Runs): Promise<RunUnderWay[]> {
  const { rows } = await runs.page({ status: ['running'], limit: MOST_UNDER_WAY })
  return rows.flatMap(({ runId, pipeline, submittedAt, beganAt = submittedAt, owner, partnerWaits: waits }) => {
    const partnerWaits = waits && { ...waits, since: isoTime(waits.since) }
    return owner === undefined ? [] : [{ runId, pipeline, beganAt: isoTime(beganAt), owner, partnerWaits }]
  })
}

/** The steps that are waiting for a partner, those that have waited longest first. */
export async function partnersAwaited(runs: Runs): Promise<StepWithPartner[]> {
  const waits = await runs.partnerWaits({ limit: MOST_PARTNER_WAITS })
  return waits.map((wait) => ({ ...wait, since: isoTime(wait.since) }))
}

/** The failed runs that ended at or after `since` (milliseconds since 1970), by kind. */
export async function lastFailures(
  runs: Runs,
  since: number,
): Promise<Pick<StatusReport, 'failures' | 'moreFailures'>> {
  const groups = await runs.failureGroups({ since, limit: MOST_GROUPS })
  const open = groups.filter(({ run }) => !run.acknowledged)
  const failures = open.slice(0, MOST_FAILURES).map(({ run, failures, firstAt, lastAt }) => {
    const { runId, pipeline, error: { step, message = '' } = {} } = run
    return { runId, pipeline, finishedAt: isoTime(lastAt), step, message, failures, firstAt: isoTime(firstAt) }
  })
  const unlisted = open.length - failures.length
  return { failures, moreFailures: { unlisted, acknowledged: groups.length - open.length } }
}
