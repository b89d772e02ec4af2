import { count, formatSizeLimit } from '../../core/format/figures.ts'
import { printable } from '../../core/printable.ts'
import { mayBeNotUtf8 } from '../../core/utf8-name.ts'
import { LINK, type TreeEntry } from '../../platform/git/tree.ts'
import type { DeployProblem } from '../../state/deployments.ts'
import { isDocumentName, isHidden } from '../documents/find-pipeline-files.ts'

/** A larger document is a mistake; other files may be larger. */
const MOST_DOCUMENT_BYTES = 4_000_000
const MOST_BYTES = 200_000_000
const MOST_NAME_BYTES = 255
const MOST_PATH_BYTES = 1000

const FILE = /^100(644|755|664)$/

/** What a release takes from a commit, or why it takes nothing. Everything is checked before anything is written. */
export function judgeTree(entries: readonly TreeEntry[]): {
  readonly files: readonly TreeEntry[]
  readonly problems: readonly DeployProblem[]
} {
  const problems = entries.flatMap((entry) => problemOf(entry) ?? [])
  const files = entries.filter(({ path }) => isTaken(path))
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  if (bytes > MOST_BYTES) {
    const message = `its files add up to ${formatSizeLimit(bytes)}, and the limit is ${formatSizeLimit(MOST_BYTES)}`
    problems.push({
      file: '.',
      code: 'deploy-too-large',
      message,
      hint: 'keep large files elsewhere, for example in a bucket',
    })
  }
  return { files, problems }
}

/**
 * Whether a release takes a file. It leaves out the files of git, editors and package managers, and a configuration,
 * which stays on the machine.
 */
function isTaken(path: string): boolean {
  const parts = path.split('/')
  return !parts.some(isHidden) && !/^audience\.ya?ml$/i.test(parts.at(-1) ?? '')
}

function problemOf({ mode, size, path }: TreeEntry): DeployProblem | undefined {
  const unsafe = (message: string, hint: string): DeployProblem => ({
    file: printable(path.slice(0, 300)),
    code: 'deploy-unsafe',
    message,
    hint,
  })
  const name = nameProblem(path)
  if (name !== undefined) return unsafe(name, 'rename it')
  if (!isTaken(path)) return undefined
  if (mode === LINK) return unsafe('it is a link, which could lead anywhere on this machine', 'commit the file itself')
  if (!FILE.test(mode)) return unsafe('it is a submodule', 'commit its files instead')
  if (isDocumentName(path) && size > MOST_DOCUMENT_BYTES)
    return {
      file: path,
      code: 'deploy-too-large',
      message: `it has more than ${formatSizeLimit(MOST_DOCUMENT_BYTES)}, the limit for a document`,
      hint: undefined,
    }
  return undefined
}

function nameProblem(path: string): string | undefined {
  if (Buffer.byteLength(path) > MOST_PATH_BYTES) return `its path has more than ${count(MOST_PATH_BYTES, 'byte')}`
  if (printable(path) !== path || mayBeNotUtf8(path) || path.includes('\\') || path.includes('\t'))
    return 'its name has characters that are invisible or invalid'
  for (const part of path.split('/')) {
    if (part === '' || part === '.' || part === '..') return 'its name leads to another folder'
    if (/^\.?git(~\d+)?$/i.test(part) && part !== 'git') return 'its name is reserved for git'
    if (Buffer.byteLength(part) > MOST_NAME_BYTES) return `its name has more than ${count(MOST_NAME_BYTES, 'byte')}`
  }
  return undefined
}

/** Whether the content is a pointer to a file that Git LFS keeps elsewhere. */
export function isLfsPointer(bytes: Buffer): boolean {
  return bytes.length < 1024 && bytes.toString('latin1', 0, 42) === 'version https://git-lfs.github.com/spec/v1'
}
