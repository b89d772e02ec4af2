import { expect, test } from 'vitest'
import type { JsonObject } from '../../src/core/json.ts'
import { createForecast } from '../../src/steps/index.ts'
import { activation, activationService, INPUT, KNOWN, PLACE, SENT } from './support/activation-service.ts'

const plan = (service: Awaited<ReturnType<typeof activationService>>, more: JsonObject = {}) => {
  const input = { ...INPUT, ...more }
  const question = {
    ...PLACE,
    stepKey: 'it',
    uses: 'activations.ensure',
    input,
    unknown: [],
    rebuilt: new Set<string>(),
  }
  return createForecast(service)(question)
}
const create = { method: 'POST', path: '/api/activations', body: INPUT }
const other = { ...KNOWN, sent: { ...SENT, brand: 'A', agency: 'X' } }
const changed = ['agency', 'brand']
const changes = [
  { field: 'agency', from: 'X', to: null },
  { field: 'brand', from: 'A', to: 'B' },
]

test.each<[string, object | undefined, JsonObject, object]>([
  [
    'creates one',
    undefined,
    { onChange: 'keep' },
    { action: 'create', why: 'there is none with this name', changed: [], requests: [create] },
  ],
  [
    'creates one of another match',
    { ...KNOWN, matchId: '8' },
    {},
    { action: 'create', why: 'a different match from before', changed: ['match'], requests: [create] },
  ],
  [
    'leaves one alone',
    KNOWN,
    {},
    {
      ...{ action: 'leave', why: undefined, changed: undefined, changes: undefined, requests: [], complete: true },
      outputs: { ...activation('1'), activationId: '1', action: 'unchanged', changed: [] },
    },
  ],
  [
    'keeps one that differs',
    other,
    { onChange: 'keep' },
    {
      action: 'leave',
      why: '`onChange: keep`',
      changed,
      changes,
      requests: [],
      outputs: { changed },
      complete: true,
    },
  ],
  [
    'keeps one with a single difference',
    { ...KNOWN, sent: { ...SENT, brand: 'A' } },
    { onChange: 'keep' },
    {
      ...{ action: 'leave', why: '`onChange: keep`', changed: ['brand'] },
      changes: [{ field: 'brand', from: 'A', to: 'B' }],
    },
  ],
  [
    'replaces one that differs',
    other,
    { onChange: 'replace' },
    {
      ...{ action: 'replace', why: 'an activation cannot be changed', changed, changes, complete: false },
      requests: [{ method: 'DELETE', path: '/api/activations/1' }, create],
    },
  ],
  [
    'fails for one that differs',
    other,
    {},
    {
      ...{ action: 'fail', why: 'activation 1 cannot be changed; `onChange` says what to do', changed, changes },
      ...{ requests: [], complete: false },
    },
  ],
  [
    'waits for the job of an earlier run',
    { ...KNOWN, state: 'started', jobId: 'm', runId: 'earlier' },
    {},
    { action: 'afterRun', requests: [] },
  ],
  [
    'leaves it to a person',
    { ...KNOWN, state: 'sending', runId: 'earlier', before: [] },
    {},
    { action: 'afterRun', why: expect.stringMatching(/^it is not there.*: a person has to decide$/) },
  ],
])('a plan %s', async (_, memory, more, forecast) => {
  const service = await activationService(memory)
  expect(await plan(service, more)).toMatchObject(forecast)
  expect(service.sent).toEqual([])
})

test('a plan waits for a job that goes on', async () => {
  const service = await activationService({ ...KNOWN, state: 'started', jobId: '6', runId: 'earlier' })
  Object.assign(service.api.jobs, { get: async ({ jobId }: { jobId: string }) => ({ id: jobId, status: 'RUNNING' }) })
  expect(await plan(service)).toMatchObject({
    action: 'wait',
    why: 'job 6 of an earlier run has not ended',
    requests: [],
  })
})
