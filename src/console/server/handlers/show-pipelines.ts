import type { FieldDeclaration, InputDeclaration } from '../../../core/pipeline.ts'
import type { LiveDocument } from '../../../daemon/documents/live-documents.ts'
import { pathOf } from '../../../triggers/watch/watch.ts'
import type { AnswerOf, Handler } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { expectedBand } from '../expected-band.ts'
import { findDocument, graphOf } from '../pipeline-facts.ts'
import { timeText, toRunItem } from '../run-item.ts'
import { comingOf, nameOf, pausesOf, scheduleOf } from '../trigger-facts.ts'

type PipelineItem = AnswerOf<'pipelines.list'>['pipelines'][number]
type InputItem = AnswerOf<'pipelines.get'>['inputs'][number]

export const listPipelines: Handler<'pipelines.list'> = async (deps) => {
  const pauses = await pausesOf(deps)
  const documents = [...deps.documents().values()].sort((a, b) => (a.pipeline.name < b.pipeline.name ? -1 : 1))
  return { pipelines: await Promise.all(documents.map((document) => itemOf(deps, document, pauses))) }
}

export const showPipeline: Handler<'pipelines.get'> = async (deps, { pipeline: name }) => {
  const document = findDocument(deps, name)
  const { text, digest, inputs } = document.pipeline
  return {
    pipeline: await itemOf(deps, document, await pausesOf(deps)),
    ...{ text, digest, inputs: Object.entries(inputs).map(([input, declared]) => inputOf(input, declared)) },
    graph: graphOf(document.pipeline),
  }
}

async function itemOf(
  deps: ConsoleDeps,
  document: LiveDocument,
  pauses: ReadonlyMap<string, number>,
): Promise<PipelineItem> {
  const { pipeline, file } = document
  const { name, description, steps } = pipeline
  const [last] = (await deps.state.runs.page({ pipeline: name, limit: 1 })).rows
  return {
    ...{ name, file, steps: steps.length },
    ...(description !== undefined && { description }),
    triggers: pipeline.triggers.map((trigger) => triggerOf(deps, document, trigger, pauses)),
    ...(last && { lastRun: toRunItem(last) }),
  }
}

function triggerOf(
  deps: ConsoleDeps,
  document: LiveDocument,
  trigger: LiveDocument['pipeline']['triggers'][number],
  pauses: ReadonlyMap<string, number>,
): PipelineItem['triggers'][number] {
  const { id, kind } = trigger
  const ref = { pipeline: document.pipeline.name, trigger: id }
  const pausedAt = pauses.get(nameOf(ref))
  const paused = pausedAt === undefined ? {} : { pausedSince: timeText(pausedAt) }
  if (trigger.kind === 'watch')
    return { id, kind, path: pathOf({ ...document, trigger }), pattern: trigger.pattern, ...paused }
  const schedule = scheduleOf(deps, { ref, document, trigger })
  const [next] = comingOf(schedule, { after: deps.clock.now(), limit: 1, isPaused: pausedAt !== undefined })
  return { id, kind, cron: trigger.cron, timezone: trigger.timezone, ...paused, ...(next && { next: next.at }) }
}

function inputOf(name: string, { items, ...declared }: InputDeclaration): InputItem {
  if (typeof items !== 'object') return { ...fieldOf(name, declared), ...(items !== undefined && { items }) }
  return { ...fieldOf(name, declared), fields: Object.entries(items).map(([field, its]) => fieldOf(field, its)) }
}

function fieldOf(
  name: string,
  { type, description, default: value, values }: FieldDeclaration | Omit<InputDeclaration, 'items'>,
): InputItem {
  return {
    ...{ name, type, required: value === undefined },
    ...(description !== undefined && { description }),
    ...(value !== undefined && { default: value }),
    ...(values && { values }),
  }
}

const USUAL_RUNS = 60
/** The band of the first point that is shown needs earlier ones. */
const BEFORE = 20

/** The numbers of the last runs of a pipeline, each with what the good runs before it let expect. */
export const listFigures: Handler<'pipelines.figures'> = async ({ state }, input) => {
  const { pipeline, step, name, limit = USUAL_RUNS } = input
  const last = { pipeline, limit: limit + BEFORE }
  const [{ rows }, found] = await Promise.all([
    state.runs.page(last),
    state.runs.figures({ ...last, ...(step !== undefined && { step }), ...(name !== undefined && { name }) }),
  ])
  const runs = new Map(rows.map((row, place) => [row.runId, { row, isShown: place < limit }]))
  const series = [...Map.groupBy(found.toReversed(), ({ step, name }) => `${step}\n${name}`).values()]
  return {
    series: series.map((figures) => {
      const good: number[] = []
      const points = figures.flatMap(({ runId, value }) => {
        const run = runs.get(runId)
        const expected = expectedBand(good)
        if (run?.row.status === 'succeeded') good.push(value)
        if (!run?.isShown) return []
        const { submittedAt, status, triggerLabel } = run.row
        const label = triggerLabel === '' ? {} : { label: triggerLabel }
        return [{ runId, at: timeText(submittedAt), status, ...label, value, ...(expected && { expected }) }]
      })
      const [{ step: of, name: named } = { step: '', name: '' }] = figures
      return { step: of, name: named, points }
    }),
  }
}
