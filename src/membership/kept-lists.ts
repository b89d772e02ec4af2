import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isJsonObject, type Json } from '../core/json.ts'
import { stepKey as keyOf, type StepRef } from '../core/run.ts'
import { isOfEarlierSecond } from '../core/run-id.ts'
import type { RecordedService } from '../core/service-ref.ts'
import { sha256 } from '../core/sha256.ts'
import { namesIn } from '../platform/names-in.ts'
import type { RunHistory, RunRow } from '../state/run-history.ts'
import { runsInPages } from '../state/runs-in-pages.ts'
import { type ListFacts, readFacts } from './membership-file.ts'

/** The data kept about the list of one step execution. */
export interface KeptList {
  readonly file: string
  readonly facts: ListFacts
}

type Reads = Pick<RunHistory, 'page' | 'records'>

const PAGE = 50
const ENDING = '.list'

/** The file for the kept list of a step execution. Names of steps and items cannot serve as file names. */
export function listFile(folder: string, { runId, stepKey }: { runId: string; stepKey: string }): string {
  return join(runFolder(folder, runId), `${sha256(stepKey).slice(0, 32)}${ENDING}`)
}

/** The folder for all kept lists of a run. */
export function runFolder(folder: string, runId: string): string {
  return join(folder, 'runs', runId)
}

/** The runs whose lists are kept. */
export function runsWithLists(folder: string): readonly string[] {
  return namesIn(join(folder, 'runs'))
}

/** The files of the lists that a run prepared. */
export function listFilesOf(folder: string, runId: string): readonly string[] {
  const here = runFolder(folder, runId)
  return namesIn(here).flatMap((name) => (name.endsWith(ENDING) ? [join(here, name)] : []))
}

/** The lists of a run: those that it prepared, and those that it kept from the run that it repeats. */
export async function listsOf(
  folder: string,
  run: Pick<RunRow, 'runId' | 'seededFrom'>,
  reads: Pick<Reads, 'records'>,
): Promise<readonly KeptList[]> {
  const kept = [...(await keptSteps(run, reads))].map(([stepKey, runId]) => listFile(folder, { runId, stepKey }))
  const lists: KeptList[] = []
  // One after the other, because a run can have 10,000 of them.
  for (const file of [...listFilesOf(folder, run.runId), ...kept]) {
    const list = await listIn(file)
    if (list) lists.push(list)
  }
  return lists
}

/**
 * The list of a step execution in a pipeline's latest successful run that had such a list; undefined if none is kept.
 * Only runs at the same service count.
 */
export async function lastList(
  folder: string,
  { pipeline, stepKey, here }: { pipeline: string; stepKey: string; here: RecordedService },
  reads: Reads,
): Promise<KeptList | undefined> {
  const holders = runsWithLists(folder).filter((runId) => existsSync(listFile(folder, { runId, stepKey })))
  const oldest = holders.toSorted()[0]
  if (oldest === undefined) return undefined
  for await (const run of runsInPages(reads, { pipeline, status: ['succeeded'], limit: PAGE })) {
    // No run before the oldest of these can have the list, because a run keeps only what an earlier run prepared.
    if (isOfEarlierSecond(run.runId, oldest)) return undefined
    if (run.profile !== here.profile || run.service !== here.service) continue
    const runId = holders.includes(run.runId) ? run.runId : (await keptSteps(run, reads)).get(stepKey)
    const list = runId === undefined ? undefined : await listIn(listFile(folder, { runId, stepKey }))
    if (list) return list
  }
  return undefined
}

/**
 * The step executions that a run kept from an earlier one, with the run that executed them. If an item of a forEach was
 * kept as a whole, its steps are included. An even earlier run may have executed some of these steps.
 */
async function keptSteps(
  { runId, seededFrom }: Pick<RunRow, 'runId' | 'seededFrom'>,
  reads: Pick<Reads, 'records'>,
): Promise<ReadonlyMap<string, string>> {
  if (seededFrom === undefined) return new Map()
  const kept = new Map<string, string>()
  const earlier = new Map<string, ReadonlyMap<string, string>>()
  for (const { record } of await reads.records(runId)) {
    if (record.type !== 'step.finished' || record.keptFrom === undefined) continue
    const { keptFrom: from } = record
    kept.set(keyOf(record), from)
    for (const inside of stepsInside(record)) {
      const before = earlier.get(from) ?? (await keptSteps({ runId: from, seededFrom: '' }, reads))
      earlier.set(from, before)
      kept.set(keyOf(inside), before.get(keyOf(inside)) ?? from)
    }
  }
  return kept
}

/**
 * The steps of an item that was kept as a whole. The outputs of such an item are the outputs of its steps, by the ids
 * of the steps.
 */
export function stepsInside({ step, index, key, block, outputs }: StepRef & { outputs?: Json }): readonly StepRef[] {
  if (index === undefined || block !== undefined || !isJsonObject(outputs)) return []
  const place = { index, block: step, key }
  return Object.keys(outputs).flatMap((id) => (isJsonObject(outputs[id]) ? [{ ...place, step: id }] : []))
}

async function listIn(file: string): Promise<KeptList | undefined> {
  const facts = await readFacts(file)
  return facts && { file, facts }
}
