import { MINUTE_MS } from '../core/duration.ts'
import { formatDuration } from '../core/format/duration-text.ts'
import { isJsonObject, type Json } from '../core/json.ts'
import type { Notification } from '../core/notification.ts'
import type { Occurrence } from '../core/occurrence.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { localTime } from '../triggers/schedule/local-time.ts'
import { timeZone } from '../triggers/schedule/time-zone.ts'
import type { Lateness } from './late-watch.ts'

/** A slot or a set of ended runs got no run, or a run could not be created for a slot, a file or a set. */
export function withoutRun(occurrence: Occurrence, pipeline: Pipeline | undefined): Notification | undefined {
  switch (occurrence.state) {
    case 'missed':
      return isOfSet(occurrence) ? setMissed(occurrence, pipeline) : missed(occurrence, pipeline)
    case 'failed':
      return noRun(occurrence, pipeline)
    default:
      // The occurrence has had another outcome since then.
      return undefined
  }
}

/** A run had not ended by its deadline, or had not begun. */
export function runLate({ occurrence, deadlineMs, zone, finishedAt }: Lateness): Notification {
  const { pipeline, trigger, key, runId, at } = occurrence
  const deadline = timeIn(zone, deadlineMs)
  const what =
    runId === undefined
      ? `had not begun by its deadline, ${deadline}`
      : finishedAt === undefined
        ? `had not ended by its deadline, ${deadline}`
        : `ended ${formatDuration(finishedAt - deadlineMs)} after its deadline, ${deadline}`
  return {
    key: `late/${pipeline}/${trigger}/${key}`,
    event: 'late',
    at: deadlineMs,
    pipeline,
    trigger,
    runId,
    title: `${pipeline} of ${timeIn(zone, at)} ${what}`,
    next: [runId === undefined ? 'audience status' : `audience runs show ${runId}`],
  }
}

/** The reasons for `missed`, as text. */
const MISSED: Readonly<Record<string, string>> = {
  down: 'audience start was not running then, and this schedule does not catch up (missed: none)',
  expired: 'audience start was not running then, and started again too late to make up for it (catchupWindow)',
  superseded: 'audience start was not running then; only the last missed slot is run (missed: last)',
}

function missed(occurrence: Occurrence, document: Pipeline | undefined): Notification {
  const { pipeline, trigger, key, at, reason } = occurrence
  const [from, to] = [at, at + MINUTE_MS].map((ms) => new Date(ms).toISOString())
  return {
    key: `missed/${pipeline}/${trigger}/${key}`,
    event: 'missed',
    at,
    pipeline,
    trigger,
    page: pageOfTrigger('schedules', occurrence),
    title: `${pipeline} missed its time ${nameOf(occurrence, document)}`,
    error: reason === undefined ? undefined : { code: 'missed', message: MISSED[reason] ?? reason },
    next: [`audience schedule backfill ${pipeline} --from ${from} --to ${to} --only-missing`],
  }
}

/** The reasons for `missed` of a set that was complete. */
const SET_MISSED: Readonly<Record<string, string>> = {
  down: 'audience start was not running then, and this trigger does not catch up (missed: none)',
  expired: 'audience start was not running then, and started again too late to make up for it (catchupWindow)',
  superseded: 'audience start was not running then; only the last set is run (missed: last)',
}

