import type { Engine, RunRequest } from '../core/engine.ts'
import { AudienceError } from '../core/errors.ts'
import { RunTakenOverError } from '../core/journal.ts'
import type { Pipeline } from '../core/pipeline.ts'
import type { RunRecord, StepOutputs, StoredRecord } from '../core/run.ts'
import { visibleEnv } from '../core/visible-env.ts'
import { driveRun } from './drive-run.ts'
import type { EngineMeans, Live } from './engine-means.ts'
import { followEvents } from './follow-events.ts'
import { LiveRun } from './live-run.ts'
import { outputsOf, stateOf } from './recorded-run.ts'
import { foldRecords } from './run-state.ts'

/** How often messages of other processes, and runs that nobody works on, are looked for. */
const LOOK_EVERY_MS = 250
const RECOVER_EVERY_MS = 1000

/** The engine over a journal: what runs here can be taken up again by any engine over the same journal. */
export function createEngine(means: EngineMeans): Engine {
  const { journal, clock } = means
  const live = new Map<string, Live>()
  const last = new Map<string, { readonly runId: string; readonly outputs: StepOutputs }>()
  const stopping = new AbortController()
  let watching: Promise<void> | undefined
  let recovers = false

  /** Read once for all runs that follow the same one. */
  function lastOutputs(pipeline: string): StepOutputs | undefined {
    const runId = journal.lastSuccess(pipeline)
    if (runId === undefined) return undefined
    const known = last.get(pipeline)
    const outputs = known?.runId === runId ? known.outputs : outputsOf(stateOf(runId, journal))
    last.set(pipeline, { runId, outputs })
    return outputs
  }

  function takeUp(runId: string, records: readonly StoredRecord[], pipeline: Pipeline): void {
    const folded = foldRecords(records)
    // Of many runs of one document each read its own copy of the text.
    const state = { ...folded, submission: { ...folded.submission, text: pipeline.text } }
    const facts = { runId, pipeline, state, stepTypes: means.stepTypes, env: visibleEnv(pipeline, means.env) }
    const run = new LiveRun(facts, records.length, means)
    const end = driveRun(run, means).finally(() => live.delete(runId))
    // Whoever follows the events is told; a run that nobody follows stays as it is recorded.
    end.catch(() => undefined)
    live.set(runId, { run, end })
    watching ??= watch()
  }

  async function takeUpAgain(runId: string, read = means.readPipeline): Promise<'live' | 'ended' | 'elsewhere'> {
    if (live.has(runId)) return 'live'
    if (stateOf(runId, journal).finished) return 'ended'
    if (!(await journal.claim(runId))) return stateOf(runId, journal).finished ? 'ended' : 'elsewhere'
    try {
      // Read after the claim: nobody else adds to them now.
      const records = journal.records(runId)
      takeUp(runId, records, read(foldRecords(records.slice(0, 1)).submission))
    } catch (error) {
      await journal.release([runId])
      throw error
    }
    return 'live'
  }

  /** Looks for messages, and where this engine recovers for runs that nobody works on, until it stops. */
  async function watch(): Promise<void> {
    let recoverAt = 0
    const look = async () => {
      for (const { id, runId, message } of journal.messages()) {
        await live.get(runId)?.run.receive(message)
        await journal.acknowledge(id)
      }
      if (!recovers || clock.now() < recoverAt) return
      recoverAt = clock.now() + RECOVER_EVERY_MS
      // All at once, so that their claims share a sync; most of many are of few documents.
      const read = onceADocument(means.readPipeline)
      await Promise.allSettled(journal.orphans().map((runId) => takeUpAgain(runId, read)))
    }
    while (!stopping.signal.aborted) {
      // What cannot be read or written now is tried at the next look; a run that cannot be recorded stops by itself.
      await look().catch(() => undefined)
      await clock.sleep(LOOK_EVERY_MS, stopping.signal).catch(() => undefined)
    }
  }

  return {
    async submit(request: RunRequest) {
      const { runId } = request
      const at = clock.now()
      const record = submission(request, lastOutputs(request.pipeline.name))
      const { dedupeKey } = request
      const submitted = await journal.submit({ runId, at, record, ...(dedupeKey !== undefined && { dedupeKey }) })
      if (!submitted.existing) takeUp(runId, [{ seq: 0, at, record }], request.pipeline)
      return { ...submitted, state: submitted.existing ? 'existing' : 'running' }
    },

    async resume(runId) {
      if ((await takeUpAgain(runId)) === 'elsewhere') throw new RunTakenOverError(runId)
    },

    async cancel(runId) {
      await journal.send(runId, { kind: 'cancel' })
      await takeUpAgain(runId)
    },

    async decide(runId, ref, decision) {
      await journal.send(runId, { kind: 'decide', ref, decision })
    },

    events: (runId) => followEvents(runId, () => live.get(runId), means, stopping.signal),

    start() {
      recovers = true
      watching ??= watch()
    },

    async stop(graceMs) {
      stopping.abort()
      const interrupted = (runId: string) =>
        new AudienceError({
          code: 'interrupted',
          kind: 'interrupted',
          message: `run ${runId} was interrupted`,
          hint: `go on with it: audience runs resume ${runId}`,
        })
      const ends = [...live].map(([runId, { run, end }]) => {
        run.stop(interrupted(runId))
        return end.catch(() => journal.release([runId]))
      })
      const allEnded = Promise.allSettled([...ends, watching])
      const graceOver = new AbortController()
      const grace = clock.sleep(graceMs, graceOver.signal).catch(() => undefined)
      await Promise.race([allEnded, grace]).finally(() => graceOver.abort())
      for (const [runId, { run }] of live) run.end(interrupted(runId))
    },
  }
}

function submission(request: RunRequest, last: StepOutputs | undefined): Extract<RunRecord, { type: 'run.submitted' }> {
  const { pipeline, folder, inputs, trigger, seed } = request
  return {
    type: 'run.submitted',
    pipeline: pipeline.name,
    file: pipeline.file,
    folder,
    text: pipeline.text,
    digest: pipeline.digest,
    inputs,
    trigger,
    ...(last && { last }),
    ...(seed && { seed }),
  }
}

function onceADocument(readPipeline: EngineMeans['readPipeline']): EngineMeans['readPipeline'] {
  const known = new Map<string, Pipeline>()
  return (source) => {
    const key = `${source.file}\n${source.text}`
    const pipeline = known.get(key) ?? readPipeline(source)
    known.set(key, pipeline)
    return pipeline
  }
}
