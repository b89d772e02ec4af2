import type { Clock } from '../core/clock.ts'
import type { MembershipRule } from '../core/privacy.ts'
import type { RecordedService } from '../core/service-ref.ts'
import type { RunHistory } from '../state/run-history.ts'
import { type Changes, compareBlocks } from './compare-blocks.ts'
import { fingerprintKey } from './fingerprint-key.ts'
import { type FingerprintKey, type Fingerprints, fingerprintsOf } from './fingerprints.ts'
import { type KeptList, lastList, listFile } from './kept-lists.ts'
import { isSameForm, type KeyForm, readBlocks, writeMembership } from './membership-file.ts'

/** A list, and the step execution that it belongs to. */
export interface NewList {
  readonly pipeline: string
  /**
   * The step execution as people write it. The list is compared with the list of the same step execution in an earlier
   * run.
   */
  readonly stepKey: string
  /** A header, then one key per line, all different. */
  readonly file: string
  readonly keys: number
  readonly form: KeyForm
  /** The rules by which its keys were normalised. */
  readonly normalisation: string
}

/** The fingerprints of the people in a state's lists. It returns figures, never data about people. */
export interface Membership {
  /**
   * Compares a list with the list of the last successful run, and keeps what audience.yaml asks for. What it keeps is
   * durable when it resolves. Returns undefined if there is no earlier list to compare with, because nobody then knows
   * who was added or removed.
   */
  record(list: NewList & { runId: string }, signal: AbortSignal): Promise<Changes | undefined>
  /** The same comparison, but keeps nothing. */
  compare(list: NewList, signal: AbortSignal): Promise<Changes | undefined>
}

/** Opens the membership store of a state. Its folder is created with the first list. */
export function openMembership(state: {
  folder: string
  rule: MembershipRule
  runs: Pick<RunHistory, 'page' | 'records' | 'lastSuccess'>
  /** Only lists of runs at the same service are compared. */
  here: RecordedService
  clock: Pick<Clock, 'now'>
}): Membership {
  const { folder, rule, runs, here, clock } = state

  async function changesOf(list: NewList, key: FingerprintKey, now: Fingerprints): Promise<Changes | undefined> {
    if (!(await runs.lastSuccess(list.pipeline))) return { added: list.keys, removed: 0, kept: 0 }
    const last = await lastList(folder, { ...list, here }, runs)
    if (!last || !isComparable(last, key, list.form)) return undefined
    return compareBlocks(readBlocks(last.file), now.blocks())
  }

  return {
    async record(list, signal) {
      if (rule.kind === 'none') return undefined
      const { stepKey: step, keys, form, normalisation } = list
      const file = listFile(folder, list)
      const facts = { step, at: clock.now(), keys, form, normalisation }
      if (rule.kind === 'counts') {
        await writeMembership(file, facts, undefined)
        return undefined
      }
      const key = fingerprintKey(folder)
      const now = await fingerprintsOf(list.file, key, { keys, signal })
      const changes = await changesOf(list, key, now)
      await writeMembership(file, { ...facts, keyId: key.id }, now)
      return changes
    },
    async compare(list, signal) {
      if (rule.kind !== 'fingerprints') return undefined
      const key = fingerprintKey(folder)
      return changesOf(list, key, await fingerprintsOf(list.file, key, { keys: list.keys, signal }))
    },
  }
}

function isComparable({ facts }: KeptList, key: FingerprintKey, form: KeyForm): boolean {
  return facts.keyId === key.id && isSameForm(facts.form, form)
}
