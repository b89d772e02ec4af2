import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { OperationId } from '../../../src/contract/operations.ts'
import type { JsonObject } from '../../../src/core/json.ts'
import type { Passed } from '../../support/losing-proxy.ts'
import type { StepBench } from './step-bench.ts'

/** A write, and how to count its effects at the service. */
export interface WriteCase {
  /** Makes what the write needs, and returns its input. */
  arrange(bench: StepBench, name: string): Promise<JsonObject>
  /** Whether a request is this write. */
  isIt(request: Omit<Passed, 'status'>, input: JsonObject): boolean
  /** How often it may take effect, if doing it again changes nothing; once if absent. */
  readonly mostEffects?: number
  /** Outputs that it must have, whatever happened. */
  readonly gives: Readonly<Record<string, unknown>>
}

const PEOPLE = 'ann 2001 CABLE\nben 2005 CABLE\n'

async function segment({ service }: StepBench, name: string): Promise<string> {
  return service.segment(name, PEOPLE)
}

async function match(bench: StepBench, name: string): Promise<{ segmentId: string; matchId: string; jobId: string }> {
  const segmentId = await segment(bench, name)
  const job = await bench.service.job('POST /api/segments/match', {
    segmentId,
    groupId: 9001,
    deliveryScopes: ['CABLE'],
  })
  return { segmentId, matchId: job.matchId, jobId: job.id }
}

async function activation(bench: StepBench, name: string): Promise<JsonObject> {
  const { segmentId, jobId } = await match(bench, name)
  return { activationName: name, segmentId, matchJobId: jobId, refreshRate: 30, actionType: 'REQUEST' }
}

const text = expect.any(String)

export const WRITES: Readonly<Partial<Record<OperationId, WriteCase>>> = {
  'files.upload': {
    async arrange({ service }, name) {
      const file = join(service.dataDir, `${name}.csv`)
      await writeFile(file, `${name}\n${PEOPLE}`)
      // The service of these tests accepts people as rows, not addresses.
      return { file, uploadSignal: 'EMAIL', resultContent: 'BGID', precheck: { minimumShare: 0 } }
    },
    isIt: ({ method, path, body }, { file }) =>
      method === 'POST' && path.startsWith('/api/files') && body.includes(String(file).replace(/.*\/|\.csv/g, '')),
    mostEffects: 3,
    gives: { name: text, rows: 2 },
  },
  'files.delete': {
    async arrange({ service }, name) {
      await service.upload(`${name}.csv`, PEOPLE)
      return { file: `${name}.csv`, uploadSignal: 'EMAIL', resultContent: 'BGID' }
    },
    isIt: ({ method, path }, { file }) => method === 'DELETE' && path.startsWith(`/api/files/${file}`),
    gives: {},
  },
  'segments.create': {
    async arrange({ service }, name) {
      await service.upload(`${name}.csv`, PEOPLE)
      return {
        segmentFileName: `${name}.csv`,
        participantSegmentId: name,
        segmentName: `Segment ${name}`,
        uploadSignal: 'EMAIL',
        resultContent: 'BGID',
        providerId: 1001,
      }
    },
    isIt: ({ method, path, body }, { participantSegmentId }) =>
      method === 'POST' && path === '/api/segments' && body.includes(`"${participantSegmentId}"`),
    gives: { segmentId: text, segmentName: text },
  },
  'segments.update': {
    arrange: async (bench, name) => ({ id: await segment(bench, name), segmentName: `New ${name}` }),
    isIt: ({ method, path }, { id }) => method === 'PUT' && path === `/api/segments/${id}`,
    mostEffects: 3,
    gives: { segmentName: expect.stringContaining('New') },
  },
  'segments.delete': {
    arrange: async (bench, name) => ({ id: await segment(bench, name) }),
    isIt: ({ method, path }, { id }) => method === 'DELETE' && path === `/api/segments/${id}`,
    gives: {},
  },
  'segments.refresh': {
    async arrange(bench, name) {
      const id = await segment(bench, name)
      await bench.service.upload(`${name}-2.csv`, `${PEOPLE}cid 2001 CABLE\n`)
      return { id, segmentFileName: `${name}-2.csv` }
    },
    isIt: ({ method, path }, { id }) => method === 'PUT' && path === `/api/segments/${id}/refresh`,
    // Its job may end between the last read and the second request.
    mostEffects: 2,
    gives: { segmentId: text, segmentFileName: expect.stringContaining('-2.csv') },
  },
  'segments.share': {
    arrange: async (bench, name) => ({ segmentId: await segment(bench, name), partnerId: 2001 }),
    isIt: ({ path, body }, { segmentId }) => path === '/api/segments/share' && body.includes(String(segmentId)),
    mostEffects: 2,
    gives: { segmentId: text },
  },
  'matches.create': {
    arrange: async (bench, name) => ({
      segmentId: await segment(bench, name),
      groupId: '9001',
      deliveryScopes: ['CABLE'],
      shareSegmentName: false,
      accessBgIds: false,
    }),
    isIt: ({ method, path, body }, { segmentId }) =>
      method === 'POST' && path === '/api/segments/match' && body.includes(String(segmentId)),
    gives: { jobId: text, matchId: text, matchCount: 2, status: 'FINISHED' },
  },
  'matches.refresh': {
    arrange: async (bench, name) => ({ matchId: (await match(bench, name)).matchId }),
    isIt: ({ method, path }, { matchId }) => method === 'POST' && path === `/api/segments/match/refresh/${matchId}`,
    gives: { jobId: text, matchId: text, matchCount: 2, status: 'FINISHED' },
  },
  'matches.testControl': {
    arrange: async (bench, name) => ({ matchId: (await match(bench, name)).matchId, shaveOffPercent: 10 }),
    isIt: ({ method, path }, { matchId }) =>
      method === 'POST' && path === `/api/segments/match/test-control/${matchId}`,
    gives: { jobId: text, matchId: text, status: 'FINISHED' },
  },
  'matches.delete': {
    arrange: async (bench, name) => ({ matchId: (await match(bench, name)).matchId }),
    isIt: ({ method, path }, { matchId }) => method === 'DELETE' && path === `/api/segments/match/${matchId}`,
    gives: {},
  },
  'activations.create': {
    arrange: activation,
    isIt: ({ method, path, body }, { activationName }) =>
      method === 'POST' && path === '/api/activations' && body.includes(`"${activationName}"`),
    gives: { activationId: text, Status: 'Activated' },
  },
  'activations.delete': {
    async arrange(bench, name) {
      const job = await bench.service.job('POST /api/activations', await activation(bench, name))
      return { id: job.activationId }
    },
    isIt: ({ method, path }, { id }) => method === 'DELETE' && path === `/api/activations/${id}`,
    gives: {},
  },
}
