/**
 * `changed`: another process is still writing to it. `gone`: it was removed. `unfit`: no run can use it; `reason` says
 * why.
 */
export type Content =
  | { readonly state: 'fit'; readonly about: ContentFacts & { readonly sha256: string } }
  | { readonly state: 'unfit'; readonly about: ContentFacts; readonly reason: string }
  | { readonly state: 'changed' }
  | { readonly state: 'gone' }

export interface ContentFacts {
  readonly size: number
  /** Milliseconds since 1970, with fractions. */
  readonly mtimeMs: number
  readonly sha256?: string
}
