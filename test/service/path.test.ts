import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startTestService, type TestService } from './support/start-test-service.ts'

describe('from a file to an activation', () => {
  let bench: TestService
  beforeAll(async () => {
    bench = await startTestService()
  })
  afterAll(() => bench.close())

  test('walks the whole path, and remembers all of it over a restart', async () => {
    const uploaded = await bench.upload('people.csv', 'ann 2001 CABLE\nben 2005 CABLE\ncid 2001 VOD_ACTIVE\n')
    expect(uploaded).toMatchObject({ status: 200, body: { name: 'people.csv' } })

    const segmentJob = await bench.job('POST /api/segments', {
      segmentFileName: 'people.csv',
      participantSegmentId: 'people',
      segmentName: 'People',
      uploadSignal: 'EMAIL',
      resultContent: 'BGID',
      providerId: 1001,
    })
    expect(segmentJob).toEqual({ id: expect.any(String), status: 'SUCCESS', segmentId: expect.any(String) })
    const { segmentId } = segmentJob
    expect((await bench.send(`GET /api/segments/${segmentId}`)).body).toMatchObject({
      id: segmentId,
      segmentName: 'People',
      spi: false,
    })

    expect((await bench.send('GET /api/groups/9001')).body).toMatchObject({ groupId: 9001, groupName: 'Cable' })
    const matchJob = await bench.job('POST /api/segments/match', {
      segmentId,
      groupId: 9001,
      deliveryScopes: ['CABLE'],
    })
    const match = (await bench.send(`GET /api/segments/match/${matchJob.matchId}`)).body
    expect(match).toMatchObject({ status: 'FINISHED', matchCount: 2, matchJobId: matchJob.id, segmentName: 'People' })

    const activationJob = await bench.job('POST /api/activations', {
      activationName: 'Spring',
      segmentId,
      matchJobId: match.matchJobId,
      refreshRate: 30,
      actionType: 'REQUEST',
    })
    const activation = {
      myRole: 'Requester',
      ActivationId: activationJob.activationId,
      ActivationName: 'Spring',
      Status: 'Activated',
      spi: false,
      deliveryScopes: ['CABLE'],
      campaign: null,
      agency: null,
      brand: null,
    }
    expect((await bench.send(`GET /api/activations/${activationJob.activationId}`)).body).toEqual(activation)

    const { token } = bench.service
    await bench.restart()
    expect(bench.service.token).toBe(token)
    expect((await bench.send(`GET /api/jobs/${activationJob.id}`)).body).toEqual(activationJob)
    expect((await bench.send(`GET /api/segments/match/${matchJob.matchId}`)).body).toEqual(match)
    expect((await bench.send('GET /api/activations/activations')).body.activations).toEqual([activation])
  })
})
