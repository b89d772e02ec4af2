import { normalize, sep } from 'node:path'
import { count } from '../core/format/figures.ts'
import { MAX_PATTERN } from '../core/name-pattern.ts'
import { TAKEN_FOLDER } from '../core/shown-path.ts'
import type { Trigger, WatchTrigger } from '../core/trigger.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import { type FolderIdentity, isSameFolder } from '../platform/real-path.ts'
import { filePattern } from '../triggers/watch/file-pattern.ts'
import { patternMistake } from '../triggers/watch/pattern-mistake.ts'
import { findRivals, findRound, RIVALS_HINT, rivalsText, roundText, type Stop, Stops } from '../triggers/watch/stops.ts'

interface WatchDraft {
  readonly trigger: WatchTrigger
  readonly node: DocumentNode
}

/**
 * Checks that no file returns to the folder that it was taken from, gets lost among other files, or is claimed twice.
 * `identityOf` says which folder of this machine a path of the document leads to. Without it, only paths are compared.
 */
export function checkWatches(
  drafts: readonly { trigger: Trigger; node: DocumentNode }[],
  reporter: DiagnosticCollector,
  identityOf: (path: string) => FolderIdentity = (path) => [folderOf(path)],
): void {
  const takers = new Map<string, string>()
  for (const { trigger, node } of drafts) {
    if (trigger.kind !== 'watch') continue
    const files = `${folderOf(trigger.path)}${trigger.pattern}`
    const taker = takers.get(files)
    for (const [key, message, hint] of problemsOf(trigger, taker)) {
      const place = childOf(childOf(node, 'watch'), key)
      if (place) reporter.wrongValue(message, place, hint)
    }
    if (taker === undefined) takers.set(files, trigger.id)
    warnOfPattern(trigger.pattern, 'pattern', childOf(childOf(node, 'watch'), 'pattern'), reporter)
  }
  const watches = drafts.filter((draft): draft is WatchDraft => draft.trigger.kind === 'watch')
  const placed = watches.map(({ trigger, node }) => ({ trigger, node, stop: stopOf(trigger, identityOf) }))
  checkRounds(placed, reporter)
  checkRivals(placed, reporter)
}

/** Problems that a path alone does not show: links, and other triggers. */
function checkRounds(watches: readonly (WatchDraft & { stop: Stop })[], reporter: DiagnosticCollector): void {
  const stops = new Stops(watches.map(({ stop }) => stop))
  for (const { trigger, node, stop } of watches) {
    if (folderOf(trigger.done) === folderOf(trigger.path) || folderOf(trigger.failed) === folderOf(trigger.path))
      continue
    const round = findRound(stop, stops)
    const [toItself, failedToItself] = stop.leadsTo.map((folder) => isSameFolder(folder, stop.path))
    const key = failedToItself && !toItself ? 'failed' : 'done'
    const place = childOf(childOf(node, 'watch'), key)
    const hint = 'name a folder that does not lead back to a folder that these files came from'
    if (round && place) reporter.wrongValue(roundText(round), place, hint)
  }
}

/** Warns of triggers that sometimes take the same files. If they always do, it is an error. */
function checkRivals(watches: readonly (WatchDraft & { stop: Stop })[], reporter: DiagnosticCollector): void {
  const before = new Stops()
  for (const { trigger, node, stop } of watches) {
    const rivals = findRivals(stop, before)
    const place = childOf(childOf(node, 'watch'), 'path')
    if (rivals.length > 0 && place)
      reporter.warning(
        { code: 'same-folder', message: rivalsText(stop, rivals, trigger.path), hint: RIVALS_HINT },
        place,
      )
    before.add(stop)
  }
}

function stopOf({ id, path, done, failed, pattern }: WatchTrigger, identityOf: (path: string) => FolderIdentity): Stop {
  return { name: id, path: identityOf(path), leadsTo: [identityOf(done), identityOf(failed)], pattern }
}

/** A mistake in a watch: the key with the problem, what is wrong, and what to do. */
export type Mistake = readonly [key: string, message: string, hint: string]

/** Returns the mistake for a key that names the watched folder itself. */
export const watchedItself = (key: string): Mistake => [
  key,
  `${key} is the watched folder itself`,
  'name another folder; it may be inside the watched one',
]
export const amongTaken = (key: string): Mistake => [
  key,
  `${key} is in ${TAKEN_FOLDER}, where the files of runs are`,
  'name another folder',
]
export const SAME_FOLDERS: Mistake = [
  'failed',
  'done and failed are the same folder',
  'name two folders, so that failed files are kept apart from the others',
]

function* problemsOf(
  { id, path, done, failed, pattern }: WatchDraft['trigger'],
  taker: string | undefined,
): Generator<Mistake> {
  for (const [key, folder] of Object.entries({ path, done, failed })) {
    if (folder.trim() === '') yield [key, `${key} is blank`, 'name a folder; . is the folder of the document']
    else if (key !== 'path' && folderOf(folder) === folderOf(path)) yield watchedItself(key)
    else if (folderOf(folder).split(sep).includes(TAKEN_FOLDER)) yield amongTaken(key)
  }
  if (failed.trim() !== '' && folderOf(failed) === folderOf(done) && folderOf(failed) !== folderOf(path))
    yield SAME_FOLDERS
  if (pattern.includes('/')) {
    const hint = 'folders inside the watched folder are not watched; give each its own trigger'
    yield ['pattern', 'pattern contains a /, and no file name does', hint]
  } else if (pattern.length > MAX_PATTERN) {
    yield [
      'pattern',
      `pattern has more than ${count(MAX_PATTERN, 'character')}`,
      'no file name has more than 255; write a shorter one',
    ]
  } else if (pattern.trim() === '' || !isFilePattern(pattern))
    yield ['pattern', 'pattern cannot be read', 'such as "*.csv" or "*.{csv,txt}"']
  if (taker !== undefined && taker !== id) {
    yield [
      'path',
      `the trigger ${taker} takes the same files`,
      'only one trigger can take a file; change the path or the pattern',
    ]
  }
}

/**
 * Warns of a pattern that is valid but probably matches none of the intended files; `key` is its key in the document.
 */
export function warnOfPattern(
  pattern: string,
  key: string,
  place: DocumentNode | undefined,
  reporter: DiagnosticCollector,
): void {
  const mistake = isFilePattern(pattern) ? patternMistake(pattern) : undefined
  if (mistake && place)
    reporter.warning({ code: 'unlikely-pattern', message: `${key} ${mistake.what}`, hint: mistake.repair }, place)
}

export function isFilePattern(pattern: string): boolean {
  try {
    filePattern(pattern)
    return true
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function folderOf(path: string): string {
  return normalize(`${path}/`)
}
