import { controlOperation, newest } from './control-operation.ts'

export const segmentOperations = {
  'segments.list': controlOperation({
    method: 'GET',
    path: '/segments',
    summary: 'List the segments of all participants, newest first.',
    description: 'Segments that are still being built are among them, deleted ones are not.',
    input: newest,
    answer:
      '`segments`, each with `id`, `owner`, `state`, `segmentName`, `participantSegmentId`, `segmentFileName`, `uploadSignal`, `resultContent`, `providerId` and the number of `members`',
    handle: ({ store }, { limit = 100 }) => ({
      segments: store.segments.report(limit).map((segment) => ({
        id: segment.id,
        owner: segment.owner,
        state: segment.state,
        segmentName: segment.segmentName,
        participantSegmentId: segment.participantSegmentId,
        segmentFileName: segment.segmentFileName,
        uploadSignal: segment.uploadSignal,
        resultContent: segment.resultContent,
        providerId: segment.providerId,
        members: segment.members,
      })),
    }),
  }),
}
