import { normalize } from 'node:path'
import type { Trigger, WatchTrigger } from '../core/pipeline.ts'
import type { DiagnosticCollector } from '../document/diagnostic-collector.ts'
import { childOf, type DocumentNode } from '../document/document-node.ts'
import { filePattern } from '../triggers/watch/file-pattern.ts'

interface WatchDraft {
  readonly trigger: WatchTrigger
  readonly node: DocumentNode
}

/**
 * Checks that no file returns to the folder that it was taken from, gets lost among other files, or is claimed twice.
 */
export function checkWatches(
  drafts: readonly { readonly trigger: Trigger; readonly node: DocumentNode }[],
  reporter: DiagnosticCollector,
): void {
  const takers = new Map<string, string>()
  for (const { trigger, node } of drafts) {
    if (trigger.kind !== 'watch') continue
    const files = `${folderOf(trigger.path)}${trigger.pattern}`
    const taker = takers.get(files)
    for (const [key, message, hint] of problemsOf(trigger, taker)) {
      const place = childOf(childOf(node, 'watch'), key)
      if (place) reporter.error({ code: 'wrong-value', message, hint }, place)
    }
    if (taker === undefined) takers.set(files, trigger.id)
  }
}

/** The key with the problem, what is wrong with it, and what to do. */
function* problemsOf(
  { id, path, done, failed, pattern }: WatchDraft['trigger'],
  taker: string | undefined,
): Generator<readonly [string, string, string]> {
  for (const [key, folder] of Object.entries({ path, done, failed })) {
    if (folder.trim() === '') yield [key, `${key} is blank`, 'name a folder; . is that of the document']
    else if (key !== 'path' && folderOf(folder) === folderOf(path)) {
      yield [key, `${key} is the watched folder itself`, 'name another folder; it may be inside the watched one']
    }
  }
  if (failed.trim() !== '' && folderOf(failed) === folderOf(done) && folderOf(failed) !== folderOf(path)) {
    yield [
      'failed',
      'done and failed are the same folder',
      'name two folders, so that failed files are apart from the others',
    ]
  }
  if (pattern.includes('/')) {
    const hint = 'folders inside the watched folder are not watched; give each its own trigger'
    yield ['pattern', 'pattern contains a /, and no file name does', hint]
  } else if (!isPattern(pattern)) yield ['pattern', 'pattern cannot be read', 'such as "*.csv" or "*.{csv,txt}"']
  if (taker !== undefined && taker !== id) {
    yield [
      'path',
      `the trigger ${taker} takes the same files`,
      'only one trigger can take a file; change the path or the pattern',
    ]
  }
}

function isPattern(pattern: string): boolean {
  try {
    filePattern(pattern)
    return pattern.trim() !== ''
  } catch (error) {
    if (error instanceof SyntaxError) return false
    throw error
  }
}

function folderOf(path: string): string {
  return normalize(`${path}/`)
}
