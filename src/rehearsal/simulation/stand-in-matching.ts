import { readFile, writeFile } from 'node:fs/promises'
import { AudienceError } from '../../core/errors.ts'
import type { MatchEngine } from '../../service/matching/match-engine.ts'

/** The share of a list that is matched. Real lists have about the same share. */
const MATCHED = 0.61

/**
 * Matching that only counts. The jobs of the service take the same time, and nothing is computed. Only the number of
 * people in a list matters, not who they are.
 */
export function standInMatching(): MatchEngine {
  const write = (target: string, people: number) => writeFile(target, JSON.stringify({ people }))
  const peopleIn = async (file: string) => (JSON.parse(await readFile(file, 'utf8')) as { people: number }).people
  return {
    prepare: async () => undefined,
    async buildSegment({ csvFile, target }) {
      const lines = (await readFile(csvFile, 'utf8')).split('\n').filter((line) => line.trim() !== '')
      const rows = Math.max(0, lines.length - 1)
      await write(target, rows)
      return { rows, badRows: 0, keys: rows, members: rows }
    },
    async match({ segmentFile, target }) {
      const matchCount = Math.round((await peopleIn(segmentFile)) * MATCHED)
      await write(target, matchCount)
      return { matchCount }
    },
    async split({ matchFile, target, shaveOffPercent, controlHoldoutPercent }) {
      const people = await peopleIn(matchFile)
      const shaved = Math.round((people * shaveOffPercent) / 100)
      const control = Math.round(((people - shaved) * controlHoldoutPercent) / 100)
      await write(target, people - shaved)
      return { test: people - shaved - control, control, shaved }
    },
    sample: () => Promise.reject(unable()),
    exportSet: () => Promise.reject(unable()),
    close: async () => undefined,
  }
}

function unable(): AudienceError {
  return new AudienceError({ code: 'nobody-here', kind: 'failed', message: 'a simulation has no people' })
}
