import { placeOf } from './files.ts'
import { inForm } from './forms.ts'
import { type Fields, type Holdings, isBusy, type Segment } from './holdings.ts'
import { pageOf, passes } from './lists.ts'
import { invalid, Refusal } from './refusal.ts'
import { type Answer, type Asked, flag, integer, oneOf, required, text } from './request.ts'
import { showJob, showSegment } from './show.ts'
import type { Ways } from './ways.ts'

const SIGNALS = 'IP IDFA AAID STBID EMAIL ADDRESS PARTNER_RECORD_ID BGID RECORD_ID ZIPCODE'.split(' ')
const METADATA = ['segmentName', 'cpm', 'dataOwner', 'category', 'subCategory', 'description', 'spi']

export function createSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const fields = checked(asked.json())
  const keys = holdings.files.get(placeOf(fields.uploadSignal, fields.resultContent, fields.segmentFileName))
  if (!keys) throw invalid('there is no such file')
  const identifier = ({ participantSegmentId }: Fields) => inForm(participantSegmentId, ways.keeps.segments)
  const isTaken = holdings.segments.some(
    (other) => !other.isPartners && identifier(other.fields) === identifier(fields),
  )
  if (isTaken && ways.duplicate !== 'taken') throw new Refusal(ways.duplicate)
  const id = holdings.segmentId()
  const job = holdings.start(true, () => ({ segmentId: id }))
  holdings.segments.push({ id, fields, keys, jobs: [job], shares: new Map(), namesBefore: [] })
  return { status: ways.accepted, body: showJob(job, holdings.now(), ways) }
}

function checked(fields: Fields): Fields {
  for (const name of ['segmentFileName', 'participantSegmentId', 'segmentName']) required(fields, name, 100)
  for (const name of ['dataOwner', 'category', 'subCategory']) text(fields, name, 200)
  text(fields, 'description', 500)
  oneOf(fields.uploadSignal, 'uploadSignal', SIGNALS)
  oneOf(fields.resultContent, 'resultContent', ['BGID', 'HASHED'])
  for (const name of ['spi', 'uploadDateWithSignals']) flag(fields, name)
  const needsProvider = fields.uploadSignal !== 'BGID' && fields.resultContent !== 'HASHED'
  if (integer(fields, 'providerId') === undefined && needsProvider) throw invalid('providerId is required')
  return fields
}

/** The contract limits the length only for a creation. */
export function updateSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const segment = existing(asked, holdings, ways)
  const given = asked.json()
  required(given, 'segmentName', Number.POSITIVE_INFINITY)
  const changes = METADATA.filter((name) => given[name] !== undefined).map((name) => [name, given[name]])
  segment.namesBefore.push(segment.fields.segmentName)
  segment.fields = { ...segment.fields, ...Object.fromEntries(changes) }
  const shown = showSegment(segment, ways.updated === 'promised' ? { ...ways, segmentFields: 'promised' } : ways)
  return ways.updated === 'empty' ? { status: 200 } : { status: 200, body: shown }
}

export function getSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const segment = existing(asked, holdings, ways, ways.partnersRead)
  if (holdings.now() < (segment.jobs[0]?.endsAt ?? 0) + ways.madeHiddenMs) throw new Refusal(ways.gone)
  return { status: 200, body: showSegment(segment, ways) }
}

export function listSegments(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const hiddenMs = Math.max(ways.listedAfterMs.segments, ways.madeHiddenMs)
  const found = holdings.segments
    .filter(({ jobs }) => holdings.now() >= (jobs[0]?.endsAt ?? 0) + hiddenMs)
    .filter(({ id }) => passes(asked, ways, 'id', id))
    .filter(({ fields }) =>
      passes(asked, ways, 'participantSegmentId', fields.participantSegmentId, ways.keeps.segments),
    )
    .filter(({ fields }) => passes(asked, ways, 'uploadSignal', fields.uploadSignal))
  return pageOf(
    'segments',
    found.map((segment) => showSegment(segment, ways)),
    asked,
    ways,
  )
}

export function deleteSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  holdings.segments.splice(holdings.segments.indexOf(existing(asked, holdings, ways)), 1)
  holdings.deleted.segments += 1
  return { status: ways.deleted }
}

export function refreshSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const segment = existing(asked, holdings, ways)
  if (isBusy(segment, holdings.now())) throw new Refusal({ status: 400, body: '' })
  const { uploadSignal, resultContent, segmentFileName } = segment.fields
  const name = text(asked.json(), 'segmentFileName', 100) ?? segmentFileName
  const keys = holdings.files.get(placeOf(uploadSignal, resultContent, name))
  if (!keys) throw invalid('there is no such file')
  segment.fields = { ...segment.fields, segmentFileName: name }
  segment.keys = keys
  const job = holdings.start(false, () => ({ segmentId: segment.id }))
  segment.jobs.push(job)
  return { status: ways.accepted, body: showJob(job, holdings.now(), ways) }
}

/** A share does not change the segment, so nothing has to wait for it. */
export function shareSegment(asked: Asked, holdings: Holdings, ways: Ways): Answer {
  const given = asked.json()
  const segmentId = required(given, 'segmentId', Number.POSITIVE_INFINITY)
  const partnerId = integer(given, 'partnerId')
  flag(given, 'shareSegmentName')
  const segment = holdings.segments.find(({ id, isPartners }) => id === segmentId && !isPartners)
  if (!segment || partnerId === undefined) throw invalid('there is no such segment or partner')
  segment.shares.set(String(partnerId), (segment.shares.get(String(partnerId)) ?? 0) + 1)
  return {
    status: ways.accepted,
    body: showJob(
      holdings.start(false, () => ({ segmentId })),
      holdings.now(),
      ways,
    ),
  }
}

/** A request that changes something finds it as soon as its job has ended, even if reads do not show it yet. */
function existing({ values }: Asked, holdings: Holdings, ways: Ways, isOfAnybody = false): Segment {
  const segment = holdings.segments.find(({ id, isPartners }) => id === values[0] && (isOfAnybody || !isPartners))
  if (!segment || holdings.now() < (segment.jobs[0]?.endsAt ?? 0)) throw new Refusal(ways.gone)
  return segment
}
