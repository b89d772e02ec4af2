import fc from 'fast-check'
import type { Fields, Job } from './holdings.ts'
import type { Bench } from './nights.ts'

/** The wanted counterpart of a match, as a line of YAML and as the service stores it. */
export type With = 'partner 2001' | 'partner 2002' | 'group 9001'

const PAST = { made: {}, isCreation: true, readsAfterEnd: 9, startedAt: 0, endsAt: 0 }

/** How a service may show matches, their approvers and their jobs. */
export const WAYS_TO_SHOW = {
  approver: fc.constantFrom('group', 'member', 'caller', 'null', 'absent'),
  partnerApprover: fc.constantFrom('partner', 'null'),
  scopesShown: fc.boolean(),
  matchId: fc.constantFrom('jobId', 'own'),
  matchJobId: fc.constantFrom('latest', 'creating', 'own'),
  unnamedReads: fc.constantFrom(0, 2),
  order: fc.constantFrom('oldest', 'newest'),
} as const

/** Lists that show new things immediately, and matches possibly before their jobs have ended. */
export const LISTED_AT_ONCE = [
  { segments: 0, matches: Number.NEGATIVE_INFINITY, activations: 0 },
  { segments: 0, matches: 0, activations: 0 },
]

/** Things that somebody else made before ours. */
export function existing({ service: { holdings } }: Bench) {
  const job = (): Job => ({ ...PAST, id: holdings.number() })
  return {
    segment(participantSegmentId: string): string {
      const id = holdings.segmentId()
      const fields = { segmentName: participantSegmentId, participantSegmentId, segmentFileName: 'f.csv' }
      holdings.segments.push({ id, fields, keys: new Set(['a']), jobs: [job()], shares: new Map(), namesBefore: [] })
      return id
    },
    /** A segment that a partner shares. Its identifier and name may equal the caller's. */
    partnersSegment(fields: Fields): string {
      const id = holdings.segmentId()
      holdings.segments.push({
        id,
        fields,
        keys: new Set(['b']),
        jobs: [job()],
        shares: new Map(),
        namesBefore: [],
        isPartners: true,
      })
      return id
    },
    /** Returns the id of its job. */
    match(segmentId: string, counterpart: With): string {
      const [kind, id] = counterpart.split(' ')
      const request: Fields = {
        ...{ segmentId, deliveryScopes: ['CABLE'], shareSegmentName: false, accessBgIds: false },
        [`${kind}Id`]: Number(id),
      }
      const made = { ...job(), made: {} as Job['made'] }
      const match = { id: made.id, request, segmentName: 's', jobs: [made], shownJobs: [made], requestor: 1001n }
      holdings.jobs.set(made.id, { ...made, made: { matchId: match.id } })
      holdings.matches.push(match)
      return made.id
    },
    activation(segmentId: string, matchJobId: string): string {
      const id = holdings.number()
      const request = { activationName: 'X', segmentId, matchJobId, refreshRate: 30, actionType: 'REQUEST' }
      holdings.activations.push({ id, request, myRole: 'Requester', job: job() })
      return id
    },
  }
}

export interface Step {
  readonly uses: 'matches.create' | 'matches.ensure' | 'activations.create' | 'activations.ensure'
  readonly segmentId: string
  readonly counterpart: With
  readonly matchJobId?: string
  readonly waits?: boolean
  readonly pipeline?: string
}

/** A document with one step. */
export function documentOf({ uses, segmentId, counterpart, matchJobId, waits = true, pipeline = 'p' }: Step): string {
  const [kind, id] = counterpart.split(' ')
  const fields = uses.startsWith('matches')
    ? [`${kind}Id: ${id}`, 'deliveryScopes: [CABLE]', 'shareSegmentName: false', 'accessBgIds: false']
    : ['activationName: X', `matchJobId: "${matchJobId}"`, 'refreshRate: 30', 'actionType: REQUEST']
  return [
    ...[
      'version: 1',
      `name: ${pipeline}`,
      'inputs: { file: { type: string, default: x } }',
      'steps:',
      '  - id: it',
      `    uses: ${uses}`,
    ],
    ...(waits ? [] : ['    await: false']),
    ...['    with:', `      segmentId: "${segmentId}"`, ...fields.map((field) => `      ${field}`)],
    ...['outputs:', '  out: ${{ steps.it.outputs }}', ''],
  ].join('\n')
}

/**
 * A document that uploads people, makes the segment `autos` from them and has the step `it` for that segment. `rest`:
 * another key of the step.
 */
export function segmentDocument(
  uses: 'segments.create' | 'segments.ensure',
  { pipeline = 'p', file = '${{ steps.upload.outputs.name }}', rest = '' } = {},
): string {
  return `version: 1
name: ${pipeline}
inputs: { file: { type: file } }
steps:
  - id: upload
    uses: files.upload
    with: { file: "\${{ inputs.file }}", uploadSignal: EMAIL, resultContent: BGID }
  - id: it
    uses: ${uses}
    ${rest}
    with: { segmentFileName: "${file}", participantSegmentId: autos, segmentName: Autos, uploadSignal: EMAIL, resultContent: BGID, providerId: 1001 }
`
}
