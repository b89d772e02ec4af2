import { AudienceError } from '../../core/errors.ts'
import { isJsonObject, parseJson, stringifyJson } from '../../core/json.ts'
import { actorOf, type HumanDecision, type RunRecord, signatureOf, stepKey } from '../../core/run.ts'
import type { Redact } from '../../core/secrets.ts'
import type { Act } from '../audit-log.ts'
import type { RunHistory, RunMessage, SentDecision, SentMessage } from '../run-history.ts'
import type { AddAct } from './audit.ts'
import { type Row, rowsOf, type Sql, send, type Work } from './work.ts'

/**
 * Leaves a message for the process that has the run or gets it next. `lock` ensures that only one decision about a run
 * is stored at a time.
 */
export function createSend(
  sql: Sql,
  {
    redact,
    addAct,
    lock,
  }: { readonly redact: Redact; readonly addAct: AddAct; readonly lock?: (runId: string) => Work<unknown> },
): RunHistory['send'] {
  return (runId, message) =>
    sql.transaction(function* () {
      if (message.kind === 'decide') {
        if (lock) yield* lock(runId)
        yield* requireUndecided(runId, message)
      }
      yield* addMessage(runId, message, redact)
      if (message.by !== undefined) yield* addAct(actOf(runId, message))
    })
}

/** Adds a message within the caller's transaction. */
export function addMessage(runId: string, message: RunMessage, redact: Redact): Work<unknown> {
  return send('INSERT INTO audience.messages (run_id, data) VALUES ($1, $2)', [
    runId,
    stringifyJson(storedMessage(message, redact)),
  ])
}

type Decide = Extract<RunMessage, { kind: 'decide' }>

/** Throws `already-decided` if there is a decision about the same step. */
function* requireUndecided(runId: string, message: Decide): Work<void> {
  if (waitsHere(yield* rowsOf('SELECT data FROM audience.messages WHERE run_id = $1', [runId]), message))
    throw decidedBefore(runId)
  const { step, index } = message.ref
  const last = (yield* rowsOf(WAITS, [runId]))
    // Only the writer of runs writes records.
    .map((row) => parseJson(String(row.data)) as unknown as RunRecord)
    .filter((record) => record.type === 'step.waiting' || record.type === 'decision.made')
    .find((record) => record.step === step && record.index === index)
  if (last?.type === 'decision.made') throw decidedBefore(runId)
}

const WAITS = `SELECT data FROM audience.records WHERE run_id = $1
  AND (data LIKE '%"type":"step.waiting"%' OR data LIKE '%"type":"decision.made"%') ORDER BY seq DESC`

/** The audit log entry for a message from a person. */
function actOf(runId: string, message: RunMessage): Act {
  const done = { ...actorOf(message), subject: runId, outcome: 'done' }
  return message.kind === 'cancel'
    ? { ...done, act: 'run.cancel' }
    : { ...done, act: `run.${message.decision}`, detail: stepKey(message.ref) }
}

/** Whether a decision about the same step is already waiting, in rows of the table `messages`. */
function waitsHere(rows: readonly Row[], { ref }: Decide): boolean {
  return sentDecisions(rows).some((other) => stepKey(other.ref) === stepKey(ref))
}

/** The stored form of a message. Only the audit log keeps its origin. Secrets are removed only from words of people. */
function storedMessage(
  { role: _role, address: _address, by, comment, ...message }: RunMessage,
  redact: Redact,
): object {
  return { ...message, by: by && redact(by), comment: comment && redact(comment) }
}

function decidedBefore(runId: string): AudienceError {
  return new AudienceError({
    code: 'already-decided',
    kind: 'usage',
    message: `run ${runId} already has a decision about this step, which takes effect when the run goes on`,
    hint: `go on with it: audience runs resume ${runId}`,
  })
}

/**
 * The messages in rows of the table `messages`. Skips messages that are damaged or of a kind that only later versions
 * know, so that they do not block others.
 */
export function messagesIn(rows: readonly Row[]): RunMessage[] {
  return rows.flatMap((row) => messageIn(row) ?? [])
}

/** The same messages, with their ids and runs. */
export function sentMessages(rows: readonly Row[]): SentMessage[] {
  return rows.flatMap((row) => {
    const message = messageIn(row)
    return message ? [{ id: Number(row.id), runId: String(row.run_id), message }] : []
  })
}

/** The decisions in the messages of one run, and who made them. */
export function sentDecisions(rows: readonly Row[]): SentDecision[] {
  return messagesIn(rows).flatMap((message) =>
    message.kind === 'decide' ? [{ ref: message.ref, decision: message.decision, ...signatureOf(message) }] : [],
  )
}

function messageIn({ data }: Row): RunMessage | undefined {
  try {
    const message = parseJson(String(data))
    return isMessage(message) ? message : undefined
  } catch {
    return undefined
  }
}

const DECISIONS: readonly unknown[] = ['done', 'again', 'approved', 'rejected'] satisfies HumanDecision[]

function isMessage(message: unknown): message is RunMessage {
  if (!isJsonObject(message)) return false
  const { kind, ref, decision } = message
  if (kind !== 'decide') return kind === 'cancel'
  return isJsonObject(ref) && typeof ref.step === 'string' && DECISIONS.includes(decision)
}
