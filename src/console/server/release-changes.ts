import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Manifest, readManifest, releaseFolder } from '../../daemon/deployment/release-folder.ts'
import { isDocumentName } from '../../daemon/documents/find-pipeline-files.ts'
import type { ApiAnswerOf } from '../api/operations.ts'
import { diffLines } from './diff-lines.ts'

type FileChange = ApiAnswerOf<'deployment.changes'>['files'][number]

const MOST_FILES = 200
/** The maximum size of a document that is compared, and the maximum number of lines that are shown in all. */
const MOST_DOCUMENT_BYTES = 500_000
const MOST_LINES = 5000

/**
 * The files that differ between two kept releases, by path, with the lines of documents that differ. Without `before`,
 * all files are new. Calls `turn` between files, because diffs take time. Returns undefined if one of the releases is
 * not kept.
 */
export async function releaseChanges(
  releases: string,
  { commit, before }: { commit: string; before: string | undefined },
  turn: () => Promise<void>,
): Promise<{ readonly files: readonly FileChange[]; readonly moreFiles: number } | undefined> {
  const b = readManifest(releases, commit)
  const a = before === undefined ? NOTHING : readManifest(releases, before)
  if (!a || !b) return undefined
  const differing = [...new Set([...a.files.keys(), ...b.files.keys()])]
    .filter((path) => a.files.get(path) !== b.files.get(path))
    .sort()
  const textOf = (of: string | undefined, { files }: Pick<Manifest, 'files'>, path: string) =>
    of === undefined || !files.has(path) ? '' : readFileSync(join(releaseFolder(releases, of), path), 'utf8')
  const files: FileChange[] = []
  let lines = 0
  for (const path of differing.slice(0, MOST_FILES)) {
    const change = !a.files.has(path) ? 'added' : !b.files.has(path) ? 'removed' : 'changed'
    const its = { file: b.path === '' ? path : `${b.path}/${path}`, change } as const
    if (!isDocumentName(path)) {
      files.push({ ...its, diff: [], notShown: 'not-a-document' })
      continue
    }
    await turn()
    const [old, now] = [textOf(before, a, path), textOf(commit, b, path)]
    const isLarge = old.length + now.length > MOST_DOCUMENT_BYTES || lines > MOST_LINES
    const diff = isLarge ? [] : diffLines(old, now)
    lines += diff.length
    files.push(lines > MOST_LINES || isLarge ? { ...its, diff: [], notShown: 'too-large' } : { ...its, diff })
  }
  return { files, moreFiles: Math.max(0, differing.length - MOST_FILES) }
}

const NOTHING: Pick<Manifest, 'files'> = { files: new Map() }
