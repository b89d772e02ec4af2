import type { Journal } from '../../src/state/journal.ts'

/** What writes runs, as the suites of the parts of a state use it. A journal is one. */
export interface RunWriter extends Pick<Journal, 'submit' | 'append' | 'admit' | 'claim' | 'acknowledge'> {
  messages(): ReturnType<Journal['messages']> | Promise<ReturnType<Journal['messages']>>
  /** Closes the state. */
  close(): void | Promise<void>
}

/** Where a suite finds its store. `open` opens the same one again each time within a test. */
export interface Place<Store, Args extends readonly unknown[] = []> {
  open(...args: Args): Store | Promise<Store>
  remove(): void | Promise<void>
}
