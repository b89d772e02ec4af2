import { join } from 'node:path'
import type { ApiClient } from '../../src/adapter/api-client.ts'
import type { JsonObject } from '../../src/core/json.ts'
import { placeOf } from './files.ts'
import type { Holdings } from './holdings.ts'
import type { ReadId, WriteId } from './ways.ts'

export interface LawBench {
  readonly api: ApiClient
  readonly holdings: Holdings
  readonly folder: string
  /** Runs a step with the same id to its end, without any fault. */
  step(uses: string, input: JsonObject): Promise<JsonObject>
}

/** A step that writes, and how to check at the service what it did. */
export interface LawCase {
  readonly uses: string
  /** The writes that can get any answer. */
  readonly writes: readonly WriteId[]
  /**
   * The reads that can get any answer; `true` if the step knows the name of the thing that it reads. The default is all
   * reads whose answer shows the requested id.
   */
  readonly reads?: Partial<Record<ReadId, boolean>>
  /** Makes what the step needs; returns its input. */
  arrange(bench: LawBench): Promise<JsonObject>
  /** Whether the step has reached its goal. */
  isDone(holdings: Holdings, input: JsonObject, outputs: JsonObject): boolean
  /** How many of its things exist: at most one, or two if the contract allows sending the request again. */
  count?(holdings: Holdings, input: JsonObject): number
  readonly most?: number
}

const FILE = 'people.csv'
const OTHER_FILE = 'others.csv'
const BUCKET = { uploadSignal: 'EMAIL', resultContent: 'BGID' } as const
const SEGMENT = {
  segmentFileName: FILE,
  participantSegmentId: 'autos',
  segmentName: 'Autos',
  ...BUCKET,
  providerId: 1001,
} as const
const FLAGS = { shareSegmentName: false, accessBgIds: false } as const

function keep({ holdings }: LawBench, ...names: readonly string[]): void {
  for (const name of names) holdings.files.set(placeOf('EMAIL', 'BGID', name), new Set(['p1@x.test', name]))
}

async function segment(bench: LawBench): Promise<string> {
  keep(bench, FILE, OTHER_FILE)
  const { id } = await bench.api.segments.create(SEGMENT)
  const { segmentId = '' } = await bench.api.waitForJob(id, { timeoutMs: 600_000 })
  return segmentId
}

async function match(bench: LawBench) {
  const segmentId = await segment(bench)
  const { id } = await bench.api.matches.create({ segmentId, groupId: '9001', deliveryScopes: ['CABLE'], ...FLAGS })
  const { matchId = '' } = await bench.api.waitForJob(id, { timeoutMs: 600_000 })
  return { segmentId, matchId, matchJobId: id }
}

async function activation(bench: LawBench): Promise<JsonObject> {
  const { segmentId, matchJobId } = await match(bench)
  return { activationName: 'Autos Q4', segmentId, matchJobId, refreshRate: 30, actionType: 'REQUEST' }
}

const wantedMatch = async (bench: LawBench): Promise<JsonObject> => ({
  segmentId: await segment(bench),
  groupId: '9001',
  deliveryScopes: ['CABLE'],
  ...FLAGS,
})

/** The file that the segment was last built from. */
const builtFrom = ({ segments }: Holdings) => segments[0]?.fields.segmentFileName
const jobsOnMatch = ({ matches }: Holdings) => (matches[0]?.jobs.length ?? 1) - 1

