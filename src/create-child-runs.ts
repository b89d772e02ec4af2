import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Clock } from './core/clock.ts'
import type { DecodedText } from './core/decode-text.ts'
import type { Engine } from './core/engine.ts'
import { AudienceError } from './core/errors.ts'
import type { Journal } from './core/journal.ts'
import type { Pipeline } from './core/pipeline.ts'
import { runIdAt } from './core/run-id.ts'
import { documentAt } from './document-at.ts'
import { RUN_CANCELLED } from './engine/live-run.ts'
import { stateOf } from './engine/recorded-run.ts'
import { groupBusy, groupsOf } from './engine/run-groups.ts'
import type { GitVersionOf } from './git-version.ts'
import { resolveInputs } from './pipeline/resolve-inputs.ts'
import type { ChildRuns } from './steps/runnable-step-type.ts'

/** Runs that start each other deeper than this are taken for a circle. */
const MAX_DEPTH = 10

/** The runs that `pipelines.run` steps start, in the same engine. */
export function createChildRuns(means: {
  readonly engine: () => Engine
  readonly journal: Journal
  readonly clock: Clock
  readonly random: () => number
  readonly readPipeline: (source: DecodedText & { readonly file: string }) => Pipeline
  readonly gitVersionOf: GitVersionOf
}): ChildRuns {
  const { engine, journal, clock, random, readPipeline, gitVersionOf } = means
  return {
    async submit({ parent, key, file, inputs }) {
      const above = ancestorsOf(parent, journal)
      if (above.length > MAX_DEPTH) throw tooDeep(file)
      const pipeline = readPipeline({ ...documentOf(file), file })
      const folder = dirname(file)
      const given = resolveInputs(pipeline, { values: inputs, cwd: folder, exists: existsSync })
      const trigger = { kind: 'run', parent, depth: above.length }
      // It would wait for itself to leave a group that it is in by a run above it.
      const held = new Set(above.flatMap(({ groups = [] }) => groups))
      const groups = groupsOf(pipeline, given, trigger).filter(({ name }) => !held.has(name))
      const git = await gitVersionOf(pipeline)
      const { runId, state } = await engine().submit({
        runId: runIdAt(clock.now(), random),
        pipeline,
        folder,
        inputs: given,
        trigger,
        parent,
        groups,
        dedupeKey: `${parent}/${key}`,
        ...(git && { git }),
      })
      if (state === 'skipped' || state === 'refused') throw groupBusy(pipeline.name, runId)
      return runId
    },
    async end(runId, signal) {
      await engine().resume(runId)
      const cancel = () => {
        if (signal.reason === RUN_CANCELLED) void engine().cancel(runId)
      }
      signal.addEventListener('abort', cancel, { once: true })
      try {
        for await (const event of engine().events(runId)) {
          if (event.event !== 'run.finished') continue
          const { status, outputs, error } = event
          return { status, outputs, ...(error && { error }) }
        }
      } finally {
        signal.removeEventListener('abort', cancel)
      }
      throw signal.reason
    },
  }
}

type Submitted = ReturnType<typeof stateOf>['submission']

/** A run and those that it was started by, from the inside out. */
function ancestorsOf(runId: string, journal: Journal): Submitted[] {
  const { submission } = stateOf(runId, journal)
  const { parent } = submission.trigger
  return [submission, ...(typeof parent === 'string' ? ancestorsOf(parent, journal) : [])]
}

function documentOf(file: string): DecodedText {
  const document = documentAt(file)
  if (document) return document
  throw new AudienceError({
    code: 'document-unreadable',
    kind: 'failed',
    message: `${file} cannot be read`,
    hint: 'check `file` of the step; it is relative to the document',
  })
}

function tooDeep(file: string): AudienceError {
  return new AudienceError({
    code: 'runs-too-deep',
    kind: 'failed',
    message: `${file} would be the ${MAX_DEPTH + 1}th pipeline that is run by another one`,
    hint: 'find the circle: a pipeline that runs itself through others',
  })
}
