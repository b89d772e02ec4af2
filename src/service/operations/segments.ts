import type { Segment } from '../../contract/segments.ts'
import { invalidField, invalidParameter, invalidRequest, notFound } from '../api-error.ts'
import type { OperationHandlers, OperationsOf, ServiceCall } from '../call.ts'
import type { Participant } from '../network/network.ts'
import { pageWith } from '../storage/page.ts'
import type { SegmentMetadata, StoredSegment, VisibleSegment } from '../storage/segment-store.ts'
import { approvalBy, findPartner, offers, offersFor } from './partnership.ts'
import { insertJob, startJob } from './start-job.ts'

export const segmentHandlers: OperationHandlers<OperationsOf<'segments'>> = {
  'segments.create'(call, input) {
    const { store, caller } = call
    const { segmentFileName, uploadSignal, resultContent, participantSegmentId } = input
    if (input.providerId !== undefined) checkProvider(call, input.providerId, uploadSignal)
    const content = findSegmentFile(call, input)
    if (store.segments.isTaken(caller.id, participantSegmentId)) {
      throw invalidField('participantSegmentId', `${JSON.stringify(participantSegmentId)} is taken by another segment`)
    }
    const segment = {
      id: call.newId(),
      owner: caller.id,
      participantSegmentId,
      segmentFileName,
      uploadSignal,
      resultContent,
      uploadDateWithSignals: input.uploadDateWithSignals ?? null,
      providerId: input.providerId ?? null,
      ...changedMetadata(NO_METADATA, input),
    }
    return startJob(call, () => {
      store.segments.insert(segment)
      return insertJob(call, {
        segmentId: segment.id,
        request: { kind: 'segments.create', ...buildOf(segment, content) },
      })
    })
  },

  'segments.update'(call, { id, ...input }) {
    const segment = ownSegment(call, id)
    const metadata = changedMetadata(segment, input)
    call.store.transaction(() => call.store.segments.update(id, metadata))
    return segmentView({ ...segment, ...metadata, nameShared: true }, call.caller)
  },

  'segments.get'({ store, caller }, { id }) {
    const segment = store.segments.findVisible(caller.id, id)
    if (!segment) throw notFound('segment', id)
    return segmentView(segment, caller)
  },

  'segments.list'({ store, caller }, input) {
    const { items, ...rest } = pageWith(input, (range) => store.segments.list(caller.id, input, range))
    return { segments: items.map((segment) => segmentView(segment, caller)), ...rest }
  },

  'segments.delete'(call, { id }) {
    const { store, blobs } = call
    const { setFile } = ownSegment(call, id)
    const [job] = store.jobs.activeOnSegment(id)
    if (job) throw invalidParameter('id', `job ${job.id} is still working with this segment`)
    store.transaction(() => store.segments.delete(id))
    blobs.release({ sets: [setFile] })
    return undefined
  },

  'segments.refresh'(call, { id, segmentFileName }) {
    const segment = ownSegment(call, id)
    const source = { ...segment, segmentFileName: segmentFileName ?? segment.segmentFileName }
    const content = findSegmentFile(call, source)
    // Matches and activations already have everything that they need from the segment (decision 149).
    const job = call.store.jobs.activeOnSegment(id).find(({ request }) => request.kind.startsWith('segments.'))
    if (job) throw invalidRequest(`job ${job.id} is still working on this segment`)
    const request = { kind: 'segments.refresh', ...buildOf(source, content) } as const
    return startJob(call, () => insertJob(call, { segmentId: id, request }))
  },

  'segments.share'(call, { segmentId, partnerId, shareSegmentName = true }) {
    const { network, store, caller } = call
    const segment = store.segments.findVisible(caller.id, segmentId)
    if (!segment || segment.owner !== caller.id)
      throw invalidField('segmentId', `there is no segment ${segmentId} that you own`)
    if (partnerId === caller.id) throw invalidField('partnerId', 'is yourself')
    const partner = findPartner(network, caller, partnerId)
    if (!partner) throw invalidField('partnerId', `there is no partner ${partnerId}`)
    if (!offers(partner, 'SEGMENT_SHARE')) {
      throw invalidField('partnerId', `partner ${partnerId} does not accept shared segments (SEGMENT_SHARE)`)
    }
    const approval = approvalBy(partner, segment)
    const request = { kind: 'segments.share', approval, partnerId, shareSegmentName } as const
    return startJob(call, () => insertJob(call, { segmentId, request }))
  },
}

