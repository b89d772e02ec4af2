import type { RemoteConfig } from './remote-source.ts'

/** Where the rows of lists come from, as audience.yaml says. `{date}` stands for the day that a step specifies. */
export type ListSource =
  /**
   * Files: an absolute path, or a pattern. If they are in other people's working tree, `tree` is its root, and no link
   * may lead out of it.
   */
  | {
      readonly kind: 'path'
      readonly path: string
      readonly tree?: string
      /** No file outside this folder is read, whatever the pattern and the links say. */
      readonly within?: string
    }
  /** A program and its arguments, which write the rows to the file `{out}`. It runs in `folder`. */
  | {
      readonly kind: 'command'
      readonly command: readonly string[]
      readonly timeoutMs: number
      readonly folder: string
      /** The environment of the program. If absent, the environment of this process. */
      readonly env?: Readonly<Record<string, string | undefined>>
    }
  /** Files on another machine. */
  | { readonly kind: 'remote'; readonly at: RemoteConfig }
  /** The source must not be read; `why` gives the reason. */
  | { readonly kind: 'left'; readonly why: string; readonly use: SourceUse }

export type ListSources = Readonly<Record<string, ListSource>>

/** How documents may use a source. */
export interface SourceUse {
  /** Whether it needs a day. */
  readonly isDated: boolean
  /** Set if it is on another machine: triggers take files from there, and lists name a path. */
  readonly remote?: RemoteConfig['kind']
}

export function useOf(source: ListSource): SourceUse {
  if (source.kind === 'left') return source.use
  if (source.kind === 'remote') return { isDated: false, remote: source.at.kind }
  const texts = source.kind === 'path' ? [source.path] : source.command
  return { isDated: texts.some((text) => text.includes('{date}')) }
}

/** How documents may use sources, by name. */
export function usesOf(sources: ListSources): ReadonlyMap<string, SourceUse> {
  return new Map(Object.entries(sources).map(([name, source]) => [name, useOf(source)]))
}
