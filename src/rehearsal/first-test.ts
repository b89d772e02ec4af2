import { basename, dirname, relative, resolve } from 'node:path'
import { DAY_MS } from '../core/duration.ts'
import { usageError } from '../core/errors.ts'
import type { Json, JsonObject } from '../core/json.ts'
import { type Pipeline, stepsOf } from '../core/pipeline.ts'
import type { StepType } from '../core/step-type.ts'
import { literalOf } from '../core/template.ts'
import type { ScheduleTrigger, WatchTrigger } from '../core/trigger.ts'
import { withoutUndefined } from '../core/without-undefined.ts'
import { filesIn, mapFiles } from '../pipeline/named-files.ts'
import { referencedFiles } from '../pipeline/referenced-files.ts'
import { resolveInputs } from '../pipeline/resolve-inputs.ts'
import { comingSlots } from '../triggers/schedule/coming-slots.ts'
import { createSchedule } from '../triggers/schedule/schedule.ts'
import { filePattern } from '../triggers/watch/file-pattern.ts'
import { madeUpEnv } from './made-up-env.ts'

/** The content of a first test of a pipeline, before anything is rehearsed. */
export interface FirstTest {
  /** The name of the document. */
  readonly test: string
  /** The day on which it begins. */
  readonly from: string
  readonly env: JsonObject
  readonly files: JsonObject
  readonly event: JsonObject
}

/** What a first test is made from, besides the pipeline. */
export interface FirstTestDeps {
  now: number
  /** `key=value` texts from a person. If there are any, a person runs the pipeline. */
  inputs: readonly string[]
  cwd: string
  stepTypes: ReadonlyMap<string, StepType>
  /** Absolute path of the folder of the project. */
  root: string
  /** A valid document at an absolute path. */
  readPipeline: (file: string) => Pipeline | undefined
  /** The documents of the pipelines after which a trigger starts this pipeline. */
  before: readonly Pipeline[]
  /** Absolute paths of the opt-out lists of audience.yaml. */
  optOuts: readonly string[]
  isFile: (path: string) => boolean
  /** How many rows a list has, and whether it contains only keys; undefined if the list is missing or not text. */
  readList: (path: string) => { rows: number; isKeys: boolean } | undefined
}

/** Enough people for the limits of most pipelines. */
const PEOPLE = 5_000
/** The maximum number of people that a test may ask for. */
const MOST_PEOPLE = 90_000

/**
 * Derives a first test from what a pipeline names. Throws an AudienceError if it needs more information from a person.
 */
export function firstTest(pipeline: Pipeline, deps: FirstTestDeps): FirstTest {
  const from = new Date(deps.now).toISOString().slice(0, 10)
  const { event, files } = firstEvent(pipeline, Date.parse(from), deps)
  const documents = withNested([pipeline, ...deps.before], deps)
  return {
    test: basename(pipeline.file),
    from,
    env: madeUpEnv(documents),
    files: givenFiles(pipeline, documents, files, deps),
    event,
  }
}

/** What starts a run, and the files that it names. */
function firstEvent(
  pipeline: Pipeline,
  from: number,
  deps: FirstTestDeps,
): { readonly event: JsonObject; readonly files: readonly string[] } {
  const schedules = pipeline.triggers.filter((trigger) => trigger.kind === 'schedule')
  const watch = pipeline.triggers.find((trigger) => trigger.kind === 'watch')
  if (deps.inputs.length === 0 && schedules[0])
    return { event: isOnceADay(schedules, pipeline, from) ? { night: true } : { slot: schedules[0].id }, files: [] }
  if (deps.inputs.length === 0 && watch) {
    const list = signalled({ people: PEOPLE }, watch.precheck.signal ?? signalOf(pipeline))
    return { event: { drop: { [droppedName(watch)]: list } }, files: [] }
  }
  // If this pipeline runs after others, the others also run in the world.
  if (deps.inputs.length === 0 && deps.before.length > 0) return { event: { night: true }, files: [] }
  const inputs = runInputs(pipeline, deps)
  const files = Object.entries(inputs).flatMap(([name, value = null]) => {
    const declared = pipeline.inputs[name]
    return declared ? filesIn(declared, value) : []
  })
  return { event: { run: Object.keys(inputs).length > 0 ? { inputs } : {} }, files }
}

function isOnceADay(schedules: readonly ScheduleTrigger[], { name }: Pipeline, from: number): boolean {
  const plain = schedules.filter(({ exclude }) => exclude.file === undefined)
  const today = { after: from, limit: 2, to: from + DAY_MS }
  const slots = plain.flatMap((trigger) => comingSlots(createSchedule(name, trigger), today).slots)
  return plain.length === schedules.length && slots.length === 1
}

