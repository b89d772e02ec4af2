/** Where the rows of lists come from, as audience.yaml defines it. `{date}` stands for the day that a step gives. */
export type ListSource =
  /** Files: an absolute path, or a pattern. In a working tree of others no link leads out of it: `tree` is its root. */
  | { readonly kind: 'path'; readonly path: string; readonly tree?: string }
  /** A program and its arguments that write the rows to the file `{out}`; it runs in `folder`. */
  | {
      readonly kind: 'command'
      readonly command: readonly string[]
      readonly timeoutMs: number
      readonly folder: string
      /** Its environment; that of this process if absent. */
      readonly env?: Readonly<Record<string, string | undefined>>
    }
  /** It is not read, and `why` says so. */
  | { readonly kind: 'left'; readonly why: string; readonly isDated: boolean }

export type ListSources = Readonly<Record<string, ListSource>>

/** Whether a source needs a day. */
export function isDated(source: ListSource): boolean {
  if (source.kind === 'left') return source.isDated
  return (source.kind === 'path' ? [source.path] : source.command).some((text) => text.includes('{date}'))
}
