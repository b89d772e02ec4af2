import { chmod, glob, lstat, opendir, stat } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { didYouMean } from '../core/did-you-mean.ts'
import { AudienceError, failedError, invalidError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { type ListSource, type ListSources, useOf } from '../core/list-source.ts'
import { reasonOf } from '../core/message-of.ts'
import type { RemoteFile, RemoteSource } from '../core/remote-source.ts'
import { systemHint } from '../core/system-hint.ts'
import { mayBeNotUtf8, NAME_NOT_UTF8, RENAME_TO_UTF8 } from '../core/utf8-name.ts'
import { isInside, leavesTree } from '../policy/allowed-file.ts'
import { copyRemoteFiles, listRemoteFiles } from './copy-remote-files.ts'
import type { ListedFile } from './list-input.ts'
import type { ListRequest } from './list-request.ts'
import { runSourceCommand } from './run-command.ts'

const LEADS_OUT = 'it leads out of the working tree'
const MAX_FILES = 10_000

/** Where lists can come from. */
export interface ListOrigins {
  /** The sources of audience.yaml. */
  readonly sources: ListSources
  /** Opens a source on another machine by its name; undefined if there is none. */
  readonly openSource?: (name: string) => Promise<RemoteSource | undefined>
}

/** The files of a source on another machine that a list would read, in order; undefined for any other source. */
export async function findRemoteFiles(
  { source: name, path, date }: ListRequest['from'],
  { sources, openSource }: ListOrigins,
  signal: AbortSignal,
): Promise<{ readonly at: RemoteSource; readonly files: readonly RemoteFile[] } | undefined> {
  if (name === undefined) return undefined
  const source = sourceNamed(name, sources)
  if (source.kind === 'left') throw leftOut(name, source.why)
  if (source.kind !== 'remote') return undefined
  const at = await openSource?.(name)
  if (!at) throw leftOut(name, 'it is on another machine, and other machines cannot be reached from here')
  if (path === undefined) throw noRemotePath(name)
  if (path.includes('{date}') && date === undefined) throw noDate(name)
  const files = await listRemoteFiles(at, path.replaceAll('{date}', date ?? ''), signal)
  if (files.length === 0) throw noFiles(name, whyNone(date))
  return { at, files }
}

/** The files of a source. A command is run now, and writes to `folder`; files from another machine are copied there. */
export async function findListFiles(
  from: ListRequest['from'],
  origins: ListOrigins,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<readonly ListedFile[]> {
  const { source: name, date } = from
  if (name === undefined) throw new Error('a list has neither a file nor a source')
  const remote = await findRemoteFiles(from, origins, signal)
  if (remote) return copyRemoteFiles({ at: remote.at, source: name }, remote.files, { folder, signal })
  const paths = await findPaths({ name, date }, sourceNamed(name, origins.sources), { folder, signal })
  return paths.map((path) => ({ given: path, path }))
}

async function findPaths(
  { name, date }: { name: string; date: string | undefined },
  source: ListSource,
  { folder, signal }: { folder: string; signal: AbortSignal },
): Promise<readonly string[]> {
  if (source.kind !== 'path' && source.kind !== 'command') return []
  if (useOf(source).isDated && date === undefined) throw noDate(name)
  const dated = (text: string) => text.replaceAll('{date}', date ?? '')
  const files = source.kind === 'path' ? await matching(dated(source.path)) : [join(folder, 'rows')]
  if (source.kind === 'command') {
    const [out = ''] = files
    const argv = source.command.map((text) => dated(text).replaceAll('{out}', out))
    await runSourceCommand(argv, { ...source, name, signal })
    if (!(await isFile(out))) throw noFiles(name, 'its command has written nothing to {out}')
    await makePrivate(out)
  }
  if (source.kind === 'path' && source.tree !== undefined) {
    const { tree } = source
    if (files.some((path) => leavesTree(path, tree))) throw leftOut(name, LEADS_OUT)
  }
  if (source.kind === 'path' && source.within !== undefined) {
    const { within } = source
    if (!files.every((path) => isInside(path, [within]))) throw leftOut(name, `it leads out of ${within}`)
  }
  if (files.length === 0) throw noFiles(name, whyNone(date))
  return files
}

/** A command may have linked another user's file to `{out}`, and we must not change the mode of that file. */
async function makePrivate(out: string): Promise<void> {
  const stats = await lstat(out)
  if (stats.isFile() && stats.nlink === 1) await chmod(out, 0o600)
}

function sourceNamed(name: string, sources: ListSources): ListSource {
  const source = Object.hasOwn(sources, name) ? sources[name] : undefined
  if (source) return source
  throw invalidError(
    'unknown-source',
    `audience.yaml has no source ${name}`,
    didYouMean(name, Object.keys(sources)) ?? 'declare it there, under sources',
  )
}

/** The regular files that match a pattern, in the order of their names. */
async function matching(pattern: string): Promise<string[]> {
  if (!/[*?[{]/.test(pattern)) return [pattern]
  const files: string[] = []
  for await (const path of glob(pattern)) {
    if (await isFile(path)) files.push(path)
    else if (mayBeNotUtf8(path) && !(await isThere(path))) throw notUtf8(path)
    if (files.length > MAX_FILES) throw tooMany(pattern)
  }
  if (files.length === 0) await requireReadable(dirname(`${pattern.slice(0, pattern.search(/[*?[{]/))}x`))
  return files.sort()
}

/** Without this file, the list would lack the people in it. */
function notUtf8(path: string): AudienceError {
  return failedError('file-unreadable', `${path} of a source cannot be read: ${NAME_NOT_UTF8}`, RENAME_TO_UTF8)
}

const isThere = (path: string) =>
  lstat(path).then(
    () => true,
    () => false,
  )

/** A glob finds nothing in a folder that cannot be read. Throws `file-unreadable` then; a missing folder is fine. */
async function requireReadable(folder: string): Promise<void> {
  try {
    await (await opendir(folder)).close()
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(codeOf(error) ?? '')) return
    throw new AudienceError({
      code: 'file-unreadable',
      kind: 'failed',
      message: `the folder ${folder} of a source cannot be read: ${reasonOf(error)}`,
      hint: systemHint(error) ?? 'check the folder and its permissions',
      cause: error,
    })
  }
}

/** Unlike platform/is-file.ts, this does not block, because a pattern can match 10,000 files in a network folder. */
async function isFile(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isFile() ?? false
}

function leftOut(name: string, why: string): AudienceError {
  return failedError('source-left-out', `source ${name} is not read: ${why}`)
}

function noDate(name: string): AudienceError {
  return invalidError(
    'source-needs-date',
    `source ${name} needs a date: it contains {date}`,
    `from: { source: ${name}, date: "\${{ trigger.date }}" }`,
  )
}

function noRemotePath(name: string): AudienceError {
  return invalidError(
    'source-needs-path',
    `source ${name} needs a path: it is on another machine`,
    `from: { source: ${name}, path: "crm/*.csv" }`,
  )
}

function whyNone(date: string | undefined): string {
  return `no file matches${date === undefined ? '' : ` for ${date}`}`
}

function noFiles(name: string, why: string): AudienceError {
  return failedError(
    'source-empty',
    `source ${name} has no file: ${why}`,
    'check that the export has already been written',
  )
}

function tooMany(pattern: string): AudienceError {
  return failedError(
    'source-too-large',
    `more than ${count(MAX_FILES, 'file')} match ${pattern}`,
    'make the path narrower',
  )
}
