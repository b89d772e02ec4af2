import { signal } from '@preact/signals'
import type { Overview } from '../api/types.ts'
import type { Read } from '../api/use-read.ts'

/** What needs attention from a person, for the menu on every page and for the home page. */
export const overview = signal<Read<Overview>>({ data: undefined, error: undefined, reload: () => {} })
