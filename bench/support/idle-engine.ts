import { writeFile } from 'node:fs/promises'
import type { MatchEngine } from '../../src/service/matching/match-engine.ts'

/** A match engine that matches nothing, to measure a service without that work. */
export const idleEngine: MatchEngine = {
  async prepare() {},
  async sample() {},
  async buildSegment({ target }) {
    await writeFile(target, '')
    return { rows: 1, badRows: 0, keys: 1, members: 1 }
  },
  async match({ target }) {
    await writeFile(target, '')
    return { matchCount: 1 }
  },
  async split({ target }) {
    await writeFile(target, '')
  },
  async exportSet() {},
  async close() {},
}
