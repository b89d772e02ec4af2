import { readdirSync } from 'node:fs'
import { tried } from '../core/tried.ts'

/** The names in a folder; none if it cannot be read. */
export function namesIn(folder: string): readonly string[] {
  return tried(() => readdirSync(folder)) ?? []
}
