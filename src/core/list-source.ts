/** Where the rows of lists come from, as audience.yaml defines it. `{date}` stands for the day that a step gives. */
export type ListSource =
  /** Files: an absolute path, or a pattern. */
  | { readonly kind: 'path'; readonly path: string }
  /** A program and its arguments that write the rows to the file `{out}`; it runs in `folder`. */
  | {
      readonly kind: 'command'
      readonly command: readonly string[]
      readonly timeoutMs: number
      readonly folder: string
    }

export type ListSources = Readonly<Record<string, ListSource>>

/** Whether a source needs a day. */
export function isDated(source: ListSource): boolean {
  return (source.kind === 'path' ? [source.path] : source.command).some((text) => text.includes('{date}'))
}
