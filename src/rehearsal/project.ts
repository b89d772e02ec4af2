import { copyFileSync, mkdirSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { dirname, join, relative, resolve, sep } from 'node:path'
import { loadSettings } from '../config/load-settings.ts'
import type { Settings } from '../config/settings.ts'
import { type AudienceError, usageError } from '../core/errors.ts'
import { count } from '../core/format/figures.ts'
import { type ListSources, useOf } from '../core/list-source.ts'
import { mapValues } from '../core/map-values.ts'
import { optOutPath } from '../core/privacy.ts'
import { documentAt } from '../daemon/documents/document-at.ts'
import { isHidden } from '../daemon/documents/find-pipeline-files.ts'
import type { LiveDocument } from '../daemon/documents/live-documents.ts'
import { pipelineReader } from '../daemon/documents/read-pipeline.ts'
import { isBelow } from '../platform/is-below.ts'
import { isInside, policyWithin } from '../policy/allowed-file.ts'
import type { Given } from './test-document.ts'

/** The project of a world: the files that people commit, in a folder of the world. The test provides the lists. */
export interface Project {
  readonly settings: Settings
  readonly env: Readonly<Record<string, string>>
  /** The documents that are rehearsed, read once with the settings of the world. Throws InvalidDocumentError. */
  documents(settings: Settings): readonly [LiveDocument, ...LiveDocument[]]
  /** The location of a file that the test names, relative to the folder of the first document. */
  pathOf(name: string): string
}

/** The files of a project that are copied. */
const COPIED = /\.(ya?ml|ics|sql|json|txt)$/
const MOST_FILES = 10_000
const LARGEST_BYTES = 5_000_000

/** Whether a file may be copied, by its path relative to the project and its size in bytes. */
export function mayBeOfProject(path: string, size: number): boolean {
  return COPIED.test(path) && size <= LARGEST_BYTES && !path.split(sep).some(isHidden)
}

/**
 * Whether a file that may be copied is copied. A .txt is copied only if it contains days off, one date per line. Any
 * other .txt may be a list of people.
 */
export function isOfProject(path: string, text: string): boolean {
  return !path.endsWith('.txt') || text.split('\n').every((line) => DAY_OFF.test(line))
}

const DAY_OFF = /^\s*(\d{4}-\d\d-\d\d)?\s*(#.*)?$/

/** Copies a project into a folder of a world. `root` has its audience.yaml, `pipelines` are some of its documents. */
export function copyProject(
  {
    root,
    pipelines: [first, ...others],
    given,
  }: {
    root: string
    pipelines: readonly [string, ...string[]]
    given: Pick<Given, 'env' | 'profile'>
  },
  folder: string,
): Project {
  let files = 0
  const copy = (from: string, to: string) => {
    mkdirSync(to, { recursive: true, mode: 0o700 })
    for (const entry of readdirSync(from, { withFileTypes: true })) {
      const source = join(from, entry.name)
      // A world may be in a folder inside the project.
      if (isHidden(entry.name) || source === dirname(folder)) continue
      if (entry.isDirectory()) copy(source, join(to, entry.name))
      // A name that is not UTF-8 is listed, but cannot be opened.
      const size = entry.isFile() ? statSync(source, { throwIfNoEntry: false })?.size : undefined
      if (size !== undefined && mayBeOfProject(entry.name, size)) {
        if (!isOfProject(source, readFileSync(source, 'utf8'))) continue
        if (++files > MOST_FILES) throw tooMany(root)
        copyFileSync(source, join(to, entry.name))
      }
    }
  }
  copy(root, folder)
  const { env } = given
  let documents: readonly [LiveDocument, ...LiveDocument[]] | undefined
  const copyOf = (pipeline: string) => join(folder, relative(root, pipeline))
  const settings = loadSettings({ env, cwd: folder, flags: { profile: given.profile } })
  return {
    settings: {
      ...settings,
      sources: ofWorld(settings.sources, folder),
      privacy: {
        ...settings.privacy,
        suppress: settings.privacy.suppress.filter((one) => isInside(optOutPath(one), [folder])),
      },
    },
    env,
    documents(own) {
      const read = (pipeline: string): LiveDocument => {
        const file = copyOf(pipeline)
        const text = documentAt(file)
        if (!text || 'unread' in text) throw new Error(`${file} cannot be read`)
        return { pipeline: pipelineReader(own)({ ...text, file }), folder: dirname(file), file }
      }
      documents ??= [read(first), ...others.map(read)]
      return documents
    },
    pathOf: (name) => resolve(dirname(copyOf(first)), name),
  }
}

/** The project with a policy by which no document can read or move a file outside a folder, whatever path it gives. */
export function confined(project: Project, folder: string): Project {
  const { policy } = project.settings
  return { ...project, settings: { ...project.settings, policy: policyWithin(folder, policy) } }
}

/** The settings of a project, except for its service and its state. */
export function settingsIn({
  project,
  state,
  service,
}: {
  project: Pick<Project, 'settings'>
  state: string
  service: { url: string; token: string }
}): Settings {
  const { database: _, heartbeats: __, ...own } = project.settings
  const { url: baseUrl, token } = service
  return {
    ...own,
    state,
    shared: state,
    // If several processes prepared lists, which one comes first would vary.
    lists: { ...own.lists, atOnce: 1 },
    service: { kind: 'remote', baseUrl },
    profileService: { kind: 'remote', baseUrl },
    profile: { limits: own.profile.limits, baseUrl, token },
  }
}

const DOES_NOT = {
  command: 'runs no program',
  remote: 'reaches no other machine',
  path: 'reads nothing outside its project',
} as const

/** A test runs no program, reaches no other machine, and reads nothing outside its project. */
function ofWorld(sources: ListSources, folder: string): ListSources {
  return mapValues(sources, (source) => {
    if (source.kind === 'left') return source
    if (source.kind === 'path' && isBelow(folder, source.path)) return { ...source, within: folder }
    const what = DOES_NOT[source.kind]
    return {
      kind: 'left',
      why: `a test ${what}; name files in audience.yaml, or prepare from a file`,
      use: useOf(source),
    }
  })
}

function tooMany(root: string): AudienceError {
  const message = `${root} has more than ${count(MOST_FILES, 'document')}, calendars and queries`
  return usageError('project-too-large', message, 'give the project a folder of its own, with its audience.yaml')
}
