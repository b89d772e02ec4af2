/** The step `segment`: it creates or keeps a segment from the file of the step `upload`. */
export const segmentStep = (
  uses: 'segments.create' | 'segments.ensure',
  participantSegmentId: string,
  segmentName = participantSegmentId,
) => `  - id: segment
    uses: ${uses}
    with:
      segmentFileName: \${{ steps.upload.outputs.name }}
      participantSegmentId: ${participantSegmentId}
      segmentName: ${segmentName}
      uploadSignal: EMAIL
      resultContent: BGID
      providerId: 1001
`
