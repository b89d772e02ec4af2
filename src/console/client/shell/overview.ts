import { signal } from '@preact/signals'
import type { Overview } from '../api/types.ts'
import type { Read } from '../api/use-read.ts'

/** What needs a person, for the menu of every page and the page that shows it. */
export const overview = signal<Read<Overview>>({ data: undefined, error: undefined, reload: () => {} })