function droppedName({ path, pattern }: WatchTrigger): string {
  const name = pattern
    .replace(/\{([^{},]*)[^{}]*\}/gu, '$1')
    .replace(/\[!?([^\]])[^\]]*\]/gu, '$1')
    .replaceAll('*', 'list')
    .replaceAll('?', '1')
  if (filePattern(pattern).matches(name)) return `${path}/${name}`
  const message = `no file name can be made up for the pattern ${pattern}`
  throw usageError('missing-input', message, 'write the test by hand: docs/testing.md')
}

/** The inputs that somebody gives or must give. A file is made up if none is given. */
function runInputs(pipeline: Pipeline, { inputs: given, cwd, isFile }: FirstTestDeps): JsonObject {
  const folder = dirname(resolve(pipeline.file))
  const isGiven = (name: string) => given.some((text) => text.startsWith(`${name}=`))
  const madeUp = Object.entries(pipeline.inputs).flatMap(([name, { type, default: usual }]) =>
    type === 'file' && usual === undefined && !isGiven(name) ? [`${name}=${resolve(folder, `data/${name}.csv`)}`] : [],
  )
  const resolved = resolveInputs(pipeline, {
    given: [...given, ...madeUp],
    cwd,
    exists: isFile,
    checkFile: () => undefined,
    keepMissing: true,
  })
  const named = Object.entries(pipeline.inputs).filter(([, { default: usual }]) => usual === undefined)
  const wanted = new Set([...named.map(([name]) => name), ...given.map((text) => text.slice(0, text.indexOf('=')))])
  return Object.fromEntries(
    Object.entries(pipeline.inputs).flatMap(([name, declared]) =>
      wanted.has(name) ? [[name, mapFiles(declared, resolved[name] ?? null, (path) => relative(folder, path))]] : [],
    ),
  )
}

/** The lists of the project that a run reads, by their paths relative to the document. */
function givenFiles(
  pipeline: Pipeline,
  documents: readonly Pipeline[],
  named: readonly string[],
  deps: FirstTestDeps,
): JsonObject {
  const folder = dirname(resolve(pipeline.file))
  const inDocuments = documents.flatMap((one) => referencedFiles(one, deps.stepTypes).files)
  const paths = new Set([...named.map((path) => resolve(folder, path)), ...inDocuments, ...deps.optOuts])
  const isInside = (path: string) => !relative(deps.root, path).startsWith('..')
  const files: Record<string, Json> = {}
  for (const path of paths) {
    const name = relative(folder, path)
    const list = isInside(path) && !IN_PROJECT.test(path) ? listAt(path, name, deps) : undefined
    if (!list) continue
    const seed = Object.keys(files).length + 1
    const isPeople = 'people' in list
    files[name] = isPeople
      ? withoutUndefined({ ...signalled(list, signalOf(pipeline)), seed: seed > 1 ? seed : undefined })
      : list
  }
  return files
}

/** The kinds of files that every world copies from the project. */
const IN_PROJECT = /\.(ya?ml|ics|sql|json)$/

/** The pipelines, and those that their steps run, at any depth. */
function withNested(
  pipelines: readonly Pipeline[],
  { stepTypes, readPipeline }: Pick<FirstTestDeps, 'stepTypes' | 'readPipeline'>,
): readonly Pipeline[] {
  const found = new Map(pipelines.map((pipeline) => [resolve(pipeline.file), pipeline]))
  // Iterating over a map also visits what is added in the meantime.
  for (const [, pipeline] of found) {
    for (const path of referencedFiles(pipeline, stepTypes).pipelines) {
      const nested = found.has(path) ? undefined : readPipeline(path)
      if (nested) found.set(path, nested)
    }
  }
  return [...found.values()]
}

/** As many people as the list has now. A file that contains more than keys is used as it is. */
function listAt(path: string, name: string, { isFile, readList }: FirstTestDeps): JsonObject | undefined {
  const list = readList(path)
  if (list?.isKeys) return { people: Math.min(list.rows, MOST_PEOPLE) }
  if (isFile(path)) return { copy: name }
  return /\.(csv|txt|tsv)$/i.test(name) ? { people: PEOPLE } : undefined
}

function signalled(list: JsonObject, signal: string | undefined): JsonObject {
  return signal === undefined || signal === 'EMAIL' ? list : { ...list, signal }
}

/** The signal that all steps name, if they name only one. */
function signalOf(pipeline: Pipeline): string | undefined {
  const signals = stepsOf(pipeline).flatMap(({ with: given }) =>
    ['uploadSignal', 'signal'].flatMap((key) => literalOf(given, key) ?? []),
  )
  const [first, second] = new Set(signals)
  return typeof first === 'string' && second === undefined ? first : undefined
}
