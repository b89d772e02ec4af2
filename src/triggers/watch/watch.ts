import { resolve } from 'node:path'
import type { TriggerRef } from '../../core/occurrence.ts'
import type { Pipeline, WatchTrigger } from '../../core/pipeline.ts'

/** A folder to watch: the trigger of a document, and where the document lies. */
export interface Watch {
  readonly pipeline: Pipeline
  readonly trigger: WatchTrigger
  /** The absolute path of the document's folder; the trigger's paths are relative to it. */
  readonly folder: string
}

export function refOf({ pipeline, trigger }: Watch): TriggerRef {
  return { pipeline: pipeline.name, trigger: trigger.id }
}

/** The absolute paths of the watched folder, and of `done` and `failed`. */
export function foldersOf({ trigger: { path, done, failed }, folder }: Watch): readonly string[] {
  return [path, done, failed].map((each) => resolve(folder, each))
}

/** The absolute path of the watched folder. */
export function pathOf({ trigger, folder }: Watch): string {
  return resolve(folder, trigger.path)
}