export const LAW_CASES: Readonly<Record<string, LawCase>> = {
  'files.upload': {
    uses: 'files.upload',
    writes: ['files.upload'],
    arrange: async ({ folder }) => ({ file: join(folder, FILE), ...BUCKET }),
    isDone: ({ files }, _input, { name }) =>
      [...files.keys()].some((place) => place.startsWith(placeOf('EMAIL', 'BGID', String(name ?? '')))),
    count: ({ files }) => files.size,
  },
  'files.delete': {
    uses: 'files.delete',
    writes: ['files.delete'],
    async arrange(bench) {
      keep(bench, FILE, OTHER_FILE)
      return { file: FILE, ...BUCKET }
    },
    isDone: ({ files }) => files.size === 1,
  },
  'segments.create': {
    uses: 'segments.create',
    writes: ['segments.create'],
    reads: { 'jobs.get': false, 'segments.get': true },
    async arrange(bench) {
      keep(bench, FILE)
      return SEGMENT
    },
    isDone: ({ segments }) => segments.length > 0,
    count: ({ segments }) => segments.length,
  },
  'segments.ensure, a new one': {
    uses: 'segments.ensure',
    writes: ['segments.create'],
    reads: { 'jobs.get': false, 'segments.get': true },
    async arrange(bench) {
      keep(bench, FILE)
      return SEGMENT
    },
    isDone: ({ segments }) => segments.length > 0,
    count: ({ segments }) => segments.length,
  },
  'segments.ensure, with another name, file and partner': {
    uses: 'segments.ensure',
    writes: ['segments.update', 'segments.refresh', 'segments.share'],
    async arrange(bench) {
      keep(bench, FILE, OTHER_FILE)
      await bench.step('segments.ensure', SEGMENT)
      return { ...SEGMENT, segmentName: 'New', segmentFileName: OTHER_FILE, shareWith: [2001] }
    },
    isDone: (holdings) => {
      const [only] = holdings.segments
      return only?.fields.segmentName === 'New' && builtFrom(holdings) === OTHER_FILE && only.shares.has('2001')
    },
    count: ({ segments }) => segments.length,
  },
  'segments.update': {
    uses: 'segments.update',
    writes: ['segments.update'],
    arrange: async (bench) => ({ id: await segment(bench), segmentName: 'New', cpm: 3 }),
    isDone: ({ segments }) => segments[0]?.fields.segmentName === 'New' && segments[0].fields.cpm === 3,
  },
  'segments.refresh': {
    uses: 'segments.refresh',
    writes: ['segments.refresh'],
    arrange: async (bench) => ({ id: await segment(bench), segmentFileName: OTHER_FILE }),
    isDone: (holdings) => builtFrom(holdings) === OTHER_FILE,
    count: ({ segments }) => (segments[0]?.jobs.length ?? 1) - 1,
    most: 2,
  },
  'segments.share': {
    uses: 'segments.share',
    writes: ['segments.share'],
    arrange: async (bench) => ({ segmentId: await segment(bench), partnerId: 2001 }),
    isDone: ({ segments }) => segments[0]?.shares.has('2001') === true,
    count: ({ segments }) => segments[0]?.shares.get('2001') ?? 0,
    most: 2,
  },
  'segments.delete': {
    uses: 'segments.delete',
    writes: ['segments.delete'],
    arrange: async (bench) => ({ id: await segment(bench) }),
    isDone: ({ segments }) => segments.length === 0,
  },
  'matches.create': {
    uses: 'matches.create',
    writes: ['matches.create'],
    reads: { 'jobs.get': false, 'matches.get': false },
    arrange: wantedMatch,
    isDone: ({ matches }) => matches.length > 0,
    count: ({ matches }) => matches.length,
  },
  'matches.ensure, a new one': {
    uses: 'matches.ensure',
    writes: ['matches.create', 'matches.testControl'],
    arrange: async (bench) => ({ ...(await wantedMatch(bench)), testControl: { shaveOffPercent: 10 } }),
    isDone: ({ matches }) => matches[0]?.split !== undefined,
    count: ({ matches }) => matches.length,
  },
  'matches.ensure, once more': {
    uses: 'matches.ensure',
    writes: ['matches.refresh'],
    async arrange(bench) {
      const input = await wantedMatch(bench)
      await bench.step('matches.ensure', input)
      return { ...input, refresh: 'always' }
    },
    isDone: (holdings) => jobsOnMatch(holdings) > 0,
    count: ({ matches }) => matches.length,
  },
  'matches.refresh': {
    uses: 'matches.refresh',
    writes: ['matches.refresh'],
    arrange: async (bench) => ({ matchId: (await match(bench)).matchId }),
    isDone: (holdings) => jobsOnMatch(holdings) > 0,
    count: jobsOnMatch,
    most: 2,
  },
  'matches.testControl': {
    uses: 'matches.testControl',
    writes: ['matches.testControl'],
    arrange: async (bench) => ({ matchId: (await match(bench)).matchId, shaveOffPercent: 10 }),
    isDone: ({ matches }) => matches[0]?.split !== undefined,
    count: jobsOnMatch,
    most: 2,
  },
  'matches.delete': {
    uses: 'matches.delete',
    writes: ['matches.delete'],
    arrange: async (bench) => ({ matchId: (await match(bench)).matchId }),
    isDone: ({ matches }) => matches.length === 0,
  },
  'activations.create': {
    uses: 'activations.create',
    writes: ['activations.create'],
    reads: { 'jobs.get': false, 'activations.get': true },
    arrange: activation,
    isDone: ({ activations }) => activations.length > 0,
    count: ({ activations }) => activations.length,
  },
  'activations.ensure, a new one': {
    uses: 'activations.ensure',
    writes: ['activations.create'],
    reads: { 'jobs.get': false, 'activations.get': true },
    arrange: activation,
    isDone: ({ activations }) => activations.length > 0,
    count: ({ activations }) => activations.length,
  },
  'activations.ensure, which replaces one': {
    uses: 'activations.ensure',
    writes: ['activations.delete', 'activations.create'],
    async arrange(bench) {
      const input = await activation(bench)
      await bench.step('activations.ensure', input)
      return { ...input, refreshRate: 60, onChange: 'replace' }
    },
    isDone: ({ activations }) => activations.some(({ request }) => request.refreshRate === 60),
    // Never both the old and the new one.
    count: ({ activations }) => activations.length,
  },
  'activations.delete': {
    uses: 'activations.delete',
    writes: ['activations.delete'],
    async arrange(bench) {
      const { activationId = null } = await bench.step('activations.create', await activation(bench))
      return { id: activationId }
    },
    isDone: ({ activations }) => activations.length === 0,
  },
}
