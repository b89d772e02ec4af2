import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readFileSync,
  realpathSync,
  type Stats,
  statSync,
} from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { codeOf } from '../core/code-of.ts'
import { decodeText } from '../core/decode-text.ts'
import { AudienceError, invalidError } from '../core/errors.ts'
import { messageOf } from '../core/message-of.ts'
import { utf8Text } from '../document/utf8-text.ts'
import { distrust, type FoundConfig, isPrivateGroup } from './distrust.ts'

export const CONFIG_NAME = 'audience.yaml'

/** A configuration that the user named (`named`), or that was found in the working directory or a folder above it. */
export interface ConfigFile {
  /** An absolute path. */
  readonly file: string
  readonly by: 'name' | 'search'
  readonly text: string
}

/**
 * The configuration of a command: the file that AUDIENCE_CONFIG names (`--config` sets this variable), or else the
 * nearest audience.yaml, from a folder upwards; undefined if there is neither. Throws an AudienceError of the kind
 * `invalid` if a named file does not exist, if a file cannot be read, or if others may have written to a file that was
 * found.
 */
export function readConfig(env: Readonly<Record<string, string | undefined>>, folder: string): ConfigFile | undefined {
  const name = env.AUDIENCE_CONFIG
  if (name) return readNamed(resolve(folder, name))
  for (let here = folder; ; here = dirname(here)) {
    const file = join(here, CONFIG_NAME)
    if (hasFileOrLink(file)) return readFound(file)
    if (here === dirname(here)) return undefined
  }
}

function readNamed(file: string): ConfigFile {
  if (!hasFileOrLink(file)) {
    throw invalidError(
      'no-config',
      `there is no configuration ${file}`,
      'check --config and AUDIENCE_CONFIG; without either, audience.yaml is searched for from the working directory upwards',
    )
  }
  return { file, by: 'name', text: utf8Text(decodeText(reading(file, () => readFileSync(file))), file) }
}

/**
 * Whether a file or a link is there, even a link that leads nowhere. A folder that this user may not enter is not
 * treated as empty: another configuration, or none, would be used instead.
 */
export function hasFileOrLink(file: string): boolean {
  return reading(file, () => lstatSync(file, { throwIfNoEntry: false }) !== undefined)
}

/**
 * Opens the file once, so that the content belongs to the file that was checked. A system without user ids, such as
 * Windows, has nothing to check.
 */
function readFound(file: string): ConfigFile {
  const user = process.geteuid?.()
  const found = reading(file, () => {
    // Opening a pipe without a writer must not block.
    const handle = openSync(file, constants.O_RDONLY | (constants.O_NONBLOCK ?? 0))
    try {
      const reason = user === undefined ? undefined : distrust(look(file, fstatSync(handle), user), user)
      return reason === undefined ? readFileSync(handle) : reason
    } finally {
      closeSync(handle)
    }
  })
  if (typeof found !== 'string') return { file, by: 'search', text: utf8Text(decodeText(found), file) }
  throw invalidError(
    'untrusted-config',
    `${file} was found but is not used, because others may have written to it: ${found}`,
    `read it; to trust it, name it: --config ${file}, or AUDIENCE_CONFIG=${file}`,
  )
}

function look(file: string, { uid, gid, mode }: Stats, user: number): FoundConfig {
  const found = lstatSync(file)
  const paths = new Set([...foldersAbove(file), ...foldersAbove(realpathSync(file))])
  return {
    linkUid: found.isSymbolicLink() ? found.uid : undefined,
    uid,
    mode,
    isGroupPrivate: isGroupPrivate(gid, user),
    folders: [...paths].map((path) => ({ path, mode: statSync(path).mode })),
  }
}

function foldersAbove(file: string): string[] {
  const above = dirname(file)
  return above === file ? [] : [above, ...foldersAbove(above)]
}

function isGroupPrivate(gid: number, uid: number): boolean {
  try {
    const texts = { passwd: readFileSync('/etc/passwd', 'utf8'), group: readFileSync('/etc/group', 'utf8') }
    return isPrivateGroup(gid, uid, texts)
  } catch {
    return false
  }
}

function reading<T>(file: string, read: () => T): T {
  try {
    return read()
  } catch (error) {
    throw new AudienceError({
      code: 'config-unreadable',
      kind: 'invalid',
      message: `the configuration ${file} cannot be read: ${messageOf(error)}`,
      hint: HINTS[codeOf(error) ?? ''] ?? 'check its permissions, or name another one with --config',
      cause: error,
    })
  }
}

const NOT_ALLOWED =
  'run this as a user who may read it, change the permissions of the file and of the folders above it, or name another one with --config'

const HINTS: Readonly<Record<string, string>> = {
  EACCES: NOT_ALLOWED,
  EPERM: NOT_ALLOWED,
  ENOENT: 'it is a link to a file that is not there: correct it, or name another one with --config',
  ELOOP: 'its links lead in a circle: correct them, or name another one with --config',
}
