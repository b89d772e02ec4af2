import type { StepContext } from '../core/engine.ts'
import { type JsonObject, stringifyJson } from '../core/json.ts'
import type { LedgerKey } from '../state/step-memory.ts'
import type { StepServices } from './runnable-step-type.ts'

/**
 * The ledger key of a step. `identity` tells apart the items of a forEach, and the entries from before and after a
 * change of the document.
 */
export function ledgerKey(
  { pipeline, stepId }: Pick<StepContext, 'pipeline' | 'stepId'>,
  { profile }: Pick<StepServices, 'profile'>,
  identity: string,
): LedgerKey {
  return { profile, pipeline, step: `${stepId} ${identity}` }
}

/** Remembers an entry; writes nothing if the same entry is already there. */
export async function remember({ ledger }: StepServices, key: LedgerKey, entry: JsonObject): Promise<void> {
  const known = ledger.get(key)
  if (known === undefined || stringifyJson(known) !== stringifyJson(entry)) await ledger.set(key, entry)
}
