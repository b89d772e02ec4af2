import { readFile, rename, writeFile } from 'node:fs/promises'
import type { MatchEngine } from '../../../src/service/matching/match-engine.ts'
import { SegmentFileError } from '../../../src/service/matching/segment-file.ts'

/**
 * Matching that is simple enough to read: a segment is the lines of its file, and a match is the lines that name one of
 * the participants and one of the scopes, such as `ann 2001 CABLE`.
 */
export function createFakeEngine(hooks: { beforeWork?: () => Promise<void> } = {}): MatchEngine {
  const lines = async (file: string) => (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '')
  const write = async (target: string, content: readonly string[]) => {
    await writeFile(`${target}.aside`, content.join('\n'))
    await rename(`${target}.aside`, target)
  }
  return {
    prepare: async () => {},
    sample: async () => {},
    async buildSegment({ csvFile, target }) {
      await hooks.beforeWork?.()
      const members = [...new Set(await lines(csvFile))]
      if (members.length === 0) throw new SegmentFileError('empty', 'the file is empty')
      await write(target, members)
      return { rows: members.length, badRows: 0, keys: members.length, members: members.length }
    },
    async match({ segmentFile, participants, scopes, target }) {
      await hooks.beforeWork?.()
      const matched = (await lines(segmentFile)).filter((line) => {
        const words = line.split(' ')
        return participants.some((id) => words.includes(String(id))) && scopes.some((scope) => words.includes(scope))
      })
      await write(target, matched)
      return { matchCount: matched.length }
    },
    async split({ matchFile, target, shaveOffPercent, controlHoldoutPercent }) {
      const members = await lines(matchFile)
      await write(target, [`${shaveOffPercent} ${controlHoldoutPercent}`, ...members])
    },
    exportSet: async ({ file, target }) => write(target, await lines(file)),
    close: async () => {},
  }
}
