import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isJsonObject, type Json, type JsonObject, parseJson, stringifyJson } from '../../src/core/json.ts'
import type { InputDeclaration, Pipeline } from '../../src/core/pipeline.ts'
import { documentAt } from '../../src/daemon/documents/document-at.ts'
import { loadPipeline } from '../../src/pipeline/load-pipeline.ts'
import { planPipeline } from '../../src/pipeline/plan-pipeline.ts'
import { referencedFiles } from '../../src/pipeline/referenced-files.ts'
import { resolveInputs } from '../../src/pipeline/resolve-inputs.ts'
import type { ForecastQuestion, ForecastStep, StepPlan } from '../../src/pipeline/step-plan.ts'
import { stepTypes } from '../../src/steps/index.ts'

/** What a document means, as plain JSON. */
export interface Meaning {
  /** Messages of warnings. */
  readonly warnings: readonly string[]
  /** The loaded document with its defaults, without positions; expressions as the document writes them. */
  readonly pipeline: Json
  /** The inputs of each step, and what the step would do with an empty service. */
  readonly plan: Json
}

/**
 * The meaning of the document `name` in `folder`. Throws if the document is not valid. This function makes the files
 * that the document names, always with the same few lines, so that the plan depends only on the document.
 */
export async function meaningOf(name: string, folder: string, forecast: ForecastStep): Promise<Meaning> {
  const file = join(folder, name)
  const loaded = loadPipeline({ text: readFileSync(file, 'utf8'), file, stepTypes, readDocument: documentAt })
  const { pipeline, diagnostics } = loaded
  if (!pipeline) throw new Error(`${name} is not valid any more: ${diagnostics.map(({ message }) => message)}`)
  for (const path of [...referencedFiles(pipeline, stepTypes).files, join(folder, 'given.csv')]) writeFileAt(path)
  const questions: ForecastQuestion[] = []
  const steps = await planPipeline({
    pipeline,
    inputs: resolveInputs(pipeline, {
      given: Object.entries(pipeline.inputs).flatMap(given),
      ...{ cwd: folder, exists: () => true, checkFile: () => {} },
    }),
    env: Object.fromEntries(pipeline.env.map((variable) => [variable, `https://example.com/${variable}`])),
    ...{ profile: 'local', last: undefined, guards: new Map(), cwd: folder, stepTypes },
    forecast: (question) => {
      questions.push(question)
      return forecast(question)
    },
  })
  const asked = questions.map(({ stepId, uses, input, unknown }) => ({ stepId, uses, input, unknown }))
  const meaning = {
    warnings: diagnostics.map(({ message }) => message),
    pipeline: compact(withoutSource(pipeline)),
    plan: { asked, steps: steps.map(planned) },
  }
  return parseJson(stringifyJson(meaning).replaceAll(`${folder}/`, '')) as unknown as Meaning
}

function withoutSource({ text: _, digest: __, file: ___, ...rest }: Pipeline) {
  return rest
}

/**
 * The loaded document in short: expressions become text; positions and empty values are removed. So a new key of the
 * format does not change the meaning of documents that do not use it.
 */
function compact(value: unknown): Json {
  if (Array.isArray(value)) return value.map(compact)
  if (typeof value !== 'object' || value === null) return value as Json
  const node = value as { readonly kind?: string; readonly [key: string]: unknown }
  if ('source' in node) return `\${{${node.source}}}`
  if (node.kind === 'value') return { value: node.value as Json }
  if (node.kind === 'expression') return compact(node.expression)
  if (node.kind === 'text') return (node.parts as unknown[]).map(compact).join('')
  if (node.kind === 'list') return compact(node.items)
  if (node.kind === 'map') return compact(node.entries)
  // The schema of an item follows from the rest.
  const own = Object.entries(node).filter(([key]) => key !== 'itemSchema')
  const members = own.map(([key, member]) => [key, compact(member)] as const)
  return Object.fromEntries(members.filter(([key, member]) => key === 'default' || (key !== 'at' && !isEmpty(member))))
}

function isEmpty(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0
  return value === undefined || value === false || (isJsonObject(value) && Object.keys(value).length === 0)
}

/** Reasons are for people, and their words may change. */
function planned({ id, action, unknown, changed, requests, guards, items }: StepPlan): JsonObject {
  return parseJson(
    stringifyJson({ id, action, unknown, changed, requests, guards, items: items?.map(planned) }),
  ) as JsonObject
}

/** A value for an input without a default. */
function given([name, { default: byDefault, type, values, items }]: [string, InputDeclaration]): string[] {
  if (byDefault !== undefined) return []
  const kind = type === 'list' ? items : type
  const texts: Readonly<Record<string, string>> = {
    integer: '7',
    number: '0.5',
    boolean: 'true',
    date: '2026-02-03',
    file: 'given.csv',
    enum: values?.[0] ?? '',
  }
  return [`${name}=${texts[String(kind)] ?? 'text'}`]
}

function writeFileAt(path: string): void {
  if (existsSync(path)) return
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, 'email\nann@example.com\nbob@example.com\n')
}
