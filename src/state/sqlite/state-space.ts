import { openForReading } from './open-for-reading.ts'

export interface StateSpace {
  /** The size of the database without its log. */
  readonly bytes: number
  /** The size of the unused part of the database. */
  readonly freeBytes: number
}

/** Measures the database of a state. */
export function spaceOf(file: string): StateSpace {
  const { db, close } = openForReading(file)
  try {
    const pragma = (name: string) => Number(Object.values(db.prepare(`PRAGMA ${name}`).get() ?? {})[0])
    const pageBytes = pragma('page_size')
    return { bytes: pragma('page_count') * pageBytes, freeBytes: pragma('freelist_count') * pageBytes }
  } finally {
    close()
  }
}
