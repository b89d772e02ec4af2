import { ApiError, notFound } from '../api-error.ts'
import { controlOperation } from './control-operation.ts'

export const matchOperations = {
  'matches.export': controlOperation({
    method: 'GET',
    path: '/matches/{matchId}/set',
    summary: 'Write the people of a match, or of a part of its split, as CSV.',
    description: 'The API itself shows no sets (decision 80). The CSV is sorted and has the header `bgid`.',
    input: {
      type: 'object',
      additionalProperties: false,
      required: ['matchId'],
      properties: {
        matchId: { type: 'string', pattern: '^[0-9]{1,18}$', description: 'Id of the match.' },
        part: {
          type: 'string',
          enum: ['test', 'control', 'shaved'],
          description: 'A part of the test and control split; default: the whole match.',
        },
      },
    },
    answer: '`text/csv`',
    async handle({ store, blobs, engine, scratchPath }, { matchId, part }) {
      const match = store.matches.find(matchId)
      if (!match) throw notFound('match', matchId)
      const { setFile, splitFile } = match
      const file = part === undefined ? setFile : splitFile
      if (file === null) {
        throw new ApiError(
          'conflict',
          `match ${matchId} has no ${part === undefined ? 'result' : 'test and control'} yet`,
        )
      }
      const csvFile = scratchPath(`match-${matchId}.csv`)
      await engine.exportSet({ file: blobs.setPath(file), target: csvFile, ...(part !== undefined && { part }) })
      return { csvFile }
    },
  }),
}
