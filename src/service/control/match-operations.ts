import { ApiError, notFound } from '../api-error.ts'
import { controlOperation, newest } from './control-operation.ts'

export const matchOperations = {
  'matches.list': controlOperation({
    method: 'GET',
    path: '/matches',
    summary: 'List the matches of all participants, newest first.',
    input: newest,
    answer:
      '`matches`, each with `id`, `requester`, `approver` or `groupId`, `segmentId`, `segmentName`, `deliveryScopes`, `status`, `matchCount`, `matchJobId`, `shaveOffPercent` and `controlHoldoutPercent`',
    handle: ({ store }, { limit = 100 }) => ({
      matches: store.matches.report(limit).map((match) => ({
        id: match.id,
        requester: match.requester,
        approver: match.approver,
        groupId: match.groupId,
        segmentId: match.segmentId,
        segmentName: match.segment.segmentName,
        deliveryScopes: [...match.deliveryScopes],
        status: match.status,
        matchCount: match.matchCount,
        matchJobId: match.matchJobId,
        shaveOffPercent: match.shaveOffPercent,
        controlHoldoutPercent: match.controlHoldoutPercent,
      })),
    }),
  }),

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
