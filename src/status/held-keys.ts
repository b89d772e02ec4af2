import { randomUUID } from 'node:crypto'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { listsFolder, membershipFolder, type Settings } from '../config/settings.ts'
import { byTrigger } from '../core/occurrence.ts'
import { stepsOf } from '../core/pipeline.ts'
import { sourcePath } from '../core/trigger.ts'
import { type DocumentsInUse, documentsOf } from '../daemon/deployment/documents-in-use.ts'
import { triggersOf } from '../daemon/documents/live-documents.ts'
import { decompressWithin } from '../lists/decompress.ts'
import { NORMALISATION } from '../lists/list-request.ts'
import { Sandboxes } from '../lists/sandbox.ts'
import { type AskedKeys, writeForms } from '../lists/write-forms.ts'
import { compareBlocks } from '../membership/compare-blocks.ts'
import { readFingerprintKey } from '../membership/fingerprint-key.ts'
import { type FingerprintKey, type Fingerprints, fingerprintsOf } from '../membership/fingerprints.ts'
import { type KeptList, listsOf } from '../membership/kept-lists.ts'
import { type KeyForm, readBlocks } from '../membership/membership-file.ts'
import { unpreparedUploadsOf } from '../pipeline/check-prepared.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { fileCheck } from '../policy/enforce.ts'
import type { RunRow } from '../state/run-history.ts'
import type { ReadableState, StateAround } from '../state/state.ts'
import { withReadableState } from '../state/with-readable-state.ts'
import { pathOf } from '../triggers/watch/watch.ts'
import type { HeldKeys, HeldKeysReport, NextRun, UnknownList } from './held-keys-report.ts'
import { liveRuns } from './live-runs.ts'
import { nextSlots } from './next-slots.ts'
import { isUploaded, type RecordedSteps, recordedSteps, stepIdIn } from './uploaded-lists.ts'
import { whyNothingKept } from './why-nothing-kept.ts'

/** Searches the lists that the service has now for the keys of a file. Leaves nothing behind. */
export async function findHeldKeys(
  settings: Settings,
  file: string,
  around: StateAround & { signal: AbortSignal },
): Promise<HeldKeysReport> {
  const { signal } = around
  const now = around.clock.now()
  const folder = membershipFolder(settings)
  const key = readFingerprintKey(folder)
  await using forms = openForms(settings, file, signal)
  return await withReadableState(settings, around, async (state) => {
    const lists: HeldKeys[] = []
    const unknown: UnknownList[] = []
    const nextRun = nextRunFinder(settings, state, now)
    for (const run of await liveRuns(state.runs, folder)) {
      const { runId, pipeline, status } = run
      const found = await listsOf(folder, run, state.runs)
      const recorded = recordedSteps(await state.runs.records(runId))
      unknown.push(...unknownLists(run, found, recorded, { settings, now }))
      for (const list of found.filter(({ facts }) => isUploaded(stepIdIn(facts.step), recorded))) {
        const name = { pipeline, runId, step: list.facts.step }
        const why = whyNotSearchable(list, key)
        if (why !== undefined || !key) {
          unknown.push({ ...name, why: why ?? NO_KEY })
          continue
        }
        const { asked, fingerprints } = await forms.of(list.facts.form, key)
        if (asked.keys === 0) {
          unknown.push({ ...name, why: `the file has no key of its signal, ${list.facts.form.signal}` })
          continue
        }
        const { kept: held } = await compareBlocks(readBlocks(list.file), fingerprints.blocks())
        const { keys, notOptedOut, unsearchable } = asked
        if (list.facts.normalisation !== NORMALISATION) unknown.push({ ...name, why: OTHER_RULES })
        if (unsearchable > 0) unknown.push({ ...name, why: hashesAsked(unsearchable) })
        lists.push({ ...name, status, asked: keys, held, notOptedOut, next: held > 0 ? await nextRun(run) : undefined })
      }
    }
    return { lists, unknown }
  })
}

function hashesAsked(count: number): string {
  return `${count} of the keys ${count === 1 ? 'is a hash' : 'are hashes'}, but a list of keys in the clear cannot be searched for hashes`
}

