import { isLike } from '../../../core/is-like.ts'
import { isoTime } from '../../../core/iso-time.ts'
import { triggerName } from '../../../core/occurrence.ts'
import type { FieldDeclaration, InputDeclaration } from '../../../core/pipeline.ts'
import { sourcePath, type Trigger } from '../../../core/trigger.ts'
import type { LiveDocument, PipelinesProblem } from '../../../daemon/documents/live-documents.ts'
import { graphOf } from '../../../runs/pipeline-graph.ts'
import type { Mute } from '../../../state/mutes.ts'
import type { RunHistory } from '../../../state/run-history.ts'
import { pathOf } from '../../../triggers/watch/watch.ts'
import type { ApiAnswerOf } from '../../api/operations.ts'
import type { ApiHandlers } from '../call.ts'
import type { ConsoleDeps } from '../console-deps.ts'
import { comingOf, findDocument, type Pauses, pausesOf, scheduleOf } from '../document-facts.ts'
import { toRunItem } from '../run-item.ts'

type PipelineItem = ApiAnswerOf<'pipelines.list'>['pipelines'][number]
type InputItem = ApiAnswerOf<'pipelines.get'>['inputs'][number]

export const pipelineHandlers = {
  'pipelines.list': async (deps) => {
    const pauses = await pausesOf(deps)
    const documents = [...deps.documents().values()].sort((a, b) => (a.pipeline.name < b.pipeline.name ? -1 : 1))
    const newest = await newestOf(deps, documents)
    const mutes = await mutesOf(deps)
    return { pipelines: documents.map((document) => itemOf(deps, document, { pauses, newest, mutes })) }
  },

  'pipelines.get': async (deps, { pipeline: name }) => {
    const document = findDocument(deps, name)
    const { text, digest, inputs } = document.pipeline
    const pauses = await pausesOf(deps)
    const newest = await newestOf(deps, [document])
    const item = itemOf(deps, document, { pauses, newest, mutes: await mutesOf(deps) })
    return {
      pipeline: withText(item, brokenOf(deps, document)?.invalid?.text),
      ...{ text, digest, inputs: Object.entries(inputs).map(([input, declared]) => inputOf(input, declared)) },
      graph: graphOf(document.pipeline),
    }
  },
} satisfies Partial<ApiHandlers>

/** How many runs fit in a row of the list. */
const IN_STRIP = 20

/** The newest runs of each pipeline, newest first, by the name of the pipeline. One read gets them all. */
async function newestOf({ state }: ConsoleDeps, documents: readonly LiveDocument[]): Promise<OfAll['newest']> {
  const pipelines = documents.map(({ pipeline }) => pipeline.name)
  const newest = await state.runs.newestOf({ pipelines, limit: IN_STRIP })
  return new Map(newest.map((each) => [each.last.pipeline, each]))
}

/** The current mutes. The mute that ends last comes last. */
async function mutesOf({ state, clock }: ConsoleDeps): Promise<OfAll['mutes']> {
  const now = clock.now()
  return (await state.mutes.list(now)).filter(({ since }) => since <= now)
}

interface OfAll {
  readonly pauses: Pauses
  readonly mutes: readonly Mute[]
  readonly newest: ReadonlyMap<string, Awaited<ReturnType<RunHistory['newestOf']>>[number]>
}

function itemOf(deps: ConsoleDeps, document: LiveDocument, { pauses, newest, mutes }: OfAll): PipelineItem {
  const { pipeline, file } = document
  const { name, description, steps } = pipeline
  const { last, runs = [] } = newest.get(name) ?? {}
  const muted = mutes.findLast(({ pipelines }) => isLike(name, pipelines))
  return {
    name,
    file,
    steps: steps.length,
    description,
    triggers: pipeline.triggers.map((trigger) => triggerOf(deps, document, trigger, pauses)),
    otherTriggers: (pipeline.otherTriggers ?? []).map((trigger) => ({
      ...followedBy(document, trigger),
      profiles: trigger.profiles ?? [],
    })),
    lastRun: last && toRunItem(last),
    newest: runs.toReversed().map(({ submittedAt, partnerWaits, ...mark }) => ({
      ...mark,
      submittedAt: isoTime(submittedAt),
      partnerWaits: partnerWaits && { ...partnerWaits, since: isoTime(partnerWaits.since) },
    })),
    problem: problemOf(deps, document),
    muted: muted && { pipelines: muted.pipelines, until: isoTime(muted.until) },
  }
}

/** The errors in a file, if the file is invalid and its last valid version is used. */
function brokenOf({ problems }: ConsoleDeps, { file }: LiveDocument): PipelinesProblem | undefined {
  return problems().find((problem) => problem.file === file && problem.keepsLast)
}

function problemOf(deps: ConsoleDeps, document: LiveDocument): PipelineItem['problem'] {
  const broken = brokenOf(deps, document)
  if (!broken) return undefined
  const { messages, invalid } = broken
  return {
    errors: invalid?.errors ?? messages.length,
    validFrom: isoTime(invalid?.validFrom),
    messages: messages.map((message, index) => ({ message, ...invalid?.places[index] })),
  }
}

function withText(item: PipelineItem, text: string | undefined): PipelineItem {
  return item.problem ? { ...item, problem: { ...item.problem, text } } : item
}

function triggerOf(
  deps: ConsoleDeps,
  document: LiveDocument,
  trigger: Trigger,
  pauses: Pauses,
): PipelineItem['triggers'][number] {
  const pausedSince = pauses.get(triggerName({ pipeline: document.pipeline.name, trigger: trigger.id }))
  const followed = followedBy(document, trigger)
  if (trigger.kind !== 'schedule') return { ...followed, pausedSince }
  const schedule = scheduleOf(deps, { ...document, trigger })
  const [next] = comingOf(schedule, { after: deps.clock.now(), limit: 1, pauses })
  return { ...followed, pausedSince, next: next?.at }
}

/** The schedule, files or pipelines that a trigger waits for. */
function followedBy(document: LiveDocument, trigger: Trigger) {
  const { id, kind } = trigger
  switch (kind) {
    case 'schedule':
      return { id, kind, cron: trigger.cron, timezone: trigger.timezone }
    case 'watch':
      return { id, kind, path: pathOf({ ...document, trigger }), pattern: trigger.pattern }
    case 'remote':
      // The watched path as people wrote it.
      return { id, kind: 'watch' as const, path: sourcePath(trigger) }
    case 'after':
      return { id, kind, after: trigger.pipelines, on: trigger.on }
  }
}

function inputOf(name: string, { items, ...declared }: InputDeclaration): InputItem {
  if (typeof items !== 'object') return { ...fieldOf(name, declared), items }
  return { ...fieldOf(name, declared), fields: Object.entries(items).map(([field, its]) => fieldOf(field, its)) }
}

function fieldOf(
  name: string,
  { type, description, default: value, values }: FieldDeclaration | Omit<InputDeclaration, 'items'>,
): InputItem {
  return { name, type, required: value === undefined, description, default: value, values }
}
