import { isDeepStrictEqual } from 'node:util'
import type { Position } from '../core/diagnostic.ts'
import { AudienceError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import type { Pipeline } from '../core/pipeline.ts'
import { stepKey } from '../core/run.ts'
import { describeRun, type RunDescription } from '../runs/describe-run.ts'
import type { RunRow } from '../state/run-history.ts'
import { stepTypes } from '../steps/index.ts'
import { evaluateCheck } from './evaluate-check.ts'
import { isOwnRun, MOST_RUNS, newestRun } from './own-runs.ts'
import type { Caught } from './runner.ts'
import type { ReportedRequest } from './service-requests.ts'
import { isAtPartner, nameAbove, statusOfHeld, waitsOf } from './steps-below.ts'
import type { TestExpectation } from './test-document.ts'
import { type EventFacts, type Mismatch, nonZero, sorted, type Wait } from './test-result.ts'
import type { World } from './world.ts'

/** Explains which runs must succeed. Otherwise, a test that expects a failure would seem to reject that failure. */
const OTHERS_SUCCEED =
  'succeeded, because every run except the newest must succeed; if other runs should not succeed, say how many with `runs`'

/** What happened in one event of a test. */
export interface SeenInEvent extends Omit<EventFacts, 'runs'> {
  /** The runs that were submitted or continued, in order of submission. */
  readonly runs: readonly RunDescription[]
  /** For each of these runs, the steps that are waiting for somebody. */
  readonly waits: readonly (readonly Wait[])[]
  /** The newest run, even if it did not continue. */
  readonly newest: RunDescription | undefined
  /** The requests to the service, oldest first: `segments.create 202`, `jobs.get 200`. */
  readonly requests: readonly string[]
  /**
   * The steps of all runs that are waiting for a person: `ask`, or `refresh/ask` of a run that the step `refresh`
   * started.
   */
  readonly held: readonly string[]
  readonly sent: Caught['sent']
  /** Faults and kills that did not happen. */
  readonly absent: readonly string[]
}

/**
 * Compares what happened with what a test expects. A test must expect a run that fails or waits, and an event that
 * should start a run (`starts`) but does not.
 */
export function judge(
  expect: TestExpectation,
  seen: SeenInEvent,
  { pipeline, starts }: { pipeline: Pipeline; starts: boolean },
): Mismatch[] {
  const found: Mismatch[] = []
  const differ = (what: string, expected: unknown, was: unknown) => {
    if (!isDeepStrictEqual(expected, was)) found.push({ what, expected: show(expected), seen: show(was) })
  }
  const last = seen.newest
  const statuses = sorted(counted(seen.runs.map(({ status }) => status)))
  if (expect.runs) differ('runs', nonZero(expect.runs), statuses)
  const { status: wanted } = expect
  if (wanted !== undefined && last?.status !== wanted)
    found.push({ what: 'status', expected: wanted, seen: last ? standing(last) : 'no run' })
  // What a test says about a run applies to the newest one; the others must succeed.
  const excused = [wanted, expect.held && statusOfHeld(expect.held), expect.error && 'failed']
  const isAboutNewest = excused.some((one) => one !== undefined)
  for (const run of expect.runs ? [] : seen.runs) {
    const isNewest = run.runId === last?.runId
    const isExcused = isNewest && (wanted !== undefined || excused.includes(run.status))
    const expected = isNewest || !isAboutNewest ? 'succeeded' : OTHERS_SUCCEED
    if (run.status !== 'succeeded' && !isExcused) found.push({ what: 'status', expected, seen: standing(run) })
  }
  const isAboutRuns = expect.runs !== undefined || isAboutNewest
  if (seen.runs.length === 0 && starts && !isAboutRuns)
    found.push({ what: 'runs', expected: 'a run begins, or `runs: {}`', seen: 'no run' })
  if (expect.held !== undefined && !seen.held.includes(expect.held))
    found.push({ what: 'held', expected: expect.held, seen: seen.held.join(', ') || 'no step waits for a person' })
  if (expect.error) {
    const { code, step } = expect.error
    if (code !== undefined) differ('error', code, last?.error?.code ?? 'none')
    if (step !== undefined) differ('error.step', step, last?.error?.step ?? 'none')
  }
  for (const [name, value] of Object.entries(expect.outputs ?? {})) {
    const was = last?.outputs?.[name]
    if (!contains(was, value)) found.push({ what: `outputs.${name}`, expected: show(value), seen: show(was ?? null) })
  }
  if (expect.writes) differ('writes', nonZero(expect.writes), sorted(seen.writes))
  if (expect.notified) {
    const wanted = Object.entries(expect.notified).filter(([, kinds]) => kinds.length > 0)
    const sortedKinds = wanted.map(([name, kinds]) => [name, kinds.toSorted()] as const)
    differ('notified', sorted(Object.fromEntries(sortedKinds)), seen.notified)
  }
  if (typeof expect.sent === 'number') differ('sent', expect.sent, seen.sent.length)
  else if (expect.sent) {
    const was = seen.sent.map(({ url, body }) => ({ url, body: parsed(body) }))
    const isAsWanted =
      was.length === expect.sent.length && expect.sent.every((wanted, at) => contains(was[at], wanted as JsonObject))
    if (!isAsWanted) found.push({ what: 'sent', expected: show(expect.sent), seen: show(was) })
  }
  for (const [kind, count] of Object.entries(expect.live ?? {}))
    differ(`live.${kind}`, count, seen.live[kind as keyof SeenInEvent['live']])
  if (expect.plan) differ('plan', nonZero(expect.plan), sorted(seen.plan ?? {}))
  for (const check of expect.check ?? []) {
    const was = checked(check, { pipeline, stepTypes, runs: checkedRuns(seen) }, expect.at)
    if (was !== true) found.push({ what: 'check', expected: check, seen: String(was) })
  }
  for (const what of seen.absent) found.push({ what, expected: 'it happens', seen: 'it did not happen' })
  return found
}

/** What happened in an event, for code that writes expectations. */
export function factsOf({ runs, waits, writes, live, notified, plan }: SeenInEvent): EventFacts {
  const facts = runs.map(({ status, error }, at) => ({
    status,
    error: error && { code: error.code, step: error.step, message: error.message },
    waits: waits[at] ?? [],
  }))
  return { runs: facts, writes, live, notified, plan }
}

function byChannel(notified: Caught['notified']): EventFacts['notified'] {
  const channels = [...Map.groupBy(notified, ({ channel }) => channel)]
  return sorted(Object.fromEntries(channels.map(([name, all]) => [name, all.map(({ event }) => event).toSorted()])))
}

/** `run` is the newest run, even if it did not continue in this event. */
function checkedRuns({ runs, newest }: SeenInEvent): readonly RunDescription[] {
  return !newest || runs.includes(newest) ? runs : [...runs.filter(({ runId }) => runId !== newest.runId), newest]
}

/** Whether a condition is true, or why this is not known. */
function checked(check: string, ...rest: [Parameters<typeof evaluateCheck>[1], Position]): boolean | string {
  try {
    return evaluateCheck(check, ...rest)
  } catch (error) {
    if (error instanceof AudienceError) return error.message
    throw error
  }
}

/** What has happened since a moment. */
export async function lookSince(
  world: World,
  since: { sequence: number; caught: number; sent: number },
  absent: readonly string[],
): Promise<Omit<SeenInEvent, 'plan'>> {
  const { runs } = world.runner.app.state
  const describe = async (row: RunRow) => describeRun(row, await runs.records(row.runId))
  const changed = new Map((await runs.changedSince(since.sequence, MOST_RUNS)).rows.map((row) => [row.runId, row]))
  const inOrder = [...changed.values()].filter(isOwnRun).toSorted((a, b) => a.submittedAt - b.submittedAt)
  const newest = await newestRun(runs)
  const { rows: waiting } = await runs.page({ status: ['waiting'], limit: MOST_RUNS })
  const heldIn = async (row: RunRow) => {
    const above = await nameAbove(row.runId, runs)
    return (await describe(row)).steps.flatMap((step) => (step.waitsFor ? [`${above}${stepKey(step)}`] : []))
  }
  const requests = await world.takeRequests()
  const described = await Promise.all(inOrder.map(describe))
  return {
    runs: described,
    waits: await Promise.all(described.map((run) => waitsOf(run, runs))),
    newest: newest && (await describe(newest)),
    held: (await Promise.all(waiting.map(heldIn))).flat(),
    requests: requests.map(describeRequest),
    writes: writesAmong(requests),
    notified: byChannel(world.caught.notified.slice(since.caught)),
    sent: world.caught.sent.slice(since.sent),
    live: await liveThings(world),
    absent,
  }
}

const APPLIED = new Set(['resetAfter', 'truncate', 'garbage'])

function writesAmong(requests: readonly ReportedRequest[]): Record<string, number> {
  const writes = requests.flatMap(({ method, operation, status, fault }) => {
    const isApplied = (typeof status === 'number' && status < 300) || APPLIED.has(String(fault?.action))
    return method === 'GET' || operation === null || operation === undefined || !isApplied ? [] : [String(operation)]
  })
  return counted(writes)
}

function describeRequest({ operation, status, fault }: ReportedRequest): string {
  const answer = status === null || status === undefined ? 'without an answer' : String(status)
  return `${operation ?? 'an unknown operation'} ${answer}${fault ? ` (fault ${fault.action})` : ''}`
}

async function liveThings(world: World): Promise<SeenInEvent['live']> {
  const count = async (kind: 'segments' | 'matches' | 'activations') => {
    const answer = await world.during(world.control(`${kind}.list`, { limit: 1_000 }))
    return (answer[kind] as readonly Json[]).length
  }
  return { segments: await count('segments'), matches: await count('matches'), activations: await count('activations') }
}

/** The status of a run, and what it is waiting for. */
function standing({ status, error, steps }: RunDescription): string {
  if (error) return `${status}: ${error.step === undefined ? '' : `step ${error.step}: `}${error.message}`
  const held = steps.filter(({ waitsFor }) => waitsFor !== undefined).map(stepKey)
  if (held.length > 0) return `${status} for a person: held: ${held.join(', ')}`
  const atPartner = steps.filter(isAtPartner).map(stepKey)
  return atPartner.length > 0 ? `${status}: ${atPartner.join(', ')} waits for a partner` : status
}

function counted(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}

/** Whether every wanted field is there; there may be others. An undefined field is not wanted. */
function contains(value: unknown, wanted: unknown): boolean {
  if (wanted === undefined) return true
  if (typeof wanted !== 'object' || wanted === null) return value === wanted || String(value) === String(wanted)
  if (typeof value !== 'object' || value === null) return false
  return Object.entries(wanted).every(([name, one]) => contains((value as Record<string, unknown>)[name], one))
}

function parsed(body: string): Json {
  try {
    return JSON.parse(body) as Json
  } catch {
    return body
  }
}

function show(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}