/** This version can write the clear form of a key only according to its own rules. */
const OTHER_RULES =
  'it was prepared by earlier rules, so a key that those rules write differently is not found; the next run of its pipeline corrects that'

const NO_KEY = 'its fingerprints cannot be read, because their key is gone'

function whyNotSearchable({ facts }: KeptList, key: FingerprintKey | undefined): string | undefined {
  if (facts.keyId === undefined) return 'only the number of its keys was kept'
  return facts.keyId === key?.id ? undefined : NO_KEY
}

/** The keys of the file in each form that the lists have. Each form is made only once. */
function openForms(settings: Settings, file: string, signal: AbortSignal) {
  // If this process is killed, the next start removes what it leaves there.
  const folder = join(listsFolder(settings), `check-${randomUUID()}`)
  const { lists: limits, privacy } = settings
  const sandboxes = new Sandboxes(limits)
  const made = new Map<string, Promise<{ asked: AskedKeys; fingerprints: Fingerprints }>>()
  const make = async (form: KeyForm, key: FingerprintKey) => {
    // The file is unpacked again for each form.
    const own = join(folder, `${form.signal}-${form.hash}`)
    makeFolder(own)
    const target = join(own, 'forms.csv')
    const work = { folder: own, sandboxes, decompress: decompressWithin(limits), signal }
    const asked = await writeForms(file, form, { ...work, suppress: privacy.suppress, target })
    return { asked, fingerprints: await fingerprintsOf(target, key, { signal }) }
  }
  return {
    of(form: KeyForm, key: FingerprintKey) {
      const name = `${form.signal} ${form.hash}`
      const known = made.get(name) ?? make(form, key)
      made.set(name, known)
      return known
    },
    async [Symbol.asyncDispose]() {
      await sandboxes.close()
      await rm(folder, { recursive: true, force: true })
    },
  }
}

/** Lists that a run sent, but that are not among its kept lists. */
function unknownLists(
  run: RunRow,
  lists: readonly KeptList[],
  recorded: RecordedSteps,
  { settings, now }: { settings: Settings; now: number },
): readonly UnknownList[] {
  const { runId, pipeline } = run
  const { document, done } = recorded
  if (!document) return [{ pipeline, runId, why: 'this version cannot read the document of its run' }]
  const unprepared = unpreparedUploadsOf(document)
  return stepsOf(document).flatMap((step) => {
    const isKept = () => lists.some(({ facts }) => stepIdIn(facts.step) === step.id)
    const why = unprepared.includes(step)
      ? 'it uploads a file that files.prepare did not write'
      : step.uses === 'files.prepare' &&
        isUploaded(step.id, recorded) &&
        !isKept() &&
        whyNothingKept(run, settings, now)
    return why && done.has(step.id) ? [{ pipeline, runId, step: step.id, why }] : []
  })
}

/** Finds what starts the next run of a run's pipeline, from the current documents. */
function nextRunFinder(
  settings: Settings,
  { runs, occurrences, deployments }: Pick<ReadableState, 'runs' | 'occurrences' | 'deployments'>,
  now: number,
): (run: RunRow) => Promise<NextRun> {
  let read: Promise<DocumentsInUse> | undefined
  return async ({ runId, pipeline: name }) => {
    read ??= documentsOf(settings, deployments)
    const document = (await read).documents.get(name)
    if (!document) {
      const file = (await runs.submission(runId))?.file ?? `${name}.yaml`
      return { kind: 'command', command: `audience run ${file}` }
    }
    const { pipeline } = document
    const memoryOf = byTrigger(await occurrences.memories())
    const its = { after: now, limit: 1, memoryOf, checkFile: fileCheck(settings.policy) }
    const [slot] = nextSlots(triggersOf([document], 'schedule'), its).slots
    if (slot) return { kind: 'slot', schedule: `${name}/${slot.trigger}`, at: slot.startsAt }
    for (const trigger of pipeline.triggers) {
      if (trigger.kind === 'remote') return { kind: 'file', folder: sourcePath(trigger) }
      if (trigger.kind === 'watch') return { kind: 'file', folder: pathOf({ ...document, trigger }) }
    }
    return { kind: 'command', command: `audience run ${document.file}` }
  }
}