/** Finds a segment of the caller. Only its owner can change it; for others it does not exist (decisions 9 and 50). */
function ownSegment({ store, caller }: ServiceCall, id: string): StoredSegment {
  const segment = store.segments.findVisible(caller.id, id)
  if (!segment || segment.owner !== caller.id) throw notFound('segment', id)
  return segment
}

/** The provider must be the caller itself or a partner that offers uploads of the signal (decision 40). */
function checkProvider(
  { network, caller }: ServiceCall,
  providerId: number,
  signal: StoredSegment['uploadSignal'],
): void {
  if (providerId === caller.id) return
  const partner = findPartner(network, caller, providerId)
  if (!partner) throw invalidField('providerId', `there is no partner ${providerId}`)
  if (!offersFor(partner, 'SEGMENT_UPLOAD', signal)) {
    throw invalidField('providerId', `partner ${providerId} does not offer SEGMENT_UPLOAD for ${signal}`)
  }
}

type BuildSource = Pick<
  StoredSegment,
  'segmentFileName' | 'uploadSignal' | 'resultContent' | 'uploadDateWithSignals' | 'providerId'
>

function buildOf(segment: BuildSource, content: string) {
  const { segmentFileName, uploadSignal, resultContent, uploadDateWithSignals, providerId } = segment
  return { content, segmentFileName, uploadSignal, resultContent, dated: uploadDateWithSignals === true, providerId }
}

type MetadataInput = Partial<Omit<SegmentMetadata, 'spi'>> & { readonly spi?: boolean | null }

/** The metadata of a new segment before the values of its request are applied. */
const NO_METADATA: SegmentMetadata = {
  segmentName: '',
  cpm: null,
  dataOwner: null,
  category: null,
  subCategory: null,
  description: null,
  spi: false,
}

/**
 * Applies an update. An absent field stays unchanged, and null clears a field (decision 45). A cleared flag is off
 * (decision 149).
 */
function changedMetadata(before: SegmentMetadata, input: MetadataInput): SegmentMetadata {
  const { segmentName, cpm, dataOwner, category, subCategory, description, spi } = { ...before, ...input }
  return { segmentName, cpm, dataOwner, category, subCategory, description, spi: spi ?? false }
}

/** A segment as `caller` sees it. Others see neither the owner's identifiers nor an unshared name (decision 52). */
function segmentView(segment: VisibleSegment, caller: Participant): Segment {
  const own = segment.owner === caller.id
  return {
    id: segment.id,
    segmentName: segment.nameShared ? segment.segmentName : '',
    participantSegmentId: own ? segment.participantSegmentId : null,
    segmentFileName: own ? segment.segmentFileName : null,
    uploadSignal: segment.uploadSignal,
    resultContent: segment.resultContent,
    uploadDateWithSignals: segment.uploadDateWithSignals,
    providerId: segment.providerId,
    cpm: segment.cpm,
    dataOwner: segment.dataOwner,
    category: segment.category,
    subCategory: segment.subCategory,
    description: segment.description,
    spi: segment.spi,
  }
}

/**
 * Finds the content for building a segment. Files cannot have the signal ZIPCODE, so the file of a ZIPCODE segment is
 * found by its name, among the files of all signals with the same result content (decision 22).
 */
function findSegmentFile(
  { store, caller }: ServiceCall,
  source: Pick<StoredSegment, 'segmentFileName' | 'uploadSignal' | 'resultContent'>,
): string {
  const { segmentFileName: name, uploadSignal, resultContent } = source
  const [content, ...more] = store.files.find({
    participant: caller.id,
    featureType: 'SEGMENT_UPLOAD',
    uploadSignal: uploadSignal === 'ZIPCODE' ? undefined : uploadSignal,
    resultContent,
    name,
  })
  if (more.length > 0) {
    throw invalidField('segmentFileName', `${JSON.stringify(name)} exists under ${more.length + 1} signals`)
  }
  if (content !== undefined) return content
  throw invalidField(
    'segmentFileName',
    `there is no file ${JSON.stringify(name)} for uploadSignal ${uploadSignal} and resultContent ${resultContent}`,
  )
}
