import { existsSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { SEGMENT_SIGNALS, type Signal } from '../../contract/enumerations.ts'
import { AudienceError } from '../../core/errors.ts'
import type { Json } from '../../core/json.ts'
import { type Pipeline, stepsOf } from '../../core/pipeline.ts'
import { literalOf, type Template } from '../../core/template.ts'
import type { ScheduleTrigger } from '../../core/trigger.ts'
import { evaluateTemplate } from '../../expressions/evaluate.ts'
import { filesIn } from '../../pipeline/named-files.ts'
import { referencedFiles } from '../../pipeline/referenced-files.ts'
import { isBelow } from '../../platform/is-below.ts'
import { stepTypes } from '../../steps/index.ts'
import type { Schedule } from '../../triggers/schedule/schedule.ts'
import { madeUpList } from './stand-ins.ts'

/** The lists that documents name, as made-up files of a world. If they change, each run gets another version. */
export class ListsOfSlots {
  readonly #folder: string
  readonly #changes: boolean
  /** The lists that were written, by pipeline. */
  readonly #own = new Map<string, Set<string>>()
  #version = 0

  /** `folder`: the folder of the project; nothing is written elsewhere. */
  constructor(folder: string, { changes }: { changes: boolean }) {
    this.#folder = folder
    this.#changes = changes
  }

  /** The version of the next list. */
  next = (): number => (this.#changes ? ++this.#version : 0)

  /** Writes the lists that a document names without expressions. */
  write(pipeline: Pipeline, now: number): void {
    this.#add(referencedFiles(pipeline, stepTypes).files, pipeline, now)
  }

  /** Writes the lists that a slot of a schedule gives to its run. */
  writeFor(slot: { pipeline: Pipeline; trigger: ScheduleTrigger; schedule: Schedule; at: number }, now: number): void {
    this.#add(filesOfSlot(slot), slot.pipeline, now)
  }

  /** Writes another version of the lists of a document. */
  change(pipeline: Pipeline, now: number): void {
    if (this.#changes) for (const file of this.#own.get(pipeline.name) ?? []) this.#writeList(file, pipeline, now)
  }

  /** Adds lists. The project's own files, such as calendars and queries, stay. */
  #add(files: readonly string[], pipeline: Pipeline, now: number): void {
    const own = this.#own.get(pipeline.name) ?? new Set()
    this.#own.set(pipeline.name, own)
    for (const file of files) {
      if (existsSync(file) || !isBelow(this.#folder, file)) continue
      mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
      this.#writeList(file, pipeline, now)
      own.add(file)
    }
  }

  #writeList(file: string, pipeline: Pipeline, now: number): void {
    writeFileSync(file, madeUpList(signalOf(pipeline), this.next()))
    utimesSync(file, now / 1000, now / 1000)
  }
}

/** The files that a trigger names with expressions, for one slot. */
function filesOfSlot({ pipeline, trigger, schedule, at }: Parameters<ListsOfSlots['writeFor']>[0]): readonly string[] {
  const scope = {
    trigger: {
      ...schedule.dayOf(at),
      timezone: trigger.timezone,
      kind: 'schedule',
      id: trigger.id,
      at: new Date(at).toISOString(),
    },
    run: { id: '', pipeline: pipeline.name, startedAt: new Date(at).toISOString() },
  }
  const folder = dirname(pipeline.file)
  return Object.entries(trigger.inputs).flatMap(([name, template]) => {
    const input = Object.hasOwn(pipeline.inputs, name) ? pipeline.inputs[name] : undefined
    const value = input && valueIn(template, scope)
    return input && value !== undefined ? filesIn(input, value).map((path) => resolve(folder, path)) : []
  })
}

/** Undefined if the value is not known; the run of the slot says why. */
function valueIn(template: Template, scope: Parameters<typeof evaluateTemplate>[1]): Json | undefined {
  try {
    return evaluateTemplate(template, scope)
  } catch (error) {
    if (error instanceof AudienceError) return undefined
    throw error
  }
}

/** The signal that a document uploads. */
function signalOf(pipeline: Pipeline): Signal {
  for (const { with: given } of stepsOf(pipeline)) {
    const named = literalOf(given, 'uploadSignal')
    const signal = SEGMENT_SIGNALS.find((one) => one === named)
    if (signal) return signal
  }
  return 'EMAIL'
}
