import { existsSync } from 'node:fs'
import { delimiter, isAbsolute, join, resolve } from 'node:path'
import { invalidError } from '../core/errors.ts'
import { isSameJson, type Json } from '../core/json.ts'
import { type ListSource, type ListSources, useOf, usesOf } from '../core/list-source.ts'
import { optOutPath } from '../core/privacy.ts'
import { isBelow } from '../platform/is-below.ts'
import { makeFolder } from '../platform/make-folder.ts'
import { openRegular } from '../platform/open-regular.ts'
import { requireOwnFolder } from '../platform/own-folder.ts'
import { realPath } from '../platform/real-path.ts'
import { leavesTree, touchesTree } from '../policy/allowed-file.ts'
import { type BaseConfig, readBaseConfig } from './base-config.ts'
import type { Config } from './config-schema.ts'
import { configOf, parseConfig } from './load-settings.ts'
import { CONFIG_NAME, hasFileOrLink } from './read-config.ts'
import { type CommandSources, resolveSettings } from './resolve-settings.ts'
import { embeddedFolder, type Settings } from './settings.ts'
import { sourcesOf } from './sources-config.ts'

/** For a plan of a branch that other people wrote: what the plan uses, and what it omits. */
export interface UntrustedSettings {
  readonly settings: Settings
  /** The real path of the working tree. */
  readonly root: string
  readonly untrusted: Untrusted
}

export interface Untrusted {
  /** The git ref whose audience.yaml is used; absent without a base. */
  readonly base?: string
  /** The keys that differ in the audience.yaml of the working tree, which is not used: `sources.crm`. */
  readonly differs: readonly string[]
  /** What is not used or not run, and why. */
  readonly left: readonly string[]
}

/**
 * The settings for a plan of documents that other people wrote: every program, host, secret and limit comes from the
 * base branch and the environment. Nothing in the working tree is run, and no link leads out of it. `empty` is an empty
 * folder.
 */
export async function untrustedSettings(
  base: string | undefined,
  { env, cwd, flags, empty }: CommandSources & { empty: string },
): Promise<UntrustedSettings> {
  const found = await readBaseConfig(base, { cwd, env })
  const { root, ref, file } = found
  const own = await configOfTree(found, cwd)
  const trusted = configOf(file)
  const loaded = resolveSettings({ env, cwd, flags, ...trusted })
  const left: string[] = []
  if (ref === undefined && file === undefined)
    left.push(`no base was given, so no ${CONFIG_NAME} is used: no profile, no command, no source`)
  else if (file === undefined) left.push(`${ref} has no ${CONFIG_NAME}, so none is used`)
  const commands = { folder: join(empty, 'commands'), env: { ...env, PATH: pathOutside(root, env.PATH) } }
  makeFolder(commands.folder)
  const settings = {
    ...loaded,
    commands,
    policy: policyIn(root, loaded, left),
    sources: sourcesIn(root, { loaded, own: own?.sources ?? {}, ref, commands }),
    ...stateIn(root, { loaded, empty, left }),
  }
  requireOwnFolder(settings.state)
  requireTokenOutside(root, settings)
  requireListsInside(root, settings)
  const policy = { ...settings.policy, sources: usesOf(settings.sources) }
  return {
    settings: { ...settings, policy },
    root,
    untrusted: {
      base: ref,
      differs:
        own === undefined
          ? [`${CONFIG_NAME}, which cannot be used as it is`]
          : differencesOf(trusted.config, own.config),
      left,
    },
  }
}

type Own = { readonly config: Config; readonly sources: ListSources }

/**
 * The configuration of the working tree, which is read only to say what differs; undefined if it cannot be read. It may
 * be a link to any file, so no content of a file is shown unless it is a configuration.
 */
async function configOfTree({ root, file }: BaseConfig, cwd: string): Promise<Own | undefined> {
  const here = realPath(cwd)
  const path = file !== undefined && isBelow(root, file.file) ? file.file : join(here, CONFIG_NAME)
  if (!hasFileOrLink(path) && file === undefined) return { config: {}, sources: {} }
  if (leavesTree(path, root)) return undefined
  try {
    await using opened = await openRegular(path)
    const config = parseConfig(await opened.readFile('utf8'), path)
    return { config, sources: sourcesOf(config.sources, here) }
  } catch {
    return undefined
  }
}

