import { invalidField } from '../api-error.ts'
import type { Call } from '../call.ts'
import type { StoredSegment } from '../storage/stored-segment.ts'

/**
 * The content for building a segment. Files have no ZIPCODE bucket, so a ZIPCODE segment finds its file by name, across
 * all signals with the same result content (decision 22).
 */
export function findSegmentFile(
  { store, caller }: Call,
  source: Pick<StoredSegment, 'segmentFileName' | 'uploadSignal' | 'resultContent'>,
): string {
  const { segmentFileName: name, uploadSignal, resultContent } = source
  const key = { participant: caller.id, featureType: 'SEGMENT_UPLOAD', resultContent, name }
  if (uploadSignal === 'ZIPCODE') {
    const [content, ...more] = store.files.findUnderAnySignal(key)
    if (more.length > 0) {
      throw invalidField('segmentFileName', `${JSON.stringify(name)} is there under ${more.length + 1} signals`)
    }
    if (content !== undefined) return content
  } else {
    const content = store.files.find({ ...key, uploadSignal })
    if (content !== undefined) return content
  }
  throw invalidField(
    'segmentFileName',
    `there is no file ${JSON.stringify(name)} for uploadSignal ${uploadSignal} and resultContent ${resultContent}`,
  )
}
