import type { Journal } from '../../src/state/journal.ts'

/** Something that writes runs, for the suites of the parts of a state. A journal is one. */
export interface RunWriter extends Pick<Journal, 'submit' | 'append' | 'admit' | 'claim' | 'acknowledge'> {
  messages(): ReturnType<Journal['messages']> | Promise<ReturnType<Journal['messages']>>
  /** Closes the state. */
  close(): void | Promise<void>
}

/** The place of a suite's store. Within a test, `open` always opens the same store. */
export interface Place<Store, Args extends readonly unknown[] = []> {
  open(...args: Args): Store | Promise<Store>
  remove(): void | Promise<void>
}