/** The names of the keys that differ. Names that the branch chose are shown only if they are plain. */
function differencesOf(base: Config, own: Config): string[] {
  const keys = [...new Set([...Object.keys(base), ...Object.keys(own)])] as (keyof Config)[]
  return keys.flatMap((key) => {
    const [before, after] = [base[key] as Json | undefined, own[key] as Json | undefined]
    if (isSameJson(before, after)) return []
    if (key !== 'profiles' && key !== 'sources') return [key]
    const [was, is] = [base[key] ?? {}, own[key] ?? {}] as Readonly<Record<string, Json>>[]
    const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])]
    return names.flatMap((name) => {
      if (isSameJson(was?.[name], is?.[name])) return []
      return [PLAIN.test(name) ? `${key}.${name}` : `${key}, under a name that is not shown`]
    })
  })
}

const PLAIN = /^[\w-]{1,60}$/

/** Limits documents to files in the working tree, and to files outside it that the base allows. */
function policyIn(root: string, { policy }: Settings, left: string[]): Settings['policy'] {
  const { fileRoots: roots } = policy
  if (!roots) return { ...policy, within: root, untrusted: true }
  const fileRoots = roots.filter((folder) => !leavesTree(folder, root))
  if (fileRoots.length < roots.length)
    left.push(
      'a folder of policy.fileRoots, because in this branch it leads out of the working tree or into a git folder',
    )
  return { ...policy, fileRoots, untrusted: true }
}

function sourcesIn(
  root: string,
  {
    loaded,
    own,
    ref = 'the base',
    commands,
  }: {
    loaded: Settings
    own: ListSources
    ref: string | undefined
    commands: NonNullable<Settings['commands']>
  },
): ListSources {
  const known = Object.entries(loaded.sources).map(([name, source]): [string, ListSource] => {
    if (source.kind === 'path') return [name, { ...source, tree: root }]
    if (source.kind === 'left') return [name, source]
    if (source.kind === 'remote')
      return [name, left(source, 'it is on another machine, and a check does not connect to other machines')]
    const named = namesFileOf(root, source.command, source.folder)
    if (named === undefined) return [name, { ...source, ...commands }]
    return [name, left(source, `its command runs ${named} of the working tree`)]
  })
  const fresh = Object.entries(own)
    .filter(([name]) => !Object.hasOwn(loaded.sources, name))
    .map(([name, source]) => [name, left(source, `the ${CONFIG_NAME} of ${ref} has no such source`)] as const)
  return Object.fromEntries([...known, ...fresh])
}

/** A source that is not used, and why. */
function left(source: ListSource, why: string): ListSource {
  return { kind: 'left', why, use: useOf(source) }
}

/**
 * The program or the argument of a command that is a file of the working tree, given by its relative or absolute path.
 */
function namesFileOf(root: string, command: readonly string[], folder: string): string | undefined {
  return command.find((text, at) => {
    if (at === 0 && !text.includes('/')) return false
    const path = resolve(folder, text)
    return isBelow(root, path) && (at === 0 || isAbsolute(text) || existsSync(path))
  })
}

/** Keeps programs of the working tree from being found by name. */
function pathOutside(root: string, path = ''): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !touchesTree(folder, root))
    .join(delimiter)
}

/**
 * A state in the working tree may have come with the branch, and may contain addresses and files that the branch chose.
 */
function stateIn(
  root: string,
  { loaded, empty, left }: { loaded: Settings; empty: string; left: string[] },
): Pick<Settings, 'state' | 'shared' | 'service'> {
  const { state, shared, service } = loaded
  if (!touchesTree(state, root) && !touchesTree(shared, root)) return { state, shared, service }
  if (existsSync(state)) left.push(`the state in ${state}, because it is in the working tree`)
  const mine = join(empty, 'state')
  const embedded = { kind: 'embedded', folder: embeddedFolder({ state: mine }) } as const
  return { state: mine, shared: mine, service: service.kind === 'embedded' ? embedded : service }
}

function requireTokenOutside(root: string, { profile, profileName }: Settings): void {
  const { tokenFile, tokenCommand } = profile
  const isFileOfTree = tokenFile !== undefined && isBelow(root, tokenFile)
  const named = tokenCommand && namesFileOf(root, tokenCommand, root)
  if (!isFileOfTree && named === undefined) return
  throw invalidError(
    'untrusted-token',
    `the token of the profile "${profileName}" comes from ${named ?? tokenFile}, a file in a working tree that others wrote`,
    'give AUDIENCE_TOKEN, or a token command or file outside the working tree',
  )
}

function requireListsInside(root: string, { privacy: { suppress } }: Settings): void {
  const out = suppress.map(optOutPath).find((file) => leavesTree(file, root))
  if (out === undefined) return
  throw invalidError(
    'file-not-allowed',
    `in this branch, the opt-out file ${out} leads out of the working tree`,
    'look at the links of this branch',
  )
}
