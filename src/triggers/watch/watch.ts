import { resolve } from 'node:path'
import type { Pipeline, WatchTrigger } from '../../core/pipeline.ts'
import type { TriggerRef } from '../../core/trigger-ledger.ts'

/** A folder that is to be watched: the trigger of a document, with where the document lies. */
export interface Watch {
  readonly pipeline: Pipeline
  readonly trigger: WatchTrigger
  /** Absolute path of the document's folder; the trigger's paths are relative to it. */
  readonly folder: string
}

export function refOf({ pipeline, trigger }: Watch): TriggerRef {
  return { pipeline: pipeline.name, trigger: trigger.id }
}

/** Absolute path of the watched folder. */
export function pathOf({ trigger, folder }: Watch): string {
  return resolve(folder, trigger.path)
}