/** The awaited runs of other pipelines did not all end in time, or no process noticed that they ended. */
function setMissed(occurrence: Occurrence, document: Pipeline | undefined): Notification {
  const { pipeline, trigger: id, key, at, reason = '', detail } = occurrence
  const trigger = document?.triggers.find((candidate) => candidate.id === id)
  const after = trigger?.kind === 'after' ? trigger : undefined
  const runs = isJsonObject(detail?.runs) ? detail.runs : {}
  const [ended, lacking] = [Object.keys(runs).join(', '), listOf(detail?.lacking).join(', ')]
  const did = DID[after?.on ?? 'any']
  const within = after ? `within ${formatDuration(after.withinMs)}` : 'in time'
  const isLate = reason === 'late'
  const title = isLate
    ? `${ended} ${did} too late for ${pipeline}, which is no longer waiting`
    : reason === 'incomplete'
      ? `${pipeline} did not start: ${ended} ${did}, but ${lacking} did not ${within}`
      : `${pipeline} did not start after ${ended}`
  const message = SET_MISSED[reason]
  return {
    key: `${isLate ? 'late' : 'missed'}/${pipeline}/${id}/${key}`,
    event: isLate ? 'late' : 'missed',
    at,
    pipeline,
    trigger: id,
    page: pageOfTrigger('schedules', occurrence),
    title,
    error: message === undefined ? undefined : { code: 'missed', message },
    details: Object.entries(runs).map(([name, runId]) => `${name}: run ${runId}`),
    next: document ? [`audience run ${document.file}`] : [],
  }
}

const DID = { success: 'succeeded', failure: 'failed', any: 'ended' } as const

function listOf(value: Json | undefined): readonly Json[] {
  return Array.isArray(value) ? value : []
}

function noRun(occurrence: Occurrence, document: Pipeline | undefined): Notification {
  const { pipeline, trigger, key, at, detail, reason = 'the reason is not known' } = occurrence
  const isFile = isOfFile(occurrence)
  return {
    key: `failure/${pipeline}/${trigger}/${key}`,
    event: 'failure',
    at,
    pipeline,
    trigger,
    page: pageOfTrigger(isFile ? 'files' : 'schedules', occurrence),
    title:
      occurrence.detail?.changed === true
        ? `${nameOf(occurrence, document)} changed after ${pipeline} had read it`
        : `no run of ${pipeline} could be made for ${nameOf(occurrence, document)}`,
    error: {
      code: typeof detail?.code === 'string' ? detail.code : 'no-run',
      message: reason,
      hint: isFile ? hintAt(occurrence) : undefined,
    },
    next: isFile || !document ? [] : [`audience validate ${document.file}`, `audience run ${document.file}`],
  }
}

/** Whether the occurrence is for a dropped file, not for a slot. */
export function isOfFile(occurrence: Occurrence | undefined): boolean {
  return occurrence?.detail?.name !== undefined
}

/** Whether the occurrence is for a set of ended runs. */
function isOfSet({ detail }: Occurrence): boolean {
  return detail?.runs !== undefined
}

/** What to do, and where the slots or files of a trigger are listed. */
function pageOfTrigger(page: 'schedules' | 'files', { pipeline, trigger }: Occurrence): string {
  return `${page}?${new URLSearchParams({ pipeline, trigger })}`
}

function hintAt({ detail }: Occurrence): string {
  if (detail?.changed === true)
    return 'it is in the folder for failed files: put it back into the watched folder when nothing writes to it any more'
  return detail?.ignored === true
    ? 'it is still where it was dropped: rename it, or let audience start take it; until then it is ignored'
    : detail?.set !== undefined
      ? 'drop all files of the set again; those that arrived are where the trigger leaves failed files'
      : 'drop a corrected file; this one is in the folder for failed files'
}

/** A slot in the local time of its schedule; a file by its name; a set by its pipelines. */
function nameOf({ trigger: id, at, detail }: Occurrence, document: Pipeline | undefined): string {
  if (typeof detail?.set === 'string') return `the set ${detail.set}`
  if (typeof detail?.name === 'string') return `the file ${detail.name}`
  if (isJsonObject(detail?.runs)) return `the ended runs of ${Object.keys(detail.runs).join(', ')}`
  const trigger = document?.triggers.find((candidate) => candidate.id === id)
  return timeIn(trigger?.kind === 'schedule' ? trigger.timezone : 'UTC', at)
}

function timeIn(zone: string, at: number): string {
  const { date, time } = localTime(timeZone(zone), at)
  return `${date} ${time} ${zone}`
}
